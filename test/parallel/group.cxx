/* Ranks that share a GPU, here all of a host (-goza_ranks_per_gpu group): one works for all, and what it makes is what one rank makes alone. */
#include "core/device/device.hpp"
#include "mat/common/group_mat.hpp"
#include "mat/own/own_mat.hpp"
#include "parallel/rank_group.hpp"
#include "petsc/last_error.hpp"
#include "petsc/plugin.hpp"

#include "../support/ksp_case.hpp" /* after the library: each gives 3.18 its PETSC_SUCCESS, this one only where there is none */

#include <petsc/private/vecimpl.h>
#include <petscdmda.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <thread>

using namespace goza_test;

namespace {

/* Ranks that share a GPU are a group: of several GPUs all ranks see the first. */
const int one_gpu = [] {
  const char *seen = getenv("CUDA_VISIBLE_DEVICES");

  return setenv("CUDA_VISIBLE_DEVICES", seen ? std::string(seen).substr(0, std::string(seen).find(',')).c_str() : "0", 1);
}();

/* A communicator of its own: what its ranks are to one another is found out anew. */
class Communicator {
public:
  explicit Communicator(PetscInt largest_group, MPI_Comm of = PETSC_COMM_WORLD)
  {
    MPI_Comm_dup(of, &comm);
    goza::plugin.largest_group = largest_group;
  }
  ~Communicator()
  {
    goza::plugin.largest_group = 0;
    MPI_Comm_free(&comm);
  }
              operator MPI_Comm() const { return comm; }
  PetscMPIInt size() const
  {
    PetscMPIInt n;

    MPI_Comm_size(comm, &n);
    return n;
  }
  PetscMPIInt rank() const
  {
    PetscMPIInt r;

    MPI_Comm_rank(comm, &r);
    return r;
  }

private:
  MPI_Comm comm = MPI_COMM_NULL;
};

/* Groups of any size, and of two ranks, where there are more. */
void for_each_grouping(const std::function<void(const Communicator &)> &body)
{
  for (PetscInt largest : {0, 2}) {
    const Communicator comm(largest);

    body(comm);
  }
}

std::shared_ptr<goza::RankGroup> group_of(MPI_Comm comm)
{
  std::shared_ptr<goza::RankGroup> group;
  MPI_Comm                         inner;

  PETSC_OK(PetscCommDuplicate(comm, &inner, nullptr));
  PETSC_OK(goza::RankGroupGet(inner, goza::default_space(), &group));
  PETSC_OK(PetscCommDestroy(&inner));
  return group;
}

/* --- tasks */

BOOST_AUTO_TEST_CASE(tasks_run_on_leaders_when_all_are_there)
{
  const Communicator                     comm(0);
  const std::shared_ptr<goza::RankGroup> group = group_of(comm);

  BOOST_TEST_REQUIRE(group);
  BOOST_TEST(group->size() == comm.size());
  BOOST_TEST(group->leads() == (comm.rank() == 0));
  goza::SharedWindow window(group->members(), group->size() * sizeof(PetscInt));
  PetscInt          *a = window.at<PetscInt>();

  for (PetscInt turn = 0; turn < 200; turn++) {
    a[group->rank()] = turn + group->rank();
    PETSC_OK(group->on_leader(PETSC_SUCCESS, "count", [&] {
      for (PetscMPIInt r = 1; r < group->size(); r++) a[0] += a[r];
      return PETSC_SUCCESS;
    }));
    const PetscInt n = group->size(), sum = n * turn + n * (n - 1) / 2;
    all_ranks(a[0] == sum, "turn " + std::to_string(turn));
  }
}

double cpu_seconds()
{
  timespec t;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); // a driver's own threads do not wait
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

BOOST_AUTO_TEST_CASE(who_waits_takes_no_core)
{
  constexpr auto                         work = std::chrono::milliseconds(500);
  const Communicator                     comm(0);
  const std::shared_ptr<goza::RankGroup> group = group_of(comm);

  BOOST_TEST_REQUIRE(group);
  PETSC_OK(group->on_leader(PETSC_SUCCESS, "begin", [] { return PETSC_SUCCESS; }));
  const double before = cpu_seconds();
  PETSC_OK(group->on_leader(PETSC_SUCCESS, "work", [&] {
    std::this_thread::sleep_for(work);
    return PETSC_SUCCESS;
  }));
  const double used = cpu_seconds() - before;
  all_ranks(used < 0.05, std::to_string(used) + " s of a core in half a second");
}

PetscErrorCode fail(const char *word)
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "no %s today", word);
}

BOOST_AUTO_TEST_CASE(an_error_of_one_rank_is_one_of_all)
{
  for_each_grouping([](const Communicator &comm) {
    const std::shared_ptr<goza::RankGroup> group = group_of(comm);

    if (!group) return;
    for (PetscMPIInt culprit = 0; culprit < comm.size(); culprit++) {
      bool          ran     = false;
      const Outcome outcome = attempt([&] {
        const PetscErrorCode here = comm.rank() == culprit ? fail("rows") : PETSC_SUCCESS;

        return group->on_leader(here, "bring its rows", [&] {
          ran = true;
          return PETSC_SUCCESS;
        });
      });

      BOOST_TEST(outcome.failed);
      BOOST_TEST(!ran);
      BOOST_TEST((int)outcome.code == (int)PETSC_ERR_USER);
      BOOST_TEST(outcome.says("no rows today"), outcome.message);
    }
    const Outcome outcome = attempt([&] { return group->on_leader(PETSC_SUCCESS, "solve", [] { return fail("device"); }); });
    BOOST_TEST(outcome.failed);
    BOOST_TEST(outcome.says("no device today"), outcome.message);
    PETSC_OK(group->on_leader(PETSC_SUCCESS, "go on", [] { return PETSC_SUCCESS; }));
  });
}

