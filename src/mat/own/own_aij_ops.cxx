/* What PETSc's AIJ can do and an owning matrix does not do itself: one table of operations, each AIJ's own on an image of the matrix (own_image.cxx).

   Not in it: what the result of a product or a factor does (matmatmultnumeric, solve, ...), which is none of these types; what PETSc does itself where a type
   has no such operation (assemblybegin, setblocksizes, setunfactored, destroysubmatrices); products and factors, which PETSc finds by the names of types
   (own_product.cxx, own_factor.cxx). */
#include "mat/common/format_mat.hpp"
#include "own_mat.hpp"
#include "petsc/attached.hpp"

namespace goza::mat {
namespace {

constexpr char pattern_key[] = "GozaPatternOfSubmatrices";

enum class Use {
  Once,     // the image is given back
  Kept,     // it is asked for again and again, or part of it is the result
  Lends,    // its arrays, until
  Restores, // them
  Changes,  // its values become the matrix's
  Becomes   // the matrix
};

/* The arguments of an operation: an owning matrix among them stands for its image. */
class Images {
public:
  explicit Images(bool places) : places_(places) { }

  template <class T> PetscErrorCode add(const T &) { return PETSC_SUCCESS; }
  PetscErrorCode                    add(Mat M);
  template <class T> T              of(T argument) const { return argument; }
  Mat                               of(Mat M) const;
  Mat                               owner() const { return owner_[0]; }
  Mat                               aij() const { return aij_[0]; }
  PetscErrorCode                    give_back();

private:
  bool places_;
  int  n_ = 0;
  Mat  owner_[3], aij_[3];
};

PetscErrorCode Images::add(Mat M)
{
  PetscFunctionBegin;
  if (!find_own(M)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OwnBorrowAij(M, places_, &aij_[n_]));
  owner_[n_++] = M;
  PetscFunctionReturn(PETSC_SUCCESS);
}

Mat Images::of(Mat M) const
{
  for (int k = 0; k < n_; k++)
    if (owner_[k] == M) return aij_[k];
  return M;
}

PetscErrorCode Images::give_back()
{
  PetscFunctionBegin;
  while (n_) PetscCall(OwnReturnAij(owner_[--n_], places_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After the operation, which has not failed. */
PetscErrorCode Conclude(Use use, Images &images)
{
  const Mat A = images.owner();

  PetscFunctionBegin;
  A->factorerrortype             = images.aij()->factorerrortype;
  A->factorerror_zeropivot_value = images.aij()->factorerror_zeropivot_value;
  A->factorerror_zeropivot_row   = images.aij()->factorerror_zeropivot_row;
  switch (use) {
  case Use::Once:
    break;
  case Use::Kept:
    OwnKeepAij(A, false);
    break;
  case Use::Lends:
    PetscFunctionReturn(PETSC_SUCCESS);
  case Use::Restores:
    PetscCall(OwnReturnAij(A, false));
    break; /* what the lender has not */
  case Use::Changes:
    PetscCall(OwnCopy(A, images.aij()));
    PetscCall(PetscObjectStateIncrease((PetscObject)A));
    break;
  case Use::Becomes:
    PetscCall(OwnReplace(A, OwnTakeAij(A, false)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(images.give_back());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* find(aij, &theirs): what PETSc has for it. An image of all places where values change. */
template <Use use, class Find, class... Args> PetscErrorCode CallThroughAij(const Find &find, Args... args)
{
  Images images(use == Use::Changes);
  PetscErrorCode (*theirs)(Args...) = nullptr;

  PetscFunctionBegin;
  for (PetscErrorCode added : {images.add(args)...}) PetscCall(added);
  PetscCall(find(images.aij(), &theirs));
  const PetscErrorCode failed = theirs ? theirs(images.of(args)...) : PETSC_SUCCESS; /* what PETSc tries where it is */
  if (failed) (void)images.give_back();
  PetscCall(failed);
  PetscCall(Conclude(use, images));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto Op, Use use> struct ThroughAij;
template <class... Args, PetscErrorCode (*_MatOps::*Op)(Args...), Use use> struct ThroughAij<Op, use> {
  static PetscErrorCode find(Mat aij, PetscErrorCode (**theirs)(Args...))
  {
    *theirs = aij->ops->*Op;
    return PETSC_SUCCESS;
  }
  static PetscErrorCode call(Args... args) { return CallThroughAij<use>(find, args...); }
};

/* Where AIJ has it and the matrix has not. */
template <Use use, auto... Ops> void put_as(Mat A, const _MatOps &aij)
{
  ((aij.*Ops && !(A->ops->*Ops) ? (void)(A->ops->*Ops = ThroughAij<Ops, use>::call) : (void)0), ...);
}
template <auto... Ops> void put(Mat A, const _MatOps &aij) { put_as<Use::Once, Ops...>(A, aij); }

PetscErrorCode FindOperations(bool mpi, const _MatOps **table)
{
  static _MatOps of[2];
  static bool    known[2];

  PetscFunctionBegin;
  if (!known[mpi]) PetscCall(MatTypeOperations(mpi ? MATMPIAIJ : MATSEQAIJ, &of[mpi]));
  known[mpi] = true;
  *table     = &of[mpi];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes may come from the file. */
PetscErrorCode MatLoad_Own(Mat A, PetscViewer viewer)
{
  Mat aij;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm_of(A), &aij));
  PetscCall(MatSetSizes(aij, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  if (A->rmap->bs > 1 || A->cmap->bs > 1) PetscCall(MatSetBlockSizesFromMats(aij, A, A));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)aij, ((PetscObject)A)->prefix));
  PetscCall(PetscObjectSetName((PetscObject)aij, ((PetscObject)A)->name)); // by which HDF5 finds it
  PetscCall(MatSetType(aij, MATAIJ));
  PetscCall(MatLoad(aij, viewer));
  PetscCall(MatSetSizes(A, aij->rmap->n, aij->cmap->n, aij->rmap->N, aij->cmap->N));
  PetscCall(MatSetBlockSizesFromMats(A, aij, aij));
  PetscCall(MatSetUp(A));
  PetscCall(OwnCopy(A, aij));
  PetscCall(MatDestroy(&aij));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all places: what was made before gets the values of now, whichever of them are 0. A view of a DMDA's matrix in natural order asks for it. */
PetscErrorCode MatCreateSubMatrix_Own(Mat A, IS rows, IS columns, MatReuse reuse, Mat *M)
{
  return OwnThroughAij(A, true, [&](Mat aij) { return MatCreateSubMatrix(aij, rows, columns, reuse, M); });
}

/* Of the entries, as AIJ has them: a preconditioner factors these. */
PetscErrorCode MatCreateSubMatrices_Own(Mat A, PetscInt n, const IS rows[], const IS columns[], MatReuse reuse, Mat *M[])
{
  PetscFunctionBegin;
  PetscCall(OwnThroughAij(A, false, [&](Mat aij) {
    if (n && reuse == MAT_REUSE_MATRIX) {
      const PetscObjectState *made = attached<PetscObjectState>((*M)[0], pattern_key);
      PetscCheck(!made || *made == A->nonzerostate, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
                 "The matrix has another nonzero pattern than when these submatrices were made: MAT_INITIAL_MATRIX");
    }
    return MatCreateSubMatrices(aij, n, rows, columns, reuse, M);
  }));
  if (n) PetscCall(Attach((PetscObject)(*M)[0], pattern_key, std::make_unique<PetscObjectState>(A->nonzerostate)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PETSc finds on a matrix by name. */
enum Named { ADJUST_FOR_INODES, INODE_SIZES, NONZERO_DIAGONAL, IS_TRANSPOSE, IS_HERMITIAN_TRANSPOSE, KRON_PRODUCT };
constexpr const char *names[] = {"MatInodeAdjustForInodes_C", "MatInodeGetInodeSizes_C",   "MatReorderForNonzeroDiagonal_C",
                                 "MatIsTranspose_C",          "MatIsHermitianTranspose_C", "MatSeqAIJKron_C"};

template <Named which, Use use, class... Args> struct NamedThroughAij {
  static PetscErrorCode find(Mat aij, PetscErrorCode (**theirs)(Args...)) { return PetscObjectQueryFunction((PetscObject)aij, names[which], theirs); }
  static PetscErrorCode call(Args... args) { return CallThroughAij<use>(find, args...); }
  static PetscErrorCode compose(Mat A, bool attach) { return PetscObjectComposeFunction((PetscObject)A, names[which], attach ? call : NULL); }
};

void PutReading(Mat A, const _MatOps &aij)
{
  put<&_MatOps::equal, &_MatOps::createsubmatricesmpi, &_MatOps::getmultiprocblock, &_MatOps::getseqnonzerostructure, &_MatOps::creatempimatconcatenateseqmat,
      &_MatOps::increaseoverlap, &_MatOps::permute, &_MatOps::creategraph, &_MatOps::transposesymbolic, &_MatOps::getrowmax, &_MatOps::getrowmaxabs,
      &_MatOps::getrowmin, &_MatOps::getrowminabs, &_MatOps::getcolumnreductions, &_MatOps::findzerodiagonals, &_MatOps::findnonzerorows,
      &_MatOps::findoffblockdiagonalentries, &_MatOps::issymmetric, &_MatOps::ishermitian, &_MatOps::invertvariableblockdiagonal,
      &_MatOps::transcoloringapplysptoden>(A, aij); /* PETSc calls the last without a look */
#if PETSC_VERSION_GE(3, 21, 0)
  put<&_MatOps::getrowsumabs>(A, aij);
#endif
#if PETSC_VERSION_GE(3, 26, 0)
  put<&_MatOps::getordering>(A, aij);
#endif
}

void PutOthers(Mat A, const _MatOps &aij)
{
  put_as<Use::Kept, &_MatOps::sor, &_MatOps::getdiagonalblock, &_MatOps::multdiagonalblock, &_MatOps::getghosts>(A, aij);
  put_as<Use::Lends, &_MatOps::getrowij, &_MatOps::getcolumnij>(A, aij);
  put_as<Use::Restores, &_MatOps::restorerowij, &_MatOps::restorecolumnij>(A, aij);
  put_as<Use::Becomes, &_MatOps::lufactor, &_MatOps::ilufactor>(A, aij);
  put_as<Use::Changes, &_MatOps::setrandom, &_MatOps::realpart, &_MatOps::imaginarypart>(A, aij);
}

} // namespace

PetscErrorCode OwnComposeAijFunctions(Mat A, bool attach)
{
  PetscFunctionBegin;
  PetscCall((NamedThroughAij<IS_TRANSPOSE, Use::Once, Mat, Mat, PetscReal, PetscBool *>::compose(A, attach)));
  PetscCall((NamedThroughAij<IS_HERMITIAN_TRANSPOSE, Use::Once, Mat, Mat, PetscReal, PetscBool *>::compose(A, attach)));
  if (attach && A->rmap->size > 1) PetscFunctionReturn(PETSC_SUCCESS); /* the others are of one rank */
  PetscCall((NamedThroughAij<ADJUST_FOR_INODES, Use::Once, Mat, IS *, IS *>::compose(A, attach)));
  PetscCall((NamedThroughAij<INODE_SIZES, Use::Kept, Mat, PetscInt *, PetscInt *[], PetscInt *>::compose(A, attach)));
  PetscCall((NamedThroughAij<NONZERO_DIAGONAL, Use::Once, Mat, PetscReal, IS, IS>::compose(A, attach)));
  PetscCall((NamedThroughAij<KRON_PRODUCT, Use::Once, Mat, Mat, MatReuse, Mat *>::compose(A, attach)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnSetAijOps(Mat A)
{
  const _MatOps *aij = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOperations(ranks_of(A) > 1, &aij));
  PutReading(A, *aij);
  PutOthers(A, *aij);
  A->ops->load              = MatLoad_Own;
  A->ops->createsubmatrix   = MatCreateSubMatrix_Own;
  A->ops->createsubmatrices = MatCreateSubMatrices_Own;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
