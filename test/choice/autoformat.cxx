/* Autoformat's choice between formats and PETSc's CSR: measured where the model finds CSR close, made at a build only. */
#include "core/device/array.hpp"
#include "core/device/device_seconds.hpp"
#include "../support/host_csr.hpp"
#include "choice/autoformat.hpp"
#include "choice/in_use.hpp"
#include "choice/tuning.hpp"
#include "core/util/thread_clock.hpp"
#include "mat/common/format_kind.hpp"
#include "../support/sparse.hpp"
#include "petscgoza.h"
#include <random>

#include "../support/check.hpp"

using namespace goza;
using goza_test::HostCsr;

namespace {

HostCsr band(PetscInt n)
{
  HostCsr A;

  A.rows = A.cols = n;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = std::max<PetscInt>(0, i - 1 - i % 3); j <= std::min(n - 1, i + 2); j++) A.col.push_back(j);
    A.ptr.push_back(static_cast<PetscInt>(A.col.size()));
  }
  A.val.assign(A.col.size(), 2);
  return A;
}

/* The host, with a model that finds CSR as cheap as it can be or hopeless */
Machine machine(bool csr_cheap)
{
  Machine m = *find_machine("host");

  m.csr = {};
  if (csr_cheap) {
    m.csr.stream = m.csr.request = 0;
    m.l2_bandwidth               = 1e15;
  } else m.csr.launch = 1;
  return m;
}

/* Products that take so long */
Products busy(double seconds)
{
  return [=](int products) {
    const double end = thread_seconds() + products * seconds;

    while (thread_seconds() < end) { }
  };
}

AutoFormatOptions options(bool csr_cheap, int *asked, double seconds)
{
  AutoFormatOptions o;
  const Machine     m = machine(csr_cheap);

  choose_machine(&m);
  o.csr          = true;
  o.trials       = 5;
  o.csr_products = [=](Space) {
    ++*asked;
    return CsrProduct{busy(seconds)};
  };
  return o;
}

} // namespace

BOOST_AUTO_TEST_SUITE(autoformat)

/* Whichever is measured faster is taken: autoformat cannot be slower than a CSR that it has measured. */
BOOST_AUTO_TEST_CASE(csr_is_measured)
{
  const HostCsr A = band(3000);

  for (const auto &[seconds, wanted] : {std::pair<double, bool>{0, true}, {5e-3, false}}) {
    int        asked = 0;
    AutoFormat f(Space::Host, options(true, &asked, seconds));

    f.build(A.view());
    BOOST_TEST(asked == 1);
    BOOST_TEST(f.wants_csr() == wanted);
    BOOST_TEST(((f.choice().layout == Layout::Csr) || !wanted || f.bytes() == 0));
    BOOST_TEST(f.describe().find("measured") != std::string::npos);
  }
}

/* PETSc may have to copy the matrix for its product: where the model finds CSR far behind, it is not asked. */
BOOST_AUTO_TEST_CASE(csr_is_not_measured)
{
  const HostCsr A     = band(3000);
  int           asked = 0;
  AutoFormat    f(Space::Host, options(false, &asked, 0));

  f.build(A.view());
  BOOST_TEST(asked == 0);
  BOOST_TEST(!f.wants_csr());
}

/* On a host, where it needs no copy and may be faster than the model knows, it is asked though the model finds it slow. */
BOOST_AUTO_TEST_CASE(csr_is_measured_on_a_host)
{
  const HostCsr     A     = band(3000);
  int               asked = 0;
  AutoFormatOptions o     = options(false, &asked, 0);
  Machine           slow  = machine(false);
  DecisionInput     input;

  slow.csr.launch  = 0;
  input.machine    = &slow;
  input.csr        = false;
  const double own = decide(A.view(), input).candidates.front().cost.seconds;
  slow.csr.launch  = 2 * own;
  choose_machine(&slow);
  AutoFormat f(Space::Host, o);
  f.build(A.view());
  BOOST_TEST(asked == 1);
  BOOST_TEST(f.wants_csr());
}

/* On a host trials end when they have cost ten of PETSc's products: where that is fast, with the first format. There are none of long products that a program
   asks for: the first four tell what is far apart. */
