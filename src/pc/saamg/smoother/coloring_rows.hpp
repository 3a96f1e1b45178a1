/* What a row does to be coloured. For .cu files. */
#pragma once
#include "core/launch/by_lanes.hpp"
#include "core/util/relaxed.hpp"
#include "core/util/search.hpp"
#include "pc/saamg/setup/local_rows.hpp"

namespace goza::saamg {

/* The rows that a row is coupled to, itself perhaps among them: those of A's row and, where the pattern is not symmetric, those of A^T's. */
struct Neighbours {
  const PetscInt *ptr, *col, *mirror_ptr, *mirror_col; // the latter null where they would say the same
  std::int64_t    nnz;                                 // of A

  template <class F> HD void visit(PetscInt i, F f, int lane = 0, int lanes = 1) const
  {
    for (PetscInt p = ptr[i] + lane; p < ptr[i + 1]; p += lanes) f(col[p]);
    if (!mirror_ptr) return;
    for (PetscInt p = mirror_ptr[i] + lane; p < mirror_ptr[i + 1]; p += lanes) f(mirror_col[p]);
  }
};

struct CountUnmirrored { // among owned columns; columns ascend
  PetscInt        n;
  const PetscInt *ptr, *col;

  static constexpr bool walks_along_row = true;

  HD bool holds(PetscInt row, PetscInt c) const
  {
    const PetscInt p = lower_bound(col, ptr[row], ptr[row + 1], c);

    return p < ptr[row + 1] && col[p] == c;
  }
  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) *count += col[p] < n && !holds(col[p], i);
  }
};

/* Of rows that each stand for bs of those that the ids are of. */
HD inline void identify(PetscInt i, const NodeIds &ids, PetscInt bs, PetscInt unit, PetscInt *id) { id[i] = static_cast<PetscInt>(ids.of_row(i * bs) / unit); }

/* Of owned rows and ghosts. Aggregation draws from the ids as they are: colours that followed its roots would sweep in the order in which aggregates lie. */
HD inline void priority(PetscInt i, const PetscInt *id, std::uint64_t *key, PetscInt *color)
{
  key[i]   = hash62(~static_cast<std::uint64_t>(id[i]));
  color[i] = -1;
}

/* Once more: what had the last colour goes first. */
HD inline void color_again(PetscInt i, std::uint64_t *key, PetscInt *color)
{
  key[i]   = static_cast<std::uint64_t>(color[i]);
  color[i] = -1;
}

HD inline void shift_column(PetscInt p, PetscInt by, PetscInt *col) { col[p] += by; }

/* A row waits for its neighbours of larger keys, and those of smaller ones for it: whichever it sees of a colour that is taken in the same launch, it takes the
   same one. color: -1: none yet */
struct TakeColor {
  Neighbours           near;
  const std::uint64_t *key;
  PetscInt            *color;

  HD bool has_none(PetscInt i) const { return load_relaxed(color + i) < 0; }

  /* What falls to a lane of the row: whether the row waits still. */
  HD bool operator()(PetscInt i, int lane = 0, int lanes = 1) const
  {
    for (PetscInt base = 0;; base += 64) {
      std::uint64_t taken = 0;
      bool          wait  = false;

      near.visit(
        i,
        [&](PetscInt j) {
          const PetscInt other = load_relaxed(color + j);

          if (other < 0) wait = wait || key[j] > key[i];
          else if (other >= base && other < base + 64) taken |= std::uint64_t(1) << (other - base);
        },
        lane, lanes);
      if (!in_all_lanes(!wait, lanes)) return true;
      taken = union_of_lanes(taken, lanes);
      if (taken == ~std::uint64_t(0)) continue;
      for (; taken & 1; taken >>= 1) base++;
      if (lane == 0) store_relaxed(color + i, base);
      wait_for_lanes(lanes);
      return false;
    }
  }
};

} // namespace goza::saamg
