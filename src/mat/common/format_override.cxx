/* The operations of a Goza matrix: which ones are ours, and the way to the base type's and back. */
#include "format_mat.hpp"

namespace goza::mat {

static PetscErrorCode MatAssemblyEnd_Format(Mat A, MatAssemblyType type)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  const PetscBool bound = is_bound(A);
  if (f->bound != bound) PetscTryTypeMethod(A, bindtocpu, bound);
  /* puts our view back over a DM's, which hides every ascii_info format of a parallel matrix */
  PetscCall(AsBase<&_MatOps::assemblyend>::call(A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetFromOptions_Format(Mat A, GozaOptionItems PetscOptionsObject)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  if (f->base.setfromoptions) PetscCall(MatFormatAsBase(A, f, [&] { return f->base.setfromoptions(A, PetscOptionsObject); }));
  PetscCall(MatTypeFromOptions(A, f->kind->root, [&](GozaOptionItems items) { return f->kind->from_options(A, *f->config, items); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc destroys the inside of a matrix in three ways: with the whole matrix; its composed objects already taken away, to put another one's inside there
   (MatHeaderMerge()), when the shell stays a Goza matrix and only the base type's part goes; and by a function of its own that calls the one that it found
   (the submatrices of MatCreateSubMatrices(), entries in a hash table), sometimes that one alone. So what a base type destroys by is known without the matrix,
   and what PETSc has put before ours, or had there when the matrix became ours, stays where it is. */
static const char *const base_types[] = {MATSEQAIJ, MATMPIAIJ, "seqaijcusparse", "mpiaijcusparse"};
static PetscErrorCode (*base_destroy[PETSC_STATIC_ARRAY_LENGTH(base_types)])(Mat);

template <int base> static PetscErrorCode MatDestroy_Format(Mat A)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  if (f) PetscCall(MatFormatDetach(A));
  PetscCall((*base_destroy[base])(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTypeOperations(MatType type, _MatOps *operations)
{
  Mat          A;
  PetscOptions none;

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&none));
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(PetscObjectSetOptions((PetscObject)A, none));
  PetscCall(MatSetType(A, type));
  *operations = *A->ops;
  PetscCall(MatDestroy(&A));
  PetscCall(PetscOptionsDestroy(&none));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OverrideDestroy(Mat A, const FormatMat *f)
{
  static PetscErrorCode (*const ours[])(Mat) = {MatDestroy_Format<0>, MatDestroy_Format<1>, MatDestroy_Format<2>, MatDestroy_Format<3>};

  PetscFunctionBegin;
  for (std::size_t b = 0; b < PETSC_STATIC_ARRAY_LENGTH(base_types); b++) {
    if (f->base_type != base_types[b]) continue;
    if (!base_destroy[b]) {
      struct _MatOps base;

      PetscCall(MatTypeOperations(base_types[b], &base));
      base_destroy[b] = base.destroy;
    }
    if (A->ops->destroy == base_destroy[b]) A->ops->destroy = ours[b];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "A Goza matrix cannot be made from type %s", f->base_type.c_str());
}

/* It reads the host's values. Releases differ in what it takes; the result is last. */
template <class... Args> static PetscErrorCode MatCreateGraph_Format(Mat A, Args... args)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  PetscCall(MatFormatHostValues(A, false));
  PetscCall(f->base.creategraph(A, args...));
  PetscCall(MatFormatBecomeGraph(A, *std::get<sizeof...(Args) - 1>(std::tie(args...))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatOverride(Mat A, FormatMat *f)
{
  PetscFunctionBegin;
  f->base                = *A->ops;
  A->ops->mult           = MatMult_Format;
  A->ops->multadd        = MatMultAdd_Format;
  A->ops->view           = MatView_Format;
  A->ops->duplicate      = MatDuplicate_Format;
  A->ops->assemblyend    = MatAssemblyEnd_Format;
  A->ops->setfromoptions = MatSetFromOptions_Format;
  A->ops->convert        = MatConvert_Format_Any;
  PetscCall(OverrideDestroy(A, f));
  if (f->base.createsubmatrix) A->ops->createsubmatrix = MatCreateSubMatrix_Format;
  if (f->base.creategraph) A->ops->creategraph = MatCreateGraph_Format;
  if (f->base.transposesymbolic) A->ops->transposesymbolic = MatTransposeSymbolic_Format;
  if (f->base_type == MATSEQAIJCUSPARSE || f->base_type == MATMPIAIJCUSPARSE) {
    A->ops->productsetfromoptions = MatProductSetFromOptions_Device;
    PetscCall(MatFormatOverrideDevice(A, f));
  }
  if (f->base_type == MATMPIAIJ || f->base_type == MATMPIAIJCUSPARSE) {
    f->each_transposed       = A->ops->multtranspose;
    f->each_transposed_add   = A->ops->multtransposeadd;
    A->ops->multtranspose    = MatMultTranspose_Format;
    A->ops->multtransposeadd = MatMultTransposeAdd_Format;
  }
  PetscCall(MatFormatOverrideCOO(A, f));
  f->ours = *A->ops;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The base's operations again. What PETSc has put there since (the numeric phase of a product that made A) stays. */
void MatFormatRestoreOps(Mat A, const FormatMat *f)
{
  using Function = void (*)();

  static_assert(sizeof(struct _MatOps) % sizeof(Function) == 0, "a table of functions");
  Function       *now  = reinterpret_cast<Function *>(A->ops);
  const Function *base = reinterpret_cast<const Function *>(&f->base), *ours = reinterpret_cast<const Function *>(&f->ours);

  for (std::size_t k = 0; k < sizeof(struct _MatOps) / sizeof(Function); k++)
    if (now[k] == ours[k]) now[k] = base[k];
}

PetscErrorCode MatFormatBeginBase(Mat A, FormatMat *f, const char *type, char **name)
{
  PetscObject obj = (PetscObject)A;

  PetscFunctionBegin;
  if (A->ops->view && A->ops->view != f->base.view && A->ops->view != MatView_Format) f->chained_view = A->ops->view;
  A->ops->view = f->ours.view;
  MatFormatRestoreOps(A, f);
  *name = obj->type_name; /* kept, not freed: a user may hold what MatGetType() gave */
  PetscCall(PetscStrallocpy(type, &obj->type_name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatEndBase(Mat A, FormatMat *f, char *name)
{
  PetscObject obj = (PetscObject)A;

  PetscFunctionBegin;
  PetscCall(PetscFree(obj->type_name));
  obj->type_name = name;
  PetscCall(MatFormatOverride(A, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