/* Who waits in a task lets messages of its own go on: one that needs its sender's help does not hold up the others. */
BOOST_AUTO_TEST_CASE(messages_go_on_while_a_rank_waits)
{
  const Communicator                     comm(0);
  const std::shared_ptr<goza::RankGroup> group = group_of(comm);
  const PetscMPIInt                      last  = comm.size() - 1;
  std::vector<double>                    big(1 << 20, 1.5);
  MPI_Request                            request = MPI_REQUEST_NULL;

  BOOST_TEST_REQUIRE(group);
  if (comm.rank() == last) MPI_Isend(big.data(), (int)big.size(), MPI_DOUBLE, 0, 1, comm, &request);
  if (comm.rank() == 0) MPI_Recv(big.data(), (int)big.size(), MPI_DOUBLE, last, 1, comm, MPI_STATUS_IGNORE);
  PETSC_OK(group->on_leader(PETSC_SUCCESS, "wait", [] { return PETSC_SUCCESS; }));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  BOOST_TEST(big.back() == 1.5);
}

/* --- matrices */

/* The leaders' product is that of the whole matrix. */
void same_product(Mat A, const std::string &what)
{
  std::shared_ptr<goza::GroupMat> grouped;
  VecHandle                       x, y, expected;

  PETSC_OK(goza::MatGetGroupMat(A, &grouped));
  if (!grouped) return;
  PETSC_OK(MatCreateVecs(A, x.put(), y.put()));
  PETSC_OK(VecDuplicate(y, expected.put()));
  PetscInt     begin, end;
  PetscScalar *a;
  PETSC_OK(VecGetOwnershipRange(x, &begin, &end));
  PETSC_OK(VecGetArray(x, &a));
  for (PetscInt i = begin; i < end; i++) a[i - begin] = uniform(i, 7);
  PETSC_OK(VecRestoreArray(x, &a));
  PETSC_OK(grouped->right().put(x));
  PETSC_OK(grouped->left().open(y));
  PETSC_OK(grouped->left().get(grouped->group().on_leader(PETSC_SUCCESS, "multiply", [&]() -> PetscErrorCode {
    Vec from, to;

    PetscFunctionBegin;
    PetscCall(grouped->right().there(&from));
    PetscCall(grouped->left().there(&to));
    PetscCall(MatMult(grouped->there(), from, to));
    PetscCall(grouped->left().written());
    PetscFunctionReturn(PETSC_SUCCESS);
  })));
  PETSC_OK(MatMult(A, x, expected));
  PETSC_OK(VecAXPY(y, -1, expected));
  const PetscReal off = norm(y), whole = norm(expected);
  all_ranks(off <= 1e3 * PETSC_MACHINE_EPSILON * whole, what + ": off by " + std::to_string(off));
}

BOOST_AUTO_TEST_CASE(leaders_have_the_matrix)
{
  for_each_grouping([](const Communicator &comm) {
    for (const Entry &e : gallery()) {
      MatHandle A = assemble(e, MATAIJ, Prealloc::exact, comm);

      same_product(A, e.name);
      PETSC_OK(MatScale(A, -0.5));
      same_product(A, e.name + " scaled");
      fill(e, A, 3);
      same_product(A, e.name + " filled anew");
    }
  });
}

/* A PETSc without CUDA multiplies with the transpose on the host, by every rank. */
bool leaders_transpose() { return goza::default_space() == goza::Space::Host || goza::petsc_on_device(); }

/* A Goza matrix's product with its transpose is the leaders', too, and that of PETSc's. */
void same_transposed_product(const Entry &e, MPI_Comm comm)
{
  MatHandle                               A = assemble(e, MATCDS, Prealloc::exact, comm), R = assemble(e, MATAIJ, Prealloc::exact, comm);
  VecHandle                               x       = vector_of(A, 5), y, expected;
  const std::shared_ptr<goza::RankGroup>  group   = group_of(comm);
  const PetscInt64                        before  = goza::usage.tasks;
  const std::function<void(const char *)> compare = [&](const char *what) {
    PETSC_OK(VecAXPY(y, -1, expected));
    const PetscReal off = norm(y), whole = norm(expected);
    all_ranks(off <= 1e3 * PETSC_MACHINE_EPSILON * whole, e.name + ", " + what + ": off by " + std::to_string(off));
  };

  PETSC_OK(MatCreateVecs(A, y.put(), nullptr));
  PETSC_OK(VecDuplicate(y, expected.put()));
  for (PetscReal factor : {1.0, -3.0}) { /* the second time values alone are new */
    fill(e, A, factor);
    fill(e, R, factor);
    PETSC_OK(MatMultTranspose(A, x, y));
    PETSC_OK(MatMultTranspose(R, x, expected));
    compare("transposed");
    PETSC_OK(VecSet(y, 2));
    PETSC_OK(MatMultTransposeAdd(A, x, y, y));
    PETSC_OK(VecShift(expected, 2));
    compare("transposed and added");
  }
  if (group) all_ranks(leaders_transpose() ? goza::usage.tasks >= before + 4 : goza::usage.tasks == before, e.name + ": who has done it?");
}

BOOST_AUTO_TEST_CASE(leaders_have_transposed_products)
{
  for_each_grouping([](const Communicator &comm) {
    for (const Entry &e : gallery()) same_transposed_product(e, comm);
  });
}

