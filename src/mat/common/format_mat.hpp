/* The context of a Goza matrix, and the way back to the PETSc type below it.

   A Goza matrix is a SeqAIJ or MPIAIJ (with a CUDA PETSc and a device: SeqAIJCUSPARSE or MPIAIJCUSPARSE) whose type name and some of whose
   operations are ours. PETSc's part keeps pattern and values, on the host, on the device or on both; ours is a shadow in another layout. */
#pragma once
#include "format_kind.hpp"
#include "petsc/vec_access.hpp"
#include <petsc/private/matimpl.h>

namespace goza::mat {

/* What PETSc finds on a matrix by name, and finds ours of instead of the base type's. */
enum ComposedOver { COO_PREALLOCATION, COO_VALUES, STORE_VALUES, RETRIEVE_VALUES, KRONECKER, COMPOSED_OVER };
inline constexpr const char *composed_names[] = {"MatSetPreallocationCOO_C", "MatSetValuesCOO_C", "MatStoreValues_C", "MatRetrieveValues_C", "MatSeqAIJKron_C"};

struct FormatMat {
  const FormatKind             *kind;
  std::unique_ptr<FormatConfig> config;
  std::string                   base_type;
  struct _MatOps                base;                                  // the operations of base_type
  struct _MatOps                ours;                                  // the same with the overrides, as MatFormatOverride() left them
  PetscBool                     bound;                                 // to the CPU, as far as `base` knows
  PetscErrorCode (*chained_view)(Mat, PetscViewer)          = nullptr; // a DM's view, put in place of ours
  PetscErrorCode (*each_transposed)(Mat, Vec, Vec)          = nullptr; // of a parallel matrix, by each rank for itself
  PetscErrorCode (*each_transposed_add)(Mat, Vec, Vec, Vec) = nullptr;
  void (*composed[COMPOSED_OVER])()                         = {}; // the base type's functions of these names, where it has them
  PetscCount coo_n                                          = 0;
  bool       petscs_own                                     = false; // every rank found the base type's product best (autoformat)
  /* a preconditioner may share the operator, and must keep its values when the matrix moves on: then the matrix makes a new one */
  std::shared_ptr<ParOperator<PetscScalar>> op = std::make_shared<ParOperator<PetscScalar>>();
  ParOperator<PetscScalar>                  check; // on the host, for -goza_check
  ProductStages                             staged;