BOOST_AUTO_TEST_CASE(trials_on_a_host_cost_few_products)
{
  const HostCsr A = band(400000);

  for (const auto &[seconds, few] : {std::pair<double, bool>{0, true}, {0.2, false}}) {
    int               made = 0, asked = 0;
    AutoFormatOptions o = options(true, &asked, seconds);

    o.csr_products = [&, seconds = seconds](Space) {
      return CsrProduct{[&, once = busy(seconds)](int products) {
        made += products;
        once(products);
      }};
    };
    AutoFormat f(Space::Host, o), asked_for(Space::Host, o);
    f.lent_at_once();
    f.build(A.view());
    BOOST_TEST(f.wants_csr() == few);
    BOOST_TEST((f.describe().find("fastest of 2 formats") != std::string::npos) == few);
    if (!few) BOOST_TEST(made == 1);
    made = asked = 0;
    asked_for.build(A.view());
    BOOST_TEST(asked == 0);
    BOOST_TEST(made == 0);
    BOOST_TEST(asked_for.undecided());
    BOOST_TEST(asked_for.describe().find("the next products tell") != std::string::npos);
    for (int k = 0; k < 4; k++) asked_for.took(asked_for.csr_is_next() == few ? 1e-3 : 3e-3);
    BOOST_TEST(!asked_for.undecided());
    BOOST_TEST(asked_for.wants_csr() == few);
    BOOST_TEST(asked_for.describe().find("the next products tell") == std::string::npos);
  }
}

/* On a host formats are tried with PETSc's vectors, whose pages have been found. */
BOOST_AUTO_TEST_CASE(trials_use_petscs_vectors)
{
  const HostCsr            A = band(3000);
  std::vector<PetscScalar> x(3000, 1), y(3000);
  int                      asked = 0;
  AutoFormatOptions        o     = options(true, &asked, 0);

  o.csr_products = [&](Space) { return CsrProduct{busy(5e-3), x.data(), y.data()}; };
  AutoFormat f(Space::Host, o);
  f.build(A.view());
  BOOST_TEST(y[1500] == 2.0 * (A.ptr[1501] - A.ptr[1500]));
}

/* New values keep the choice, a new pattern makes it anew. */
BOOST_AUTO_TEST_CASE(decided_at_builds_only)
{
  HostCsr                  A = band(3000), B = band(500);
  int                      asked = 0;
  std::vector<PetscScalar> x(3000, 1), y(3000);
  AutoFormat               f(Space::Host, options(true, &asked, 5e-3));

  f.build(A.view());
  const FormatChoice first    = f.choice();
  const std::string  sentence = f.describe();
  A.val.assign(A.col.size(), 3);
  for (int k = 0; k < 3; k++) f.refill(A.view());
  f.apply(x.data(), Assign<PetscScalar>{y.data()});
  BOOST_TEST(y[1500] == 3.0 * (A.ptr[1501] - A.ptr[1500]));
  BOOST_TEST((f.choice() == first));
  BOOST_TEST(f.describe() == sentence);
  BOOST_TEST(asked == 1);
  f.build(B.view());
  BOOST_TEST(asked == 2);
  f.apply(x.data(), Assign<PetscScalar>{y.data()});
  BOOST_TEST(y[250] == 2.0 * (B.ptr[251] - B.ptr[250]));
}

/* Two products take turns, neither always after the other; neither a slow first product nor a slow moment counts. */
BOOST_AUTO_TEST_CASE(turns_in_use)
{
  InUse       turns;
  std::string order;

  BOOST_TEST(!turns.undecided());
  turns.begin();
  while (turns.undecided()) {
    const bool second = turns.second_is_next();

    order += second ? '2' : '1';
    turns.took(order.size() < 3 ? 1.0 : second ? 2e-3 : 3e-3);
  }
  BOOST_TEST(order == "1221122112");
  BOOST_TEST(turns.first() == 3e-3);
  BOOST_TEST(turns.second() == 2e-3);
}

/* Times that vary by a seventh: of products that are within a twentieth of each other more are needed to tell which is the faster. */
BOOST_AUTO_TEST_CASE(near_ones_are_told_by_more)
{
  std::mt19937                           random(36);
  std::uniform_real_distribution<double> noise(0.86, 1.14);
  int                                    wrong = 0;

  for (int k = 0; k < 1000; k++) {
    InUse turns;
    int   made = 0;

    for (turns.begin(); turns.undecided(); made++) turns.took((turns.second_is_next() ? 1 : 1.04) * noise(random));
    if (turns.first() < gain_on_host * turns.second()) wrong++;
    BOOST_TEST((made >= 10 && made <= 40));
  }
  BOOST_TEST(wrong < 40); // more than 100 by ten products
}

/* On a host a long product that is near PETSc's is made once before the choice; which of them is faster those tell that the program asks for. One that gains
   less than noise does is not kept. */