/* More vectors than a leader keeps open at a time, and others where those were that are gone. */
BOOST_AUTO_TEST_CASE(vectors_come_and_go)
{
  for_each_grouping([](const Communicator &comm) {
    MatHandle A = system_matrix(problem("poisson7"), MATCDS, comm);
    VecHandle x = vector_of(A, 5), y;

    PETSC_OK(VecDuplicate(x, y.put()));
    PETSC_OK(MatMult(A, x, y));
    for (int turn = 0; turn < 3; turn++) {
      std::vector<VecHandle> in(20), out(20);

      for (std::size_t k = 0; k < in.size(); k++) {
        const std::size_t other = k * 7 % in.size(); /* all, but not in turn */

        PETSC_OK(VecDuplicate(x, in[other].put()));
        PETSC_OK(VecDuplicate(x, out[other].put()));
        PETSC_OK(VecCopy(x, in[other]));
        PETSC_OK(VecScale(in[other], (PetscReal)(other + 1)));
        PETSC_OK(MatMult(A, in[other], out[other]));
        if (turn == 1 && k % 3 == 0) in[other] = VecHandle();
      }
      for (std::size_t k = 0; k < in.size(); k++) {
        if (in[k]) PETSC_OK(MatMultAdd(A, in[k], out[k], out[k])); /* those that were closed meanwhile */
        PETSC_OK(VecAXPY(out[k], -(PetscReal)((k + 1) * (in[k] ? 2 : 1)), y));
        const PetscReal off = norm(out[k]), whole = norm(y);
        all_ranks(off <= 1e3 * PETSC_MACHINE_EPSILON * (PetscReal)in.size() * whole, "vector " + std::to_string(k) + ": off by " + std::to_string(off));
      }
    }
  });
}

struct Grid {
  Handle<DM, DMDestroy> da;
  MatHandle             A;

  /* -1 between all neighbours of a box and a diagonal that differs from point to point. */
  Grid(MPI_Comm comm, PetscInt nx, PetscInt ny, PetscInt nz, const char *type, PetscInt px = PETSC_DECIDE, DMBoundaryType ends = DM_BOUNDARY_NONE) : ends(ends)
  {
    PETSC_OK(DMDACreate3d(comm, ends, ends, ends, DMDA_STENCIL_BOX, nx, ny, nz, px, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, nullptr, da.put()));
    PETSC_OK(DMSetUp(da));
    PETSC_OK(DMSetMatType(da, type));
    PETSC_OK(DMCreateMatrix(da, A.put()));
    fill(1);
  }

  void fill(PetscReal factor)
  {
    DMDALocalInfo info;

    PETSC_OK(DMDAGetLocalInfo(da, &info));
    for (PetscInt k = info.zs; k < info.zs + info.zm; k++)
      for (PetscInt j = info.ys; j < info.ys + info.ym; j++)
        for (PetscInt i = info.xs; i < info.xs + info.xm; i++) put_row(info, k, j, i, factor);
    PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }

  PetscInt first_row() const
  {
    PetscInt first;

    PETSC_OK(MatGetOwnershipRange(A, &first, nullptr));
    return first;
  }

private:
  DMBoundaryType ends;

  bool outside(PetscInt i, PetscInt n) const { return ends == DM_BOUNDARY_NONE && (i < 0 || i >= n); }

  void put_row(const DMDALocalInfo &info, PetscInt k, PetscInt j, PetscInt i, PetscReal factor)
  {
    MatStencil               row{k, j, i, 0};
    std::vector<MatStencil>  cols;
    std::vector<PetscScalar> values;

    for (PetscInt dk = -1; dk <= 1; dk++)
      for (PetscInt dj = -1; dj <= 1; dj++)
        for (PetscInt di = -1; di <= 1; di++) {
          if (outside(k + dk, info.mz) || outside(j + dj, info.my) || outside(i + di, info.mx)) continue;
          cols.push_back({k + dk, j + dj, i + di, 0});
          values.push_back(factor * (dk || dj || di ? -1 : 26 + 0.1 * uniform(i + 100 * j, k)));
        }
    PETSC_OK(MatSetValuesStencil(A, 1, &row, (PetscInt)cols.size(), cols.data(), values.data(), INSERT_VALUES));
  }
};

/* One group has the grid's natural numbers, whatever boxes the ranks have of it. */
BOOST_AUTO_TEST_CASE(a_grid_is_in_its_natural_order)
{
  for_each_grouping([](const Communicator &comm) {
    for (const char *type : {MATAIJ, MATCDS, MATOWNCDS, MATOWNSLICEDELL}) {
      Grid                            grid(comm, 9, 8, 7, type);
      std::shared_ptr<goza::GroupMat> grouped;

      same_product(grid.A, type);
      PETSC_OK(goza::MatGetGroupMat(grid.A, &grouped));
      if (!grouped || grouped->group().groups() > 1 || !grouped->there()) continue;
      const Grid     whole(PETSC_COMM_SELF, 9, 8, 7, type);
      const Mat      A = grouped->there(), B = whole.A;
      const PetscInt n = 9 * 8 * 7;
      PetscInt       m;
      MatType        is, wanted;

      PETSC_OK(MatGetType(A, &is));
      PETSC_OK(MatGetType(B, &wanted));
      BOOST_TEST(std::string(is) == std::string(wanted));
      PETSC_OK(MatGetLocalSize(A, &m, nullptr));
      BOOST_TEST_REQUIRE(m == n);
      for (PetscInt i = 0; i < n; i++) {
        PetscInt           na, nb;
        const PetscInt    *ca, *cb;
        const PetscScalar *va, *vb;

        PETSC_OK(MatGetRow(A, i, &na, &ca, &va));
        PETSC_OK(MatGetRow(B, i, &nb, &cb, &vb));
        BOOST_TEST((na == nb && std::equal(ca, ca + na, cb) && std::equal(va, va + na, vb)), type << ": row " << i);
        PETSC_OK(MatRestoreRow(A, i, &na, &ca, &va));
        PETSC_OK(MatRestoreRow(B, i, &nb, &cb, &vb));
      }
    }
  });
}

