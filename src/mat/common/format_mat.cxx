/* The context of a Goza matrix, attached to a matrix of PETSc's and taken off again. */
#include "format_mat.hpp"
#include "group_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/attached.hpp"
#include "petsc/plugin.hpp"

const char *const MatStoragePrecisions[] = {"double", "single", "half", "MatStoragePrecision", "MAT_STORAGE_", NULL};

namespace goza::mat {

static const char format_key[] = "GozaFormatMat";

MatType BaseType(bool mpi)
{
  if (petsc_on_device()) return mpi ? MATMPIAIJCUSPARSE : MATSEQAIJCUSPARSE;
  return mpi ? MATMPIAIJ : MATSEQAIJ;
}

FormatMat *format_of(Mat A) { return attached<FormatMat>(A, format_key); }

FormatConfig *format_config(Mat A, const FormatKind &kind)
{
  FormatMat *f = format_of(A);

  return f && f->kind == &kind ? f->config.get() : nullptr;
}

PetscInt MatNodeSize(Mat A) { return A->rmap->bs == A->cmap->bs ? A->rmap->bs : 1; }

PetscErrorCode MatFormatChanged(Mat A)
{
  FormatMat                                *f = format_of(A);
  std::shared_ptr<ParOperator<PetscScalar>> anew;

  PetscFunctionBegin;
  if (!f) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Together(comm_of(A), "begin its format anew", [&] { anew = std::make_shared<ParOperator<PetscScalar>>(); }));
  f->op = std::move(anew);
  PetscCall(MatDropGroupMat(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatCheckKind(Mat A, const FormatKind &kind)
{
  PetscFunctionBegin;
  PetscCall(CheckObject(A, MAT_CLASSID, "Mat", 1));
  PetscCheck(format_config(A, kind), comm_of(A), PETSC_ERR_ARG_WRONG, "Mat is of type %s, not %s",
             ((PetscObject)A)->type_name ? ((PetscObject)A)->type_name : "(none)", kind.root);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatPrepare(MPI_Comm comm, const FormatKind &kind, const FormatMat *like, std::unique_ptr<FormatMat> *made)
{
  PetscFunctionBegin;
  PetscCall(Together(comm, "hold a matrix of this type", [&] {
    *made           = std::make_unique<FormatMat>();
    (*made)->kind   = &kind;
    (*made)->config = like ? like->config->clone() : kind.config();
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatAttach(Mat A, std::unique_ptr<FormatMat> made)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  if (f) PetscCall(MatFormatDetach(A)); /* -mat_seqaij_type makes every new SeqAIJ a Goza matrix */
  f            = made.get();
  f->base_type = ((PetscObject)A)->type_name; /* as short as std::string holds within itself */
  PetscCall(MatBoundToCPU(A, &f->bound));
  PetscCall(Attach((PetscObject)A, format_key, std::move(made)));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, f->base_type.rfind("mpi", 0) == 0 ? f->kind->mpi : f->kind->seq));
  PetscCall(MatFormatOverride(A, f));
  PetscCall(MatFormatOverrideValues(A, f));
  PetscCall(MatFormatOverrideProducts(A, f));
  PetscCall(f->kind->compose(A, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The composed functions of the base type again. */
static PetscErrorCode RestoreFunctions(Mat A, const FormatMat *f)
{
  PetscFunctionBegin;
  PetscCall(f->kind->compose(A, false));
  PetscCall(MatFormatRestoreProducts(A));
  for (int which = 0; which < COMPOSED_OVER; which++)
    if (f->composed[which]) PetscCall(PetscObjectComposeFunction((PetscObject)A, composed_names[which], f->composed[which]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatDuplicateBase(Mat A, FormatMat *f, MatDuplicateOption how, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatFormatAsBase(A, f, [&] { return f->base.duplicate(A, how, B); }));
  PetscCall(RestoreFunctions(*B, f)); /* PETSc's duplicate of an AIJ inherits what is composed on it */
  f = format_of(*B);
  if (f) PetscCall(MatFormatDetach(*B)); /* see MatFormatAttach() */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatDetach(Mat A)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  PetscCall(RestoreFunctions(A, f));
  if (!MatIsHashed(A)) MatFormatRestoreOps(A, f);
  if (f->chained_view) A->ops->view = f->chained_view;
  A->ops->convertfrom = NULL;
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, f->base_type.c_str()));
  PetscCall(PetscObjectCompose((PetscObject)A, format_key, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_Format(Mat A, const FormatKind &kind, bool mpi)
{
  std::unique_ptr<FormatMat> made;

  PetscFunctionBegin;
  PetscCall(MatFormatPrepare(comm_of(A), kind, nullptr, &made));
  PetscCall(MatSetType(A, BaseType(mpi)));
  PetscCall(MatFormatAttach(A, std::move(made)));
  /* MatConvert() asks a new matrix of the wanted type. Only one that was made by our name: what -mat_seqaij_type makes of a SeqAIJ is converted to as PETSc
     does it */
  A->ops->convertfrom = MatConvert_Any_Format;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool seqaij_stays = false;

static PetscErrorCode MatConvert_SeqAIJ_Format(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  PetscFunctionBegin;
  if (!seqaij_stays) PetscCall(MatConvert_Any_Format(A, type, reuse, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is registered. A kind is registered anew after each PetscInitialize(). */
static std::vector<const FormatKind *> kinds;

PetscErrorCode FindFormatKind(const char *type, const FormatKind **found)
{
  PetscFunctionBegin;
  *found = nullptr;
  for (const FormatKind *kind : kinds) {
    PetscBool root, seq, mpi;

    PetscCall(PetscStrcmp(type, kind->root, &root));
    PetscCall(PetscStrcmp(type, kind->seq, &seq));
    PetscCall(PetscStrcmp(type, kind->mpi, &mpi));
    if (root || seq || mpi) *found = kind;
  }
  PetscCheck(*found, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "Not a Goza matrix type: %s", type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatRegister_Format(const FormatKind &kind)
{
  PetscFunctionBegin;
  if (std::find(kinds.begin(), kinds.end(), &kind) == kinds.end()) PetscCall(Guarded([&] { kinds.push_back(&kind); }));
  PetscCall(MatRegisterRootName(kind.root, kind.seq, kind.mpi));
  PetscCall(MatRegister(kind.seq, kind.create_seq));
  PetscCall(MatRegister(kind.mpi, kind.create_mpi));
  for (const char *name : {kind.seq, kind.root})
    PetscCall(MatSeqAIJRegister(name, MatConvert_SeqAIJ_Format)); /* -mat_seqaij_type: every SeqAIJ block, also inside an MPIAIJ */
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