BOOST_AUTO_TEST_CASE(long_products_are_told_in_use)
{
  const HostCsr            A = band(400000);
  std::vector<PetscScalar> x(A.rows, 1), y(A.rows);
  int                      asked = 0;
  AutoFormatOptions        o = options(false, &asked, 0), alone = o;

  alone.csr    = false;
  alone.trials = 1;
  AutoFormat same(Space::Host, alone);
  same.build(A.view());
  Machine near = machine(true);
  choose_machine(&near);
  o.csr_products = [&](Space) {
    return CsrProduct{[&](int products) {
                        for (int k = 0; k < products; k++) same.apply(x.data(), Assign<PetscScalar>{y.data()});
                      },
                      x.data(), y.data()};
  };
  for (const auto &[seconds, csr] : {std::pair<double, bool>{1e-3, true}, {2.06e-3, true}, {3e-3, false}}) {
    AutoFormat f(Space::Host, o);
    const auto built = [&] { // unless another program's work comes between
      for (int k = 0; k < 10; k++) {
        f.build(A.view());
        if (f.undecided()) return true;
      }
      return false;
    };

    BOOST_TEST_REQUIRE(built());
    BOOST_TEST_REQUIRE(built()); // anew
    BOOST_TEST(!f.wants_csr());
    for (int k = 0; k < 1000 && f.undecided(); k++) f.took(f.csr_is_next() ? seconds : 2e-3);
    BOOST_TEST(!f.undecided());
    BOOST_TEST(f.wants_csr() == csr);
    f.settle_for_csr(csr);
    BOOST_TEST((f.held() == nullptr) == csr);
    BOOST_TEST(f.describe().find(seconds == 1e-3 ? "1e+03 us measured here"
                                 : csr           ? "2.06e+03 us measured here"
                                                 : "2e+03 us measured here") != std::string::npos);
  }
}

/* Products of a matrix are right while they tell which is faster, with new values and held by somebody else between them, and after. */
BOOST_AUTO_TEST_CASE(right_in_use)
{
  HostCsr                                         A    = band(400000);
  Machine                                         near = machine(true);
  std::shared_ptr<goza::ParOperator<PetscScalar>> held;
  Mat                                             plain, chosen;
  Vec                                             x, y, wanted;

  choose_machine(&near);
  PETSC_OK(goza_test::as_mat(A, &plain));
  PETSC_OK(MatConvert(plain, MATAUTOFORMAT, MAT_INITIAL_MATRIX, &chosen));
  PETSC_OK(MatCreateVecs(plain, &x, &y));
  PETSC_OK(VecDuplicate(y, &wanted));
  PETSC_OK(VecSetRandom(x, nullptr));
  for (int k = 0; k < 3 * static_cast<int>(most_in_use); k++) {
    PetscReal norm = 0;

    if (k == 3) PETSC_OK(MatScale(plain, 2));
    if (k == 3) PETSC_OK(MatScale(chosen, 2));
    if (k == 5) PETSC_OK(MatFormatGetOperator(chosen, &held));
    if (k == 7) held.reset();
    PETSC_OK(MatMult(plain, x, wanted));
    PETSC_OK(MatMult(chosen, x, y));
    PETSC_OK(VecAXPY(y, -1, wanted));
    PETSC_OK(VecNorm(y, NORM_INFINITY, &norm));
    BOOST_TEST(norm < 1000 * PETSC_MACHINE_EPSILON);
  }
  PETSC_OK(MatFormatGetOperator(chosen, &held));
  if (held) BOOST_TEST(!held->diagonal_block().undecided());
  held.reset();
  for (Vec *v : {&x, &y, &wanted}) PETSC_OK(VecDestroy(v));
  PETSC_OK(MatDestroy(&chosen));
  PETSC_OK(MatDestroy(&plain));
}

/* In turn, and the median: neither a slow first product nor a slow moment counts. */
BOOST_AUTO_TEST_CASE(in_turn)
{
  int        calls         = 0;
  const auto first_is_slow = [&, often = busy(20e-6), once = busy(20e-3)](int products) {
    if (++calls == 1 || calls == 4) once(1);
    else often(products);
  };
  const std::vector<ProductTime> times = time_in_turn(Space::Host, {busy(60e-6), first_is_slow}, 20e-3);

  BOOST_TEST(times.size() == 2U);
  BOOST_TEST(times[0].working >= 60e-6);
  BOOST_TEST(times[1].working >= 20e-6);
  BOOST_TEST(times[1].working < times[0].working);
  BOOST_TEST(times[1].seen() == times[1].working); // where it is made by the host
  BOOST_TEST(calls == 6);                          // to set up and see how long one takes, five rounds
  BOOST_TEST(time_in_turn(Space::Host, {}, 1).empty());
}

