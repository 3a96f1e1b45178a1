#include "natural_numbers.hpp"
#include "core/launch/for_each_row.hpp"
#include "grid_of_rows.hpp"
#include "petsc/errors.hpp"
#include "parallel/agree.hpp"

namespace goza::saamg {

/* nodes: of a point */
static HD void natural_number(PetscInt i, const GridBox &box, PetscInt nodes, PetscInt *number) { number[i] = box.natural(i, nodes); }

PetscErrorCode NaturalNumbers(const GridBox &box, const OwnRows &rows, PetscInt bs, Array<PetscInt> &number, Lattice &lattice)
{
  const Space    space = rows.A.space;
  const MPI_Comm comm  = rows.columns->comm();
  const PetscInt m     = rows.A.nrows;
  bool           fits  = false;

  PetscFunctionBegin;
  if (!box.known) {
    PetscCall(Together(comm, "look for a grid", [&] { lattice = lattice_of(rows.A, *rows.columns, bs); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Guarded([&] { fits = rows.columns->all(m == box.rows()); }));
  if (box.dof % bs || !fits) PetscFunctionReturn(PETSC_SUCCESS);
  for (int d = 0; d < 3 && box.dof == bs; d++) lattice.points[d] = lattice.tiles[d] = box.points[d];
  if (box.slabs) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    number = Array<PetscInt>(space, m / bs);
    for_each_row(space, m / bs, bound<natural_number>(box, box.dof / bs, number.data()));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
