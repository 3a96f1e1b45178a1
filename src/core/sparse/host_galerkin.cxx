#include "host_galerkin.hpp"
#include "core/launch/host_loop.hpp"
#include "host_block_sums.hpp"
#include "host_rows.hpp"
#include <cstdint>

namespace goza {
namespace {

/* Unknowns of a node, fine and coarse, where they are known when this is compiled; or not. OfA, OfR: blocks of these matrices. */
template <int fine, int coarse> struct KnownSizes {
  static constexpr PetscInt bs = fine, k = coarse;
  static constexpr int      cols  = coarse;
  static constexpr bool     small = fine * coarse <= 4, numbers = fine * coarse == 1; // small: see gather()

  using OfA = Factor<fine, fine>;
  using OfR = Factor<coarse, fine>;
};
struct Sizes {
  PetscInt              bs, k;
  static constexpr int  cols  = 0;
  static constexpr bool small = false, numbers = false;

  using OfA = Factor<0, 0>;
  using OfR = Factor<0, 0>;
};

/* A matrix of full blocks of br x bc as rows of blocks, each by its first value: a node's rows lie one after the other. */
struct BlockRows {
  Csr             A;
  PetscInt        br, bc, nodes;
  const PetscInt *ptr, *col; // of blocks

  explicit BlockRows(const Csr &of) : A(of), br(1), bc(1), nodes(of.nrows), ptr(of.ptr), col(of.col) { }
  explicit BlockRows(const FullBlocks &of) : A(of.A), br(of.br), bc(of.bc), nodes(of.pattern().nrows), ptr(of.pattern().ptr), col(of.pattern().col) { }

  PetscInt  length(PetscInt i) const { return ptr[i + 1] - ptr[i]; }
  SparseRow operator()(PetscInt i) const { return {length(i), col + ptr[i], A.val + A.ptr[i * br]}; }
  void      soon(PetscInt) const { } // they come one after the other mostly, and the processor sees that
  RowTerms  terms(PetscInt i) const { return {length(i), col + ptr[i], col + ptr[nodes], A.val + A.ptr[i * br]}; }

  template <class Block> Block block(const RowTerms &of, PetscInt t) const { return {of.factor + t * bc, of.n * bc}; }
};

/* Entries of a matrix whose blocks of bs rows are not full, a node's one after the other. */
struct EntryRows {
  Csr      A;
  PetscInt bs, nodes;

  EntryRows(const Csr &of, PetscInt rows) : A(of), bs(rows), nodes(of.nrows / rows) { }

  PetscInt        begin(PetscInt i) const { return A.ptr[i * bs]; }
  const PetscInt *row_ends(PetscInt i) const { return A.ptr + i * bs + 1; }
  PetscInt        length(PetscInt i) const { return begin(i + 1) - begin(i); }
  RowTerms        terms(PetscInt i) const { return {length(i), A.col + begin(i), A.col + A.ptr[A.nrows], A.val + begin(i)}; }
};

/* Blocks of a matrix without rows, those of one node at a time. */
class RowsWhenAsked {
public:
  explicit RowsWhenAsked(const MadeRows &A) : nodes(A.nodes), A_(A), col_(A.most), val_(static_cast<std::size_t>(A.most) * A.bs * A.bs) { }

  PetscInt length(PetscInt i) const { return made(i), n_; }
  RowTerms terms(PetscInt i) const { return {length(i), col_.data(), col_.data() + n_, val_.data()}; }

  template <class Block> Block block(const RowTerms &of, PetscInt t) const { return {of.factor + t * A_.bs * A_.bs, A_.bs}; }

  PetscInt nodes;

private:
  void made(PetscInt i) const
  {
    if (std::exchange(made_, i) != i) n_ = A_.make(i, col_.data(), val_.data());
  }

  MadeRows                         A_;
  mutable PetscInt                 made_ = -1, n_ = 0;
  mutable std::vector<PetscInt>    col_;
  mutable std::vector<PetscScalar> val_;
};

/* The rows of a matrix of blocks, each as the first blocks' values in it. */
struct RowsInBlocks {
  const BlockRows &P;

