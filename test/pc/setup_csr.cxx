/* The hierarchy on any number of ranks, on the host and on the device, however small levels are gathered, against the one that every rank builds alone on the
   host: integers equal, values to rounding. */
#include "pc/saamg/setup/graph.hpp"
#include "pc/saamg/setup/hierarchy.hpp"
#include "pc/saamg/setup/grid_of_rows.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "../support/gallery.hpp"
#include "../support/same_hierarchies.hpp"
#include "../support/spaces.hpp"

using namespace goza;
using namespace goza_test;

namespace {

/* of `rows` rows from `start` on */
std::vector<PetscScalar> vectors(const Entry &e, PetscInt k, PetscInt start, PetscInt rows)
{
  std::vector<PetscScalar> B((std::size_t)rows * k, 0);

  for (PetscInt l = 0; l < rows; l++) {
    const PetscInt i = start + l;
    if (k == 6 && e.bs == 3) { // rigid-body modes
      PetscReal x[3];
      const int c = i % 3;
      elasticity_node(e, i / 3, x);
      B[l * 6 + c]               = 1;
      B[l * 6 + 3 + (c + 1) % 3] = -x[(c + 2) % 3];
      B[l * 6 + 3 + (c + 2) % 3] = x[(c + 1) % 3];
    } else
      for (PetscInt j = 0; j < k; j++) B[l * k + j] = j ? uniform(i, j, 99) : 1;
  }
  return B;
}

struct Built {
  MatHandle A;
  OwnRows   rows, third;
  Hierarchy hierarchy;
  bool      finite = false;

  void build(const Entry &e, PetscInt k, const HierarchyOptions &options, MPI_Comm comm, Space space)
  {
    A = assemble(e, MATAIJ, Prealloc::exact, comm);
    PETSC_OK(rows.open(A, space));
    const auto B = vectors(e, k, rows.columns->start(), rows.A.nrows);
    PETSC_OK(hierarchy.build({rows.A, rows.columns, e.bs, k, Array<PetscScalar>(space, B.data(), B.size()), Array<PetscInt>(),
                              lattice_of(rows.A, *rows.columns, e.bs), nullptr},
                             options, &finite));
  }
  /* a third of the old values, so that nothing but the operators changes */
  void update(const HierarchyOptions &options)
  {
    PETSC_OK(MatScale(A, 1. / 3));
    PETSC_OK(third.open(A, rows.A.space));
    PETSC_OK(hierarchy.update(third.A, options, &finite));
  }
};

void same_hierarchy(const Entry &e, PetscInt k, PetscReal threshold, PetscInt coarse_limit, PetscInt aggressive_levels = 0, PetscInt degree = 1,
                    SmoothedWith smoothed_with = SmoothedWith::Matrix, bool adjoint = false)
{
  constexpr PetscInt limits[] = {0, 40, 1 << 20};
  HierarchyOptions   options;
  int                n = 0;

  options.threshold                   = threshold;
  options.coarse_limit                = coarse_limit;
  options.aggressive_levels           = aggressive_levels;
  options.coarse_interpolation_degree = degree;
  options.smoothed_with               = smoothed_with;
  options.adjoint                     = adjoint;
  options.keep                        = static_cast<Keep>(coarse_limit % 3); // any of them
  for (Space space : spaces()) {
    const std::string what = e.name + " on " + space_name(space);
    Built             isolated, here;

    options.gather_limit = limits[(e.rows + n++) % 3];
    isolated.build(e, k, options, PETSC_COMM_SELF, Space::Host);
    here.build(e, k, options, PETSC_COMM_WORLD, space);
    all_ranks(isolated.finite && here.finite, what);
    check_hierarchies(e, here.hierarchy, isolated.hierarchy, options.gather_limit, what);
    isolated.update(options);
    here.update(options);
    all_ranks(isolated.finite && here.finite, what);
    check_hierarchies(e, here.hierarchy, isolated.hierarchy, options.gather_limit, what + ", new values");
  }
}

/* Identity rows; the columns of the others may still have entries there. */
Entry dirichlet(bool eliminated, bool stored_zeros, const Entry &points = stencil7(14, 13, 12))
{
  return {"dirichlet", points.rows, points.rows, square, [=](PetscInt i, Row &r) {
            const auto wall = [](PetscInt j) { return j % 14 == 0; };
            Row        row;
            points.row(i, row);
            for (std::size_t p = 0; p < row.col.size(); p++) {
              const bool keep = row.col[p] == i || (!wall(i) && !(eliminated && wall(row.col[p])));
              if (keep || stored_zeros) r.add(row.col[p], keep ? PetscRealPart(row.val[p]) : 0);
            }
          }};
}

std::vector<Entry> entries()
{
  std::vector<Entry> list;

  for (const Entry &e : gallery())
    if (e.has(square)) list.push_back(e);
  for (const Entry &e : {stencil7(13, 12, 11), stencil27(14, 13, 12), stencil5(40, 30, 100), neumann5(23, 19), elasticity(6, 5, 4), dirichlet(true, true),
                         dirichlet(true, false), dirichlet(false, true), dirichlet(false, false), dirichlet(true, true, stencil27(14, 13, 12)),
                         dirichlet(false, false, stencil27(14, 11, 13))})
    list.push_back(e);
  list.push_back({"chain", 53, 53, square, [](PetscInt i, Row &r) { // every edge is stored from one side
                    r.add(i, 2);
                    if (i) r.add(i - 1, -1);
                  }});
  list.push_back(upwind5(30));
  return list;
}

void add_laws()
{
  auto *suite = suite_named(nullptr, "amg_setup_csr_laws");
  int   n     = 0;

  for (const Entry &e : entries()) {
    const std::string name = std::to_string(n++) + "_" + e.name + "_" + std::to_string(e.rows);

    for (PetscReal threshold : {0., 0.08, 0.3}) {
      const std::string with = threshold > 0 ? "_threshold_" + std::to_string(threshold) : "";
      add_test(suite, name + "/hierarchy" + with, [=] { same_hierarchy(e, e.bs, threshold, 20); });
    }
    add_test(suite, name + "/hierarchy_aggressive", [=] { same_hierarchy(e, e.bs, 0, 20, 1); });
    add_test(suite, name + "/hierarchy_degree_2", [=] {
      for (PetscReal threshold : {0., 0.08}) same_hierarchy(e, e.bs, threshold, 20, 0, 2);
    });
    add_test(suite, name + "/hierarchy_unsmoothed", [=] { same_hierarchy(e, e.bs, 0, 20, 0, 1, SmoothedWith::Nothing); });
    if (!e.has(symmetric)) {
      for (PetscInt degree : {1, 2}) {
        for (PetscReal threshold : {0., 0.08})
          add_test(suite, name + "/hierarchy_diffusive_" + std::to_string(degree) + (threshold > 0 ? "_threshold" : ""),
                   [=] { same_hierarchy(e, e.bs, threshold, 20, 0, degree, SmoothedWith::DiffusivePart); });
        for (PetscReal threshold : {0., 0.08})
          add_test(suite, name + "/hierarchy_adjoint_" + std::to_string(degree) + (threshold > 0 ? "_threshold" : ""),
                   [=] { same_hierarchy(e, e.bs, threshold, 20, 0, degree, SmoothedWith::Matrix, true); });
      }
    }
    add_test(suite, name + "/hierarchy_of_three_vectors", [=] { same_hierarchy(e, 3, 0, 51); });
  }
  add_test(suite, "elasticity/rigid_body_modes", [] {
    for (PetscReal threshold : {0., 0.08})
      for (PetscInt degree : {1, 2}) same_hierarchy(elasticity(9, 8, 7), 6, threshold, 51, 0, degree);
  });
  /* Blocks that given rows, and columns that were put out with them, make incomplete: a rank alone fills them with zeros. */
  add_test(suite, "elasticity/clamped", [] {
    for (bool eliminated : {false, true}) {
      Entry clamped = dirichlet(eliminated, false, elasticity(9, 8, 7));

      clamped.bs = 3;
      for (PetscInt vectors : {3, 6}) same_hierarchy(clamped, vectors, 0, 51);
    }
  });
}

const AddTests added(add_laws);

} // namespace

