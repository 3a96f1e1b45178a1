/* What -mat_view and -ksp_view say of a Goza matrix: from numbers already there; no matrix is copied to be printed. */
#include "block_diagonal.hpp"
#include "format_mat.hpp"
#include "group_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat {

static MatDetailView detail_view = nullptr;

void MatFormatSetDetailView(MatDetailView view) { detail_view = view; }

MatDetailView MatFormatDetailView() { return detail_view; }

PetscErrorCode MatFormatViewOptions(GozaOptionItems PetscOptionsObject)
{
  PetscBool measure = PETSC_FALSE, what_if = PETSC_FALSE; /* read where the matrix is viewed */

  PetscFunctionBegin;
  PetscCall(PetscOptionsBool("-mat_locality_measure", "With -mat_view ::ascii_info_detail: measure the product, too", "MatView", measure, &measure, NULL));
  PetscCall(
    PetscOptionsBool("-mat_locality_what_if", "With -mat_view ::ascii_info_detail: the models' what-if study, too", "MatView", what_if, &what_if, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The detail view speaks of the format as it is: it is built here where no product has asked for it. What cannot be held so is an error of the product, not of
   a view. */
static PetscErrorCode BuildForView(Mat A, bool *refused)
{
  std::shared_ptr<ParOperator<PetscScalar>> op;
  PetscBool                                 assembled;

  PetscFunctionBegin;
  PetscCall(MatAssembled(A, &assembled));
  if (!assembled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const PetscErrorCode failed = MatFormatGetOperator(A, &op); /* the same on every rank */
  PetscCall(PetscPopErrorHandler());
  *refused = failed != PETSC_SUCCESS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewFormat(Mat A, bool refused, PetscViewer viewer)
{
  FormatMat        *f = format_of(A);
  PetscViewerFormat format;
  PetscLogDouble    bytes, total;
  std::string       block, halo;

  PetscFunctionBegin;
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (!f->op->built() || refused) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza %s: %s\n", f->kind->root, refused ? "cannot be built; a product tells why" : "not built yet"));
    if (format == PETSC_VIEWER_ASCII_INFO_DETAIL && detail_view) PetscCall(detail_view(A, A, default_space(), nullptr, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Together(comm_of(A), "describe its block of the matrix", [&] {
    block = f->op->diagonal_block().describe();
    if (f->op->has_others()) halo = f->op->describe_halo();
  }));
  bytes = (PetscLogDouble)f->op->bytes();
  PetscCallMPI(MPI_Allreduce(&bytes, &total, 1, MPIU_PETSCLOGDOUBLE, MPI_SUM, comm_of(A)));
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "  Goza %s on %s%s: %s\n", f->kind->root, space_name(f->op->space()), f->staged.describe(f->op->space()), block.c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza %s: %.3f MB in all, built %d times\n", f->kind->root, total / 1e6, (int)f->op->builds()));
  if (f->op->has_others()) PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza %s: halo exchange: %s\n", f->kind->root, halo.c_str()));
  if (format == PETSC_VIEWER_ASCII_INFO_DETAIL && detail_view) PetscCall(detail_view(A, A, f->op->space(), &f->op->diagonal_block(), viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatView_Format(Mat A, PetscViewer viewer)
{
  FormatMat        *f = format_of(A);
  PetscViewerFormat format;
  bool              info;
  bool              refused = false;

  PetscFunctionBegin;
  const bool ascii = is_type(viewer, PETSCVIEWERASCII);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  info = ascii && (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL);
  PetscCall(PassOnBlockSize(A)); /* a file of one rank gets its diagonal block's */
  /* a DM's view knows the natural ordering, and says nothing for the info formats */
  if (f->chained_view) PetscCall(MatFormatAsBase(A, f, [&] { return f->chained_view(A, viewer); }));
  else PetscCall(MatFormatAsBase(A, f, [&] { return f->base.view(A, viewer); }));
  if (!info) PetscFunctionReturn(PETSC_SUCCESS);
  if (format == PETSC_VIEWER_ASCII_INFO_DETAIL && detail_view) PetscCall(BuildForView(A, &refused));
  if (const auto grouped = find_group_mat(A)) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza %s: on the leaders of ranks that share a GPU, %s\n", f->kind->root, grouped->group().describe().c_str()));
    /* prints on rank 0, which leads */
    PetscCall(grouped->group().on_leader(PETSC_SUCCESS, "view its group's matrix", [&] { return ViewFormat(grouped->there(), refused, viewer); }));
  } else PetscCall(ViewFormat(A, refused, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