/* New values may come from the host or, where there is a device, from there: whichever side the group's matrix began with. */
BOOST_AUTO_TEST_CASE(values_come_from_either_side)
{
  for_each_grouping([](const Communicator &comm) {
    for (const bool device_first : {false, true}) {
      Grid       grid(comm, 9, 8, 7, MATCDS), plain(comm, 9, 8, 7, MATAIJ);
      VecHandle  x       = vector_of(plain.A, 5), y, expected;
      const auto compare = [&](const std::string &what) {
        PETSC_OK(MatMult(grid.A, x, y));
        PETSC_OK(MatMult(plain.A, x, expected));
        PETSC_OK(VecAXPY(y, -1, expected));
        const PetscReal off = norm(y), whole = norm(expected);
        all_ranks(off <= 1e3 * PETSC_MACHINE_EPSILON * whole, what + ": off by " + std::to_string(off));
      };

      PETSC_OK(VecDuplicate(x, y.put()));
      PETSC_OK(VecDuplicate(x, expected.put()));
      for (int turn = 0; turn < 4; turn++) {
        const bool device = (turn % 2 == 0) == device_first;

        for (Grid *g : {&grid, &plain}) {
          if (device) PETSC_OK(MatScale(g->A, 3));
          else g->fill(turn + 1);
        }
        compare(std::string(device ? "scaled" : "filled") + ", turn " + std::to_string(turn));
      }
    }
  });
}

/* A rank may write into its block past the matrix, of which the others hear nothing: the leaders hear it with the product, whose ranks then send no message to
   one another. */
BOOST_AUTO_TEST_CASE(news_of_one_rank_come_with_a_product)
{
  for_each_grouping([](const Communicator &comm) {
    Grid         grid(comm, 9, 8, 7, MATCDS), plain(comm, 9, 8, 7, MATAIJ);
    VecHandle    x = vector_of(plain.A, 5), y, expected;
    PetscScalar *a;
    MatInfo      info;

    PETSC_OK(VecDuplicate(x, y.put()));
    PETSC_OK(VecDuplicate(x, expected.put()));
    for (int turn = 0; turn < 2 * comm.size(); turn++) {
      for (Grid *g : {&grid, &plain}) {
        Mat block = g->A;

        if (comm.size() > 1) PETSC_OK(MatMPIAIJGetSeqAIJ(g->A, &block, nullptr, nullptr));
        PETSC_OK(MatGetInfo(block, MAT_LOCAL, &info));
        if (turn % 2 || turn / 2 != comm.rank()) continue; /* every other time there is none */
        PETSC_OK(MatSeqAIJGetArray(block, &a));
        for (PetscInt k = 0; k < (PetscInt)info.nz_used; k++) a[k] *= 3;
        PETSC_OK(MatSeqAIJRestoreArray(block, &a));
      }
      for (bool transposed : {false, true}) {
        PETSC_OK((transposed ? MatMultTranspose : MatMult)(grid.A, x, y));
        PETSC_OK((transposed ? MatMultTranspose : MatMult)(plain.A, x, expected));
        PETSC_OK(VecAXPY(y, -1, expected));
        const PetscReal off = norm(y), whole = norm(expected);
        all_ranks(off <= 1e3 * PETSC_MACHINE_EPSILON * whole, "turn " + std::to_string(turn) + ": off by " + std::to_string(off));
      }
    }
  });
}

/* --- solvers */

struct Answer {
  KSPConvergedReason     reason;
  PetscInt               its;
  std::vector<PetscReal> history;
  VecHandle              x;
};

Answer answer(KSP ksp, Vec b, PetscReal guess = 0)
{
  Answer           a{};
  const PetscReal *h;
  PetscInt         n;

  PETSC_OK(VecDuplicate(b, a.x.put()));
  PETSC_OK(VecSet(a.x, guess));
  PETSC_OK(KSPSetInitialGuessNonzero(ksp, guess ? PETSC_TRUE : PETSC_FALSE));
  PETSC_OK(KSPSetResidualHistory(ksp, nullptr, 500, PETSC_TRUE));
  PETSC_OK(KSPSolve(ksp, b, a.x));
  PETSC_OK(KSPGetConvergedReason(ksp, &a.reason));
  PETSC_OK(KSPGetIterationNumber(ksp, &a.its));
  PETSC_OK(KSPGetResidualHistory(ksp, &h, &n));
  a.history.assign(h, h + n);
  return a;
}

KSPHandle solver(Mat A, const char *type)
{
  KSPHandle ksp;
  PC        pc;

  PETSC_OK(KSPCreate(PetscObjectComm((PetscObject)A), ksp.put()));
  PETSC_OK(KSPSetType(ksp, type));
  PETSC_OK(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 300));
  PETSC_OK(KSPSetOperators(ksp, A, A));
  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(PCSetType(pc, PCSAAMG));
  PETSC_OK(KSPSetFromOptions(ksp));
  return ksp;
}