/* The device tells apart products of as many kernels; one that asks for another kernel counts as a program sees it. */
BOOST_AUTO_TEST_CASE(a_second_kernel)
{
  const ProductTime one{5.9e-6, 6.7e-6}, like_it{5.5e-6, 7.4e-6}, two{5.4e-6, 11.3e-6}, two_long{9e-3, 11.3e-6};

  BOOST_TEST(one.beside(one.asking) == one.working);
  BOOST_TEST(like_it.beside(one.asking) == like_it.working);
  BOOST_TEST(two.beside(one.asking) == two.asking);
  BOOST_TEST(two.beside(two.asking) == two.working); // all have two
  BOOST_TEST(two_long.beside(one.asking) == two_long.working);
}

/* On a device no product that others take turns with is timed alone, at a cost of ten of each at most; long ones are. */
BOOST_AUTO_TEST_CASE(turns)
{
  const auto cost = [](const Turns &t) { return t.rounds * (t.batch + 1); };

  for (double seconds : {20e-6, 70e-6, 99e-6, 150e-6}) {
    for (std::size_t n : {2, 5}) {
      const Turns t = turns_for(Space::Cuda, n, seconds, static_cast<double>(n) * seconds, last_trial_seconds);

      BOOST_TEST(t.batch >= 2);
      BOOST_TEST((t.rounds >= 3 || seconds >= short_product)); // a median
      BOOST_TEST(static_cast<double>(n * cost(t)) * seconds <= std::max(2 * last_trial_seconds, 10 * static_cast<double>(n) * seconds));
    }
  }
  BOOST_TEST(turns_for(Space::Cuda, 2, 1e-2, 2e-2, last_trial_seconds).batch == 1);
  BOOST_TEST(turns_for(Space::Cuda, 1, 70e-6, 70e-6, trial_seconds).batch == 1); // after its own product
  BOOST_TEST(turns_for(Space::Host, 2, 1e-3, 2e-3, last_trial_seconds).batch == 1);
}

/* The device's clock does not count what the host does between two launches, and goes on after an error of work(). */
BOOST_AUTO_TEST_CASE(device_clock)
{
  if (!device::available()) {
    BOOST_CHECK_THROW(device::seconds_of([] {}), DeviceError);
    return;
  }
  Array<double> little(Space::Cuda, 1000), much(Space::Cuda, 1 << 27);
  const auto    between = [&, wait = busy(2e-3)] {
    little.zero();
    wait(1);
    little.zero();
  };

  BOOST_TEST(device::seconds_of(between) < 1e-3);
  BOOST_TEST(device::seconds_of([&] { much.zero(); }) > 1e-4); // a gigabyte
  BOOST_CHECK_THROW(device::seconds_of([] { throw std::runtime_error("no product"); }), std::runtime_error);
  BOOST_TEST(device::seconds_of([&] { little.zero(); }) < 1e-3);
}

/* A long product is made twice, and the first does not count where it has to set up. */
BOOST_AUTO_TEST_CASE(long_products)
{
  int        made = 0;
  const auto slow = [&, first = busy(20e-3), once = busy(2e-3)](int products) {
    if (!made) first(1);
    made += products;
    once(products);
  };
  const double seconds = time_in_turn(Space::Host, {slow}, 1e-3)[0].working;

  BOOST_TEST(seconds >= 2e-3);
  BOOST_TEST(seconds < 20e-3);
  BOOST_TEST(made == 2);
}

/* 3 x 3 blocks are held with one column index a block where only sliced ELL is asked for and the model finds that best */
BOOST_AUTO_TEST_CASE(blocks_are_seen)
{
  HostCsr A;

  A.rows = A.cols = 3 * 400;
  for (PetscInt i = 0; i < A.rows; i++) {
    for (PetscInt b = std::max<PetscInt>(0, i / 3 - 1); b <= std::min<PetscInt>(399, i / 3 + 2); b++) {
      for (PetscInt k = 0; k < 3; k++) A.col.push_back(3 * b + k);
    }
    A.ptr.push_back(static_cast<PetscInt>(A.col.size()));
  }
  A.val.assign(A.col.size(), 1);
  const std::vector<FormatChoice> choices{{Layout::SlicedEll, 4}, {Layout::SlicedEll, 4, 3}};

  BOOST_TEST(take_sample(A.view(), choices, Caches()).blocks);
  BOOST_TEST(traits_of(take_sample(A.view(), choices, Caches()), choices[1]).matrix < traits_of(take_sample(A.view(), choices, Caches()), choices[0]).matrix);
  A.col[A.ptr[600] + 4]--; /* the column beside it, twice */
  BOOST_TEST(!take_sample(A.view(), choices, Caches()).blocks);
  BOOST_TEST(!traits_of(take_sample(A.view(), choices, Caches()), choices[1]).possible);
}

BOOST_AUTO_TEST_SUITE_END()
