#include "detail_view.hpp"
#include "block_figures.hpp"
#include "petsc/compat.hpp"
#include "locality/cost.hpp"
#include "autoformat.hpp"
#include "mat/cds/cds.hpp"
#include "mat/fold/fold.hpp"
#include "mat/fold/renumbered.hpp"
#include "mat/slicedell/slicedell.hpp"
#include <petsc/private/matimpl.h>
#include <petsctime.h>
#include <algorithm>
#include <string>

namespace goza::choice
{

namespace
{

constexpr int nchoices = 7, nfigures = 3;

const char *const names[nchoices] = {"csr", "slicedell", "fold 8", "fold 16", "fold 32", "cds full", "cds half"};

/* What a block is held as, where the model knows that: it knows values of 8 bytes only, and rows in the order they have. */
bool find_choice(const Format<PetscScalar> *held, PetscInt rows, FormatChoice *choice)
{
  if (const auto *r = dynamic_cast<const Renumbered<PetscScalar> *>(held)) held = r->taken() ? nullptr : &r->inner();
  if (const auto *a = dynamic_cast<const AutoFormat<PetscScalar> *>(held)) *choice = a->choice();
  else if (const auto *e = dynamic_cast<const SlicedEll<PetscScalar, PetscScalar> *>(held))
    *choice = {Layout::SlicedEll, PetscInt(1) << e->view().shift, e->block_size()};
  else if (const auto *f = dynamic_cast<const Fold<PetscScalar, PetscScalar> *>(held)) *choice = {Layout::Fold, f->shape().width};
  else if (const auto *c = dynamic_cast<const Cds<PetscScalar, PetscScalar> *>(held))
    *choice = {c->half() ? Layout::CdsHalf : Layout::CdsFull, c->view().ndiag ? rows / PetscMax(1, c->view().nrows) : 1};
  else return false;
  return true;
}

/* figure [nways][nfigures]: microseconds, GF/s, MB; in_use, name: microseconds of the format that is held, and what it is */
void predict_block(const Csr &block, Space space, PetscInt bs, const Format<PetscScalar> *held, double *figure, double *in_use, std::string *name)
{
  const Machine                  &machine = machine_for(space);
  const std::vector<FormatChoice> choices = {{Layout::Csr, 0},     {Layout::SlicedEll, sliced_ell_height(space, block.nrows, block.nnz)},
                                             {Layout::Fold, 8},    {Layout::Fold, 16},
                                             {Layout::Fold, 32},   {Layout::CdsFull, bs},
                                             {Layout::CdsHalf, bs}};

  if (!block.nnz) return;
  const Sample sample = take_sample(block, choices, caches_of(machine));
  for (const FormatChoice &choice : choices) {
    const Traits t = traits_of(sample, choice);

    if (t.possible) {
      const Cost c = cost_of(machine, sample, choice, t);

      figure[0] = 1e6 * c.seconds;
      figure[1] = c.gflops;
      figure[2] = 1e-6 * c.bytes;
    }
    figure += nfigures;
  }
  FormatChoice used;

  if (!find_choice(held, block.nrows, &used)) return;
  const Sample own = take_sample(block, {used}, caches_of(machine));
  *name            = choice_name(used);
  *in_use          = 1e6 * cost_of(machine, own, used, traits_of(own, used)).seconds;
}

/* Median of seven products, in microseconds; each has its own end. Collective. */
PetscErrorCode MeasureProduct(Mat A, double *microseconds)
{
  Vec            x, y;
  PetscReal      norm;
  PetscLogDouble t0, t1, t2, times[7];
  PetscInt       batch = 10;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  for (PetscLogDouble &t : times) {
    PetscCall(VecNorm(y, NORM_INFINITY, &norm));
    PetscCall(PetscTime(&t0));
    for (PetscInt k = 0; k < batch; k++) PetscCall(MatMult(A, x, y));
    PetscCall(VecNorm(y, NORM_INFINITY, &norm)); /* ends when the device has done all */
    PetscCall(PetscTime(&t1));
    PetscCall(PetscObjectStateIncrease((PetscObject)y));
    PetscCall(VecNorm(y, NORM_INFINITY, &norm));
    PetscCall(PetscTime(&t2));
    t = 1e6 * ((t1 - t0) - (t2 - t1)) / batch;
  }
  std::sort(times, times + 7);
  *microseconds = times[3];
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatViewModel(Mat A, Space space, const Format<PetscScalar> *held, PetscViewer viewer)
{
  constexpr int n = nchoices * nfigures + 1; // the last: the format in use
  double        least[n], most[n], measured = 0;
  PetscBool     assembled, measure = PETSC_FALSE;
  std::string   name; // of the first rank's block

  PetscFunctionBegin;
  PetscCall(MatAssembled(A, &assembled));
  if (!assembled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetBool(((PetscObject)A)->options, ((PetscObject)A)->prefix, "-mat_locality_measure", &measure, NULL));
  const PetscInt bs   = A->rmap->bs == A->cmap->bs && (A->rmap->bs == 2 || A->rmap->bs == 3 || A->rmap->bs == 6) ? A->rmap->bs : 1;
  const auto     find = [&](const Csr &block, double *figure) { predict_block(block, space, bs, held, figure, figure + n - 1, &name); };
  PetscCall(MatBlockFigures(A, n, std::cref(find), least, most)); /* a copy would ask for memory */
  if (least[0] > most[0]) PetscFunctionReturn(PETSC_SUCCESS);     /* no entries */
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "  Goza's model for platform %s, least to most over the ranks: predicted us, GF/s, MB moved\n", machine_for(space).name.c_str()));
  for (int w = 0; w < nchoices; w++) {
    const double *l = least + w * nfigures, *m = most + w * nfigures;

    if (l[0] > m[0]) continue; /* no rank can hold its block so */
    PetscCall(PetscViewerASCIIPrintf(viewer, "    %-10s %.4g to %.4g us, %.4g to %.4g GF/s, %.4g to %.4g MB\n", names[w], l[0], m[0], l[1], m[1], l[2], m[2]));
  }
  if (!measure || !held) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MeasureProduct(A, &measured));
  const char *const known = name.empty() ? "a format that the model does not know" : name.c_str();

  if (least[n - 1] > most[n - 1]) PetscCall(PetscViewerASCIIPrintf(viewer, "  Measured: %.4g us a product (median of 7) in %s\n", measured, known));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Measured: %.4g us a product (median of 7) in %s; %.4g us predicted for the slowest rank's block: %+.1f %%\n", measured, known, most[n - 1], 100 * (most[n - 1] / measured - 1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::choice
