#include "detail_view.hpp"
#include "block_figures.hpp"
#include "petsc/compat.hpp"
#include "locality/cost.hpp"
#include "held_settings.hpp"
#include "mat/cds/cds_shape.hpp"
#include "mat/common/format_kind.hpp"
#include "mat/slicedell/slicedell.hpp"
#include <petsc/private/matimpl.h>
#include <petsctime.h>
#include <algorithm>
#include <string>

namespace goza::choice {
namespace {

constexpr int nchoices = 8, choice_figures = 3; // the last choice: the format in use, where it is none of the others

struct Way {
  FormatChoice choice;
  std::string  name;
  int          value_bytes = sizeof(PetscScalar);
  bool         in_use      = false;
};

/* Every format at its usual settings, and what the block is held as, among these or after them. */
std::vector<Way> all_ways(const Csr &block, const DetailOf &of, PetscInt bs)
{
  const Space        space = of.machine.space();
  const HeldSettings held  = settings_of(of.held);
  std::vector<Way>   all   = {{{Layout::Csr, 0}, "csr"},          {{Layout::SlicedEll, sliced_ell_height(space, block.nrows, block.nnz)}, "slicedell"},
                              {{Layout::Fold, 8}, "fold 8"},      {{Layout::Fold, 16}, "fold 16"},
                              {{Layout::Fold, 32}, "fold 32"},    {{Layout::CdsFull, bs}, "cds full"},
                              {{Layout::CdsHalf, bs}, "cds half"}};

  if (!held.known || held.choice.layout == Layout::Rectangle) return all; // of paper P3's kernel the model knows nothing
  for (Way &one : all) {
    one.in_use = one.choice == held.choice && one.value_bytes == held.bytes.F;
    if (one.in_use) return all;
  }
  all.push_back({held.choice, held.name(), static_cast<int>(held.bytes.F), true});
  return all;
}

/* For the format in use: its nodes may be of another size than those of the matrix, and its diagonals are known. slices: how rows vary is read from these. */
Sample sample_in_use(const Csr &block, const DetailOf &of, const FormatChoice &slices, const FormatChoice &choice)
{
  Sample sample = take_sample(block, {slices, choice}, caches_of(of.machine));

  if (choice.layout >= Layout::CdsFull) sample.diagonals = settings_of(of.held).diagonals(sample.nnz);
  return sample;
}

/* figure [nchoices][choice_figures]: microseconds, GF/s, MB; in_use: microseconds of the format in use */
void predict_block(const Csr &block, const DetailOf &of, const std::vector<Way> &all, double *figure, double *in_use)
{
  std::vector<FormatChoice> choices;

  if (!block.nnz) return;
  for (int k = 0; k < nchoices - 1; k++) choices.push_back(all[k].choice);
  const Sample usual = take_sample(block, choices, caches_of(of.machine));
  for (const Way &one : all) {
    const Sample  own    = one.in_use ? sample_in_use(block, of, all[1].choice, one.choice) : Sample();
    const Sample &sample = one.in_use ? own : usual;
    const Traits  t      = traits_of(sample, one.choice, one.value_bytes);

    if (t.possible) {
      const Cost c = cost_of(of.machine, sample, one.choice, t);

      figure[0] = 1e6 * c.seconds;
      figure[1] = c.gflops;
      figure[2] = 1e-6 * c.bytes;
      if (one.in_use) *in_use = figure[0];
    }
    figure += choice_figures;
  }
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

/* What was measured here stands beside what was predicted, and is called measured, where it is of the same machine. */
static PetscErrorCode PrintMeasured(Mat A, const DetailOf &of, const char *name, const double *slowest, PetscViewer viewer)
{
  double measured = 0;

  PetscFunctionBegin;
  PetscCall(MeasureProduct(A, &measured));
  const PetscMPIInt size = ranks_of(A);
  if (!of.is_this)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  In use: %s: %.4g us a product here (median of 7), which is not platform %s\n", name, measured,
                                     of.machine.name.c_str()));
  else if (slowest && size > 1) /* the model knows no exchange: the two are not of the same */
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  In use: %s: predicted %.4g us for the slowest rank's block, measured %.4g us a product with what comes from other "
                                     "ranks (median of 7)\n",
                                     name, *slowest, measured));
  else if (slowest)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  In use: %s: predicted %.4g us, measured %.4g us a product (median of 7): %+.1f %%\n", name, *slowest, measured,
                                     100 * (*slowest / measured - 1)));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "  In use: %s: measured %.4g us a product (median of 7)\n", name, measured));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatViewModel(Mat A, const DetailOf &of, PetscViewer viewer)
{
  constexpr int    n = nchoices * choice_figures + 1; // the last: the format in use
  double           least[n], most[n];
  PetscBool        measure = PETSC_FALSE;
  std::vector<Way> all; // names are of the first rank's block
  std::string      name;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(((PetscObject)A)->options, ((PetscObject)A)->prefix, "-mat_locality_measure", &measure, NULL));
  const PetscInt bs   = compiled_block(MatNodeSize(A));
  const auto     find = [&](const Csr &block, double *figure) {
    all  = all_ways(block, of, bs);
    name = settings_of(of.held).name();
    if (of.machine.modelled) predict_block(block, of, all, figure, figure + n - 1);
  };
  PetscCall(MatBlockFigures(of.pattern, n, std::cref(find), least, most)); /* a copy would ask for memory */
  if (!of.machine.modelled) PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza's model knows nothing of its kernels on platform %s\n", of.machine.name.c_str()));
  else if (least[0] > most[0]) PetscFunctionReturn(PETSC_SUCCESS); /* no entries */
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza's model for platform %s, least to most over the ranks: predicted us, GF/s, MB moved; * in use\n",
                                     of.machine.name.c_str()));
  for (int w = 0; w < (int)all.size(); w++) {
    const double *l = least + w * choice_figures, *m = most + w * choice_figures;

    if (l[0] > m[0]) continue; /* no rank can hold its block so */
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s %-10s %.4g to %.4g us, %.4g to %.4g GF/s, %.4g to %.4g MB\n", all[w].in_use ? "*" : " ", all[w].name.c_str(),
                                     l[0], m[0], l[1], m[1], l[2], m[2]));
  }
  if (measure && of.held) PetscCall(PrintMeasured(A, of, name.c_str(), least[n - 1] <= most[n - 1] ? &most[n - 1] : NULL, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::choice