  SparseRow operator()(PetscInt row) const
  {
    const PetscInt node   = row / P.br;
    SparseRow      blocks = P(node);

    blocks.val += (row - node * P.br) * blocks.n * P.bc;
    return blocks;
  }
  void soon(PetscInt) const { }
};

inline void add_multiple(PetscInt n, PetscScalar a, const PetscScalar *__restrict__ x, PetscScalar *__restrict__ y)
{
  for (PetscInt j = 0; j < n; j++) y[j] += a * x[j];
}

/* Those of A P that are held, and where row i begins. */
struct RingRows {
  const std::uint32_t *place;
  std::uint32_t        mask;
  std::size_t          block; // values
  const PetscInt      *col;
  const PetscScalar   *val;

  std::size_t at(PetscInt i) const { return place[i] & mask; }
  SparseRow   operator()(PetscInt i) const { return {static_cast<PetscInt>(place[i + 1] - place[i]), col + at(i), val + at(i) * block}; }
  void        soon(PetscInt i) const
  {
    __builtin_prefetch(col + at(i));
    __builtin_prefetch(val + at(i) * block);
    __builtin_prefetch(val + at(i) * block + 8);
  }
};

/* Block rows of A P, made in their order and held from the first row of P^T that needs them to the last, in a ring that grows where it must. A row lies in one
   piece: the last one before the ring's end goes on behind it. RowsOfA: BlockRows, EntryRows or RowsWhenAsked. */
template <class S, class RowsOfA> class RowsOfProduct {
public:
  RowsOfProduct(const S &sizes, const RowsOfA &A, const BlockRows &P) :
    s_(sizes), A_(A), P_(P), sums_(P.A.ncols / s_.k), place_(A.nodes + 1), col_(Space::Host, size_, unset), val_(Space::Host, size_ * block(), unset)
  {
    for (PetscInt i = 0; i < P.nodes; i++) longest_ = std::max(longest_, static_cast<std::size_t>(P.length(i)));
  }

  /* Those up to row i; row I of P^T is about to need them. */
  void make_up_to(PetscInt i, PetscInt I)
  {
    for (; made_ <= i; made_++) {
      PetscInt n = 0;

      if (last_use(made_) >= I) {
        make_room(bound(made_), I);
        n             = multiply(made_, A_.terms(made_), col_.data() + at(made_), val_.data() + at(made_) * block());
        longest_made_ = std::max(longest_made_, static_cast<std::size_t>(n));
      }
      place_[made_ + 1] = place_[made_] + static_cast<std::uint32_t>(n);
    }
  }

  /* No fewer than the blocks that a row has which is the sum of so many, and a block of its own. */
  std::size_t most(PetscInt n) const { return std::min(static_cast<std::size_t>(n) * longest_made_ + 1, static_cast<std::size_t>(P_.A.ncols / s_.k)); }

  RingRows rows() const { return {place_.data(), static_cast<std::uint32_t>(size_ - 1), block(), col_.data(), val_.data()}; }

private:
  std::size_t block() const { return static_cast<std::size_t>(s_.bs) * s_.k; }
  std::size_t at(PetscInt i) const { return place_[i] & (size_ - 1); }
  PetscInt    last_use(PetscInt i) const { return P_.length(i) ? P_.col[P_.ptr[i + 1] - 1] : -1; }

  PetscInt multiply([[maybe_unused]] PetscInt i, const RowTerms &terms, PetscInt *col, PetscScalar *val)
  {
    PetscInt n = 0;

    if constexpr (S::numbers) return sums_.add_up(terms, CsrRows(P_.A), no_extra, col, val);
    run_on_host([&] {
      if constexpr (std::is_same_v<RowsOfA, EntryRows>) n = add_entries(i, terms, col, val);
      else
        n = sums_.template gather<S::small>(terms, P_, no_extra, col, [&](PetscInt t, const SparseRow &row) {
          return [this, val, a = A_.template block<typename S::OfA>(terms, t), b = row.val, ldb = row.n * s_.k](PetscInt q, PetscInt at, bool first) {
            add_block<S::cols>({s_.bs, s_.bs, s_.k}, a, b + q * s_.k, ldb, val + at * block(), first);
          };
        });
    });
    return n;
  }

  /* Each entry of node i's rows adds to one row of the blocks. */
  PetscInt add_entries(PetscInt i, const RowTerms &terms, PetscInt *col, PetscScalar *val)
  {
    const PetscInt *const end   = A_.row_ends(i);
    const PetscInt        begin = A_.begin(i);
    PetscInt              r     = 0;

    return sums_.template gather<false>(terms, RowsInBlocks{P_}, no_extra, col, [&](PetscInt t, const SparseRow &row) {
      while (begin + t >= end[r]) r++;
      return [this, to = val + r * s_.k, a = terms.factor[t], b = row.val, val](PetscInt q, PetscInt at, bool first) {
        if (first) std::fill_n(val + at * block(), block(), PetscScalar(0));
        add_multiple(s_.k, a, b + q * s_.k, to + at * block());
      };
    });
  }

  /* No fewer than the blocks of row i. */
  std::size_t bound(PetscInt i) const { return std::min(static_cast<std::size_t>(A_.length(i)) * longest_, static_cast<std::size_t>(P_.A.ncols / s_.k)); }

  void make_room(std::size_t n, PetscInt I)
  {
    const auto used = [&] { return static_cast<std::uint32_t>(place_[made_] - place_[oldest_]); };

    if (n <= behind_ && used() + n <= size_) return;
    while (oldest_ < made_ && last_use(oldest_) < I) oldest_++;
    if (n <= behind_ && used() + n <= size_) return;

    std::size_t size = size_, behind = std::max(behind_, 2 * n);

    while (used() + n > size) size *= 2;
    if (size > (std::size_t(1) << 31)) throw std::bad_alloc();
    Array<PetscInt>    col(Space::Host, size + behind, unset);
    Array<PetscScalar> val(Space::Host, (size + behind) * block(), unset);

    for (PetscInt i = oldest_; i < made_; i++) {
      const SparseRow   row = rows()(i);
      const std::size_t to  = place_[i] & (size - 1);

      std::copy_n(row.col, row.n, col.data() + to);
      std::copy_n(row.val, row.n * block(), val.data() + to * block());
    }
    col_.swap(col);
    val_.swap(val);
    size_   = size;
    behind_ = behind;
  }

  const S                    s_;
  const RowsOfA              A_;
  const BlockRows            P_;
  RowSums                    sums_;
  std::vector<std::uint32_t> place_; // in blocks, modulo 2^32, and in the ring modulo its size, a power of two
  PetscInt                   made_ = 0, oldest_ = 0;
  std::size_t                size_ = 1 << 14, behind_ = 0, longest_ = 0, longest_made_ = 0; // longest_: row of P
  Array<PetscInt>            col_;                                                          // size_ + behind_
  Array<PetscScalar>         val_;                                                          // blocks of bs x k
};

/* The rows of block row I from its blocks in their order, [n][k][k]. */
template <class S>
void write_rows(const S &s, PetscInt n, const RowSums &sums, const PetscInt *col, const PetscScalar *val, PetscInt *order, PetscInt *to_col,
                PetscScalar *to_val)
{
  const PetscInt k = s.k, length = n * k;

  if (k == 1) {
    sums.sort(n, col, val, to_col, to_val);
    return;
  }
  sums.order(n, col, order, [&](PetscInt from, PetscInt to) {
    for (PetscInt r = 0; r < k; r++) {
      for (PetscInt c = 0; c < k; c++) {
        to_col[r * length + to * k + c] = col[from] * k + c;
        to_val[r * length + to * k + c] = val[(from * k + r) * k + c];
      }
    }
  });
}

/* Block row I of P^T (A P). */
template <class S> PetscInt project(const S &s, const RowTerms &terms, const RingRows &held, PetscInt I, RowSums &sums, PetscInt *col, PetscScalar *val)
{
  const PetscInt block = s.k * s.k;
  PetscInt       n     = 0;

  if constexpr (S::numbers) return sums.add_up(terms, held, I, col, val);
  std::fill_n(val, block, PetscScalar(0)); // of the diagonal
  run_on_host([&] {
    n = sums.template gather<S::small>(terms, held, I, col, [&](PetscInt t, const SparseRow &row) {
      return [&s, block, val, a = typename S::OfR(terms.factor + t * s.bs, terms.n * s.bs), b = row.val](PetscInt q, PetscInt at, bool first) {
        add_block<S::cols>({s.k, s.bs, s.k}, a, b + q * (s.bs * s.k), s.k, val + at * block, first);
      };
    });
  });
  return n;
}

template <class S, class RowsOfA> CsrMatrix product(const S &s, const BlockRows &R, const RowsOfA &A, const BlockRows &P)
{
  const PetscInt            nodes = R.nodes, block = s.k * s.k;
  CsrMatrix                 C(Space::Host, R.A.nrows, P.A.ncols);
  RowsOfProduct<S, RowsOfA> rows(s, A, P);
  RowSums                   sums(nodes);
  std::vector<PetscInt>     col(nodes), order(nodes);
  std::vector<PetscScalar>  val;
  Grown<PetscInt>           cols(nodes);
  Grown<PetscScalar>        vals(nodes);

  C.ptr = Array<PetscInt>(Space::Host, C.nrows + 1, unset);
  for (PetscInt I = 0; I < nodes; I++) {
    const RowTerms terms = R.terms(I);

    if (terms.n) rows.make_up_to(terms.which[terms.n - 1], I);
    if (const std::size_t most = rows.most(terms.n) * static_cast<std::size_t>(block); val.size() < most) val.resize(2 * most);
    const PetscInt    n       = project(s, terms, rows.rows(), I, sums, col.data(), val.data());
    const std::size_t entries = static_cast<std::size_t>(n) * block;

    for (PetscInt r = 0; r < s.k; r++) C.ptr.data()[I * s.k + r] = n * s.k;
    PetscInt *const    to_col = cols.next_row(entries);
    PetscScalar *const to_val = vals.next_row(entries);

    run_on_host([&] { write_rows(s, n, sums, col.data(), val.data(), order.data(), to_col, to_val); });
  }
  lengths_to_pointer(Space::Host, C.ptr);
  C.val = vals.all();
  C.col = cols.all();
  return C;
}

template <class RowsOfA> CsrMatrix of_sizes(PetscInt bs, PetscInt k, const BlockRows &R, const RowsOfA &A, const BlockRows &P)
{
  const auto is = [&](PetscInt fine, PetscInt coarse) { return bs == fine && k == coarse; };

  return is(2, 2) ? product(KnownSizes<2, 2>(), R, A, P)
       : is(2, 3) ? product(KnownSizes<2, 3>(), R, A, P)
       : is(3, 3) ? product(KnownSizes<3, 3>(), R, A, P)
       : is(3, 6) ? product(KnownSizes<3, 6>(), R, A, P)
       : is(6, 6) ? product(KnownSizes<6, 6>(), R, A, P)
                  : product(Sizes{bs, k}, R, A, P);
}

} // namespace

bool galerkin_host(FullBlocks &R, FullBlocks &A, FullBlocks &P, CsrMatrix &C)
{
  const PetscInt bs = P.br, k = P.bc;

  if (bs * k == 1) {
    C = product(KnownSizes<1, 1>(), BlockRows(R.A), BlockRows(A.A), BlockRows(P.A));
    return true;
  }
  if (!R.find() || !P.find()) return false;
  C = A.find() ? of_sizes(bs, k, BlockRows(R), BlockRows(A), BlockRows(P)) : of_sizes(bs, k, BlockRows(R), EntryRows(A.A, bs), BlockRows(P));
  return true;
}

bool galerkin_host(FullBlocks &R, const MadeRows &A, FullBlocks &P, CsrMatrix &C)
{
  const bool found = P.br * P.bc > 1 && R.find() && P.find();

  if (found) C = of_sizes(P.br, P.bc, BlockRows(R), RowsWhenAsked(A), BlockRows(P));
  return found;
}

} // namespace goza
