/* Products of a Goza matrix with vectors that live anywhere. */
#include "format_mat.hpp"
#include "group_mat.hpp"
#include "core/util/thread_clock.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat {

/* lent: for somebody who makes products by the operator itself */
static PetscErrorCode MatFormatUpdate(Mat A, FormatMat *f, bool lent)
{
  PetscMPIInt       mine, all;
  const PetscMPIInt size   = ranks_of(A);
  const bool        behind = f->op->behind(A);
  PetscErrorCode    failed = PETSC_SUCCESS;

  PetscFunctionBegin;
  if (behind && f->op.use_count() > 1) failed = Guarded([&] { f->op = std::make_shared<ParOperator<PetscScalar>>(); });
  PetscCall(use_petsc_stream());
  const Space space = space_of(A);
  const bool  asks  = behind || !f->op->built() || f->op->space() != space; /* the same on every rank */
  const auto  made  = [A, f, lent](Space where) {                           /* by the settings as they are when something is built */
                                                auto format = f->config->factory(A)(where);

                                                if (lent) format->lent_at_once();
                                                return format;
  };
  const FormatFactory<PetscScalar> settings = std::cref(made); /* which allocates nothing */

  if (!asks && f->petscs_own) PetscFunctionReturn(PETSC_SUCCESS); /* nothing here shadows its values */
  PetscCall(f->op->update(A, space, settings, failed));
  if (!asks) PetscFunctionReturn(PETSC_SUCCESS);
  /* PETSc's parallel product has an exchange of its own, so that all ranks use it or none */
  mine = all = f->op->diagonal_block().wants_csr();
  if (size > 1 && f->kind->chooses) PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm_of(A)));
  if (size > 1 && f->petscs_own && !all) { /* a rank whose pattern did not move has dropped its format; alone, one has just been built */
    f->op->forget_pattern();
    PetscCall(f->op->update(A, space, settings));
  }
  f->petscs_own = all;
  f->op->settle_for_csr(all);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatGetOperator(Mat A, std::shared_ptr<ParOperator<PetscScalar>> *op)
{
  FormatMat                *f = format_of(A);
  std::shared_ptr<GroupMat> grouped;
  PetscErrorCode (*owner)(Mat, std::shared_ptr<ParOperator<PetscScalar>> *) = nullptr;

  PetscFunctionBegin;
  op->reset();
  if (!f) PetscCall(PetscObjectQueryFunction((PetscObject)A, "GozaMatGetOperator_C", &owner));
  if (owner) PetscCall((*owner)(A, op)); /* a matrix that is nothing but its operator */
  if (f) PetscCall(MatGetGroupMat(A, &grouped));
  if (f && !grouped) {
    PetscCall(MatFormatUpdate(A, f, true));
    if (!f->petscs_own) *op = f->op; /* else its values would move on with the matrix */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -goza_check: y = A x again, on the host in CSR order, and compared with the device's. */
static PetscErrorCode MatCheckMult(Mat A, FormatMat *f, Vec x, Vec add, Vec y)
{
  const PetscScalar       *xa, *za = NULL, *ya;
  std::vector<PetscScalar> again;
  PetscReal                scale = 1, worst = 0, allowed = 1e4 * PETSC_MACHINE_EPSILON;

  PetscFunctionBegin;
  const PetscInt n = local_size(y);
  PetscCall(Together(comm_of(A), "check its part of a product", [&] { again.resize(n + 1); }));
  PetscCall(f->check.update(A, Space::Host, [](Space space) { return std::make_unique<SlicedEll<PetscScalar, PetscScalar>>(space); }));
  PetscCall(VecGetArrayRead(x, &xa));
  if (add) PetscCall(VecGetArrayRead(add, &za));
  PetscCall(f->check.apply(xa, add ? RowOut<PetscScalar>(Add<PetscScalar>{za, again.data()}) : RowOut<PetscScalar>(Assign<PetscScalar>{again.data()})));
  if (add) PetscCall(VecRestoreArrayRead(add, &za));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(VecGetArrayRead(y, &ya));
  for (PetscInt i = 0; i < n; i++) {
    scale = PetscMax(scale, PetscAbsScalar(again[i]));
    worst = PetscMax(worst, PetscAbsScalar(again[i] - ya[i]));
  }
  PetscCall(VecRestoreArrayRead(y, &ya));
  if (f->config->precision != Precision::Double) allowed += 64 * (PetscReal)f->op->diagonal_block().rounding(); /* the sums may be smaller than their terms */
  PetscCheck(worst <= allowed * scale, PETSC_COMM_SELF, PETSC_ERR_PLIB, "-goza_check: product of %s differs from the host's by %g (largest entry %g)",
             ((PetscObject)A)->type_name, (double)worst, (double)scale);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x, too, is as it was before where its product failed; PETSc leaves it locked, and the next product would be told so. */
static PetscErrorCode AfterProduct([[maybe_unused]] Vec x, PetscErrorCode failed)
{
  PetscInt locks;

  PetscFunctionBegin;
  if (failed) {
    PetscCall(VecLockGet(x, &locks));
    for (; locks > 0; locks--) PetscCall(VecLockReadPop(x));
  }
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = op(A) x, or z = y + op(A) x, by the leaders of ranks that share a GPU. behind: see RankGroup::on_leader(); z is nothing then. */
static PetscErrorCode MatMultGrouped(GroupMat &grouped, bool transposed, Vec x, Vec y, Vec z, bool *behind)
{
  GroupVector   &in = transposed ? grouped.left() : grouped.right(), &out = transposed ? grouped.right() : grouped.left();
  PetscErrorCode here;

  PetscFunctionBegin;
  here = in.put(x);
  if (!here && y) here = out.put(y);
  if (!here) here = out.open(z);
  const auto work = [&]() -> PetscErrorCode {
    Vec xs, zs;
    Mat A = grouped.there();

    PetscFunctionBegin;
    PetscCall(in.there(&xs));
    PetscCall(out.there(&zs));
    if (transposed) PetscCall(AfterProduct(xs, y ? MatMultTransposeAdd(A, xs, zs, zs) : MatMultTranspose(A, xs, zs)));
    else PetscCall(AfterProduct(xs, y ? MatMultAdd(A, xs, zs, zs) : MatMult(A, xs, zs)));
    PetscCall(out.written());
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  const PetscErrorCode failed = grouped.group().on_leader(here, "multiply", work, behind);
  PetscCall(out.get(failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same, if A has leaders. Whether a rank has news of A they hear with x, which spares the ranks a message to one another; not where z is y, which must last
   until it is known. */
static PetscErrorCode MatMultByLeaders(Mat A, bool transposed, Vec x, Vec y, Vec z, bool *done)
{
  std::shared_ptr<GroupMat> grouped;
  bool                      behind = false;

  PetscFunctionBegin;
  PetscCall(MatGetGroupMat(A, &grouped, y ? nullptr : &behind));
  *done = grouped != nullptr;
  if (!grouped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(events.mult, A, x, z, 0));
  PetscErrorCode failed = MatMultGrouped(*grouped, transposed, x, y, z, &behind);
  if (!failed && behind) {
    failed = grouped->update(A);
    if (!failed) failed = MatMultGrouped(*grouped, transposed, x, y, z, nullptr);
  }
  PetscCall(PetscLogEventEnd(events.mult, A, x, z, 0)); /* after a refusal, too: an event that is not ended counts nothing more */
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultByOperator(Mat A, ParOperator<PetscScalar> &op, ProductStages &staged, Vec x, Vec y, Vec z)
{
  const Space space = op.space();
  VecRead     xin, yin;
  VecWrite    zout;

  PetscFunctionBegin;
  usage.products[(int)space]++;
  PetscCall(PetscLogEventBegin(events.mult, A, x, z, 0));
  PetscErrorCode failed = xin.get(x, space, staged.x);
  if (!failed && y && y != z) failed = yin.get(y, space, staged.y);
  if (!failed) failed = zout.get(z, space, staged.z, y == z);
  if (failed) PetscCall(op.decline());
  PetscCall(failed);
  if (space == Space::Cuda) PetscCall(PetscLogGpuTimeBegin());
  PetscCall(op.apply(xin.data(), y ? RowOut<PetscScalar>(Add<PetscScalar>{y == z ? zout.data() : yin.data(), zout.data()})
                                   : RowOut<PetscScalar>(Assign<PetscScalar>{zout.data()})));
  if (space == Space::Cuda) PetscCall(PetscLogGpuTimeEnd());
  PetscCall(zout.restore());
  if (y && y != z) PetscCall(yin.restore());
  PetscCall(xin.restore());
  PetscCall(LogFlops(space, PetscMax(2 * op.nnz() - (y ? 0 : A->rmap->n), 0)));
  PetscCall(PetscLogEventEnd(events.mult, A, x, z, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultPetscs(Mat A, FormatMat *f, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(events.mult, A, x, z, 0));
  PetscCall(MatMultBase(A, f, x, y, z));
  PetscCall(PetscLogEventEnd(events.mult, A, x, z, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* While a format on the host of one rank has left open whether it or PETSc's product is the faster. */
static PetscErrorCode MatMultInTurn(Mat A, FormatMat *f, Vec x, Vec y, Vec z)
{
  const Format<PetscScalar> &block = f->op->diagonal_block();
  const double               begin = thread_seconds();

  PetscFunctionBegin;
  if (block.csr_is_next()) PetscCall(MatMultPetscs(A, f, x, y, z));
  else PetscCall(MatMultByOperator(A, *f->op, f->staged, x, y, z));
  PetscCall(Guarded([&] { f->op->took(thread_seconds() - begin); }));
  if (!block.wants_csr()) PetscFunctionReturn(PETSC_SUCCESS);
  f->petscs_own = true;
  f->op->settle_for_csr(true);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = A x, or z = y + A x */
static PetscErrorCode MatMultAny(Mat A, Vec x, Vec y, Vec z)
{
  FormatMat *f        = format_of(A);
  Vec        y_before = NULL;
  bool       done;

  PetscFunctionBegin;
  PetscCall(MatMultByLeaders(A, false, x, y, z, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatFormatUpdate(A, f, false));
  if (f->petscs_own) {
    PetscCall(MatMultPetscs(A, f, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (f->op->diagonal_block().undecided() && f->op.use_count() == 1) { /* nobody else holds it */
    PetscCall(MatMultInTurn(A, f, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const bool check = check_results() && f->op->space() == Space::Cuda;

  if (check && y) {
    PetscCall(VecDuplicate(y, &y_before));
    PetscCall(VecCopy(y, y_before));
  }
  PetscCall(MatMultByOperator(A, *f->op, f->staged, x, y, z));
  if (check) {
    PetscCall(MatCheckMult(A, f, x, y_before, z));
    PetscCall(VecDestroy(&y_before));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_Format(Mat A, Vec x, Vec y) { return MatMultAny(A, x, NULL, y); }

PetscErrorCode MatMultAdd_Format(Mat A, Vec x, Vec y, Vec z) { return MatMultAny(A, x, y, z); }

/* By the leaders where PETSc has the product on the device, so that the ranks would take turns there. A PETSc without CUDA has it on the host, where many ranks
   are faster than one. */
static PetscErrorCode LeadersTranspose(Mat A, Vec x, Vec y, Vec z, bool *done)
{
  PetscFunctionBegin;
  *done = false;
  if (default_space() == Space::Host || petsc_on_device()) PetscCall(MatMultByLeaders(A, true, x, y, z, done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTranspose_Format(Mat A, Vec x, Vec y)
{
  FormatMat *f = format_of(A);
  bool       done;

  PetscFunctionBegin;
  PetscCall(LeadersTranspose(A, x, NULL, y, &done));
  if (!done) PetscCall(f->each_transposed(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTransposeAdd_Format(Mat A, Vec x, Vec y, Vec z)
{
  FormatMat *f = format_of(A);
  bool       done;

  PetscFunctionBegin;
  PetscCall(LeadersTranspose(A, x, y, z, &done));
  if (!done) PetscCall(f->each_transposed_add(A, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
