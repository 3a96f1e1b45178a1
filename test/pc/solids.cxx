/* Elasticity: where nodes have several unknowns, interpolations are smoothed with more than 4/3 over the largest eigenvalue, and where hard and soft bodies
   touch aggregates do not reach across. */
#include "pc/saamg/setup/node_jumps.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "../support/brick_elements.hpp"
#include "../support/grid_case.hpp"
#include "../support/mac_grid.hpp"
#include "../support/pc_case.hpp"

using namespace goza_test;

namespace {

struct Body {
  std::shared_ptr<Sparse>                 A      = std::make_shared<Sparse>();
  std::shared_ptr<std::vector<PetscReal>> places = std::make_shared<std::vector<PetscReal>>();

  Entry entry() const
  {
    const auto rows = A;

    return {"body",
            rows->rows,
            rows->rows,
            square | symmetric | full_diagonal | nonempty,
            [rows](PetscInt i, Row &r) {
              for (PetscInt p = rows->ptr[i]; p < rows->ptr[i + 1]; p++) r.add(rows->col[p], PetscRealPart(rows->val[p]));
            },
            3};
  }

  MatHandle without_modes() const { return assemble(entry(), MATAIJ); }

  /* And its rigid-body modes. */
  MatHandle matrix() const
  {
    MatHandle    made = without_modes();
    VecHandle    xyz;
    NullHandle   modes;
    PetscScalar *a;
    PetscInt     start, end;

    PETSC_OK(MatCreateVecs(made, xyz.put(), nullptr));
    PETSC_OK(VecSetBlockSize(xyz, 3));
    PETSC_OK(VecGetOwnershipRange(xyz, &start, &end));
    PETSC_OK(VecGetArray(xyz, &a));
    for (PetscInt i = start; i < end; i++) a[i - start] = (*places)[static_cast<std::size_t>(i)];
    PETSC_OK(VecRestoreArray(xyz, &a));
    PETSC_OK(MatNullSpaceCreateRigidBody(xyz, modes.put()));
    PETSC_OK(MatSetNearNullSpace(made, modes));
    return made;
  }
};

bool at_the_end(const Place<3> &x) { return x[0] < 1e-9; }

/* Columns of another stiffness, whose sides are not where aggregates end. */
Body columns(double contrast)
{
  Body body;

  *body.A = brick_elasticity<3>(
    even_bricks<3>({16, 16, 8}, {2, 2, 1}), 1,
    [=](const Place<3> &x) { return static_cast<int>(2.5 * x[0]) % 2 || static_cast<int>(2.5 * x[1]) % 2 ? contrast : 1.; }, 0.3, at_the_end, *body.places);
  return body;
}

/* Tetrahedra of random points, every second of 64 cubes softer. */
Body slivers(double contrast)
{
  const Simplices<3> mesh = delaunay<3>(random_points<3>(1500, 6));
  Body               body;

  *body.A = p1_elasticity<3>(
    mesh, [=](const Place<3> &x) { return (static_cast<int>(4 * x[0]) + static_cast<int>(4 * x[1]) + static_cast<int>(4 * x[2])) % 2 ? contrast : 1; }, 0.3,
    [](const Place<3> &x) { return x[2] < 0.05; });
  for (const Place<3> &x : mesh.points) body.places->insert(body.places->end(), x.begin(), x.end());
  return body;
}

/* Hexahedra of degree 2. */
Body quadratic()
{
  Body body;

  *body.A = brick_elasticity<3>(
    even_bricks<3>({6, 6, 6}, {1, 1, 1}), 2, [](const Place<3> &) { return 1.; }, 0.3, at_the_end, *body.places);
  return body;
}

/* What is stored of A's first n rows and columns, with these near-null vectors, which become orthonormal. */
MatHandle first_rows(const Sparse &A, PetscInt n, const std::vector<std::vector<PetscReal>> &modes)
{
  MatHandle              made = assemble({"first rows", n, n, square | symmetric | full_diagonal | nonempty,
                                          [A, n](PetscInt i, Row &r) {
                               for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++)
                                 if (A.col[p] < n) r.add(A.col[p], PetscRealPart(A.val[p]));
                             },
                             1},
                                         MATAIJ);
  std::vector<VecHandle> vectors;
  std::vector<Vec>       plain;
  NullHandle             space;

