/* The exchange of vector entries between ranks, in every way there is: the entries that arrive are the right ones, again and again, for any number of
   ranks, ranks without entries, and several exchanges alive at once; and what cannot be had is refused on every rank. */
#include "core/device/device.hpp"
#include "petsc/plugin.hpp"
#include "petsc/errors.hpp"
#include "parallel/agree.hpp"
#include "parallel/halo.hpp"
#include "parallel/launches.hpp"
#include "parallel/nccl.hpp"

#include "../support/names.hpp" /* after the library: each gives 3.18 its PETSC_SUCCESS, this one only where there is none */

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace goza_test;
using namespace goza;

namespace {

/* Who has how many entries, and which of the others' a rank wants: `first` is where each rank's begin, [size + 1]. */
struct Pattern {
  const char *name;
  PetscInt (*rows)(PetscMPIInt rank, PetscMPIInt size);
  void (*want)(PetscMPIInt rank, const std::vector<PetscInt> &first, std::vector<PetscInt> *ghosts);
};

PetscInt equal(PetscMPIInt, PetscMPIInt) { return 17; }

PetscInt growing(PetscMPIInt rank, PetscMPIInt) { return 3 + 200 * rank; }

PetscInt every_second(PetscMPIInt rank, PetscMPIInt) { return rank % 2 ? 0 : 5; }

PetscInt only_last(PetscMPIInt rank, PetscMPIInt size) { return rank == size - 1 ? 9 : 0; }

void all_others(PetscMPIInt rank, const std::vector<PetscInt> &first, std::vector<PetscInt> *ghosts)
{
  for (PetscInt i = 0; i < first.back(); i++)
    if (i < first[rank] || i >= first[rank + 1]) ghosts->push_back(i);
}

void next_to_mine(PetscMPIInt rank, const std::vector<PetscInt> &first, std::vector<PetscInt> *ghosts)
{
  for (PetscInt i = std::max<PetscInt>(0, first[rank] - 2); i < first[rank]; i++) ghosts->push_back(i);
  for (PetscInt i = first[rank + 1]; i < std::min(first.back(), first[rank + 1] + 2); i++) ghosts->push_back(i);
}

void from_the_left(PetscMPIInt rank, const std::vector<PetscInt> &first, std::vector<PetscInt> *ghosts)
{
  if (rank) ghosts->resize(first[rank] - first[rank - 1]), std::iota(ghosts->begin(), ghosts->end(), first[rank - 1]);
}

void first_rank_wants_some(PetscMPIInt rank, const std::vector<PetscInt> &first, std::vector<PetscInt> *ghosts)
{
  for (PetscInt i = first[1]; rank == 0 && i < first.back(); i += 3) ghosts->push_back(i);
}

void nothing(PetscMPIInt, const std::vector<PetscInt> &, std::vector<PetscInt> *) { }

const Pattern patterns[] = {
  {"all_others", equal, all_others},           {"neighbours", growing, next_to_mine},
  {"one_way", growing, from_the_left},         {"one_receiver", equal, first_rank_wants_some},
  {"ranks_without", every_second, all_others}, {"one_owner", only_last, all_others},
  {"nothing_exchanged", equal, nothing},
};

/* x_i of the exchange numbered `round`: small whole numbers, exact in either precision. */
PetscReal entry(PetscInt i, int round) { return (PetscReal)((i * 37 + round * 11) % 1009 + 1); }

template <class V> class Case {
public:
  Case(const Pattern &p, MPI_Comm c, Space space) : space_(space)
  {
    PetscCommDuplicate(c, &comm_, nullptr);
    const PetscMPIInt rank = rank_in(comm_), size = ranks_of(comm_);
    first_.assign(size + 1, 0);
    for (PetscMPIInt r = 0; r < size; r++) first_[r + 1] = first_[r] + p.rows(r, size);
    p.want(rank, first_, &ghosts_);
    begin_ = first_[rank];
    n_     = first_[rank + 1] - begin_;
    x_     = Array<V>(space, n_);
  }
  ~Case()
  {
    halo_.reset();
    PetscCommDestroy(&comm_);
  }
  Case(const Case &) = delete;

  PetscErrorCode setup()
  {
    PetscLayout layout;
    PetscFunctionBegin;
    halo_ = std::make_unique<Halo<V>>();
    PetscCall(PetscLayoutCreateFromSizes(comm_, n_, PETSC_DECIDE, 1, &layout));
    const PetscErrorCode code = halo_->setup(comm_, layout, (PetscInt)ghosts_.size(), ghosts_.data(), space_);
    PetscCall(PetscLayoutDestroy(&layout));
    PetscCall(code);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void begin(int round)
  {
    std::vector<V> x(n_);
    for (PetscInt i = 0; i < n_; i++) x[i] = (V)entry(begin_ + i, round);
    x_.assign(x.data());
    PETSC_OK(halo_->begin(x_.data()));
  }

  void end(int round)
  {
    PETSC_OK(halo_->end());
    Array<V> copy(space_, ghosts_.size());
    copy.copy_from(halo_->ghost(), ghosts_.size());
    const std::vector<V> got   = copy.to_host();
    PetscInt             wrong = 0;
    for (std::size_t k = 0; k < got.size(); k++) wrong += got[k] != (V)entry(ghosts_[k], round);
    BOOST_TEST(wrong == 0, wrong << " of " << got.size() << " entries are wrong in exchange " << round);
  }

  void exchange(int rounds)
  {
    for (int round = 0; round < rounds; round++) {
      begin(round);
      end(round);
    }
  }

  /* One exchange after the other, and nothing waited for until the last: a rank that hears less than others do, or nothing, must not run ahead of them. */
  void exchange_without_waiting(int rounds)
  {
    std::vector<V> all(static_cast<std::size_t>(rounds) * n_);
    for (int round = 0; round < rounds; round++)
      for (PetscInt i = 0; i < n_; i++) all[static_cast<std::size_t>(round) * n_ + i] = (V)entry(begin_ + i, round);
    const Array<V> x(space_, all.data(), all.size());
    Array<V>       got(space_, rounds * ghosts_.size());
    for (int round = 0; round < rounds; round++) {
      PETSC_OK(halo_->begin(x.data() + static_cast<std::size_t>(round) * n_));
      PETSC_OK(halo_->end());
      if (space_ == Space::Cuda) device::copy_async(got.data() + round * ghosts_.size(), halo_->ghost(), ghosts_.size() * sizeof(V));
      else std::copy_n(halo_->ghost(), ghosts_.size(), got.data() + round * ghosts_.size());
    }
    const std::vector<V> values = got.to_host();
    PetscInt             wrong  = 0;
    for (std::size_t k = 0; k < values.size(); k++) wrong += values[k] != (V)entry(ghosts_[k % ghosts_.size()], (int)(k / ghosts_.size()));
    BOOST_TEST(wrong == 0, wrong << " of " << values.size() << " entries are wrong in " << rounds << " exchanges");
  }

  bool all_or_none(bool here) const /* on the ranks of this case */
  {
    int mine = here, sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm_);
    return sum == 0 || sum == ranks_of(comm_);
  }

  Halo<V> &halo() { return *halo_; }
  V       *x() { return x_.data(); }

private:
  MPI_Comm                 comm_;
  Space                    space_;
  std::vector<PetscInt>    first_, ghosts_;
  PetscInt                 begin_, n_;
  Array<V>                 x_;
  std::unique_ptr<Halo<V>> halo_;
};

std::vector<Space> spaces()
{
  if (default_space() == Space::Cuda) return {Space::Host, Space::Cuda};
  return {Space::Host};
}

/* true where the way is to be had; else checks that every rank got an error that says why */
template <class V> bool set_up(Case<V> &c, const std::string &name)
{
  const Outcome outcome = attempt([&] { return c.setup(); });
  BOOST_TEST(c.all_or_none(outcome.failed));
  if (!outcome.failed) return true;
  BOOST_TEST((outcome.code == PETSC_ERR_SUP && outcome.says("-goza_halo " + name + " cannot be had; ")), outcome.message);
  BOOST_TEST((name == "nccl" || name == "peer"));
  return false;
}

template <class V> void laws(const Pattern &p, const std::string &name, Space space)
{
  Option  wish("-goza_halo", name);
  Case<V> c(p, PETSC_COMM_WORLD, space);
  if (!set_up(c, name)) return;
  if (name != "auto" && (space == Space::Cuda || name == "host")) BOOST_TEST(c.halo().describe() == name);
  c.exchange(5);
  c.exchange_without_waiting(300);
  PETSC_OK(c.setup()); /* and anew, over the old one */
  c.exchange(2);
}

const AddTests add([] {
  auto *suite = suite_named(nullptr, "exchange");

  for (const std::string &name : goza_test::halo_names())
    for (Space space : spaces())
      for (const Pattern &p : patterns) {
        add_test(suite, name + "_" + space_name(space) + "_" + p.name, [&p, name, space] {
          laws<PetscScalar>(p, name, space);
#if !PetscDefined(USE_REAL_SINGLE)
          laws<goza::SingleScalar>(p, name, space);
#endif
        });
      }

  for (const std::string &name : goza_test::halo_names())
    for (Space space : spaces()) {
      add_test(suite, "several_at_once_" + name + "_" + space_name(space), [name, space] {
        Option            wish("-goza_halo", name);
        Case<PetscScalar> a(patterns[0], PETSC_COMM_WORLD, space), b(patterns[1], PETSC_COMM_WORLD, space), alone(patterns[0], PETSC_COMM_SELF, space);
        if (!set_up(a, name)) return;
        PETSC_OK(b.setup());
        {
          Option any("-goza_halo", "auto");
          PETSC_OK(alone.setup());
        }
        for (int round = 0; round < 4; round++) {
          a.begin(round);
          b.begin(round + 7);
          b.end(round + 7);
          alone.exchange(1);
          a.end(round);
        }
      });
      add_test(suite, "subcommunicators_" + name + "_" + space_name(space), [name, space] {
        const PetscMPIInt rank = rank_in(PETSC_COMM_WORLD);
        MPI_Comm          part;
        MPI_Comm_split(PETSC_COMM_WORLD, rank % 3 == 2, -rank, &part); /* another order than the world's */
        {
          Option            wish("-goza_halo", name);
          Case<PetscScalar> c(patterns[rank % 3 == 2 ? 1 : 0], part, space), world(patterns[1], PETSC_COMM_WORLD, space);
          const bool        here = set_up(c, name), everywhere = set_up(world, name);
          if (here) c.exchange(rank % 3 == 2 ? 3 : 6); /* the parts at their own pace */
          if (everywhere) world.exchange(2);
          if (here) c.exchange(2);
        }
        MPI_Comm_free(&part);
      });
    }

  add_test(suite, "host_memory_cannot_use_what_needs_a_device", [] {
    if (default_space() != Space::Host) return;
    for (const char *name : {"nccl", "peer"}) {
      Option            wish("-goza_halo", name);
      Case<PetscScalar> c(patterns[0], PETSC_COMM_WORLD, Space::Host);
      const Outcome     outcome = attempt([&] { return c.setup(); });
      BOOST_TEST((outcome.failed && outcome.says("matrices are on the host")), outcome.message);
    }
  });
  add_test(suite, "a_name_that_is_none_on_one_rank_is_an_error_on_all", [] {
    const bool              last = rank_in(PETSC_COMM_WORLD) == ranks_of(PETSC_COMM_WORLD) - 1;
    std::unique_ptr<Option> wish;
    Case<PetscScalar>       c(patterns[0], PETSC_COMM_WORLD, Space::Host);
    if (last) wish = std::make_unique<Option>("-goza_halo", "pigeons");
    const Outcome outcome = attempt([&] { return c.setup(); });
    BOOST_TEST((outcome.failed && outcome.says("pigeons") && outcome.says("-goza_halo") && outcome.says("auto nccl peer host")), outcome.message);
    if (!last) BOOST_TEST(outcome.says("Rank " + std::to_string(ranks_of(PETSC_COMM_WORLD) - 1) + " could not"), outcome.message);
  });
  add_test(suite, "ranks_that_wish_different_things_get_an_error", [] {
    const bool        one = ranks_of(PETSC_COMM_WORLD) == 1;
    Option            wish("-goza_halo", rank_in(PETSC_COMM_WORLD) ? "nccl" : "host");
    Case<PetscScalar> c(patterns[0], PETSC_COMM_WORLD, Space::Host);
    const Outcome     outcome = attempt([&] { return c.setup(); });
    BOOST_TEST((outcome.failed != one && (one || outcome.says("-goza_halo"))), outcome.message);
  });
  add_test(suite, "every_way_is_tested",
           [] { BOOST_TEST((goza_test::halo_names() == std::vector<std::string>(goza::halo_names, goza::halo_names + HALO_KINDS))); });
  add_test(suite, "auto_says_why_not_the_others", [] {
    for (Space space : spaces()) {
      Case<PetscScalar> c(patterns[0], PETSC_COMM_WORLD, space);
      PETSC_OK(c.setup());
      const std::string text = c.halo().describe();
      BOOST_TEST(text.find("(auto") != std::string::npos, text);
      if (space == Space::Cuda && text.rfind("peer", 0) != 0) BOOST_TEST(text.find("no peer: ") != std::string::npos, text);
      if (rank_in(PETSC_COMM_WORLD) == 0) BOOST_TEST_MESSAGE(text);
    }
  });

  add_test(suite, "a_rank_that_has_failed_is_an_error_of_its_neighbours", [] {
    const PetscMPIInt rank = rank_in(PETSC_COMM_WORLD);
    for (Space space : spaces()) {
      for (const char *name : {"host", "peer"}) {
        Option            wish("-goza_halo", name);
        Case<PetscScalar> c(patterns[0], PETSC_COMM_WORLD, space);
        if (space == Space::Host && name != std::string("host")) continue;
        if (!set_up(c, name)) continue;
        c.exchange(3);
        const Outcome outcome = attempt([&]() -> PetscErrorCode {
          PetscFunctionBegin;
          PetscCall(c.halo().begin(rank ? c.x() : nullptr));
          PetscCall(c.halo().end());
          PetscFunctionReturn(PETSC_SUCCESS);
        });
        BOOST_TEST(outcome.failed == (rank != 0), outcome.message);
        if (outcome.failed) BOOST_TEST(outcome.says("ank 0 has failed"), outcome.message);
        if (space == Space::Host) c.exchange(3); /* on the device it has to be set up anew */
      }
    }
  });

  /* A rank that stays away: its neighbours' devices go on after a while, their exchange is an error from then on, and a new one works, as does another that was
     there before. */
  add_test(suite, "a_rank_that_does_not_come_is_an_error", [] {
    if (default_space() != Space::Cuda || ranks_of(PETSC_COMM_WORLD) == 1) return;
    Option            wish("-goza_halo", "peer"), timeout("-goza_halo_timeout", "0.5");
    Case<PetscScalar> c(patterns[0], PETSC_COMM_WORLD, Space::Cuda), other(patterns[1], PETSC_COMM_WORLD, Space::Cuda);
    if (!set_up(c, "peer") || !set_up(other, "peer")) return;
    c.exchange(3);
    other.exchange(4);
    if (rank_in(PETSC_COMM_WORLD)) {
      Array<PetscScalar> x(Space::Cuda, equal(0, 0));

      x.zero();
      PETSC_OK(c.halo().begin(x.data()));
      const Outcome late = attempt([&] { return c.halo().end(); });
      BOOST_TEST(late.failed);
      device::synchronize(); /* waits no more */
      for (int again = 0; again < 2; again++) {
        const Outcome outcome = attempt([&] { return c.halo().begin(x.data()); });
        BOOST_TEST((outcome.code == PETSC_ERR_GPU && outcome.says("-goza_halo_timeout")), outcome.message);
        device::synchronize();
      }
    }
    MPI_Barrier(PETSC_COMM_WORLD);
    PETSC_OK(c.setup());
    c.exchange(3);
    other.exchange(5);
  });
  add_test(suite, "time_out_is_positive", [] {
    if (default_space() != Space::Cuda || ranks_of(PETSC_COMM_WORLD) == 1) return;
    Option            wish("-goza_halo", "peer"), timeout("-goza_halo_timeout", "-1");
    Case<PetscScalar> c(patterns[0], PETSC_COMM_WORLD, Space::Cuda);
    const Outcome     outcome = attempt([&] { return c.setup(); });
    BOOST_TEST((outcome.failed && outcome.says("-goza_halo_timeout -1")), outcome.message);
  });

  auto *agree = suite_named(nullptr, "agree");
  /* On each rank in turn, and on two: the same class of error on all, and the lowest one's words. */
  add_test(agree, "one_rank_s_error_is_everyone_s", [] {
    const PetscMPIInt rank = rank_in(PETSC_COMM_WORLD), size = ranks_of(PETSC_COMM_WORLD);
    for (PetscMPIInt first = 0; first < size; first++) {
      const auto doing = [&]() -> PetscErrorCode {
        PetscFunctionBegin;
        PetscCheck(rank != first, PETSC_COMM_SELF, PETSC_ERR_MEM, "%d bytes asked for", 1000 + rank);
        PetscCheck(rank != first + 1, PETSC_COMM_SELF, PETSC_ERR_GPU, "no device on %d", rank);
        PetscFunctionReturn(PETSC_SUCCESS);
      };
      const Outcome outcome = attempt([&] { return FailTogether(PETSC_COMM_WORLD, doing(), "do it"); });
      BOOST_TEST(outcome.code == PETSC_ERR_MEM);
      if (rank == first + 1) BOOST_TEST(outcome.says("no device on " + std::to_string(rank)), outcome.message);
      else BOOST_TEST(outcome.says(std::to_string(1000 + first) + " bytes asked for"), outcome.message);
      if (rank != first && rank != first + 1) BOOST_TEST(outcome.says("Rank " + std::to_string(first) + " could not do it: "), outcome.message);
      PETSC_OK(FailTogether(PETSC_COMM_WORLD, PETSC_SUCCESS, "do it"));
    }
  });
  /* Whatever communicator they agree on, and once where they agree on what others have agreed on. */
  add_test(agree, "a_rank_is_named_by_its_number_in_the_world", [] {
    const PetscMPIInt rank = rank_in(PETSC_COMM_WORLD), last = ranks_of(PETSC_COMM_WORLD) - 1;
    MPI_Comm          part; /* all but the first, the last in front */
    if (last == 1) return;
    MPI_Comm_split(PETSC_COMM_WORLD, rank > 0, -rank, &part);
    const Outcome outcome = attempt([&]() -> PetscErrorCode {
      const auto doing = [&]() -> PetscErrorCode {
        PetscFunctionBegin;
        PetscCheck(rank != last, PETSC_COMM_SELF, PETSC_ERR_MEM, "3 GiB asked for");
        PetscFunctionReturn(PETSC_SUCCESS);
      };
      PetscFunctionBegin;
      PetscCall(FailTogether(PETSC_COMM_WORLD, FailTogether(part, doing(), "do it"), "go on"));
      PetscFunctionReturn(PETSC_SUCCESS);
    });
    MPI_Comm_free(&part);
    BOOST_TEST(outcome.code == PETSC_ERR_MEM);
    if (rank != last) BOOST_TEST(outcome.says("Rank " + std::to_string(last) + " could not do it: 3 GiB asked for"), outcome.message);
    BOOST_TEST(!outcome.says("go on"), outcome.message);
  });
  add_test(agree, "one_rank_s_exception_is_everyone_s", [] {
    const PetscMPIInt rank = rank_in(PETSC_COMM_WORLD), last = ranks_of(PETSC_COMM_WORLD) - 1;
    for (int meets : {0, 2}) {
      const Outcome outcome = attempt([&] {
        return Together(PETSC_COMM_WORLD, "hold it", [&] {
          for (int k = 0; k < meets; k++) AgreeNoFailure(PETSC_COMM_WORLD);
          if (rank == last) throw DeviceMemoryError("3 GiB asked for, 2 GiB free");
          for (int k = 0; k < meets; k++) AgreeNoFailure(PETSC_COMM_WORLD);
        });
      });
      BOOST_TEST(outcome.code == PETSC_ERR_MEM);
      BOOST_TEST(outcome.says("3 GiB asked for, 2 GiB free"), outcome.message);
      if (rank != last) BOOST_TEST(outcome.says("Rank " + std::to_string(last) + " could not hold it: "), outcome.message);
    }
  });
  add_test(agree, "a_rank_that_brings_an_error_ends_the_set_up_of_all", [] {
    const PetscMPIInt rank = rank_in(PETSC_COMM_WORLD), last = ranks_of(PETSC_COMM_WORLD) - 1;
    Halo<PetscScalar> halo;
    PetscLayout       layout;
    PETSC_OK(PetscLayoutCreateFromSizes(PETSC_COMM_WORLD, 3, PETSC_DECIDE, 1, &layout));
    const Outcome outcome = attempt(
      [&] { return halo.setup(PETSC_COMM_WORLD, layout, 0, nullptr, Space::Host, rank == last ? PETSC_ERR_MEM : PETSC_SUCCESS); });
    BOOST_TEST(outcome.code == PETSC_ERR_MEM);
    PETSC_OK(PetscLayoutDestroy(&layout));
  });
  add_test(agree, "one_rank_s_reason_is_everyone_s", [] {
    const PetscMPIInt rank = rank_in(PETSC_COMM_WORLD), size = ranks_of(PETSC_COMM_WORLD);
    std::string       why;
    PETSC_OK(AgreeOnReason(PETSC_COMM_WORLD, &why));
    BOOST_TEST(why.empty());
    if (rank >= size / 2) why = "reason " + std::to_string(rank);
    PETSC_OK(AgreeOnReason(PETSC_COMM_WORLD, &why));
    BOOST_TEST(why == "reason " + std::to_string(size / 2) + (size > 1 ? " (rank " + std::to_string(size / 2) + ")" : ""), why);
  });

  auto      *launches = suite_named(nullptr, "launches");
  const auto create   = [] {
    std::shared_ptr<Launches> made;
    std::string               why;
    PETSC_OK(Launches::Create(PETSC_COMM_WORLD, &made, &why));
    BOOST_TEST_REQUIRE(why.empty(), why);
    return made;
  };
  const auto error_of = [](const std::function<void()> &body) -> std::string {
    try {
      body();
    } catch (const DeviceError &e) {
      return e.what();
    }
    return "";
  };
  add_test(launches, "each_waits_for_the_others", [=] {
    const auto        all  = create();
    const PetscMPIInt rank = rank_in(PETSC_COMM_WORLD), size = ranks_of(PETSC_COMM_WORLD);
    int               told = 0; /* of rank 0's last number, by a message */
    for (int k = 1; k <= 20; k++) {
      if (rank == 0) {
        for (PetscMPIInt other = 1; other < size; other++) MPI_Send(&k, 1, MPI_INT, other, 0, PETSC_COMM_WORLD);
      } else MPI_Recv(&told, 1, MPI_INT, 0, 0, PETSC_COMM_WORLD, MPI_STATUS_IGNORE);
      BOOST_TEST(all->add() == (std::uint64_t)k);
      all->wait(k, 60);
    }
    BOOST_TEST((rank == 0 || told == 20));
  });
  /* What a rank needs before it can come travels while the other waits: the messages are too long to be there at once. */
  add_test(launches, "messages_go_on_meanwhile", [=] {
    const auto          all  = create();
    const PetscMPIInt   rank = rank_in(PETSC_COMM_WORLD), size = ranks_of(PETSC_COMM_WORLD);
    std::vector<double> data(1 << 20, rank);
    if (size == 1) return;
    if (rank == 0) {
      MPI_Request sent;
      MPI_Isend(data.data(), (int)data.size(), MPI_DOUBLE, 1, 0, PETSC_COMM_WORLD, &sent);
      all->wait(all->add(), 60);
      MPI_Wait(&sent, MPI_STATUS_IGNORE);
    } else {
      if (rank == 1) MPI_Recv(data.data(), (int)data.size(), MPI_DOUBLE, 0, 0, PETSC_COMM_WORLD, MPI_STATUS_IGNORE);
      all->wait(all->add(), 60);
    }
    BOOST_TEST(data[1000] == (rank == 1 ? 0 : rank));
  });
  add_test(launches, "a_rank_that_has_failed", [=] {
    const auto                     all  = create();
    const PetscMPIInt              rank = rank_in(PETSC_COMM_WORLD), size = ranks_of(PETSC_COMM_WORLD);
    const std::vector<PetscMPIInt> last{size - 1};
    if (size == 1) return;
    const std::uint64_t number = rank == size - 1 ? all->add_failed() : all->add();
    if (rank < size - 1) BOOST_TEST(error_of([&] { all->wait(number, 60, &last); }).find("has failed") != std::string::npos);
    const std::uint64_t next = all->add();
    BOOST_TEST(error_of([&] { all->wait(next, 60); }).empty()); /* one exchange, and no other */
    MPI_Barrier(PETSC_COMM_WORLD);
    if (rank == size - 1) all->break_off();
    else BOOST_TEST(error_of([&] { all->wait(all->add(), 60, &last); }).find("has failed") != std::string::npos);
    MPI_Barrier(PETSC_COMM_WORLD);
    PETSC_OK(all->align());
    const std::uint64_t again = all->add();
    BOOST_TEST(error_of([&] { all->wait(again, 60); }).empty());
  });
  add_test(launches, "a_rank_that_does_not_come", [=] {
    const auto all = create();
    if (ranks_of(PETSC_COMM_WORLD) > 1 && rank_in(PETSC_COMM_WORLD))
      BOOST_TEST(error_of([&] { all->wait(all->add(), 0.2); }).find("-goza_halo_timeout") != std::string::npos);
    MPI_Barrier(PETSC_COMM_WORLD);
  });

  auto *nccl = suite_named(nullptr, "nccl_library");
  add_test(nccl, "missing", [] {
    std::string why;
    BOOST_TEST(!load_nccl("/no/such/libnccl.so.2", &why));
    BOOST_TEST(why.find("/no/such/libnccl.so.2") != std::string::npos, why);
  });
  add_test(nccl, "another_library", [] {
    std::string why;
    BOOST_TEST(!load_nccl("libm.so.6", &why));
    BOOST_TEST(why.find("it has no nccl") != std::string::npos, why);
  });
  add_test(nccl, "the_environment_stays_as_it_is", [] {
    const char       *given  = std::getenv("NCCL_NVLS_ENABLE");
    const std::string before = given ? given : "";
    std::string       why;
    unsetenv("NCCL_NVLS_ENABLE");
    (void)load_nccl("libm.so.6", &why);
    BOOST_TEST(!std::getenv("NCCL_NVLS_ENABLE"));
    if (given) setenv("NCCL_NVLS_ENABLE", before.c_str(), 1);
  });
  add_test(nccl, "missing_or_another_on_the_device", [] {
    if (default_space() != Space::Cuda) return;
    for (const char *file : {"/no/such/libnccl.so.2", "libm.so.6", ""}) {
      /* a communicator that nobody has asked yet; "": the last rank alone lacks the library */
      MPI_Comm fresh;
      if (!*file && rank_in(PETSC_COMM_WORLD) == ranks_of(PETSC_COMM_WORLD) - 1) file = "/no/such/libnccl.so.2";
      else if (!*file) file = "libnccl.so.2";
      MPI_Comm_dup(PETSC_COMM_WORLD, &fresh);
      {
        Option            wish("-goza_halo", "nccl"), library("-goza_nccl", file);
        Case<PetscScalar> c(patterns[0], fresh, Space::Cuda);
        BOOST_TEST(!set_up(c, "nccl"));
      }
      MPI_Comm_free(&fresh);
    }
  });
});

} // namespace
