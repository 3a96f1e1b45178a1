/* MatFDColoring of an owning matrix: its Jacobian is computed in an AIJ that the coloring holds, and copied. */
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/attached.hpp"

namespace goza::mat {
namespace {

constexpr char key[] = "GozaAijOfColoring", colors_key[] = "GozaColorsOfColoring";

struct OwnColors {
  ISColoring colors = NULL;

  OwnColors()                             = default;
  OwnColors(const OwnColors &)            = delete;
  OwnColors &operator=(const OwnColors &) = delete;
  ~OwnColors() { (void)ISColoringDestroy(&colors); }
};

/* Places in global columns, with zeros. others: ascending, without doubles */
PetscErrorCode AijWithPlaces(Mat A, const GridPlaces &grid, const std::vector<OtherEntry> &others, Mat *aij)
{
  std::vector<PetscInt>    ptr(1, 0), col;
  std::vector<PetscScalar> val;
  std::size_t              next = 0;

  PetscFunctionBegin;
  PetscCall(Together(comm_of(A), "list the places of its grid", [&] {
    for (PetscInt i = 0; i < A->rmap->n; i++) {
      const auto begin = static_cast<std::ptrdiff_t>(col.size());

      for (PetscInt k = grid.ptr[i]; k < grid.ptr[i + 1]; k++) col.push_back(A->cmap->rstart + grid.col[k]);
      for (; next < others.size() && others[next].row == A->rmap->rstart + i; next++) col.push_back(others[next].col);
      std::sort(col.begin() + begin, col.end());
      ptr.push_back(static_cast<PetscInt>(col.size()));
    }
    col.reserve(1); // PETSc takes a null pointer for "not given"
    val.assign(col.size() + 1, 0);
  }));
  PetscCall(OwnAijOfRows(A, ptr.data(), col.data(), val.data(), aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing says which entries a Jacobian will have of diagonals of zeros. */
PetscErrorCode CheckEntries(const OwnMat &own)
{
  PetscFunctionBegin;
  PetscCheck(!own.zero || own.storage->by_rows(), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "A coloring of a matrix of type %s without a DMDA wants its values, of which those that are not 0 are its entries: it has none yet",
             own.kind->type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether no two columns of one color share a row, of this rank's: else PETSc writes beyond its arrays. */
PetscErrorCode ColorsFit(Mat A, Mat aij, ISColoring colors, bool *fit)
{
  PetscInt               n, ncolors, ncols;
  const ISColoringValue *color;
  const PetscInt        *col;
  std::vector<PetscInt>  seen;

  PetscFunctionBegin;
  *fit = true;
  PetscCall(ISColoringGetColors(colors, &n, &ncolors, &color));
  if (n != A->cmap->n) PetscFunctionReturn(PETSC_SUCCESS); /* of ghosts, too */
  PetscCall(Guarded([&] { seen.assign(ncolors, -1); }));
  for (PetscInt row = A->rmap->rstart; row < A->rmap->rend; row++) {
    PetscCall(MatGetRow(aij, row, &ncols, &col, NULL));
    for (PetscInt k = 0; k < ncols; k++) {
      if (col[k] < A->cmap->rstart || col[k] >= A->cmap->rend) continue;
      PetscInt &last = seen[color[col[k] - A->cmap->rstart]];

      *fit = *fit && last != row;
      last = row;
    }
    PetscCall(MatRestoreRow(aij, row, &ncols, &col, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A MatColoring may be of fewer entries than there are places, as of diagonals that are still 0 (-snes_fd_color_use_mat): then the coloring has colors of the
   places. Collective. */
PetscErrorCode ColorPlaces(Mat A, Mat aij, ISColoring given, MatFDColoring coloring)
{
  bool                       fit = true;
  int                        all;
  MatColoring                maker;
  std::unique_ptr<OwnColors> made;

  PetscFunctionBegin;
  PetscCall(FailTogether(comm_of(A), ColorsFit(A, aij, given, &fit), "look at the colors of its columns"));
  all = fit;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm_of(A)));
  if (all) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(A, "Columns of one color share rows: the places of the matrix, a DMDA's stencil, are colored anew\n"));
  PetscCall(Guarded([&] { made = std::make_unique<OwnColors>(); }));
  PetscCall(MatColoringCreate(aij, &maker));
  PetscCall(MatColoringSetType(maker, MATCOLORINGSL));
  PetscCall(MatColoringSetFromOptions(maker));
  PetscCall(MatColoringApply(maker, &made->colors));
  PetscCall(MatColoringDestroy(&maker));
  PetscCall(Attach((PetscObject)coloring, colors_key, std::move(made)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the places that columns of one color do not share rows in: a DMDA's colors are those of its stencil, others of the entries. A diagonal has more. */
PetscErrorCode MakeAij(Mat A, Mat *aij)
{
  OwnMat                 *own = own_of(A);
  GridPlaces              grid;
  std::vector<OtherEntry> others;

  PetscFunctionBegin;
  PetscErrorCode failed = OwnSettle(A, own);
  if (!failed) failed = OwnPlacesOfGrid(A, *own, true, &grid, &others);
  if (!failed && !grid.known) failed = CheckEntries(*own);
  if (!failed) failed = Guarded([&] { join_doubles(others, INSERT_VALUES); });
  PetscCall(FailTogether(comm_of(A), failed, "find the places of its grid"));
  PetscCall(grid.known ? AijWithPlaces(A, grid, others, aij) : OwnMakeAij(A, false, aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AijOf(MatFDColoring coloring, Mat *aij)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)coloring, key, (PetscObject *)aij));
  PetscCheck(*aij, comm_of(coloring), PETSC_ERR_ARG_WRONG, "The coloring was made for another matrix");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those that were given, or that it has made. */
PetscErrorCode ColorsOf(MatFDColoring coloring, ISColoring given, ISColoring *colors)
{
  OwnColors *own = attached<OwnColors>(coloring, colors_key);

  PetscFunctionBegin;
  *colors = own ? own->colors : given;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFDColoringCreate_Own(Mat A, ISColoring given, MatFDColoring coloring)
{
  Mat        aij;
  ISColoring colors;

  PetscFunctionBegin;
  PetscCall(MakeAij(A, &aij));
  PetscCall(PetscObjectCompose((PetscObject)coloring, key, (PetscObject)aij));
  PetscCall(PetscObjectDereference((PetscObject)aij));
  PetscCall(ColorPlaces(A, aij, given, coloring));
  PetscCall(ColorsOf(coloring, given, &colors));
  PetscUseTypeMethod(aij, fdcoloringcreate, colors, coloring);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFDColoringSetUp_Own(Mat, ISColoring given, MatFDColoring coloring)
{
  Mat        aij;
  ISColoring colors;

  PetscFunctionBegin;
  PetscCall(AijOf(coloring, &aij));
  PetscCall(ColorsOf(coloring, given, &colors));
  PetscUseTypeMethod(aij, fdcoloringsetup, colors, coloring);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFDColoringApply_Own(Mat A, MatFDColoring coloring, Vec x, void *context)
{
  Mat aij;

  PetscFunctionBegin;
  PetscCall(AijOf(coloring, &aij));
  PetscUseTypeMethod(aij, fdcoloringapply, coloring, x, context);
  PetscCall(OwnCopy(A, aij));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What colors it may have asked getrowij() for rows that AIJ takes together where they are alike: nodes of several unknowns. It gives each column a color of
   its own again. Not in the table of own_aij_ops.cxx: AIJ has it only where it has found such rows. */
PetscErrorCode MatColoringPatch_Own(Mat A, PetscInt ncolors, PetscInt n, ISColoringValue colors[], ISColoring *coloring)
{
  return OwnThroughAij(A, false, [&](Mat aij) { return MatColoringPatch(aij, ncolors, n, colors, coloring); });
}

} // namespace

void OwnSetColoringOps(Mat A)
{
  A->ops->coloringpatch    = MatColoringPatch_Own;
  A->ops->fdcoloringcreate = MatFDColoringCreate_Own;
  A->ops->fdcoloringsetup  = MatFDColoringSetUp_Own;
  A->ops->fdcoloringapply  = MatFDColoringApply_Own;
}

} // namespace goza::mat
