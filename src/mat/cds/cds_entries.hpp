/* The places of CDS one by one, in either space, for those who read or write values instead of multiplying. */
#pragma once
#include "cds_view.hpp"

namespace goza::mat {

/* Value: PetscScalar, to write, too, or const PetscScalar. */
template <class Value> struct CdsEntries {
  PetscInt     nodes, columns; // columns: in nodes, too
  int          bs;
  bool         half;
  int          ndiag;
  std::int64_t ld;
  Value       *val;
  PetscInt     offset[max_diagonals]; // [ndiag], ascending; half: from 0 up
  bool         every = false;         // place is an entry, those of zeros, too

  HD PetscInt rows() const { return nodes * bs; }
  HD PetscInt cols() const { return columns * bs; }
  HD PetscInt units() const { return nodes; } // for_each_stored()
  std::size_t places() const { return static_cast<std::size_t>(ndiag) * bs * bs * ld; }
  HD Value   *at(int d, int r, int c, PetscInt i) const { return val + (static_cast<std::int64_t>((d * bs + r) * bs + c) * ld + i); }

  HD int find(PetscInt o) const // -1: not stored
  {
    int low = 0, high = ndiag;

    while (low < high) {
      const int mid = (low + high) / 2;

      if (offset[mid] < o) low = mid + 1;
      else high = mid;
    }
    return low < ndiag && offset[low] == o ? low : -1;
  }

  /* Where an entry inside the matrix stands, half: or its mirror image; nullptr: on no diagonal. */
  HD Value *place(PetscInt row, PetscInt col) const
  {
    const PetscInt i = row / bs, j = col / bs;
    const bool     other = half && j < i;
    const int      d     = find(other ? i - j : j - i);

    if (d < 0) return nullptr;
    return other ? at(d, static_cast<int>(col % bs), static_cast<int>(row % bs), j) : at(d, static_cast<int>(row % bs), static_cast<int>(col % bs), i);
  }

  HD bool mirrored(PetscInt row, PetscInt col) const { return half && col / bs < row / bs; } // an entry that stands where its mirror image does
  HD bool is_entry(PetscInt row, PetscInt col, Value value) const { return every || row == col || value != Value(0); }

  /* f(column, place) for the places of a row, ascending. */
  template <class F> HD void for_each_of_row(PetscInt row, F f) const
  {
#if !defined(__CUDA_ARCH__)
    if (bs == 1) { // without divisions
      for (int k = 0; k < blocks(); k++) {
        const Block b = block(row, k);

        if (b.node >= 0) f(b.node, val + (b.d * ld + (b.mirrored ? b.node : row)));
      }
      return;
    }
#endif
    const PetscInt i = row / bs;
    const int      r = static_cast<int>(row % bs);

    for (int d = ndiag - 1; half && d >= 0; d--) {
      const PetscInt j = i - offset[d];

      if (j < 0 || j == i) continue;
      for (int c = 0; c < bs; c++) f(j * bs + c, at(d, c, r, j));
    }
    for (int d = 0; d < ndiag; d++) {
      const PetscInt j = i + offset[d];

      if (j < 0 || j >= columns) continue;
      for (int c = 0; c < bs; c++) f(j * bs + c, at(d, r, c, i));
    }
  }

  /* A block of a node's rows: the node of its columns (-1: outside the matrix), its diagonal, and whether it stands where its mirror image does. */
  struct Block {
    PetscInt node;
    int      d;
    bool     mirrored;
  };

  /* Blocks of a node that stand where their mirror images do; all, those outside the matrix among them; one of these, ascending. */
  HD int   below() const { return half ? ndiag - (offset[0] == 0) : 0; }
  HD int   blocks() const { return below() + ndiag; }
  HD Block block(PetscInt i, int k) const
  {
    const bool     mirrored = k < below();
    const int      d        = mirrored ? ndiag - 1 - k : k - below();
    const PetscInt j        = mirrored ? i - offset[d] : i + offset[d];

    return {j >= 0 && j < columns ? j : -1, d, mirrored};
  }
  HD Value *in_block(PetscInt i, const Block &b, int r, int c) const { return b.mirrored ? at(b.d, c, r, b.node) : at(b.d, r, c, i); }

  /* Whether a node's blocks, nearly every node's, need no test for the matrix's ends. */
  HD bool all_inside(PetscInt i) const
  {
    const PetscInt highest = ndiag ? offset[ndiag - 1] : 0, lowest = !ndiag ? 0 : half ? -highest : offset[0];

    return i + lowest >= 0 && i + highest < columns;
  }

  /* f(column, value) for a row of which all are inside, one unknown a node. */
  template <class F> HD void for_each_inside(PetscInt row, F f) const { read_both<true>(row, f); }

  /* f(column, value), alike; where the matrix has no entry, the value is 0. */
  template <class F> HD void for_each_entry(PetscInt row, F f) const
  {
#if defined(__CUDA_ARCH__)
    if (bs == 1) {
      if (all_inside(row)) read_both<true>(row, f);
      else read_both<false>(row, f);
      return;
    }
    if (bs == 3) {
      read_blocks_ahead<3>(row, f);
      return;
    }
#endif
    for_each_of_row(row, [&f](PetscInt col, const Value *p) { f(col, *p); });
  }

  /* f(row, place) for the places of a column, ascending. */
  template <class F> HD void for_each_of_column(PetscInt col, F f) const
  {
    const PetscInt j = col / bs;
    const int      c = static_cast<int>(col % bs);

    if (half) {
      for_each_of_row(col, f);
      return;
    }
    for (int d = ndiag - 1; d >= 0; d--) {
      const PetscInt i = j - offset[d];

      if (i < 0 || i >= nodes) continue;
      for (int r = 0; r < bs; r++) f(i * bs + r, at(d, r, c, i));
    }
  }

  /* f(row, column, place) for what is stored with a node. */
  template <class F> HD void for_each_stored(PetscInt i, F f) const
  {
    for (int d = 0; d < ndiag; d++) {
      const PetscInt j = i + offset[d];

      if (j < 0 || j >= columns) continue;
      for (int r = 0; r < bs; r++)
        for (int c = 0; c < bs; c++) f(i * bs + r, j * bs + c, at(d, r, c, i));
    }
  }

private:
  /* Of one unknown a node, those that stand where their mirror images do, and the others: some entries are on their way while others are looked at, since a
     device's memory is far away. all: inside the matrix, as known. */
  template <bool all, class F> HD void read_both(PetscInt row, F &f) const
  {
    read_ahead<true, all>(row, f);
    read_ahead<false, all>(row, f);
  }
  template <bool mirrored, bool all, class F> HD void read_ahead(PetscInt row, F &f) const
  {
    constexpr int ahead = 4;
    const int     n     = mirrored ? below() : ndiag;
    const auto    read  = [&](int k) { return all || is_inside<mirrored>(row, k) ? inside<mirrored>(row, k) : std::remove_const_t<Value>(0); };
    const auto    tell  = [&](int k, std::remove_const_t<Value> a) {
      if (all || is_inside<mirrored>(row, k)) f(column<mirrored>(row, k), a);
    };
    int k = 0;

    for (; k + ahead <= n; k += ahead) {
      std::remove_const_t<Value> a[ahead];

      UNROLL()
      for (int u = 0; u < ahead; u++) a[u] = read(k + u);
      UNROLL()
      for (int u = 0; u < ahead; u++) tell(k + u, a[u]);
    }
    for (; k < n; k++) tell(k, read(k));
  }

  /* The same of so many unknowns a node: some blocks' values are on their way. */
  template <int N, class F> HD void read_blocks_ahead(PetscInt row, F &f) const
  {
    constexpr int  ahead = 2;
    const PetscInt i     = row / N;
    const int      r = static_cast<int>(row % N), n = blocks();

    for (int k = 0; k < n; k += ahead) {
      PetscInt                   j[ahead];
      std::remove_const_t<Value> a[ahead][N];

      UNROLL()
      for (int u = 0; u < ahead; u++) {
        const Block b = k + u < n ? block(i, k + u) : Block{-1, 0, false};

        j[u] = b.node;
        UNROLL()
        for (int c = 0; c < N; c++) a[u][c] = b.node < 0 ? std::remove_const_t<Value>(0) : *in_block(i, b, r, c);
      }
      UNROLL()
      for (int u = 0; u < ahead; u++) {
        UNROLL()
        for (int c = 0; c < N && j[u] >= 0; c++) f(j[u] * N + c, a[u][c]);
      }
    }
  }

  template <bool mirrored> HD bool is_inside(PetscInt row, int k) const
  {
    const PetscInt j = column<mirrored>(row, k);

    return j >= 0 && j < columns;
  }
  template <bool mirrored> HD PetscInt column(PetscInt row, int k) const { return mirrored ? row - offset[ndiag - 1 - k] : row + offset[k]; }
  template <bool mirrored> HD std::remove_const_t<Value> inside(PetscInt row, int k) const
  {
    return mirrored ? val[(ndiag - 1 - k) * ld + column<true>(row, k)] : val[k * ld + row];
  }
};

template <class Store, class Value> CdsEntries<Value> entries_in(const CdsView<Store> &view, int bs, bool half, Value *val)
{
  CdsEntries<Value> entries{view.nrows, view.ncols, bs, half, static_cast<int>(view.ndiag), view.ld, val, {}};

  std::copy_n(view.offset, view.ndiag, entries.offset);
  return entries;
}

} // namespace goza::mat