/* The entries of a rank's part of a vector that begin at `begin`, against those of one that has all. */
PetscReal distance(Vec part, const std::vector<PetscInt> &numbers, Vec whole)
{
  const PetscScalar *p, *w;
  PetscReal          off = 0;

  PETSC_OK(VecGetArrayRead(part, &p));
  PETSC_OK(VecGetArrayRead(whole, &w));
  for (std::size_t i = 0; i < numbers.size(); i++) off = std::max(off, PetscAbsScalar(p[i] - w[numbers[i]]));
  PETSC_OK(VecRestoreArrayRead(whole, &w));
  PETSC_OK(VecRestoreArrayRead(part, &p));
  return off;
}

std::vector<PetscInt> numbers_of(Vec v)
{
  PetscInt              begin, end;
  std::vector<PetscInt> numbers;

  PETSC_OK(VecGetOwnershipRange(v, &begin, &end));
  for (PetscInt i = begin; i < end; i++) numbers.push_back(i);
  return numbers;
}

bool in_one_group(MPI_Comm comm)
{
  const auto group = group_of(comm);

  return group && group->groups() == 1;
}

Answer answer(KSP ksp, Mat A) { return answer(ksp, (Vec)right_hand_side(A, 3)); }

/* A rank's part of a vector that has all. */
VecHandle part_of(Vec whole, Mat A)
{
  VecHandle          part;
  PetscInt           begin, end;
  const PetscScalar *w;
  PetscScalar       *p;

  PETSC_OK(MatCreateVecs(A, nullptr, part.put()));
  PETSC_OK(VecGetOwnershipRange(part, &begin, &end));
  PETSC_OK(VecGetArrayRead(whole, &w));
  PETSC_OK(VecGetArray(part, &p));
  std::copy(w + begin, w + end, p);
  PETSC_OK(VecRestoreArray(part, &p));
  PETSC_OK(VecRestoreArrayRead(whole, &w));
  return part;
}

/* In a vector of the matrix's own kind: PETSc's products on a device leave those of the host as they are. */
VecHandle like_its_matrix(Mat A, Vec v)
{
  VecHandle own;

  PETSC_OK(MatCreateVecs(A, nullptr, own.put()));
  PETSC_OK(VecCopy(v, own));
  return own;
}

/* One group does what one rank does, to the last iteration and bit: with new values and another guess, too. (PETSc removes a null space from b, and makes
   near-null vectors orthonormal, with sums over the ranks.) */
void as_one_rank(const Communicator &comm, const Problem &p, const char *type, const char *mat)
{
  MatHandle   A = system_matrix(p, mat, comm), B = system_matrix(p, mat, PETSC_COMM_SELF);
  VecHandle   whole = like_its_matrix(B, right_hand_side(B, 3)), part = part_of(whole, A);
  KSPHandle   ksp = solver(A, type), alone = solver(B, type);
  const bool  exact = in_one_group(comm) && std::string(type).rfind("fused", 0) == 0;
  std::string what  = p.name + " " + type + " " + mat + (in_one_group(comm) ? "" : " in several groups");

  for (PetscInt turn = 0; turn < 3; turn++) {
    if (turn == 1) {
      PETSC_OK(MatScale(A, 2));
      PETSC_OK(MatScale(B, 2));
    }
    const Answer    a = answer(ksp, part, turn == 2 ? 0.5 : 0), b = answer(alone, whole, turn == 2 ? 0.5 : 0);
    const PetscReal off = distance(a.x, numbers_of(a.x), b.x), scale = norm(b.x);

    all_ranks(a.reason == b.reason, what + ": " + KSPConvergedReasons[a.reason] + " after " + std::to_string(a.its) + " iterations, alone " +
                                      KSPConvergedReasons[b.reason] + ", turn " + std::to_string(turn));
    all_ranks(exact ? a.its == b.its : std::abs(a.its - b.its) <= 1 + (in_one_group(comm) ? 0 : b.its / 4),
              what + ": " + std::to_string(a.its) + " iterations, alone " + std::to_string(b.its));
    if (exact && p.kernel == Kernel::none)
      all_ranks(a.history == b.history && off == 0,
                what + ": is not the same, but off by " + std::to_string(off / scale) + (a.history == b.history ? "" : ", residuals as well"));
    else all_ranks(off <= 1e-5 * scale, what + ": off by " + std::to_string(off));
  }
}

/* PETSc's own matrix where the ranks' device is: one of the host takes no part in a GPU's group. */
const char *plain_type()
{
#if PetscDefined(HAVE_CUDA)
  if (goza::device::available()) return MATAIJCUSPARSE;
#endif
  return MATAIJ;
}

BOOST_AUTO_TEST_CASE(solvers_do_what_one_rank_does)
{
  for_each_grouping([](const Communicator &comm) {
    for (const char *name : {"poisson7", "neumann", "elasticity"}) {
      for (const char *type : {KSPCG, KSPFUSEDCG, KSPFUSEDBCGS, KSPFUSEDGMRES}) as_one_rank(comm, problem(name), type, MATCDS);
      for (const char *type : {plain_type(), MATOWNCDS, MATOWNSLICEDELL}) as_one_rank(comm, problem(name), KSPFUSEDCG, type);
    }
  });
}