  for (const auto &mode : modes) {
    VecHandle    v;
    PetscScalar *a;
    PetscInt     start, end;

    PETSC_OK(MatCreateVecs(made, v.put(), nullptr));
    PETSC_OK(VecGetOwnershipRange(v, &start, &end));
    PETSC_OK(VecGetArray(v, &a));
    for (PetscInt i = start; i < end; i++) a[i - start] = mode[static_cast<std::size_t>(i)];
    PETSC_OK(VecRestoreArray(v, &a));
    for (Vec before : plain) {
      PetscScalar dot;

      PETSC_OK(VecDot(v, before, &dot));
      PETSC_OK(VecAXPY(v, -dot, before));
    }
    PETSC_OK(VecNormalize(v, nullptr));
    plain.push_back(v);
    vectors.push_back(std::move(v));
  }
  PETSC_OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, static_cast<PetscInt>(plain.size()), plain.data(), space.put()));
  PETSC_OK(MatSetNearNullSpace(made, space));
  return made;
}

PetscInt iterations(Mat A)
{
  const Solve s = solve(make_cg(A), A);

  BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
  return s.iterations;
}

/* a - b, of a's size */
PetscReal apart(Vec a, Vec b)
{
  VecHandle difference;

  PETSC_OK(VecDuplicate(a, difference.put()));
  PETSC_OK(VecWAXPY(difference, -1, a, b));
  return norm(difference) / norm(a);
}

/* Every third entry's, of a null space's vector, which is locked. */
void turn_signs(Vec x)
{
  PetscScalar *a;
  PetscInt     n;

  PETSC_OK(VecGetLocalSize(x, &n));
  PETSC_OK(VecLockReadPop(x));
  PETSC_OK(VecGetArray(x, &a));
  for (PetscInt i = 0; i < n; i += 3) a[i] = -a[i];
  PETSC_OK(VecRestoreArray(x, &a));
  PETSC_OK(VecLockReadPush(x));
}

constexpr const char found_jumps[] = "% of its nodes' couplings are as nothing beside diagonals that differ: strength threshold 0.01";

const AddTests add([] {
  auto *suite = suite_named(nullptr, "few_iterations");

  for (const Problem &p : {Problem{"cube", elasticity(12, 12, 12), Kernel::rigid_body, 7}, Problem{"thin", elasticity(30, 30, 3), Kernel::rigid_body, 10}})
    add_test(suite, p.name, [p] { BOOST_TEST(iterations(system_matrix(p)) <= p.ceiling); });

  for (double contrast : {1e-2, 1e-4})
    add_test(suite, "hard_and_soft_" + std::to_string(static_cast<int>(1 / contrast)), [contrast] {
      const MatHandle A = columns(contrast).matrix();

      BOOST_TEST(says(make_pc(A), found_jumps));
      const PetscInt its = iterations(A);
      BOOST_TEST(its <= 16);
      Option set("-pc_saamg_threshold", "0");
      BOOST_TEST(!says(make_pc(A), found_jumps));
      BOOST_TEST(iterations(A) >= 2 * its);
    });
});

/* A null space's vectors, which a device may have from an earlier set-up, are looked at in each. */
BOOST_AUTO_TEST_CASE(changed_near_null_vectors)
{
  const MatHandle from = columns(1).matrix();
  MatHandle       A, B;
  MatNullSpace    modes;
  NullHandle      same;
  PetscInt        n;
  const Vec      *vecs;

  PETSC_OK(MatGetNearNullSpace(from, &modes));
  PETSC_OK(MatConvert(from, "cds", MAT_INITIAL_MATRIX, A.put()));
  PETSC_OK(MatSetNearNullSpace(A, modes));
  const PCHandle  pc      = make_pc(A);
  const VecHandle b       = right_hand_side(A, 1);
  const auto      applied = [&](PC of) {
    VecHandle x;

    PETSC_OK(VecDuplicate(b, x.put()));
    PETSC_OK(PCApply(of, b, x));
    return x;
  };
  const auto again = [&] {
    PETSC_OK(PCReset(pc));
    PETSC_OK(PCSetOperators(pc, A, A));
    PETSC_OK(PCSetUp(pc));
    return applied(pc);
  };
  const VecHandle first = applied(pc);

  BOOST_TEST(apart(first, again()) < 1e-6);
  PETSC_OK(MatNullSpaceGetVecs(modes, nullptr, &n, &vecs));
  for (PetscInt j = 0; j < n; j++) turn_signs(vecs[j]); // orthonormal as they were
  const VecHandle changed = again();

  BOOST_TEST(apart(first, changed) > 1e-2);
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, B.put()));
  PETSC_OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, n, vecs, same.put()));
  PETSC_OK(MatSetNearNullSpace(B, same));
  BOOST_TEST(apart(changed, applied(make_pc(B))) < 1e-6);
}

