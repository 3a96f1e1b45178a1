/* The memory of saamg: forecast, reported, and, where it runs out, an error with the figures after which everything goes on. */
#include "core/device/properties.hpp"
#include "pc/saamg/api/saamg_data.hpp"
#include "pc/saamg/cycle/trial_solve.hpp"
#include "../support/league.hpp"
#include "../support/mat_case.hpp"
#include "../support/pc_case.hpp"
#include "../support/sparse.hpp"

#include "core/device/device.hpp"

#include <algorithm>
#include <fstream>
#if defined(__linux__)
  #include <malloc.h>
#endif
#include <petsc/private/pcimpl.h>
#include <regex>

#include <petscgoza.h>

using namespace goza;
using namespace goza_test;

namespace {

struct Report {
  double held = 0, predicted = 0, most = 0, predicted_most = 0; /* MB */
};

Report report(PC pc)
{
  const std::string text = viewed(pc);
  std::smatch       m;
  Report            r;
  BOOST_TEST_REQUIRE(std::regex_search(text, m, std::regex("levels ([0-9.]+) MB, cycle ([0-9.]+) MB; predicted for both ([0-9.]+) MB")), text);
  r.held      = std::stod(m[1]) + std::stod(m[2]);
  r.predicted = std::stod(m[3]);
  if (std::regex_search(text, m, std::regex("at most ([0-9.]+) MB.*predicted ([0-9.]+) MB"))) {
    r.most           = std::stod(m[1]);
    r.predicted_most = std::stod(m[2]);
  }
  return r;
}

/* On the host 0.93 to 1.53 times what was held. */
void predicted(const Entry &e, const char *type, const std::vector<std::pair<const char *, const char *>> &given)
{
  std::vector<std::unique_ptr<Option>> options;
  for (const auto &[name, value] : given) options.push_back(std::make_unique<Option>(name, value));
  MatHandle    A  = system_matrix({e.name, e, e.name == "elasticity" ? Kernel::rigid_body : Kernel::none, 0}, type);
  PCHandle     pc = make_pc(A);
  const Report r  = report(pc);

  BOOST_TEST(r.predicted < 1.6 * r.held, r.predicted << " MB predicted, " << r.held << " held");
  BOOST_TEST(r.predicted > 0.8 * r.held, r.predicted << " MB predicted, " << r.held << " held");
}

/* Of a near-null vector of ones, which need not be said, the finest level's tentative interpolation on boxes is not kept; of another it is. New values come to
   the same. */
void ones_are_not_kept()
{
  const Entry e = stencil27(30, 31, 29);
  double      held[2];

  for (int other : {0, 1}) {
    MatHandle    A = system_matrix({e.name, e, Kernel::none, 0}, MATCDS);
    VecHandle    x, y, z, constant;
    MatNullSpace near;

    PETSC_OK(MatCreateVecs(A, x.put(), y.put()));
    PETSC_OK(VecDuplicate(y, z.put()));
    PETSC_OK(VecDuplicate(x, constant.put()));
    PETSC_OK(VecSet(constant, 1));
    PETSC_OK(VecNormalize(constant, nullptr));
    PETSC_OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 1, constant.get(), &near));
    if (other) PETSC_OK(MatSetNearNullSpace(A, near));
    PETSC_OK(MatNullSpaceDestroy(&near));
    PCHandle pc = make_pc(A);
    held[other] = report(pc).held;
    PETSC_OK(VecSetRandom(x, nullptr));
    PETSC_OK(PCApply(pc, x, y));
    PETSC_OK(MatScale(A, 2));
    PETSC_OK(PCSetUp(pc));
    PETSC_OK(PCApply(pc, x, z));
    PETSC_OK(VecAXPY(y, -2, z));
    BOOST_TEST(norm(y) <= 1e-6 * norm(z), "other " << other << ": off by " << norm(y) << " of " << norm(z));
  }
  BOOST_TEST(held[0] < held[1] - 7.9e-6 * e.rows, held[0] << " MB of ones, " << held[1] << " of others");
}

/* The same nodes of one unknown, numbered at random. */
Entry without_order(Entry e)
{
  const std::vector<PetscInt> after = random_numbering(e.rows, 1);
  std::vector<PetscInt>       before(e.rows);

  for (PetscInt i = 0; i < e.rows; i++) before[after[i]] = i;
  e.name += "_without_order_";
  e.row = [row = e.row, before, after](PetscInt i, Row &r) {
    row(before[i], r);
    for (PetscInt &column : r.col) column = after[column];
  };
  return e;
}

