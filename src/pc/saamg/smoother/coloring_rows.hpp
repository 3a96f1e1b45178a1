/* What a row does to be coloured. For .cu files. */
#pragma once
#include "core/launch/for_each_row.hpp"
#include "core/util/relaxed.hpp"
#include "core/util/search.hpp"
#include "pc/saamg/setup/local_rows.hpp"

namespace goza::saamg {

/* The rows that a row is coupled to, itself perhaps among them: those of A's row and, where the pattern is not symmetric, those of A^T's. */
struct Neighbours {
  const PetscInt *ptr, *col, *mirror_ptr, *mirror_col; // the latter null where they would say the same

  template <class F> HD void visit(PetscInt i, F f) const
  {
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) f(col[p]);
    if (!mirror_ptr) return;
    for (PetscInt p = mirror_ptr[i]; p < mirror_ptr[i + 1]; p++) f(mirror_col[p]);
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
HD inline void take_color(PetscInt k, const PetscInt *list, const Neighbours &near, const std::uint64_t *key, PetscInt *color, char *open)
{
  const PetscInt i    = list[k];
  bool           wait = false;

  near.visit(i, [&](PetscInt j) { wait = wait || (key[j] > key[i] && load_relaxed(color + j) < 0); });
  open[k] = wait;
  for (PetscInt base = 0, mine = -1; !wait && mine < 0; base += 64) {
    std::uint64_t taken = 0;
    PetscInt      c     = 0;

    near.visit(i, [&](PetscInt j) {
      const PetscInt other = load_relaxed(color + j);

      if (other >= base && other < base + 64) taken |= std::uint64_t(1) << (other - base);
    });
    if (taken == ~std::uint64_t(0)) continue;
    while (taken >> c & 1) c++;
    mine = base + c;
    store_relaxed(color + i, mine);
  }
}

} // namespace goza::saamg