/* Where stiffness does not jump, or small couplings are everywhere, nothing changes. */
BOOST_AUTO_TEST_CASE(no_jumps_of_stiffness)
{
  for (const Body &body : {columns(0.5), slivers(1), slivers(1e-3)}) {
    const MatHandle A = body.matrix();

    BOOST_TEST(!says(make_pc(A), "diagonals that differ"));
  }
}

/* The norms of all blocks are asked for only where neighbours have diagonals that are unlike: not where stiffness grows from end to end, nor beside a Dirichlet
   node whose row has zeros. */
BOOST_AUTO_TEST_CASE(blocks_are_looked_at_where_neighbours_differ)
{
  constexpr PetscInt n = 200, bs = 2, fixed = 100;

  for (const bool jump : {false, true}) {
    const auto      stiffness = [jump](PetscInt e) { return jump ? (e / 10 % 2 ? 1e-3 : 1.) : std::exp(0.05 * static_cast<double>(e)); };
    const Entry     chain{"chain",
                      n * bs,
                      n * bs,
                      square | symmetric | full_diagonal | nonempty,
                      [&](PetscInt i, Row &r) {
                        const PetscInt node = i / bs;

                        for (PetscInt j = PetscMax(node - 1, 0); j <= PetscMin(node + 1, n - 1); j++) {
                          const bool   free = node != fixed && j != fixed;
                          const double k    = j != node ? -stiffness(PetscMin(j, node)) : node == fixed ? 1e9 : stiffness(node - 1) + stiffness(node);

                          for (PetscInt c = 0; c < bs; c++) r.add(j * bs + c, c == i % bs ? (free || j == node ? 2 * k : 0) : (free ? 0.5 * k : 0));
                        }
                      },
                      bs};
    const MatHandle A = assemble(chain, MATAIJ);
    goza::OwnRows   rows;

    PETSC_OK(rows.open(A, goza::Space::Host));
    goza::CsrFacts facts = goza::row_facts(rows.A, *rows.columns, bs);
    const auto     found = goza::jumps_of_nodes(rows.A, rows.columns, bs, facts);

    all_ranks(found.there() == jump, "whether it jumps");
    all_ranks(!facts.blocks == !jump, "whether blocks are looked at");
  }
}

} // namespace

/* Unknowns of a node that diffuse each by itself, and those of a body, whose polynomial's next degree would cost more than it gains. */
BOOST_AUTO_TEST_CASE(loose_blocks)
{
  constexpr PetscInt n = 40, bs = 4;
  const Entry        diffusion{"loose",
                        n * n * bs,
                        n * n * bs,
                        square | symmetric | full_diagonal | nonempty,
                        [](PetscInt i, Row &r) {
                          const PetscInt node = i / bs, x = node % n, y = node / n;

                          for (PetscInt c = 0; c < bs; c++) r.add(node * bs + c, node * bs + c == i ? 5 : -0.2);
                          if (x > 0) r.add(i - bs, -1);
                          if (x + 1 < n) r.add(i + bs, -1);
                          if (y > 0) r.add(i - n * bs, -1);
                          if (y + 1 < n) r.add(i + n * bs, -1);
                        },
                        bs};
  const MatHandle    A = assemble(diffusion, MATAIJ);

  BOOST_TEST(says(make_pc(A), "chebyshev, 1 sweep(s) of degree 4 on"));
  BOOST_TEST(iterations(A) <= 4);
  BOOST_TEST(says(make_pc(columns(1).matrix()), "of degree 2 on"));
}

/* Where the levels below are small, the finest level of a V-cycle is corrected by two of them; where its polynomial was asked for, by one. */
BOOST_AUTO_TEST_CASE(two_coarse_corrections)
{
  constexpr const char twice[] = "V-cycle with two coarse corrections on level 0";

  const MatHandle A = columns(0.1).matrix();

  BOOST_TEST(says(make_pc(A), twice));
  BOOST_TEST(says(make_pc(assemble(stencil5(90, 90, 1), MATAIJ)), twice));
  for (const Entry &e : {stencil7(20, 20, 20), stencil27(20, 20, 20)}) BOOST_TEST(!says(make_pc(assemble(e, MATAIJ)), twice), e.name);
  const PetscInt its = iterations(A);
  const Option   set("-pc_saamg_finest_chebyshev_degree", "2");
  BOOST_TEST(!says(make_pc(A), twice));
  BOOST_TEST(its < iterations(A));
}