/* 7 points, couplings along one axis a hundred times as strong: aggregates are along that. */
Entry along_axis(PetscInt nx, PetscInt ny, PetscInt nz)
{
  const PetscInt plane = nx * ny;
  Entry          e     = stencil7(nx, ny, nz);

  e.name = "along_axis_";
  e.row  = [row = e.row, plane](PetscInt i, Row &r) {
    row(i, r);
    for (std::size_t k = 0; k < r.col.size(); k++) {
      if (r.col[k] == i) r.val[k] = 4 + 200;
      else if (r.col[k] == i - plane || r.col[k] == i + plane) r.val[k] *= 100;
    }
  };
  return e;
}

#if !PetscDefined(USE_COMPLEX) && !PetscDefined(USE_REAL_SINGLE) && !PetscDefined(USE_64BIT_INDICES)
/* A problem of the league, with its rigid-body modes. */
MatHandle of_league(const char *name, int size, MatType type)
{
  const auto   p = std::find_if(league().begin(), league().end(), [&](const LeagueProblem &l) { return l.name == name; });
  LeagueMatrix m = p->make(size);
  MatHandle    lent, A;

  PETSC_OK(as_mat(m.A, lent.put()));
  PETSC_OK(MatSetBlockSize(lent, m.bs));
  PETSC_OK(MatConvert(lent, type, MAT_INITIAL_MATRIX, A.put()));
  PETSC_OK(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  if (m.dim) {
    VecHandle  x;
    NullHandle modes;

    PETSC_OK(VecCreateSeqWithArray(PETSC_COMM_SELF, m.dim, static_cast<PetscInt>(m.places.size()), m.places.data(), x.put()));
    PETSC_OK(MatNullSpaceCreateRigidBody(x, modes.put()));
    PETSC_OK(MatSetNearNullSpace(A, modes));
  }
  return A;
}

/* Of tetrahedra, in cubes' order and of points at random; aggregates of some follow signs. */
void predicted_of_tetrahedra(const char *name, int size, const char *precision)
{
  const Option set("-pc_saamg_precision", precision);
  MatHandle    A  = of_league(name, size, MATSLICEDELL);
  PCHandle     pc = make_pc(A);
  const Report r  = report(pc);

  BOOST_TEST(PetscAbsReal(r.predicted - r.held) <= 0.2 * r.held, r.predicted << " MB predicted, " << r.held << " held");
}
#endif

/* A limit for as long as the object lives. */
struct Limit {
  explicit Limit(std::size_t bytes) { device::set_memory_limit(bytes); }
  ~Limit() { device::set_memory_limit(0); }
};

const AddTests add([] {
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (size > 1) return;
  auto *suite = suite_named(nullptr, "predicted");
  add_test(suite, "ones_are_not_kept", ones_are_not_kept);
#if !PetscDefined(USE_COMPLEX) && !PetscDefined(USE_REAL_SINGLE) && !PetscDefined(USE_64BIT_INDICES)
  for (const char *name : {"p1_tetrahedra", "slivers", "solid_tetrahedra", "solid_slivers"}) {
    for (const char *precision : {"double", "half"}) {
      add_test(suite, std::string(name) + "_" + precision, [=] { predicted_of_tetrahedra(name, 1, precision); });
    }
  }
#endif
  add_test(suite, "threshold", [] { predicted(along_axis(40, 41, 39), MATAIJ, {{"-pc_saamg_threshold", "0.09"}}); });
  for (const Entry &e :
       {stencil7(40, 41, 39), stencil27(30, 31, 29), elasticity(13, 12, 12), without_order(stencil7(40, 41, 39)), without_order(stencil27(30, 31, 29))}) {
    add_test(suite, e.name + std::to_string(e.rows) + "_defaults", [=] { predicted(e, MATAIJ, {}); });
    add_test(suite, e.name + std::to_string(e.rows) + "_lent", [=] { predicted(e, MATSLICEDELL, {}); });
    add_test(suite, e.name + std::to_string(e.rows) + "_single", [=] { predicted(e, MATAIJ, {{"-pc_saamg_precision", "single"}}); });
    add_test(suite, e.name + std::to_string(e.rows) + "_half", [=] { predicted(e, MATCDS, {{"-pc_saamg_precision", "half"}}); });
    add_test(suite, e.name + std::to_string(e.rows) + "_pattern", [=] { predicted(e, MATSLICEDELL, {{"-pc_saamg_reuse", "pattern"}}); });
    add_test(suite, e.name + std::to_string(e.rows) + "_mcgs", [=] { predicted(e, MATAIJ, {{"-pc_saamg_smoother", "mcgs"}}); });
    add_test(suite, e.name + std::to_string(e.rows) + "_aggressive", [=] { predicted(e, MATSLICEDELL, {{"-pc_saamg_aggressive_levels", "1"}}); });
    add_test(suite, e.name + std::to_string(e.rows) + "_degree_2", [=] { predicted(e, MATAIJ, {{"-pc_saamg_coarse_interpolation_degree", "2"}}); });
  }
});

} // namespace

