/* From the maps to PETSc's matrices and vectors: where the values are written, and by whom. */
#include "assembly.hpp"
#include "core/algorithm.hpp"
#include "goza.hpp"
#include "mat/common/format_mat.hpp"
#include "mat/common/vec_access.hpp"
#include <algorithm>

namespace goza
{

namespace
{

/* The value array of a SeqAIJ-based matrix, to be written whole, in the space where the values are computed. */
class ValuesToWrite {
public:
  PetscErrorCode open(Mat A, Space space, PetscInt nnz, bool zeroed)
  {
    PetscFunctionBegin;
    A_     = A;
    space_ = space;
    nnz_   = nnz;
    PetscCall(look_for_device());
    if (resident_) {
#if PetscDefined(HAVE_CUDA)
      const PetscInt *i, *j;
      PetscScalar    *a;
      PetscMemType    memtype;

      PetscCall(MatSeqAIJGetCSRAndMemType(A, &i, &j, &a, &memtype)); /* puts the pattern there */
      PetscCall(as_base([&] { return MatSeqAIJCUSPARSEGetArrayWrite(A, &data_); }));
#endif
    } else if (space == Space::Cuda) {
      PetscCall(Guarded([&] { stage_ = Array<PetscScalar>(space, nnz); }));
      data_ = stage_.data();
    } else {
      PetscCall(MatSeqAIJGetArrayWrite(A, &data_));
    }
    if (zeroed && nnz) {
      PetscCall(Guarded([&] {
        if (space == Space::Cuda) device::fill_zero(data_, nnz * sizeof(PetscScalar));
        else std::fill(data_, data_ + nnz, PetscScalar(0));
      }));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode close()
  {
    PetscFunctionBegin;
    if (resident_) {
#if PetscDefined(HAVE_CUDA)
      PetscCall(as_base([&] { return MatSeqAIJCUSPARSERestoreArrayWrite(A_, &data_); }));
#endif
    } else if (space_ == Space::Cuda) {
      PetscScalar *host;

      PetscCall(MatSeqAIJGetArrayWrite(A_, &host));
      PetscCall(Guarded([&] { device::copy(host, stage_.data(), stage_.bytes()); }));
      PetscCall(PetscLogGpuToCpu((PetscLogDouble)stage_.bytes()));
      PetscCall(MatSeqAIJRestoreArrayWrite(A_, &host));
    } else {
      PetscCall(MatSeqAIJRestoreArrayWrite(A_, &data_));
    }
    PetscCall(PetscObjectStateIncrease((PetscObject)A_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscScalar *data() const
  {
    return data_;
  }

private:
  PetscErrorCode look_for_device()
  {
    PetscBool cusparse = PETSC_FALSE, bound;

    PetscFunctionBegin;
    PetscCall(MatGetFormatMat(A_, &f_));
    if (f_) cusparse = (PetscBool)(f_->base_type == "seqaijcusparse");
    else PetscCall(PetscObjectTypeCompare((PetscObject)A_, "seqaijcusparse", &cusparse));
    PetscCall(MatBoundToCPU(A_, &bound));
    resident_ = space_ == Space::Cuda && cusparse && !bound;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  template <class Call> PetscErrorCode as_base(const Call &call) /* PETSc's functions insist on their exact type name */
  {
    PetscFunctionBegin;
    if (f_) PetscCall(MatFormatAsBase(A_, f_, call));
    else PetscCall(call());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Mat                A_        = NULL;
  FormatMat         *f_        = nullptr;
  Space              space_    = Space::Host;
  bool               resident_ = false;
  PetscInt           nnz_      = 0;
  PetscScalar       *data_     = NULL;
  Array<PetscScalar> stage_;
};

PetscErrorCode HostPattern(GozaAssembly a)
{
  PetscFunctionBegin;
  if (!a->host_ptr.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    a->host_ptr = a->map.ptr.to_host();
    a->host_col = a->map.col.to_host();
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One block of the matrix, its row pointer and columns on the host. */
struct Rows {
  Mat             A   = NULL;
  PetscInt        n   = 0;
  const PetscInt *ptr = NULL, *col = NULL;

  PetscErrorCode open(Mat block)
  {
    PetscBool done;

    PetscFunctionBegin;
    A = block;
    if (A) {
      PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
      PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "Matrix type %s gives no row pointers", ((PetscObject)A)->type_name);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode close()
  {
    PetscBool done;

    PetscFunctionBegin;
    if (A) PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* Where in the matrix's rows the pairs of the map stand; `exact`: the rows are the pairs and nothing else. */
PetscErrorCode FindPlaces(GozaAssembly a, const Rows &diag, const Rows &other, const PetscInt *garray, std::vector<PetscInt> &from, bool *exact)
{
  const PetscInt        bs = a->bs, nother = other.A ? other.A->cmap->n : 0;
  std::vector<PetscInt> compact(a->ghosts.size()); // the ghosts' first columns in the off-diagonal block

  PetscFunctionBegin;
  *exact = true;
  PetscCall(HostPattern(a));
  for (std::size_t g = 0; g < a->ghosts.size(); g++) {
    const PetscInt *at = std::lower_bound(garray, garray + nother, a->ghosts[g] * bs);

    PetscCheck(at + bs <= garray + nother && *at == a->ghosts[g] * bs, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "The matrix has no column for node %" PetscInt_FMT " of another rank: use GozaAssemblyCreateMatrix()", a->ghosts[g]);
    compact[g] = (PetscInt)(at - garray);
  }
  PetscCallCXX(from.resize(a->host_col.size()));
  for (PetscInt i = 0; i < a->nowned; i++) {
    PetscInt mine[2] = {0, 0};

    for (PetscInt k = a->host_ptr[i]; k < a->host_ptr[i + 1]; k++) {
      const PetscInt j    = a->host_col[k];
      const bool     own  = j < a->nowned;
      const Rows    &rows = own ? diag : other;
      const PetscInt want = own ? j * bs : compact[j - a->nowned];

      for (PetscInt r = 0; r < bs; r++) {
        const PetscInt *begin = rows.col + rows.ptr[i * bs + r], *end = rows.col + rows.ptr[i * bs + r + 1], *at = std::lower_bound(begin, end, want);
        const PetscInt  place = (PetscInt)(at - begin);

        PetscCheck(at + bs <= end && *at == want && at[bs - 1] == want + bs - 1 && (r == 0 || place == from[k]), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "The matrix has no place for the %" PetscInt_FMT " x %" PetscInt_FMT " block of nodes %" PetscInt_FMT " and %" PetscInt_FMT " of this rank: create it with GozaAssemblyCreateMatrix() or DMCreateMatrix()", bs, bs, i, j);
        from[k] = place;
      }
      *exact = *exact && from[k] == mine[own ? 0 : 1] * bs;
      mine[own ? 0 : 1]++;
    }
    for (PetscInt r = 0; r < bs; r++) {
      *exact = *exact && diag.ptr[i * bs + r + 1] - diag.ptr[i * bs + r] == mine[0] * bs;
      if (other.A) *exact = *exact && other.ptr[i * bs + r + 1] - other.ptr[i * bs + r] == mine[1] * bs;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PatternState(Mat block, PetscObjectState *state)
{
  PetscFunctionBegin;
  *state = -1;
  if (block) PetscCall(MatGetNonzeroState(block, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The map's places in A, unless they are known: `known_exact` where A was made from the map. */
PetscErrorCode Bind(GozaAssembly a, Mat A, Mat Ad, Mat Ao, const PetscInt *garray, bool known_exact)
{
  PetscObjectId         id;
  PetscObjectState      state[2];
  Rows                  diag, other;
  std::vector<PetscInt> from;
  bool                  exact = true;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  PetscCall(PatternState(Ad, &state[0]));
  PetscCall(PatternState(Ao, &state[1]));
  if (id == a->mat_id && state[0] == a->mat_pattern[0] && state[1] == a->mat_pattern[1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(A->rmap->n == a->nowned * a->bs, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The matrix has %" PetscInt_FMT " rows on this rank, the mesh %" PetscInt_FMT " nodes of %" PetscInt_FMT " unknowns",
             A->rmap->n, a->nowned, a->bs);
  a->mat_id = 0;
  PetscCall(diag.open(Ad));
  PetscCall(other.open(Ao));
  if (!known_exact) PetscCall(FindPlaces(a, diag, other, garray, from, &exact));
  PetscCall(Guarded([&] {
    a->row_ptr       = Array<PetscInt>(a->space, diag.ptr, A->rmap->n + 1);
    a->row_ptr_other = Array<PetscInt>(a->space, other.ptr, Ao ? A->rmap->n + 1 : 0);
    a->from          = Array<PetscInt>(a->space, from.data(), exact ? 0 : from.size());
  }));
  a->nnz[0] = diag.ptr[A->rmap->n];
  a->nnz[1] = Ao ? other.ptr[A->rmap->n] : 0;
  PetscCall(diag.close());
  PetscCall(other.close());
  a->mat_id         = id;
  a->mat_pattern[0] = state[0];
  a->mat_pattern[1] = state[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vector over the mesh's nodes, ghosts included, in the space of the mesh; insert_given: given unknowns have their values. */
PetscErrorCode WithGhosts(GozaAssembly a, Vec u, bool insert_given, Array<PetscScalar> &local)
{
  const PetscScalar       *own;
  std::vector<PetscScalar> all;
  PetscInt                 n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(u, &n));
  PetscCheck(n == a->nowned * a->bs, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The vector has %" PetscInt_FMT " entries on this rank, the mesh %" PetscInt_FMT " nodes of %" PetscInt_FMT " unknowns", n, a->nowned, a->bs);
  PetscCallCXX(all.resize((std::size_t)a->mesh.nodes * a->bs));
  PetscCall(VecGetArrayRead(u, &own));
  std::copy_n(own, n, all.begin());
  PetscCall(VecRestoreArrayRead(u, &own));
  PetscMPIInt size;
  PetscCallMPI(MPI_Comm_size(a->comm, &size));
  if (size > 1) {
    PetscSF      sf;
    PetscLayout  layout;
    MPI_Datatype node;

    PetscCall(PetscLayoutCreate(a->comm, &layout));
    PetscCall(PetscLayoutSetLocalSize(layout, a->nowned));
    PetscCall(PetscLayoutSetUp(layout));
    PetscCall(PetscSFCreate(a->comm, &sf));
    PetscCall(PetscSFSetGraphLayout(sf, layout, (PetscInt)a->ghosts.size(), NULL, PETSC_COPY_VALUES, a->ghosts.data()));
    PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)a->bs, MPIU_SCALAR, &node));
    PetscCallMPI(MPI_Type_commit(&node));
    PetscCall(PetscSFBcastBegin(sf, node, all.data(), all.data() + n, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf, node, all.data(), all.data() + n, MPI_REPLACE));
    PetscCallMPI(MPI_Type_free(&node));
    PetscCall(PetscSFDestroy(&sf));
    PetscCall(PetscLayoutDestroy(&layout));
  }
  for (PetscInt k = 0; insert_given && !a->given.empty() && k < a->nnodes; k++) {
    for (PetscInt r = 0; a->number[k] >= 0 && r < a->bs; r++) {
      if (a->given[(std::size_t)k * a->bs + r]) all[(std::size_t)a->number[k] * a->bs + r] = a->value[(std::size_t)k * a->bs + r];
    }
  }
  PetscCall(Guarded([&] { local = Array<PetscScalar>(a->space, all.data(), all.size()); }));
  if (a->space == Space::Cuda) PetscCall(PetscLogCpuToGpu((PetscLogDouble)local.bytes()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = scale * (forces - K u), u with the values of given unknowns, for which y = scale * K_ii (value_i - now_i); now: the owned part of a vector, or NULL for 0. */
PetscErrorCode Balance(GozaAssembly a, const Array<PetscScalar> &u, const PetscScalar *now, PetscScalar scale, Vec y)
{
  const PetscInt           n = a->nowned * a->bs;
  std::vector<PetscScalar> sum, diagonal;
  PetscScalar             *out;

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    std::vector<PetscReal> f(a->force.empty() ? 0 : a->elements.size() * a->bs);
    Array<PetscReal>       force;
    Array<PetscScalar>     work(a->space, n);

    for (std::size_t k = 0; !f.empty() && k < a->elements.size(); k++)
      std::copy_n(a->force.data() + (std::size_t)a->elements[k] * a->bs, a->bs, f.data() + k * a->bs);
    force = Array<PetscReal>(a->space, f.data(), f.size());
    assemble_vector(a->problem(), a->mesh, a->map, force.size() ? force.data() : nullptr, u.size() ? u.data() : nullptr, false, work.data());
    sum = work.to_host();
    if (!a->given.empty()) {
      assemble_vector(a->problem(), a->mesh, a->map, nullptr, nullptr, true, work.data());
      diagonal = work.to_host();
    }
  }));
  for (PetscInt k = 0; k < a->nnodes; k++) {
    const PetscInt i = a->number[k];

    if (i < 0 || i >= a->nowned) continue;
    for (PetscInt r = 0; r < a->bs; r++) {
      const std::size_t at = (std::size_t)k * a->bs + r, row = (std::size_t)i * a->bs + r;

      if (!a->load.empty()) sum[row] += a->load[at];
      if (!a->given.empty() && a->given[at]) sum[row] = diagonal[row] * (a->value[at] - (now ? now[row] : PetscScalar(0)));
    }
  }
  PetscCall(VecGetArrayWrite(y, &out));
  for (PetscInt k = 0; k < n; k++) out[k] = scale * sum[k];
  PetscCall(VecRestoreArrayWrite(y, &out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace
} // namespace goza

using namespace goza;

/*@
  GozaAssemblyCreateMatrix - Creates a matrix with the pattern of the mesh, its values zero

  Collective

  Input Parameters:
+ assembly - the object
- type     - a type based on AIJ (`MATAIJ`, `MATCDS`, `MATSLICEDELL`, ...), or `NULL` for that of the `DM`, or `MATAIJ` where there is none

  Output Parameter:
. A - the matrix, with the block size of the equation; `-mat_type` and the type's options count

  Level: beginner

  Notes:
  The matrix is said to be symmetric. One made by `DMCreateMatrix()` does as well, if it has a place for every pair of neighbours.

.seealso: `GozaAssemblyMatrix()`, `DMCreateMatrix()`
@*/
PetscErrorCode GozaAssemblyCreateMatrix(GozaAssembly a, MatType type, Mat *A)
{
  std::vector<PetscInt> ptr, col;
  Mat                   Ad, Ao;
  const PetscInt       *garray;
  PetscInt              end;

  PetscFunctionBegin;
  PetscCall(GozaAssemblySetUp(a));
  if (!type && a->dm) PetscCall(DMGetMatType(a->dm, &type));
  PetscCallMPI(MPI_Scan(&a->nowned, &end, 1, MPIU_INT, MPI_SUM, a->comm));
  const PetscInt start = end - a->nowned, bs = a->bs;
  PetscCall(HostPattern(a));
  PetscCallCXX(ptr.assign(1, 0));
  PetscCallCXX(ptr.reserve((std::size_t)a->nowned * bs + 1));
  PetscCallCXX(col.reserve(a->host_col.size() * bs * bs));
  for (PetscInt i = 0; i < a->nowned; i++) {
    const PetscInt *first = a->host_col.data() + a->host_ptr[i], *last = a->host_col.data() + a->host_ptr[i + 1];
    const PetscInt *ghost = std::lower_bound(first, last, a->nowned);
    const PetscInt *above = std::find_if(ghost, last, [&](PetscInt j) { return a->ghosts[j - a->nowned] >= start; }); // columns ascend over the ranks

    for (PetscInt r = 0; r < bs; r++) {
      for (const PetscInt *j = ghost; j < above; j++) {
        for (PetscInt c = 0; c < bs; c++) col.push_back(a->ghosts[*j - a->nowned] * bs + c);
      }
      for (const PetscInt *j = first; j < ghost; j++) {
        for (PetscInt c = 0; c < bs; c++) col.push_back((start + *j) * bs + c);
      }
      for (const PetscInt *j = above; j < last; j++) {
        for (PetscInt c = 0; c < bs; c++) col.push_back(a->ghosts[*j - a->nowned] * bs + c);
      }
      ptr.push_back((PetscInt)col.size());
    }
  }
  PetscCall(MatCreate(a->comm, A));
  PetscCall(MatSetSizes(*A, a->nowned * bs, a->nowned * bs, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, type ? type : MATAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, ptr.data(), col.data(), NULL));
  PetscCall(MatMPIAIJSetPreallocationCSR(*A, ptr.data(), col.data(), NULL));
  PetscCheck((*A)->assembled, a->comm, PETSC_ERR_SUP, "Matrix type %s is not based on AIJ", ((PetscObject)*A)->type_name);
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  PetscCall(MatGetAIJBlocks(*A, &Ad, &Ao, &garray));
  PetscCall(Bind(a, *A, Ad, Ao, garray, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyMatrix - Computes the values of a matrix: the numeric phase

  Collective

  Input Parameters:
+ assembly - the object
- A        - a matrix of a type based on AIJ, from `GozaAssemblyCreateMatrix()` or `DMCreateMatrix()`; entries outside the mesh's pattern become zero

  Level: beginner

  Note:
  With a CUDA PETSc the values are written where `MATAIJCUSPARSE` (or a Goza type, which is one) keeps them on the device, and nothing is copied to the host.

.seealso: `GozaAssemblyRHS()`, `GozaAssemblySetMaterial()`, `GozaAssemblySetUp()`
@*/
PetscErrorCode GozaAssemblyMatrix(GozaAssembly a, Mat A)
{
  Mat             Ad, Ao;
  const PetscInt *garray;
  ValuesToWrite   own, other;
  Target          target{};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 2);
  PetscCall(GozaAssemblySetUp(a));
  PetscCheck(A->assembled, a->comm, PETSC_ERR_ARG_WRONGSTATE, "The matrix has no nonzero pattern yet: use GozaAssemblyCreateMatrix(), or DMCreateMatrix() without -dm_preallocate_only");
  PetscCall(MatGetAIJBlocks(A, &Ad, &Ao, &garray));
  PetscCall(AgreeOnFailure(a->comm, Bind(a, A, Ad, Ao, garray, false)));
  PetscCall(use_petsc_stream());
  PetscCall(PetscLogEventBegin(events.assemble, A, 0, 0, 0));
  PetscCall(own.open(Ad, a->space, a->nnz[0], a->from.size() > 0));
  if (Ao) PetscCall(other.open(Ao, a->space, a->nnz[1], a->from.size() > 0));
  target.layout    = Layout::Csr;
  target.bs        = (int)a->bs;
  target.owned     = a->nowned;
  target.val       = own.data();
  target.val_other = Ao ? other.data() : NULL;
  target.ptr       = a->row_ptr.data();
  target.ptr_other = Ao ? a->row_ptr_other.data() : NULL;
  target.from      = a->from.size() ? a->from.data() : NULL;
  if (a->space == Space::Cuda) PetscCall(PetscLogGpuTimeBegin());
  PetscCall(Guarded([&] { assemble_matrix(a->problem(), a->mesh, a->map, target); }));
  if (a->space == Space::Cuda) PetscCall(PetscLogGpuTimeEnd());
  PetscCall(own.close());
  if (Ao) PetscCall(other.close());
  if (Ad != A) PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscCall(PetscLogEventEnd(events.assemble, A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyRHS - Computes the right-hand side: forces, tractions, and what given unknowns bring

  Collective

  Input Parameter:
. assembly - the object

  Output Parameter:
. b - the right-hand side that goes with the matrix of `GozaAssemblyMatrix()`

  Level: beginner

.seealso: `GozaAssemblySetForce()`, `GozaAssemblySetTraction()`, `GozaAssemblySetDirichlet()`
@*/
PetscErrorCode GozaAssemblyRHS(GozaAssembly a, Vec b)
{
  Array<PetscScalar> u;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, VEC_CLASSID, 2);
  PetscCall(GozaAssemblySetUp(a));
  PetscCall(use_petsc_stream());
  PetscCall(PetscLogEventBegin(events.vector, b, 0, 0, 0));
  PetscCall(Guarded([&] {
    std::vector<PetscScalar> lift(a->given.empty() ? 0 : (std::size_t)a->mesh.nodes * a->bs, 0);

    for (PetscInt k = 0; !lift.empty() && k < a->nnodes; k++) {
      if (a->number[k] >= 0) std::copy_n(a->value.data() + (std::size_t)k * a->bs, a->bs, lift.data() + (std::size_t)a->number[k] * a->bs);
    }
    u = Array<PetscScalar>(a->space, lift.data(), lift.size());
  }));
  PetscCall(Balance(a, u, NULL, 1, b));
  PetscCall(PetscLogEventEnd(events.vector, b, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyResidual - Computes r = K u - f with given unknowns at their values, and K_ii (u_i - value_i) in their rows: what a `SNES` wants

  Collective

  Input Parameters:
+ assembly - the object
- u        - displacements, or whatever is unknown

  Output Parameter:
. r - the residual; with the matrix of `GozaAssemblyMatrix()` as Jacobian

  Level: intermediate

.seealso: `GozaAssemblyMatrix()`, `SNESSetFunction()`
@*/
PetscErrorCode GozaAssemblyResidual(GozaAssembly a, Vec u, Vec r)
{
  Array<PetscScalar> local;
  const PetscScalar *now;

  PetscFunctionBegin;
  PetscCall(GozaAssemblySetUp(a));
  PetscCall(use_petsc_stream());
  PetscCall(PetscLogEventBegin(events.vector, r, 0, 0, 0));
  PetscCall(WithGhosts(a, u, true, local));
  PetscCall(VecGetArrayRead(u, &now));
  PetscCall(Balance(a, local, now, -1, r));
  PetscCall(VecRestoreArrayRead(u, &now));
  PetscCall(PetscLogEventEnd(events.vector, r, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyVonMises - Computes the von Mises stress at the nodes, the mean over a node's elements

  Collective

  Input Parameters:
+ assembly - the object, of `GOZA_ELASTICITY`
- u        - displacements

  Output Parameter:
. s - one entry a node, in the unit of Young's modulus

  Level: intermediate

.seealso: `GozaAssemblySetMaterial()`
@*/
PetscErrorCode GozaAssemblyVonMises(GozaAssembly a, Vec u, Vec s)
{
  Array<PetscScalar> local, stage;
  VecWrite           out;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCheck(a->equation == GOZA_ELASTICITY, a->comm, PETSC_ERR_ARG_WRONGSTATE, "Stresses are elasticity's");
  PetscCall(GozaAssemblySetUp(a));
  PetscCall(VecGetLocalSize(s, &n));
  PetscCheck(n == a->nowned, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The vector has %" PetscInt_FMT " entries on this rank, the mesh %" PetscInt_FMT " nodes", n, a->nowned);
  PetscCall(use_petsc_stream());
  PetscCall(WithGhosts(a, u, false, local));
  PetscCall(out.get(s, a->space, stage));
  PetscCall(Guarded([&] { von_mises(a->mesh, a->map, local.data(), out.data()); }));
  PetscCall(out.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}