/* Quadratic elements reach two nodes away, and aggregates follow what is strong. */
BOOST_AUTO_TEST_CASE(couplings_that_reach_far)
{
  constexpr const char far[] = "coupled beyond those around";
  const MatHandle      A     = quadratic().matrix();

  BOOST_TEST(says(make_pc(A), far));
  BOOST_TEST(!says(make_pc(columns(1).matrix()), far));
  const PetscInt its = iterations(A);
  BOOST_TEST(its <= 13);
  Option set("-pc_saamg_threshold", "0");
  BOOST_TEST(its + 3 <= iterations(A));
}

/* Velocities at the middles of faces, coupled by their stresses: three modes for one unknown a node. The second level leaves room for a third, and the
   polynomial is none for slivers. */
BOOST_AUTO_TEST_CASE(components_at_places_of_their_own)
{
  const MacGrid<2> grid{80};
  const MatHandle  A  = first_rows(mac_stokes<2>(grid, [](const Place<2> &x) { return x[0] < 0.5 ? 1. : 100.; }, {true, 0}), grid.velocities(), grid.modes());
  const PCHandle   pc = make_pc(A);

  BOOST_TEST(!says(pc, "coarsened aggressively"));
  BOOST_TEST(says(pc, "1 sweep(s) of degree 4 on"));
  BOOST_TEST(iterations(A) <= 12);
}

/* A body of bricks of any shape, of one material or two, with a surface of its own: its modes are found, and serve as those that are given. */
BOOST_AUTO_TEST_CASE(rotations_on_a_lattice)
{
  constexpr const char turns[] = "take rotations of the grid's points for zeros";
  const auto           brick   = [](std::vector<PetscReal> sides, double softer) {
    Body body;

    *body.A = brick_elasticity<3>(
      even_bricks<3>({12, 10, 11}, {sides[0], sides[1], sides[2]}), 1, [=](const Place<3> &x) { return x[1] < sides[1] / 2 ? softer : 1.; }, 0.3, at_the_end,
      *body.places);
    return body;
  };

  for (const Body &body : {brick({1, 1, 1}, 1), brick({1, 2, 0.5}, 1), brick({1, 1, 1}, 0.2), columns(0.5)}) {
    const MatHandle A = body.without_modes();

    BOOST_TEST(says(make_pc(A), turns));
    BOOST_TEST(!says(make_pc(body.matrix()), turns));
    BOOST_TEST(iterations(A) == iterations(body.matrix()));
  }
  const Body       uneven   = brick({1, 2, 0.5}, 1);
  const PetscInt   points[] = {13, 11, 12};
  const GridMatrix numbered = on_grid(uneven.entry(), points, DMDA_STENCIL_BOX, 1);

  BOOST_TEST(says(make_pc(numbered.A), turns));
  BOOST_TEST(iterations(numbered.A) <= iterations(uneven.matrix()) + 1); // of another right-hand side
  BOOST_TEST(!says(make_pc(slivers(1).without_modes()), turns));         // on no lattice
}

/* Unknowns that diffuse each by itself, or are coupled in a node alone, take no rotation for a zero. */
BOOST_AUTO_TEST_CASE(no_rotations_of_coupled_diffusion)
{
  constexpr PetscInt n = 24, bs = 2;
  const Entry        diffusion{"coupled",
                        n * n * bs,
                        n * n * bs,
                        square | symmetric | full_diagonal | nonempty,
                        [](PetscInt i, Row &r) {
                          const PetscInt node = i / bs, x = node % n, y = node / n;
                          const auto     side = [&](PetscInt other) {
                            for (PetscInt c = 0; c < bs; c++) {
                              const PetscReal a = node * bs + c == i ? 1 : 0.4;

                              r.add(other * bs + c, -a);
                              r.add(node * bs + c, a);
                            }
                          };

                          if (x > 0) side(node - 1);
                          if (x + 1 < n) side(node + 1);
                          if (y > 0) side(node - n);
                          if (y + 1 < n) side(node + n);
                          if (x == 0) r.add(i, 1);
                        },
                        bs};

  BOOST_TEST(!says(make_pc(assemble(diffusion, MATAIJ)), "take rotations"));
}
