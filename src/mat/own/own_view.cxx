/* What -mat_view and -ksp_view say of an owning matrix. */
#include "mat/common/format_mat.hpp"
#include "own_mat.hpp"

namespace goza::mat {

/* Where its entries are is told by AIJ, which is made for it; not where that would have too many. */
static PetscErrorCode ViewDetail(Mat A, OwnMat *own, PetscViewer viewer)
{
  PetscLogDouble most = own->storage->places(A, *own);

  PetscFunctionBegin;
  if (!MatFormatDetailView() || !A->assembled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_PETSCLOGDOUBLE, MPI_MAX, comm_of(A)));
  if (most > PETSC_MAX_INT) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Locality: %.0f places are more than AIJ, by which it is told, can have\n", most));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(OwnThroughAij(A, false, [&](Mat aij) { return MatFormatDetailView()(A, aij, own->space, own->held, viewer); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewInfo(Mat A, OwnMat *own, PetscViewer viewer)
{
  const char    *what = own->kind->what;
  PetscLogDouble sums[2]; /* places, bytes */

  PetscFunctionBegin;
  PetscCall(OwnShape(A, own));
  sums[0] = own->storage->places(A, *own);
  sums[1] = own->op ? static_cast<PetscLogDouble>(own->op->bytes()) : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_PETSCLOGDOUBLE, MPI_SUM, comm_of(A)));
  if (!own->op) PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza %s: %.0f places, no value is set yet\n", what, sums[0]));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza %s on %s%s, %s beside them: %s; %.3f MB%s%s\n", what, space_name(own->space),
                                     own->staged.describe(own->space), own->images[0].aij || own->images[1].aij ? "AIJ that somebody holds" : "no AIJ",
                                     own->held->describe().c_str(), sums[1] / 1e6, own->op->has_others() ? "; halo " : "", own->op->describe_halo().c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza %s: AIJ was made of them %d times\n", what, (int)own->made));
  if (own->made) PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza %s: the latest AIJ held %.3f MB\n", what, own->made_bytes / 1e6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatView_Own(Mat A, PetscViewer viewer)
{
  OwnMat           *own = own_of(A);
  PetscViewerFormat format;
  Mat               B;

  PetscFunctionBegin;
  const bool ascii = is_type(viewer, PETSCVIEWERASCII);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (ascii && (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL)) {
    PetscCall(ViewInfo(A, own, viewer));
    if (format == PETSC_VIEWER_ASCII_INFO_DETAIL) PetscCall(ViewDetail(A, own, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (own->dm_view) { /* it knows the natural ordering */
    PetscCall(own->dm_view(A, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &B)); /* each other view is AIJ's */
  PetscCall(PetscObjectSetName((PetscObject)B, ((PetscObject)A)->name));
  PetscUseTypeMethod(B, view, viewer); /* not MatView(): what comes before has been written of A */
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void OwnKeepView(Mat A, OwnMat *own)
{
  if (A->ops->view != MatView_Own) own->dm_view = A->ops->view;
  A->ops->view = MatView_Own;
}

} // namespace goza::mat