/* Wherever in the set-up memory runs out: an error that names the figures, nothing kept, and a set-up with more memory is as if nothing had been. */
BOOST_AUTO_TEST_CASE(too_little)
{
  if (!device::available()) return;
  const Problem &p = problem("poisson27");
  MatHandle      A = system_matrix(p, MATSLICEDELL);
  VecHandle      b = right_hand_side(A, 1), want = right_hand_side(A, 2), got = right_hand_side(A, 2);
  Option         coarse("-pc_saamg_coarse_limit", "30");
  std::size_t    before, most;
  int            failures = 0;

  PETSC_OK(MatMult(A, b, want)); /* its format is there before the first limit */
  {
    PCHandle reference = make_pc(A);
    PETSC_OK(PCApply(reference, b, want));
  }
  before = device::bytes_in_use();
  (void)device::most_bytes_in_use();
  PCHandle pc = make_pc(A);
  most        = device::most_bytes_in_use();
  PETSC_OK(PCReset(pc));
  BOOST_TEST(device::bytes_in_use() == before);
  BOOST_TEST_REQUIRE(most > before);
  for (int part = 0; part < 16; part++) {
    PETSC_OK(PCSetOperators(pc, A, A));
    {
      const Limit   limit(before + (most - before) * part / 16 + 1);
      const Outcome outcome = attempt([&] { return PCSetUp(pc); });

      failures += any_rank(outcome.failed);
      BOOST_TEST(any_rank(outcome.failed)); /* what is needed at most is needed by all that follows the smallest */
      if (outcome.failed) {
        BOOST_TEST(outcome.code == PETSC_ERR_MEM);
        BOOST_TEST((outcome.says("asked for") && outcome.says("free of") && outcome.says("held by Goza") && outcome.says("goza_memory_limit")),
                   outcome.message);
      }
    }
    PETSC_OK(PCReset(pc));
    BOOST_TEST(device::bytes_in_use() == before);
    if (part % 4) continue;
    PETSC_OK(PCSetOperators(pc, A, A));
    PETSC_OK(PCSetUp(pc));
    PETSC_OK(PCApply(pc, b, got));
    PETSC_OK(VecAXPY(got, -1, want));
    BOOST_TEST(norm(got) == 0);
    PETSC_OK(PCReset(pc));
  }
  BOOST_TEST(failures == 16);
}

/* Cycles that are tried are so on vectors of their own. */
BOOST_AUTO_TEST_CASE(trials_hold_vectors)
{
  const Problem &p = problem("poisson27");
  MatHandle      A = system_matrix(p, MATCDS);
  Option         full("-pc_saamg_tune", "full");
  PCHandle       pc = make_pc(A);
  PetscInt       n;

  PETSC_OK(MatGetLocalSize(A, &n, nullptr));
  const saamg::MemoryEstimate told = static_cast<saamg::SAAMG *>(static_cast<PC>(pc)->data)->predicted;
  BOOST_TEST(told.during >= told.after + saamg::TrialSolve::most_vectors * static_cast<double>(n) * sizeof(PetscScalar));
}

/* A level is its operator, lent here, a right-hand side and a solution in two places, of which those of the finest are the user's but for one, and its inverse
   diagonal: the residual is in the place where the solution is not. */