/* The leaders' levels are matrices of all ranks: Galerkin from the user's matrix down, whatever order the leader has its rows in. */
void levels_are_galerkin(Mat A, const std::string &what)
{
  PCHandle pc = make_pc(A);
  PetscInt nP, nA;
  Mat     *P, *coarse;

  PETSC_OK(PCGetInterpolations(pc, &nP, &P));
  PETSC_OK(PCGetCoarseOperators(pc, &nA, &coarse));
  BOOST_TEST(nP == nA);
  BOOST_TEST_REQUIRE(nP > 1);
  for (PetscInt l = 0; l + 1 < nP; l++) {
    MatHandle product;

    PETSC_OK(MatPtAP(l + 2 < nP ? coarse[l + 1] : A, P[l], MAT_INITIAL_MATRIX, 2, product.put()));
    PetscReal size, difference;
    PETSC_OK(MatNorm(product, NORM_FROBENIUS, &size));
    PETSC_OK(MatAXPY(product, -1, coarse[l], DIFFERENT_NONZERO_PATTERN));
    PETSC_OK(MatNorm(product, NORM_FROBENIUS, &difference));
    all_ranks(difference <= 100 * PETSC_MACHINE_EPSILON * size, what + ", level " + std::to_string(l) + ": off by " + std::to_string(difference));
  }
  for (PetscInt l = 0; l + 1 < nP; l++) {
    PETSC_OK(MatDestroy(&P[l]));
    PETSC_OK(MatDestroy(&coarse[l]));
  }
  PETSC_OK(PetscFree(P));
  PETSC_OK(PetscFree(coarse));
}

BOOST_AUTO_TEST_CASE(levels_are_matrices_of_all_ranks)
{
  const Option coarse("-pc_saamg_coarse_limit", "10");

  for_each_grouping([](const Communicator &comm) {
    const Grid grid(comm, 13, 12, 11, MATCDS);

    levels_are_galerkin(grid.A, "grid");
    for (const char *name : {"poisson7", "elasticity"}) levels_are_galerkin(system_matrix(problem(name), MATAIJ, comm), name);
    Entry uneven  = problem("poisson7").entry;
    uneven.layout = Layout::all_on_last;
    levels_are_galerkin(assemble(uneven, MATAIJ, Prealloc::exact, comm), "all on the last");
  });
}

void is_solved_as_on_one_rank(const char *type)
{
  const Communicator comm(0);
  Grid               grid(comm, 13, 12, 11, type), whole(PETSC_COMM_SELF, 13, 12, 11, type);
  KSPHandle          ksp = solver(grid.A, KSPFUSEDCG), alone = solver(whole.A, KSPFUSEDCG);
  VecHandle          b, x, b1, x1;

  PETSC_OK(DMCreateGlobalVector(grid.da, b.put()));
  PETSC_OK(VecDuplicate(b, x.put()));
  PETSC_OK(DMCreateGlobalVector(whole.da, b1.put()));
  PETSC_OK(VecDuplicate(b1, x1.put()));
  PETSC_OK(VecSet(b, 1));
  PETSC_OK(VecSet(b1, 1));
  for (PetscReal factor : {1., 2.}) {
    PetscInt its, its1;

    grid.fill(factor);
    whole.fill(factor);
    PETSC_OK(KSPSolve(ksp, b, x));
    PETSC_OK(KSPSolve(alone, b1, x1));
    PETSC_OK(KSPGetIterationNumber(ksp, &its));
    PETSC_OK(KSPGetIterationNumber(alone, &its1));
    all_ranks(its == its1, std::to_string(its) + " iterations, alone " + std::to_string(its1));
    DMDALocalInfo         info;
    std::vector<PetscInt> numbers;
    PETSC_OK(DMDAGetLocalInfo(grid.da, &info));
    for (PetscInt k = info.zs; k < info.zs + info.zm; k++)
      for (PetscInt j = info.ys; j < info.ys + info.ym; j++)
        for (PetscInt i = info.xs; i < info.xs + info.xm; i++) numbers.push_back((k * info.my + j) * info.mx + i);
    const PetscReal off = distance(x, numbers, x1);
    all_ranks(off == 0, std::string(type) + ": off by " + std::to_string(off));
  }
}

BOOST_AUTO_TEST_CASE(a_grid_is_solved_as_on_one_rank)
{
  for (const char *type : {MATCDS, MATOWNCDS, MATOWNSLICEDELL}) is_solved_as_on_one_rank(type);
}

/* Beyond the ends of a grid the rank's neighbours are far away in the natural order: the leader has slices of what would be on too many diagonals. */
BOOST_AUTO_TEST_CASE(diagonals_become_slices)
{
  const Communicator comm(0);
  const Option       fill("-mat_cds_max_fill", "1.5");

  if (comm.size() < 2) return;
  Grid                            grid(comm, 9, 8, 14, MATOWNCDS, PETSC_DECIDE, DM_BOUNDARY_PERIODIC);
  std::shared_ptr<goza::GroupMat> grouped;
  MatType                         type = nullptr;

  same_product(grid.A, "periodic");
  grid.fill(2);
  same_product(grid.A, "periodic, filled anew");
  PETSC_OK(goza::MatGetGroupMat(grid.A, &grouped));
  if (!grouped || !grouped->there()) return;
  PETSC_OK(MatGetType(grouped->there(), &type));
  BOOST_TEST(std::string(type) == MATOWNSLICEDELL);
}

/* How often AIJ was made of a matrix that owns its values. */
PetscInt times_made(Mat A) { return goza::mat::own_of(A)->made; }

