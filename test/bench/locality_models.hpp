/* What the models say of a matrix of the study, before it is measured: from the pattern on the host, so that other threads can do it meanwhile. */
#pragma once

#include "../support/study_gallery.hpp"
#include "petsc/plugin.hpp"
#include "locality/cost.hpp"
#include "locality/models.hpp"
#include "mat/cds/diagonals.hpp"
#include "mat/slicedell/slicedell.hpp"

#include <cmath>
#include <cstdio>

namespace goza_test {

/* A way as the bench names it, and what the models make of it */
struct AskedWay {
  std::string        label, type, options; /* of the Mat */
  goza::FormatChoice choice;
  goza::Traits       traits;                   /* without the sample's reads */
  goza::Cost         cost;                     /* Goza's model */
  double             paper = 0, corrected = 0; /* eq. 3; eq. 7 where there are less than 70 000 rows: GF/s */
  goza::Locality     locality;
  double             hit = 0, density = 1;
};

/* Paper P3's indices in one order, with its lines of 32 values; for P2's model of the C2050. The orders: CSR, Goza's Fold, and P3's Fold with its padding, at
   the width of the mean row */
struct Indices {
  const char          *order;
  goza::LayoutLocality found;
  goza::Prediction     predicted;
};

struct Asked {
  Sparse                matrix;
  PetscInt              bs        = 1;
  bool                  diagonals = false; /* CDS is worth a measurement */
  goza::Sample          sample;
  std::vector<AskedWay> choices; /* the first is CSR */
};

/* Every format at the choices that autoformat has, and its own ones. */
inline std::vector<AskedWay> ways_of(const Asked &a, goza::Space space)
{
  const PetscInt        height = goza::sliced_ell_height(space, a.matrix.rows, (std::int64_t)a.matrix.col.size());
  std::vector<AskedWay> choices;
  const auto            add = [&](const char *label, const char *type, const char *options, goza::Layout layout, PetscInt param, PetscInt block = 1) {
    choices.emplace_back();
    choices.back().label   = label;
    choices.back().type    = type;
    choices.back().options = options;
    choices.back().choice  = {layout, param, block};
  };

  add("csr", "", "", goza::Layout::Csr, 0);
  add("slicedell", MATSLICEDELL, "-mat_slicedell_slice_height auto -mat_slicedell_block_size 1", goza::Layout::SlicedEll, height);
  if (space == goza::Space::Cuda) /* on a host nobody asks for it */
    add("slicedell-32", MATSLICEDELL, "-mat_slicedell_slice_height 32 -mat_slicedell_block_size 1", goza::Layout::SlicedEll, 32);
  if (a.bs > 1)
    add("slicedell-blocks", MATSLICEDELL, "-mat_slicedell_slice_height auto", goza::Layout::SlicedEll,
        goza::block_ell_height(space, a.matrix.rows / a.bs, (std::int64_t)a.matrix.col.size() / (a.bs * a.bs)), a.bs);
  add("fold-8", MATFOLD, "-mat_fold_width 8", goza::Layout::Fold, 8);
  add("fold-16", MATFOLD, "-mat_fold_width 16", goza::Layout::Fold, 16);
  add("fold-32", MATFOLD, "-mat_fold_width 32", goza::Layout::Fold, 32);
  if (!a.diagonals) return choices; /* made for another kind of matrix */
  add("cds-full", MATCDS, "-mat_cds_storage full", goza::Layout::CdsFull, a.bs);
  add("cds-half", MATCDS, "-mat_cds_storage auto", goza::Layout::CdsHalf, a.bs);
  return choices;
}

inline void ask_paper(const Asked &a, AskedWay &w, const goza::Machine &platform)
{
  goza::AnalysisOptions options;

  options.shift        = goza::line_shift(platform.line, sizeof(PetscScalar));
  options.most_entries = 200000;
  if (w.choice.layout == goza::Layout::SlicedEll) options.slice_height = w.choice.param;
  if (w.choice.layout == goza::Layout::Fold) options.fold_width = w.choice.param;
  if (w.choice.layout >= goza::Layout::CdsFull) options.bs = w.choice.param;
  const goza::LayoutLocality found = goza::analyse(a.matrix.view(), w.choice.layout, options);
  const goza::Prediction     p     = goza::predict(platform, found, a.sample.rows, a.sample.nnz, {});

  w.locality = found.locality;
  w.hit      = p.hit;
  w.density  = found.density();
  w.paper = w.corrected = p.gflops;
  if (a.sample.rows < 70000 && w.density > 0) w.corrected = 1e-9 * goza::flops_small(platform.bandwidth, p.hit, p.S, (double)a.sample.nnz / w.density);
}

/* most_entries: to read; 0: all */
inline std::vector<Indices> indices_of(const Sparse &A, std::int64_t most_entries)
{
  const goza::Machine &c2050 = *goza::find_machine("c2050");
  std::vector<Indices> indices;

  for (const auto &[order, layout] : {std::pair{"csr", goza::Layout::Csr}, {"fold", goza::Layout::Fold}, {"rectangle", goza::Layout::Rectangle}}) {
    goza::AnalysisOptions options;

    options.shift                   = goza::line_shift(c2050.line, 4);
    options.most_entries            = most_entries;
    const goza::LayoutLocality here = goza::analyse(A.view(), layout, options);

    indices.push_back({order, here, goza::predict(c2050, here, A.rows, (std::int64_t)A.col.size(), {4, 4})});
  }
  return indices;
}

inline Asked ask(const StudyMatrix &m, const goza::Machine &machine, goza::Space space)
{
  Asked                           a;
  std::vector<goza::FormatChoice> choices;

  a.matrix                    = m.make();
  a.bs                        = m.name.find("3x3") != std::string::npos ? 3 : m.name.find("6x6") != std::string::npos ? 6 : 1;
  const goza::Diagonals found = goza::find_diagonals(a.matrix.view(), a.bs, 0.6);
  a.diagonals                 = 2 * found.inside >= found.nnz;
  a.choices                   = ways_of(a, space);
  for (const AskedWay &w : a.choices) choices.push_back(w.choice);
  a.sample = goza::take_sample(a.matrix.view(), choices, goza::caches_of(machine));
  for (AskedWay &w : a.choices) {
    w.traits = goza::traits_of(a.sample, w.choice);
    w.cost   = goza::cost_of(machine, a.sample, w.choice, w.traits);
  }
  return a;
}

/* One line an order. part: "whole", or "lower", the triangle that paper P3 counted */
inline void print_indices(FILE *json, const StudyMatrix &m, const char *part, const Sparse &A, const std::vector<Indices> &indices, const char *how)
{
  for (const Indices &i : indices) {
    const goza::Locality &l = i.found.locality;

    fprintf(json,
            "{\"matrix\": \"%s\", \"family\": \"%s\", \"role\": \"%s\", \"part\": \"%s\", \"indices\": \"%s\", \"rows\": %lld, \"nnz\": %zu, \"spatial\": "
            "%.5g, \"unpadded\": %.5g, \"temporal\": %.6g, \"density\": %.5g, \"hit\": %.5g, \"gflops_c2050\": %.5g, %s}\n",
            m.name.c_str(), m.family.c_str(), role_name(m.role), part, i.order, (long long)A.rows, A.col.size(), l.padded.spatial(), l.plain.spatial(),
            l.padded.temporal(), i.found.density(), i.predicted.hit, i.predicted.gflops, how);
  }
}

/* The locality of its reads of x, as members of a JSON object */
inline void print_locality(FILE *json, const AskedWay &w)
{
  fprintf(json, "\"spatial\": %.5g, \"unpadded\": %.5g, \"temporal\": %.6g, \"hit\": %.5g, \"density\": %.5g", w.locality.padded.spatial(),
          w.locality.plain.spatial(), w.locality.padded.temporal(), w.hit, w.density);
}

} // namespace goza_test