BOOST_AUTO_TEST_CASE(vectors_of_a_level)
{
  const Entry e = stencil27(12, 12, 12);
  MatHandle   A = system_matrix({e.name, e, Kernel::none, 0}, MATSLICEDELL);
  Option      levels("-pc_saamg_max_levels", "1"), smoothed("-pc_saamg_direct_limit", "10");
  PCHandle    pc = make_pc(A);
  PetscInt    n;

  PETSC_OK(MatGetLocalSize(A, &n, nullptr));
  BOOST_TEST(static_cast<saamg::SAAMG *>(static_cast<PC>(pc)->data)->cycle->bytes() == 2 * static_cast<std::size_t>(n) * sizeof(PetscScalar));
}

/* Nor is the most that a device holds far from what was said, which is beside the matrix's format. */
BOOST_AUTO_TEST_CASE(at_most_on_a_device)
{
  PetscMPIInt size;

  PETSC_OK((PetscErrorCode)MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (!device::available() || size > 1) return;
  const auto within = [](const std::string &name, MatHandle A) {
    VecHandle b = right_hand_side(A, 1), x = right_hand_side(A, 2);

    PETSC_OK(MatMult(A, b, x)); /* its format is there */
    const double before = static_cast<double>(device::bytes_in_use()) / 1e6;
    PCHandle     pc     = make_pc(A);
    const Report r      = report(pc);

    BOOST_TEST(r.predicted_most < 1.25 * (r.most - before), name << ": " << r.predicted_most << " MB predicted, " << r.most - before << " taken");
    BOOST_TEST(r.predicted_most > 0.85 * (r.most - before), name << ": " << r.predicted_most << " MB predicted, " << r.most - before << " taken");
  };

  const auto of_entry = [&](const Entry &e) { within(e.name, system_matrix({e.name, e, Kernel::none, 0}, MATCDS)); };

  of_entry(stencil27(64, 64, 64));
  of_entry(stencil7(64, 64, 64));
#if !PetscDefined(USE_COMPLEX) && !PetscDefined(USE_REAL_SINGLE) && !PetscDefined(USE_64BIT_INDICES)
  for (const char *name : {"p1_tetrahedra", "slivers", "solid_tetrahedra", "solid_slivers"}) within(name, of_league(name, 2, MATSLICEDELL));
#endif
  Option threshold("-pc_saamg_threshold", "0.09");
  of_entry(along_axis(80, 80, 80));
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Of what a process holds, in bytes. */
double held(const std::string &what)
{
  std::ifstream status("/proc/self/status");
  std::string   line;

  while (std::getline(status, line))
    if (line.rfind(what + ":", 0) == 0) return 1024 * std::stod(line.substr(what.size() + 1));
  return 0;
}

/* Rows are made of a matrix that is nothing but its diagonals, and gone before the coarse operators and the cycle are made. */
BOOST_AUTO_TEST_CASE(rows_made_on_a_host_do_not_stay)
{
  if (device::available()) return;
  const MatHandle A = system_matrix({"cube", elasticity(22, 22, 22), Kernel::rigid_body, 0}, "owncds");

  (void)malloc_trim(0);
  const double before = held("VmRSS");
  if (!(std::ofstream("/proc/self/clear_refs") << "5" << std::flush)) return; /* the most that it held begins here */
  PCHandle     pc   = make_pc(A);
  const double most = held("VmHWM") - before;
  (void)malloc_trim(0);
  const double stays = held("VmRSS") - before;

  BOOST_TEST(most < 1.4 * stays, most / 1e6 << " MB at most, " << stays / 1e6 << " stay");
  BOOST_TEST(report(pc).held < 1.1e-6 * stays);
}
#endif

#if !PetscDefined(USE_COMPLEX) && !PetscDefined(USE_REAL_SINGLE) && !PetscDefined(USE_64BIT_INDICES)
/* Of a symmetric matrix along a grid, on a device, in half precision by itself. */
static saamg::MemoryQuestion on_a_grid(double rows, double nonzeros)
{
  saamg::MemoryQuestion q;

  q.rows       = rows;
  q.nonzeros   = nonzeros;
  q.trial      = 2 * rows * sizeof(double);
  q.fine_value = q.coarse_value = sizeof(float);
  q.fine_operator = q.coarse_operator = q.transfer_value = 2;
  q.directions                                           = 3;
  q.wide_below                                           = 3 << 20;
  q.choice                                               = 22e6;
  q.device = q.aggregates = q.half_stored = true;
  return q;
}

static void within_a_tenth(const saamg::MemoryQuestion &q, double most)
{
  const double told = saamg::estimate_memory(q).during / 1e6;

  BOOST_TEST(PetscAbsReal(told - most) <= 0.1 * most, q.rows << " rows: " << told << " MB predicted, " << most << " taken");
}

/* What set-ups with 27 points took on one H200: `poisson_diagonals -n N -coefficient random -mat_type cds -mat_cds_keep_aij no -vec_type cuda -ksp_type fusedcg
   -pc_type saamg -info :pc`. */
BOOST_AUTO_TEST_CASE(boxes_of_large_grids)
{
  struct {
    PetscInt n;
    double   most; /* MB */
  } const taken[] = {{17, 2.234}, {33, 13.891}, {128, 270.8}, {256, 1358.1}, {320, 2648.1}};

  for (const auto &t : taken) {
    saamg::MemoryQuestion q = on_a_grid(PetscPowRealInt(t.n, 3), PetscPowRealInt(3 * t.n - 2, 3));

    q.fine_like = q.boxes = q.ones = true;
    within_a_tenth(q, t.most);
  }
}

/* And with elasticity: `elasticity -n N [-tets] -dm_mat_type cds|slicedell -ksp_type fusedcg -pc_type saamg -info :pc`. Of hexahedra some try a cycle in
   double, and some do not. */
BOOST_AUTO_TEST_CASE(solids_of_large_grids)
{
  struct {
    PetscInt n;
    double   nonzeros, most; /* MB */
    double   compared;
  } const taken[] = {{65, 36168777, 1983.6, 1},    {97, 121188969, 6362.0, 1},   {128, 279590382, 14663.1, 1},  {65, 64700721, 1806.4, 0.5},
                     {97, 217238121, 5690.7, 0.5}, {97, 217238121, 6241.9, 0.5}, {128, 501691716, 13165.3, 0.5}};

  for (const auto &t : taken) {
    saamg::MemoryQuestion q = on_a_grid(3 * PetscPowRealInt(t.n, 3), t.nonzeros);

    q.bs       = 3;
    q.vectors  = 6;
    q.copy     = t.nonzeros * (sizeof(double) + sizeof(PetscInt)) + q.rows * sizeof(PetscInt);
    q.compared = t.compared;
    within_a_tenth(q, t.most);
  }
}
#endif

/* A device that is really full, not by our own bound. */
BOOST_AUTO_TEST_CASE(more_than_the_device_has)
{
  if (!device::available()) return;
  const std::size_t before = device::bytes_in_use();

  try {
    device::allocate(std::size_t(1) << 50);
    BOOST_TEST(false, "a petabyte was allocated");
  } catch (const DeviceMemoryError &e) {
    BOOST_TEST((std::string(e.what()).find("1048576.000000 GiB asked for") != std::string::npos), e.what());
  }
  BOOST_TEST(device::bytes_in_use() == before);
  device::deallocate(device::allocate(1000)); /* and the next one works */
}

/* A matrix whose format does not fit keeps its values, and its product works when there is room. */
BOOST_AUTO_TEST_CASE(product_without_memory)
{
  if (!device::available()) return;
  for (const char *type : {MATSLICEDELL, MATFOLD, MATCDS}) {
    MatHandle A = system_matrix(problem("poisson27"), type), R = system_matrix(problem("poisson27"));
    VecHandle x = right_hand_side(R, 1), y = right_hand_side(R, 2), want = right_hand_side(R, 3);

    {
      const Limit   limit(device::bytes_in_use() + 100);
      const Outcome outcome = attempt([&] { return MatMult(A, x, y); });
      BOOST_TEST(outcome.code == PETSC_ERR_MEM, type << ": " << outcome.message);
    }
    PETSC_OK(MatMult(A, x, y));
    PETSC_OK(MatMult(R, x, want));
    PETSC_OK(VecAXPY(y, -1, want));
    BOOST_TEST(norm(y) <= 100 * PETSC_MACHINE_EPSILON * norm(want), type);
  }
}

/* What was held at most is reported; it is more than what stays. */
BOOST_AUTO_TEST_CASE(most_is_reported)
{
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (!device::available() || size > 1) return;
  MatHandle    A  = system_matrix({"27", stencil27(40, 40, 40), Kernel::none, 0}, MATSLICEDELL);
  PCHandle     pc = make_pc(A);
  const Report r  = report(pc);

  BOOST_TEST(r.most >= r.held);
}