/* Rows go from the ranks' formats to the leader's, after all that changes values and places, and no AIJ is made on the way. */
BOOST_AUTO_TEST_CASE(owning_matrices_have_leaders)
{
  const Communicator comm(0);

  for (const char *type : {MATOWNCDS, MATOWNSLICEDELL, MATOWNFOLD}) {
    for (const bool half : {false, true}) {
      Grid       grid(comm, 9, 8, 7, type);
      VecHandle  left = vector_of(grid.A, 3);
      const auto what = [&](const char *now) { return std::string(type) + (half ? ", symmetric, " : ", ") + now; };

      if (half) PETSC_OK(MatSetOption(grid.A, MAT_SYMMETRIC, PETSC_TRUE));
      same_product(grid.A, what("as it is"));
      PETSC_OK(MatScale(grid.A, -2));
      same_product(grid.A, what("scaled"));
      grid.fill(3);
      same_product(grid.A, what("filled anew"));
      PETSC_OK(MatDiagonalScale(grid.A, left, nullptr));
      same_product(grid.A, what("scaled by rows"));
      const PetscInt row = grid.first_row();
      PETSC_OK(MatZeroRows(grid.A, 1, &row, 2, nullptr, nullptr));
      same_product(grid.A, what("a row of each rank zeroed"));
      PETSC_OK(MatZeroEntries(grid.A));
      same_product(grid.A, what("without entries"));
      grid.fill(1);
      same_product(grid.A, what("filled at last"));
      BOOST_TEST(times_made(grid.A) == 0, what("AIJ was made"));
    }
  }
}

/* --- what may go wrong */

PetscErrorCode no_array(Vec, PetscScalar **) { return fail("array"); }

/* A rank that cannot take its part of a result says so before the leader begins: all get the error, and what comes next finds nobody a step behind. */
BOOST_AUTO_TEST_CASE(a_rank_that_cannot_take_its_result)
{
  for_each_grouping([](const Communicator &comm) {
    MatHandle                                                      A   = system_matrix(problem("poisson7"), MATCDS, comm);
    VecHandle                                                      b   = right_hand_side(A, 3), x;
    KSPHandle                                                      ksp = solver(A, KSPFUSEDCG);
    PC                                                             pc;
    const std::pair<const char *, std::function<PetscErrorCode()>> calls[] = {{"MatMult", [&] { return MatMult(A, b, x); }},
                                                                              {"MatMultTranspose", [&] { return MatMultTranspose(A, b, x); }},
                                                                              {"PCApply", [&] { return PCApply(pc, b, x); }}};

    if (!group_of(comm)) return;
    PETSC_OK(KSPGetPC(ksp, &pc));
    PETSC_OK(KSPSetUp(ksp));
    PETSC_OK(VecDuplicate(b, x.put()));
    for (const auto &[name, call] : calls) {
      const auto kept = *((Vec)x)->ops;

      if (name == std::string("MatMultTranspose") && !leaders_transpose()) continue; /* PETSc's own waits for that rank */

      PETSC_OK(call());
      const PetscReal want = norm(x);
      if (comm.rank() == comm.size() - 1) ((Vec)x)->ops->getarray = ((Vec)x)->ops->getarraywrite = no_array;
      const Outcome outcome = attempt(call);
      *((Vec)x)->ops        = kept;
      all_ranks(outcome.failed, std::string(name) + " has not failed here");
      PETSC_OK(call());
      all_ranks(std::abs(norm(x) - want) <= 1e-12 * want, std::string(name) + " does not heal");
    }
  });
}

BOOST_AUTO_TEST_CASE(several_solvers_at_once)
{
  const Communicator world(0);
  MPI_Comm           half;

  MPI_Comm_split(PETSC_COMM_WORLD, world.rank() % 2, 0, &half);
  {
    const Communicator part(0, half);
    MatHandle          A = system_matrix(problem("poisson7"), MATCDS, world), B = system_matrix(problem("poisson7"), MATCDS, part);
    KSPHandle          a = solver(A, KSPFUSEDCG), b = solver(B, KSPFUSEDCG), c = solver(B, KSPCG);
    PetscInt           its = -1;

    for (int turn = 0; turn < 2; turn++) {
      const PetscInt all = answer(a, A).its, mine = answer(b, B).its, other = answer(c, B).its;

      BOOST_TEST(all == mine);
      BOOST_TEST(std::abs(mine - other) <= 1);
      if (turn) BOOST_TEST(its == all);
      its = all;
    }
  }
  MPI_Comm_free(&half);
}

/* Ranks of two communicators of which neither knows the other, each with its groups: at the same time, and one of them with a matrix that is refused. */
BOOST_AUTO_TEST_CASE(halves_of_the_ranks_solve_for_themselves)
{
  PetscMPIInt rank, size;
  MPI_Comm    half;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  MPI_Comm_split(PETSC_COMM_WORLD, rank % 2, rank, &half);
  {
    const Communicator comm(0, half);
    const Problem     &p = problem(rank % 2 ? "poisson7" : "elasticity");
    MatHandle          A = system_matrix(p, MATCDS, comm), B = system_matrix(p, MATCDS, PETSC_COMM_SELF);
    KSPHandle          ksp = solver(A, KSPFUSEDCG), alone = solver(B, KSPFUSEDCG);

    for (int turn = 0; turn < 2; turn++) {
      const Answer a = answer(ksp, A), b = answer(alone, B);

      BOOST_TEST(a.reason > 0);
      BOOST_TEST(std::abs(a.its - b.its) <= 1, p.name << ": " << a.its << " iterations, alone " << b.its);
    }
    if (rank % 2) { /* these fail together while the others go on */
      PETSC_OK(MatScale(A, std::numeric_limits<PetscReal>::quiet_NaN()));
      KSPConvergedReason reason;
      VecHandle          b, x;

      PETSC_OK(MatCreateVecs(A, x.put(), b.put()));
      PETSC_OK(VecSet(b, 1));
      PETSC_OK(KSPSolve(ksp, b, x));
      PETSC_OK(KSPGetConvergedReason(ksp, &reason));
      BOOST_TEST(reason < 0);
    } else BOOST_TEST(answer(ksp, A).reason > 0);
  }
  MPI_Comm_free(&half);
}

