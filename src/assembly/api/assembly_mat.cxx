/* From the maps to PETSc's matrices: where the values are written, and by whom. */
#include "assembly_pattern.hpp"
#include "mat/common/values_to_write.hpp"
#include "mat/own/own_mat.hpp"
#include <numeric>

namespace goza::assembly {

/* The map's places in A, unless they are known: `known_exact` where A was made from the map. */
static PetscErrorCode Bind(GozaAssembly a, Mat A, const AijBlocks &of, bool known_exact)
{
  PatternStamp          stamp;
  Rows                  diag, other;
  std::vector<PetscInt> from;
  bool                  exact = true;

  PetscFunctionBegin;
  stamp.take(A, of.diagonal(), of.others());
  if (stamp.is_of(a)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(A->rmap->n == a->nowned * a->bs, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The matrix has %" PetscInt_FMT " rows on this rank, the mesh %" PetscInt_FMT " nodes of %" PetscInt_FMT " unknowns", A->rmap->n, a->nowned,
             a->bs);
  a->mat_id = 0;
  PetscCall(diag.open(of.diagonal()));
  PetscCall(other.open(of.others()));
  if (!known_exact) PetscCall(FindPlaces(a, a->bs, diag, other, of.garray, from, &exact));
  PetscCall(Guarded([&] {
    a->row_ptr       = Array<PetscInt>(a->space, diag.ptr, A->rmap->n + 1);
    a->row_ptr_other = Array<PetscInt>(a->space, other.ptr, of.others() ? A->rmap->n + 1 : 0);
    a->from          = Array<PetscInt>(a->space, from.data(), exact ? 0 : from.size());
  }));
  a->nnz[0] = diag.ptr[A->rmap->n];
  a->nnz[1] = of.others() ? other.ptr[A->rmap->n] : 0;
  PetscCall(diag.close());
  PetscCall(other.close());
  stamp.keep(a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. A's pattern from the map: on one rank without MatSetValues(), row lengths, then all columns at once. */
static PetscErrorCode SetPattern(GozaAssembly a, Mat A, PetscInt start)
{
  std::vector<PetscInt> ptr, col;
  PetscErrorCode        failed = HostPattern(a);

  PetscFunctionBegin;
  if (!failed) failed = Guarded([&] { GlobalPattern(a, a->bs, start, ptr, col); });
  PetscCall(AgreeOnFailure(comm_of(a), failed));
  if (!is_based_on(A, MATSEQAIJ)) {
    PetscCall(MatMPIAIJSetPreallocationCSR(A, ptr.data(), col.data(), NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  std::adjacent_difference(ptr.begin(), ptr.end(), ptr.begin());
  PetscCall(MatSeqAIJSetPreallocation(A, 0, ptr.data() + 1));
  PetscCall(MatSeqAIJSetColumnIndices(A, col.data()));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeros, where GozaAssemblyMatrix() will put values: on the device the pattern is there afterwards, too. */
static PetscErrorCode ZeroValues(GozaAssembly a, Mat block)
{
  ValuesToWrite values;
  PetscInt      n;
  bool          resident = false;
  Rows          rows;

  PetscFunctionBegin;
  if (!block) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ValuesToWrite::is_resident(block, a->space, &resident));
  if (!resident) {
    PetscCall(MatZeroEntries(block));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(rows.open(block));
  n = rows.ptr[rows.n];
  PetscCall(rows.close());
  PetscCall(values.open(block, a->space, n, true));
  PetscCall(values.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes, type and options, but no pattern. AIJ beside a format is left out where that may be and the kernels write where the matrix's products are. */
static PetscErrorCode SetTypeOf(GozaAssembly a, Mat A, MatType type)
{
  const PetscInt n = a->nowned * a->bs;
  const OwnKind *kind;
  Space          space;

  PetscFunctionBegin;
  if (!type) type = MATAIJ;
  PetscCall(MatSetSizes(A, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(A, a->bs));
  PetscCall(KindToOwn(a, A, type, &kind));
  {
    const OwnWhereOpen open(kind);

    PetscCall(MatSetType(A, type));
    PetscCall(MatSetFromOptions(A));
  }
  space = space_of(A);
  if (kind && space != a->space) {
    PetscCall(MatSetType(A, kind->format().root));
    PetscCall(MatSetFromOptions(A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh's pattern, its values zero. A has its type. */
static PetscErrorCode GivePattern(GozaAssembly a, Mat A)
{
  PetscInt   end;
  const bool own = mat::find_own(A), blocks = is_blocks(A);

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&a->nowned, &end, 1, MPIU_INT, MPI_SUM, comm_of(a)));
  PetscCall(own ? SetOwnPattern(a, A) : blocks ? SetBlockPattern(a, A, end - a->nowned) : SetPattern(a, A, end - a->nowned));
  PetscCheck(A->assembled, comm_of(a), PETSC_ERR_SUP, "Matrix type %s is not based on AIJ, and not BAIJ", ((PetscObject)A)->type_name);
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  if (own || blocks) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(use_petsc_stream());
  const AijBlocks of     = blocks_of(A);
  PetscErrorCode  failed = ZeroValues(a, of.diagonal());
  if (!failed) failed = ZeroValues(a, of.others());
  if (!failed) failed = Bind(a, A, of, true);
  PetscCall(AgreeOnFailure(comm_of(a), failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. Sizes that PETSc is left to find (PETSC_DECIDE) are the mesh's; others are an error. */
static PetscErrorCode GiveSizes(GozaAssembly a, Mat A)
{
  const PetscInt rows    = a->nowned * a->bs;
  PetscLayout    maps[2] = {A->rmap, A->cmap};
  PetscInt       mine[2] = {rows, 0}, all[2]; // and how many of them do not fit

  PetscFunctionBegin;
  for (PetscLayout map : maps) mine[1] += map->n >= 0 && map->n != rows;
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_INT, MPI_SUM, comm_of(a)));
  for (PetscLayout map : maps) {
    PetscCheck(map->N < 0 || map->N == all[0], comm_of(a), PETSC_ERR_ARG_SIZ, "The matrix has %" PetscInt_FMT " rows, the mesh %" PetscInt_FMT " unknowns",
               map->N, all[0]);
    PetscCheck(!all[1], comm_of(a), PETSC_ERR_ARG_SIZ, "The matrix has %" PetscInt_FMT " rows on this rank, the mesh %" PetscInt_FMT " unknowns", map->n, rows);
    if (map->n < 0) PetscCall(PetscLayoutSetLocalSize(map, rows));
    PetscCall(PetscLayoutSetUp(map));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's values, into the matrix's own arrays, which are given back after an error as well: some may be written. */
static PetscErrorCode WriteValues(GozaAssembly a, Mat Ad, Mat Ao)
{
  ValuesToWrite  own, other;
  Target         target{};
  PetscErrorCode failed, other_failed = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(own.open(Ad, a->space, a->nnz[0], a->from.size() > 0));
  if (Ao) other_failed = other.open(Ao, a->space, a->nnz[1], a->from.size() > 0);
  failed = other_failed;
  if (!failed)
    failed = Guarded([&] {
      target.layout    = Layout::Csr;
      target.bs        = (int)a->bs;
      target.owned     = a->nowned;
      target.val       = own.data();
      target.val_other = Ao ? other.data() : NULL;
      target.ptr       = a->row_ptr.data();
      target.ptr_other = Ao ? a->row_ptr_other.data() : NULL;
      target.from      = a->from.size() ? a->from.data() : NULL;
      assemble_matrix(a->problem(), a->mesh, a->map, target);
    });
  PetscCall(own.close());
  if (Ao && !other_failed) PetscCall(other.close());
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}
} // namespace goza::assembly

using namespace goza;

/*@
  GozaAssemblyCreateMatrix - Creates a matrix with the pattern of the mesh, its values zero

  Collective

  Input Parameters:
+ assembly - the object
- type     - a type based on AIJ (`MATAIJ`, `MATCDS`, `MATSLICEDELL`, ...), `MATBAIJ`, or `NULL` for that of the `DM`, or `MATAIJ` where there is none

  Output Parameter:
. A - the matrix, with the block size of the equation; `-mat_type` and the type's options count

  Level: beginner

  Notes:
  The matrix is said to be symmetric. One made by `DMCreateMatrix()` does as well, if it has a place for every pair of neighbours.

  `MATCDS` and `MATSLICEDELL` are made without AIJ where that is possible (`MATOWNCDS`, `MATOWNSLICEDELL`): the first assembly need not wait for AIJ's pattern,
  and the values are written where the products read them. `-mat_cds_keep_aij yes`, `-mat_slicedell_keep_aij yes`, or the name of the AIJ type (`MATSEQAIJCDS`,
  ...) keep it; `MatConvert()` makes `MATAIJ` of a matrix without.

.seealso: `GozaAssemblyMatrix()`, `DMCreateMatrix()`
@*/
PetscErrorCode GozaAssemblyCreateMatrix(GozaAssembly a, MatType type, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(CheckPointer(A, 3));
  PetscCall(GozaAssemblySetUp(a));
  PetscCall(PetscLogEventBegin(events.create, 0, 0, 0, 0));
  if (!type && a->dm) PetscCall(DMGetMatType(a->dm, &type));
  PetscCall(MatCreate(comm_of(a), A));
  if (a->dm) PetscCall(MatSetDM(*A, a->dm));
  PetscErrorCode failed = SetTypeOf(a, *A, type);
  if (!failed) failed = GivePattern(a, *A);
  if (failed) PetscCall(MatDestroy(A));
  PetscCall(failed);
  PetscCall(PetscLogEventEnd(events.create, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyMatrix - Computes the values of a matrix: the numeric phase

  Collective

  Input Parameters:
+ assembly - the object
- A        - a matrix of a type based on AIJ or of `MATBAIJ`, from `GozaAssemblyCreateMatrix()` or `DMCreateMatrix()`; entries outside the mesh's pattern become
             zero; one that is not preallocated, as after `MatSetType()`, gets this

  Level: beginner

  Note:
  With a CUDA PETSc the values are written where `MATAIJCUSPARSE` (or a Goza type, which is one) keeps them on the device, and nothing is copied to the host.
  The format of a Goza type is refilled from them at its next product. A matrix that is nothing but its format, as `GozaAssemblyCreateMatrix()` makes them, is
  assembled there. `MATBAIJ`, which PETSc has on the host alone, gets its blocks of bs x bs from there.

.seealso: `GozaAssemblyRHS()`, `GozaAssemblySetMaterial()`, `GozaAssemblySetUp()`
@*/
PetscErrorCode GozaAssemblyMatrix(GozaAssembly a, Mat A)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(CheckObject(A, MAT_CLASSID, "Mat", 2));
  PetscCall(GozaAssemblySetUp(a));
  if (!A->assembled && !A->preallocated && ((PetscObject)A)->type_name) {
    PetscCall(GiveSizes(a, A));
    PetscCall(GivePattern(a, A));
  }
  PetscCheck(A->assembled, comm_of(a), PETSC_ERR_ARG_WRONGSTATE,
             "The matrix has no nonzero pattern yet: use GozaAssemblyCreateMatrix(), or DMCreateMatrix() without -dm_preallocate_only");
  const bool own = mat::find_own(A), blocks = is_blocks(A);
  if (own || blocks) {
    PetscCall(use_petsc_stream());
    PetscCall(PetscLogEventBegin(events.assemble, A, 0, 0, 0));
    if (a->space == Space::Cuda) PetscCall(PetscLogGpuTimeBegin());
    PetscCall(own ? WriteOwn(a, A) : WriteBlocks(a, A));
    if (a->space == Space::Cuda) PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogEventEnd(events.assemble, A, 0, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(is_aij(A), comm_of(a), PETSC_ERR_SUP, "Matrix type %s is not based on AIJ", ((PetscObject)A)->type_name);
  const AijBlocks of = blocks_of(A);
  PetscCall(AgreeOnFailure(comm_of(a), Bind(a, A, of, false)));
  PetscCall(use_petsc_stream());
  PetscCall(PetscLogEventBegin(events.assemble, A, 0, 0, 0));
  if (a->space == Space::Cuda) PetscCall(PetscLogGpuTimeBegin());
  const PetscErrorCode failed = WriteValues(a, of.diagonal(), of.others());
  if (a->space == Space::Cuda) PetscCall(PetscLogGpuTimeEnd());
  if (of.diagonal() != A) PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscCall(PetscLogEventEnd(events.assemble, A, 0, 0, 0));
  PetscCall(AgreeOnFailure(comm_of(a), failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}