  template <class Function> Function *base_function(ComposedOver which) const { return reinterpret_cast<Function *>(composed[which]); }
};

MatType    BaseType(bool mpi); // what a new Goza matrix is below
FormatMat *format_of(Mat A);   // nullptr when A is not ours

/* Collective: on all ranks or on none, before PETSc's part begins, so that what follows asks for no memory of ours. like: whose settings it has; NULL: what the
   kind begins with */
PetscErrorCode MatFormatPrepare(MPI_Comm comm, const FormatKind &kind, const FormatMat *like, std::unique_ptr<FormatMat> *made);
PetscErrorCode MatFormatAttach(Mat A, std::unique_ptr<FormatMat> made); // A has a base type
PetscErrorCode MatFormatDetach(Mat A);                                  // to the base type
/* A type's table, from a new matrix which reads no options: -mat_seqaij_type would make it one of another. */
PetscErrorCode MatTypeOperations(MatType type, struct _MatOps *operations);

inline bool MatIsHashed(Mat A)
{
#if PETSC_VERSION_GE(3, 19, 0)
  return A->hash_active;
#else
  (void)A;
  return false;
#endif
}

/* Run call() while A is, in name and operations, its base type: PETSc's SeqAIJCUSPARSE functions insist on their exact type name, and some
   operations (bind-to-CPU, assembly) exchange others. Afterwards what they left is the base, and the overrides are put back. */
PetscErrorCode MatFormatBeginBase(Mat A, FormatMat *f, const char *type, char **name);
PetscErrorCode MatFormatEndBase(Mat A, FormatMat *f, char *name);

template <class Call> PetscErrorCode MatFormatAs(const char *type, Mat A, FormatMat *f, const Call &call)
{
  char *name;

  PetscFunctionBegin;
  if (MatIsHashed(A)) { /* entries still in PETSc's hash table: it has put its own operations there and will bring ours back */
    PetscCall(call());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatFormatBeginBase(A, f, type, &name));
  const PetscErrorCode ierr = call();
  PetscCall(MatFormatEndBase(A, f, name));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Call> PetscErrorCode MatFormatAsBase(Mat A, FormatMat *f, const Call &call) { return MatFormatAs(f->base_type.c_str(), A, f, call); }

/* AsBase<&_MatOps::scale>::call has the signature of that operation and runs the base type's. */
template <auto Op> struct AsBase;
template <class... Args, PetscErrorCode (*_MatOps::*Op)(Mat, Args...)> struct AsBase<Op> {
  static PetscErrorCode call(Mat A, Args... args)
  {
    FormatMat *f = format_of(A);

    PetscFunctionBegin;
    PetscCall(MatFormatAsBase(A, f, [&] { return (f->base.*Op)(A, args...); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

PetscErrorCode MatFormatDuplicateBase(Mat A, FormatMat *f, MatDuplicateOption how, Mat *B); // a matrix of the base type, with nothing of ours

/* The same for a matrix that may be ours or a plain one of PETSc's, like the blocks of a parallel matrix. */
template <class Call> PetscErrorCode MatAsPlain(Mat A, const Call &call)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  if (f) PetscCall(MatFormatAsBase(A, f, call));
  else PetscCall(call());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Put our function where the base type composed one of that name, and keep the base's. */
template <class Function> PetscErrorCode ComposeOver(Mat A, FormatMat *f, ComposedOver which, Function *ours)
{
  Function *now = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, composed_names[which], &now));
  if (now && now != ours) {
    f->composed[which] = reinterpret_cast<void (*)()>(now);
    PetscCall(PetscObjectComposeFunction((PetscObject)A, composed_names[which], ours));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A type's settings from its options, by call(items), and what its views read. Under a heading of their own: behind -dm_mat_type PETSc has printed its own,
   "Matrix (Mat) options", for -mat_seqaij_type alone, and leaves out of -help what comes under it again. */
template <class Call> PetscErrorCode MatTypeFromOptions(Mat A, const char *type, const Call &call)
{
  char heading[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(heading, sizeof(heading), "Matrix type %s options", type));
  PetscOptionsBegin(comm_of(A), ((PetscObject)A)->prefix, heading, "Mat");
  PetscOptionsObject->options = ((PetscObject)A)->options;
  PetscCall(call(PetscOptionsObject));
  PetscCall(MatFormatViewOptions(PetscOptionsObject));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type under whose name PETSc looks for conversions and products: the host's, which has them all. */
inline MatType HostType(std::string_view type) { return type.rfind("mpi", 0) == 0 ? MATMPIAIJ : MATSEQAIJ; }

/* format_mat.cxx. While it is set, -mat_seqaij_type makes no matrix one of ours */
extern bool seqaij_stays;
/* format_override.cxx */
PetscErrorCode MatFormatOverride(Mat A, FormatMat *f); // (back) on a matrix whose operations are those of its base type
void           MatFormatRestoreOps(Mat A, const FormatMat *f);
/* format_mult.cxx. z = A x, or z = y + A x, by A's operator; collective */
PetscErrorCode MatMultByOperator(Mat A, ParOperator<PetscScalar> &op, ProductStages &staged, Vec x, Vec y, Vec z);
/* format_device.cxx */
PetscErrorCode MatFormatOverrideDevice(Mat A, FormatMat *f);
PetscErrorCode MatMultBase(Mat A, FormatMat *f, Vec x, Vec y, Vec z); // PETSc's own product: z = A x, or z = y + A x
PetscErrorCode MatAddProduct(Mat A, Vec x, Vec z);                    // z += A x of an AIJ matrix of PETSc's, on the device or not, and vectors of any kind
PetscErrorCode MatAddTransposedProduct(Mat A, Vec x, Vec z);          // z += A^T x, alike
PetscErrorCode MatScaleRowsAndColumns(Mat A, Vec l, Vec r);           // MatDiagonalScale(), alike
/* format_values.cxx */
PetscErrorCode MatFormatHostValues(Mat A, bool written); // of any AIJ matrix: brought up to date before they are read, or just written past PETSc's accounts
PetscErrorCode MatFormatOverrideValues(Mat A, FormatMat *f);
/* format_zero_rows.cxx */
void MatFormatOverrideZeroRows(Mat A);
/* format_coo.cxx */
PetscErrorCode MatFormatOverrideCOO(Mat A, FormatMat *f);
/* format_product.cxx */
PetscErrorCode MatFormatOverrideProducts(Mat A, FormatMat *f);
PetscErrorCode MatFormatRestoreProducts(Mat A);
PetscErrorCode MatProductSetFromOptions_Device(Mat C); // over SeqAIJCUSPARSE and MPIAIJCUSPARSE
/* format_mult.cxx */
PetscErrorCode MatMult_Format(Mat A, Vec x, Vec y);
PetscErrorCode MatMultAdd_Format(Mat A, Vec x, Vec y, Vec z);
PetscErrorCode MatMultTranspose_Format(Mat A, Vec x, Vec y); // of a parallel matrix
PetscErrorCode MatMultTransposeAdd_Format(Mat A, Vec x, Vec y, Vec z);
/* format_view.cxx */
PetscErrorCode MatView_Format(Mat A, PetscViewer viewer);
/* format_convert.cxx */
PetscErrorCode MatFormatBecomeLike(Mat A, const FormatMat *f); // collective. An AIJ of PETSc's, of f's kind and with its settings
PetscErrorCode MatDuplicate_Format(Mat A, MatDuplicateOption how, Mat *B);
PetscErrorCode MatCreateSubMatrix_Format(Mat A, IS rows, IS cols, MatReuse reuse, Mat *B);
PetscErrorCode MatTransposeSymbolic_Format(Mat A, Mat *B);
PetscErrorCode MatFormatBecomeGraph(Mat A, Mat G); // of A
PetscErrorCode MatConvert_Format_Any(Mat A, MatType type, MatReuse reuse, Mat *M);
PetscErrorCode MatConvert_Any_Format(Mat A, MatType type, MatReuse reuse, Mat *M);

} // namespace goza::mat