BOOST_AUTO_TEST_CASE(ranks_without_rows)
{
  for_each_grouping([](const Communicator &comm) {
    for (Layout layout : {Layout::all_on_last, Layout::even}) {
      Entry e = layout == Layout::even ? stencil5(2, 1) : stencil5(17, 15);

      e.layout    = layout;
      MatHandle A = assemble(e, MATCDS, Prealloc::exact, comm);
      for (const char *type : {KSPCG, KSPFUSEDCG}) {
        KSPHandle ksp = solver(A, type);

        all_ranks(answer(ksp, A).reason > 0, e.name + " " + type);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(a_matrix_with_nan_fails_everywhere_and_heals)
{
  for_each_grouping([](const Communicator &comm) {
    MatHandle      A   = system_matrix(problem("poisson7"), MATCDS, comm);
    KSPHandle      ksp = solver(A, KSPFUSEDCG), plain = solver(A, KSPCG);
    PetscInt       begin, end;
    const PetscInt before = answer(ksp, A).its;

    PETSC_OK(MatGetOwnershipRange(A, &begin, &end));
    MatHandle kept;
    PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, kept.put()));
    if (comm.rank() == comm.size() - 1 && begin < end) PETSC_OK(MatSetValue(A, begin, begin, std::numeric_limits<PetscReal>::quiet_NaN(), INSERT_VALUES));
    PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    for (KSP k : {(KSP)ksp, (KSP)plain}) {
      VecHandle          b, x;
      KSPConvergedReason reason;

      PETSC_OK(MatCreateVecs(A, x.put(), b.put()));
      PETSC_OK(VecSet(b, 1));
      PETSC_OK(KSPSolve(k, b, x));
      PETSC_OK(KSPGetConvergedReason(k, &reason));
      all_ranks(reason == KSP_DIVERGED_PC_FAILED, std::string("reason ") + KSPConvergedReasons[reason]);
    }
    PETSC_OK(MatCopy(kept, A, SAME_NONZERO_PATTERN));
    all_ranks(answer(ksp, A).its == before, "does not heal");
  });
}

/* What PETSc's product that failed leaves locked is the leader's own, and would fail the next one. */
BOOST_AUTO_TEST_CASE(a_product_that_fails_is_told_each_time_and_heals)
{
  const Option half("-mat_cds_storage", "half");

  for_each_grouping([](const Communicator &comm) {
    MatHandle  A        = system_matrix(problem("poisson7"), MATCDS, comm), kept;
    const auto multiply = [&](bool transposed) {
      VecHandle x, y;

      PETSC_OK(MatCreateVecs(A, x.put(), y.put()));
      PETSC_OK(VecSet(x, 1));
      return attempt([&] { return transposed ? MatMultTranspose(A, x, y) : MatMult(A, x, y); });
    };

    PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, kept.put()));
    if (comm.rank() == 0) PETSC_OK(MatSetValue(A, 0, 1, 5, INSERT_VALUES));
    PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    for (bool transposed : {false, true, false}) {
      const Outcome outcome = multiply(transposed);
      all_ranks(outcome.says("not symmetric") || (transposed && !outcome.failed), outcome.message); /* transposed AIJ may do it */
    }
    PETSC_OK(MatCopy(kept, A, SAME_NONZERO_PATTERN));
    for (bool transposed : {false, true}) all_ranks(!multiply(transposed).failed, "does not heal");
  });
}

BOOST_AUTO_TEST_CASE(wrong_coordinates_on_one_rank)
{
  const Communicator     comm(0);
  MatHandle              A   = assemble(elasticity(4, 4, 3), MATCDS, Prealloc::exact, comm);
  KSPHandle              ksp = solver(A, KSPFUSEDCG);
  PC                     pc;
  PetscInt               m;
  std::vector<PetscReal> xyz;

  PETSC_OK(MatGetLocalSize(A, &m, nullptr));
  xyz.resize(m + 3, 1.);
  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(PCSetCoordinates(pc, 3, (comm.rank() == comm.size() - 1 ? m - 3 : m) / 3, xyz.data()));
  const Outcome outcome = attempt([&] { return KSPSetUp(ksp); });
  BOOST_TEST(outcome.failed);
  BOOST_TEST(outcome.says("PCSetCoordinates"), outcome.message);
}

BOOST_AUTO_TEST_CASE(the_view_tells)
{
  MatHandle         A    = system_matrix(problem("poisson7"), MATCDS);
  KSPHandle         ksp  = solver(A, KSPFUSEDCG);
  VecHandle         b    = right_hand_side(A, 3);
  const std::string view = solve_with(ksp, b, nullptr).view;
  PetscMPIInt       size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  const std::string groups = std::to_string(size) + " ranks in 1 group";
  BOOST_TEST(view.find("whole on the leaders of ranks that share a GPU, " + groups) != std::string::npos, view);
  BOOST_TEST(view.find("on the leaders of ranks that share a GPU, " + groups + ":") != std::string::npos, view);
  BOOST_TEST(view.find("complexity: grid") != std::string::npos, view);
}

} // namespace
