/* Graphs with hubs, and meshes with a row that is coupled to all others: the set-up costs no more than a few times what the matrix does, and the solve is none the worse. */
#include "../support/pc_case.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <random>

using namespace goza_test;

namespace
{

/* Preferential attachment (Barabasi, Albert 1999): each new node links to m of those that are there, in proportion to their links. A graph Laplacian, and a little on the
   diagonal. */
Entry hubs(PetscInt n, PetscInt m)
{
  auto                  links = std::make_shared<std::vector<std::vector<PetscInt>>>(n);
  std::vector<PetscInt> ends, to;
  std::mt19937_64       random(7);

  for (PetscInt t = 0; t < m; t++) to.push_back(t);
  for (PetscInt v = m; v < n; v++) {
    for (PetscInt t : to) {
      (*links)[t].push_back(v);
      (*links)[v].push_back(t);
      ends.push_back(t);
      ends.push_back(v);
    }
    for (to.clear(); (PetscInt)to.size() < m;) {
      const PetscInt t = ends[random() % ends.size()];

      if (std::find(to.begin(), to.end(), t) == to.end()) to.push_back(t);
    }
  }
  return {"hubs", n, n, square | symmetric | spd, [links](PetscInt i, Row &r) {
            r.add(i, (PetscReal)(*links)[i].size() + 0.1);
            for (PetscInt j : (*links)[i]) r.add(j, -1);
          }};
}

/* Row 0 is coupled to every other row, weakly. */
Entry coupled_to_all(const Entry &mesh)
{
  return {"coupled_to_all", mesh.rows, mesh.cols, mesh.flags, [mesh](PetscInt i, Row &r) {
            const PetscReal                 weak = 1e-6;
            Row                             all;
            std::map<PetscInt, PetscScalar> sum;

            mesh.row(i, all);
            for (std::size_t k = 0; k < all.col.size(); k++) sum[all.col[k]] += all.val[k];
            for (PetscInt j = i ? 0 : 1; j < (i ? 1 : mesh.rows); j++) sum[j] -= weak;
            sum[i] += i ? weak : weak * (mesh.rows - 1);
            for (const auto &[column, value] : sum) r.add(column, PetscRealPart(value));
          }};
}

MatHandle assembled(const Entry &e)
{
  MatHandle A = assemble(e, MATAIJ);

  PETSC_OK(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  return A;
}

void bounded(const Entry &e, PetscInt ceiling)
{
  MatHandle A   = assembled(e);
  KSPHandle ksp = make_cg(A);
  PC        pc;
  PetscInt  levels;
  Mat      *coarse;
  MatInfo   finest, info;

  const Solve s = solve(ksp, A);
  BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
  BOOST_TEST(s.iterations <= ceiling, s.iterations << " iterations");
  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(PCGetCoarseOperators(pc, &levels, &coarse));
  PETSC_OK(MatGetInfo(A, MAT_GLOBAL_SUM, &finest));
  double entries = finest.nz_used;
  for (PetscInt l = 0; l + 1 < levels; l++) {
    PETSC_OK(MatGetInfo(coarse[l], MAT_GLOBAL_SUM, &info));
    entries += info.nz_used;
    PETSC_OK(MatDestroy(&coarse[l]));
  }
  PETSC_OK(PetscFree(coarse));
  BOOST_TEST(levels > 1);
  BOOST_TEST(entries <= 3 * finest.nz_used, "operator complexity " << entries / finest.nz_used);
}

/* New values, with what there was kept: as a fresh set-up. */
void kept(const Entry &e, const char *what)
{
  Option    reuse("-pc_saamg_reuse", what);
  MatHandle A  = assembled(e);
  PCHandle  pc = make_pc(A);
  VecHandle x = right_hand_side(A, 1), before = right_hand_side(A, 2), after = right_hand_side(A, 3);

  PETSC_OK(PCApply(pc, x, before));
  PETSC_OK(MatScale(A, 4));
  PETSC_OK(PCSetOperators(pc, A, A));
  PETSC_OK(PCSetUp(pc));
  PETSC_OK(PCApply(pc, x, after));
  PETSC_OK(VecAXPY(after, -0.25, before));
  BOOST_TEST(norm(after) <= 1e-10 * norm(before));
}

const AddTests add([] {
  struct Case {
    const char *name;
    Entry (*make)();
    PetscInt ceiling;
  };
  static const Case cases[] = {
    {"hubs", [] { return hubs(25000, 4); }, 10},
    {"more_hubs", [] { return hubs(60000, 6); }, 10},
    {"coupled_to_all", [] { return coupled_to_all(stencil7(34, 33, 32)); }, 25},
  };

  for (const Case &c : cases) {
    auto *suite = suite_named(nullptr, c.name);

    add_test(suite, "bounded", [&c] { bounded(c.make(), c.ceiling); });
    for (const char *what : {"pattern", "interpolation"}) add_test(suite, std::string("kept_") + what, [&c, what] { kept(c.make(), what); });
  }
});

} // namespace