BOOST_AUTO_TEST_CASE(borrowed_where_nothing_is_dropped)
{
  for (const Entry &e : {stencil27(9, 8, 7), dirichlet(true, true), dirichlet(false, true)}) {
    const MatHandle A = assemble(e, MATAIJ, Prealloc::exact, PETSC_COMM_SELF);
    OwnRows         rows;
    PETSC_OK(rows.open(A, Space::Host));
    BOOST_TEST(strength_graph(rows.A, rows.columns, 1, 0).borrowed);
    BOOST_TEST(!strength_graph(rows.A, rows.columns, 1, 0.1).borrowed);
  }
}

/* Of a symmetric matrix, smoothed with its transpose, test functions are the interpolation, on every level. */
BOOST_AUTO_TEST_CASE(test_functions_of_a_symmetric_matrix)
{
  for (Space space : spaces()) {
    for (const Entry &e : {stencil5(40, 30, 100), stencil27(14, 13, 12), elasticity(6, 5, 4)}) {
      for (PetscInt degree : {1, 2}) {
        HierarchyOptions options;
        Built            built;
        std::size_t      tested = 0;

        options.adjoint                     = true;
        options.coarse_limit                = 20;
        options.coarse_interpolation_degree = degree;
        built.build(e, e.bs, options, PETSC_COMM_WORLD, space);
        for (const Grid &grid : built.hierarchy.grids()) {
          if (!grid.transfer || !grid.transfer->W.ptr.size()) continue;
          const CsrTransfer &t     = *grid.transfer;
          const PetscInt     start = grid.level->columns->start(), rows = grid.rows();

          all_ranks(t.wcoarse->ghosts() == t.coarse->ghosts(), e.name + ": ghosts");
          Arrays P(t.P.view(), *t.coarse, 0, t.P.nrows);

          check_same({t.W.view(), *t.wcoarse, 0, t.P.nrows}, P, 1e4 * PETSC_MACHINE_EPSILON,
                     e.name + ": test functions, rows from " + std::to_string(start) + " of " + std::to_string(rows));
          tested++;
        }
        BOOST_TEST(tested > 0, e.name);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(nan_and_inf_are_seen)
{
  for (PetscReal bad : {std::numeric_limits<PetscReal>::quiet_NaN(), std::numeric_limits<PetscReal>::infinity()})
    for (Space space : spaces()) {
      const Entry five = stencil5(20, 17);
      const Entry e{"bad", five.rows, five.rows, square, [=](PetscInt i, Row &r) {
                      five.row(i, r);
                      if (i == 133) r.val[1] = bad;
                    }};
      Built       here;
      here.build(e, 1, {}, PETSC_COMM_WORLD, space);
      BOOST_TEST(!here.finite);
      BOOST_TEST(here.hierarchy.empty());
    }
}
