#include "blocks.hpp"
#include "core/launch/by_lanes.hpp"

namespace goza::assembly {
namespace {

HD void pair_row_length(PetscInt row, const PetscInt *ptr, const PetscInt *col, PetscInt owned, int bs, bool others, PetscInt *length)
{
  const PetscInt i = row / bs, begin = ptr[i], end = ptr[i + 1], own = lower_bound(col, begin, end, owned) - begin;

  length[row] = bs * (others ? end - begin - own : own);
}

struct PairRowColumns { // those with other ranks' nodes are the last of a row
  const PetscInt *ptr, *col;
  PetscInt        owned;
  int             bs;
  bool            others;
  const PetscInt *row_ptr;
  PetscInt       *column;

  HD void operator()(PetscInt row, int lane, int lanes) const
  {
    const PetscInt begin = row_ptr[row], length = row_ptr[row + 1] - begin, first = others ? ptr[row / bs + 1] - length / bs : ptr[row / bs];

    for (PetscInt k = lane; k < length; k += lanes) column[begin + k] = (col[first + k / bs] - (others ? owned : 0)) * bs + k % bs;
  }
};

HD void put_pair_blocks(PetscInt i, const PetscInt *ptr, const PetscInt *col, const PetscInt *place, const Target &from, PetscScalar *own, PetscScalar *other)
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

} // namespace

Array<PetscInt> row_pointer_of_pairs(Space space, const AssemblyMap &map, PetscInt owned, int bs, bool others)
{
  Array<PetscInt> row_ptr(space, static_cast<std::size_t>(owned) * bs + 1);

  for_each_row(space, owned * bs, bound<pair_row_length>(map.ptr.data(), map.col.data(), owned, bs, others, row_ptr.data()));
  (void)lengths_to_pointer(space, row_ptr);
  return row_ptr;
}

CsrMatrix rows_of_pairs(const Mesh &mesh, const AssemblyMap &map, int bs, bool others)
{
  const Space space = mesh.space();
  CsrMatrix   rows(space, mesh.owned * bs, (others ? mesh.nodes - mesh.owned : mesh.owned) * bs);

  rows.ptr = row_pointer_of_pairs(space, map, mesh.owned, bs, others);
  rows.col = Array<PetscInt>(space, static_cast<std::size_t>(read_value(space, rows.ptr.data() + rows.nrows)));
  for_each_row_by_lanes(space, rows.nrows, PairRowColumns{map.ptr.data(), map.col.data(), mesh.owned, bs, others, rows.ptr.data(), rows.col.data()});
  return rows;
}

void put_blocks(Space space, const AssemblyMap &map, const Target &from, const PetscInt *place, PetscScalar *own, PetscScalar *other)
{
  for_each_row(space, from.owned, bound<put_pair_blocks>(map.ptr.data(), map.col.data(), place, from, own, other));
}

} // namespace goza::assembly
