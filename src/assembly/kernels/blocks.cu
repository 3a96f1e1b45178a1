#include "blocks.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::assembly
{

namespace
{

struct PutBlocks {
  const PetscInt *ptr, *col, *place;
  Target          from;
  PetscScalar    *own, *other;

  HD void operator()(PetscInt i) const
  {
    const int bs   = from.bs;
    PetscInt  nown = 0; // of the node's pairs, those with owned nodes

    while (ptr[i] + nown < ptr[i + 1] && col[ptr[i] + nown] < from.owned) nown++;
    for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) {
      PetscScalar *to = (col[k] < from.owned ? own : other) + static_cast<std::int64_t>(place[k]) * bs * bs;

      for (int r = 0; r < bs; r++) {
        const PetscScalar *row = from.csr(i, k, k - ptr[i], nown, col[k], r);

        for (int c = 0; c < bs; c++) to[c * bs + r] = row[c];
      }
    }
  }
};

} // namespace

void put_blocks(Space space, const AssemblyMap &map, const Target &from, const PetscInt *place, PetscScalar *own, PetscScalar *other)
{
  for_each_row(space, from.owned, PutBlocks{map.ptr.data(), map.col.data(), place, from, own, other});
}

} // namespace goza::assembly
