/* Operators of fourth order on a grid: linear functions are near-null vectors by themselves, and nowhere else. */
#include "../support/grid_case.hpp"
#include "../support/pc_case.hpp"

#include <map>

using namespace goza_test;

namespace {

/* A clamped plate, or a body of fourth order in space: L stiffness L + tension L, L the Laplacian of 5 or 7 points. */
struct Plate {
  PetscInt  n[3];
  PetscReal tension  = 0;
  bool      periodic = false, stiffer = false; // its right half a hundred times

  PetscInt points() const { return n[0] * n[1] * n[2]; }

  Entry entry() const
  {
    const Plate p = *this;

    return {"plate", points(), points(), square | symmetric | spd | full_diagonal | no_zero_pivots | nonempty, [p](PetscInt i, Row &r) {
              std::map<PetscInt, PetscReal> first, row;

              p.laplacian(i, 1, first);
              for (const auto &[j, a] : first) p.laplacian(j, a * (p.stiffer && 2 * (j % p.n[0]) > p.n[0] ? 100 : 1), row);
              p.laplacian(i, p.tension, row);
              if (p.periodic) row[i] += 0.01;
              for (const auto &[j, a] : row) r.add(j, a);
            }};
  }

private:
  void laplacian(PetscInt i, PetscReal f, std::map<PetscInt, PetscReal> &row) const
  {
    PetscInt step = 1;

    for (int d = 0; d < 3; step *= n[d++]) {
      const PetscInt at = i / step % n[d];

      if (n[d] == 1) continue;
      row[i] += 2 * f;
      if (at > 0 || periodic) row[at > 0 ? i - step : i + (n[d] - 1) * step] -= f;
      if (at + 1 < n[d] || periodic) row[at + 1 < n[d] ? i + step : i - (n[d] - 1) * step] -= f;
    }
  }
};

const char found[] = "of its rows take linear and square functions of the grid's points for zeros, as of fourth order: near-null vectors are";

bool bends(Mat A) { return says(make_pc(A), found); }

PetscInt iterations(Mat A)
{
  const Solve s = solve(make_cg(A), A);

  BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
  return s.iterations;
}

GridMatrix on_grid(const Plate &plate) { return on_grid(plate.entry(), plate.n, DMDA_STENCIL_STAR, 2); }

const Plate plate{{64, 60, 1}}, body{{19, 20, 18}};

} // namespace

BOOST_AUTO_TEST_CASE(few_iterations)
{
  for (MatType type : {MATAIJ, "cds", "slicedell"}) {
    const MatHandle A = assemble(plate.entry(), type), B = assemble(body.entry(), type);

    BOOST_TEST(bends(A));
    BOOST_TEST(says(make_pc(A), "near-null vectors are 3 constant and linear ones"));
    BOOST_TEST(says(make_pc(A), "aggregates laid out on a grid of 64 x 60 x 1 points"));
    BOOST_TEST(says(make_pc(B), "near-null vectors are 4 constant and linear ones"));
    BOOST_TEST(iterations(A) <= 16, type);
    BOOST_TEST(iterations(B) <= 14, type);
  }
}

/* What is given counts, and so does what the user has chosen. */
BOOST_AUTO_TEST_CASE(constants_alone)
{
  const MatHandle A   = assemble(plate.entry(), MATAIJ);
  const PetscInt  few = iterations(A);
  NullHandle      constants;

  PETSC_OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, constants.put()));
  PETSC_OK(MatSetNearNullSpace(A, constants));
  BOOST_TEST(!bends(A));
  BOOST_TEST(iterations(A) > 3 * few);
  PETSC_OK(MatSetNearNullSpace(A, nullptr));
  Option set("-pc_saamg_threshold", "0.1");
  BOOST_TEST(!bends(A));
}

BOOST_AUTO_TEST_CASE(numbered_rank_by_rank)
{
  const GridMatrix A = on_grid(body);

  BOOST_TEST(bends(A.A));
  BOOST_TEST(iterations(A.A) == iterations(assemble(body.entry(), MATAIJ)));
}

BOOST_AUTO_TEST_CASE(nothing_but_diagonals)
{
  Option          set("-mat_cds_keep_aij", "no");
  const MatHandle A = assemble(plate.entry(), "cds"), B = assemble(body.entry(), "cds");

  BOOST_TEST(bends(A));
  BOOST_TEST(bends(B));
  BOOST_TEST(iterations(A) <= 16);
  BOOST_TEST(iterations(B) <= 14);
}

BOOST_AUTO_TEST_CASE(where_linear_functions_do_not_serve)
{
  Plate tense = plate, round = plate, halves = plate;

  tense.tension   = 10;
  round.periodic  = true;
  halves.stiffer  = true;
  const auto wide = [](PetscInt n) { /* the Laplacian by differences of fourth order */
                                     return Entry{"9 points", n * n, n * n, square | symmetric | full_diagonal | nonempty, [n](PetscInt i, Row &r) {
                                                    r.add(i, 60);
                                                    for (PetscInt step : {PetscInt(1), n}) {
                                                      for (PetscInt to = -2; to <= 2; to++) {
                                                        const PetscInt at = i / step % n + to;

                                                        if (to && at >= 0 && at < n) r.add(i + to * step, to % 2 ? -16 : 1);
                                                      }
                                                    }
                                                  }};
  };

  BOOST_TEST(!bends(assemble(tense.entry(), MATAIJ)));
  BOOST_TEST(!bends(assemble(round.entry(), MATAIJ)));
  BOOST_TEST(!bends(assemble(wide(40), MATAIJ)));
  BOOST_TEST(bends(assemble(halves.entry(), MATAIJ)));
  BOOST_TEST(iterations(assemble(halves.entry(), MATAIJ)) <= 60); /* with constants alone three times as many */
}

BOOST_AUTO_TEST_CASE(new_values)
{
  Plate tense = plate;

  tense.tension        = 10;
  const MatHandle bent = assemble(plate.entry(), MATAIJ), straight = assemble(tense.entry(), MATAIJ), A = assemble(plate.entry(), MATAIJ);
  const KSPHandle ksp = make_cg(A);

  for (Mat values : {static_cast<Mat>(bent), static_cast<Mat>(straight), static_cast<Mat>(bent)}) {
    PETSC_OK(MatCopy(values, A, SAME_NONZERO_PATTERN));
    const Solve again = solve(ksp, A), anew = solve(make_cg(values), values);

    BOOST_TEST(again.iterations == anew.iterations);
    BOOST_TEST(says(pc_of(ksp), found) == (values == bent));
  }
}
