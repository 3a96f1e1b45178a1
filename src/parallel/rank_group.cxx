#include "rank_group.hpp"
#include "agree.hpp"
#include "petsc/last_error.hpp"
#include "petsc/plugin.hpp"
#include "team.hpp"
#include <numeric>

namespace goza::parallel {

constexpr std::size_t cache_line = 64, text_length = 1024; // as many as PETSc keeps

/* At the beginning of the window; behind it News of each rank, which writes there where it brings an error along. What is read together lies in one line of the
   caches. */
struct RankGroup::Board {
  struct News {
    PetscErrorCode code;
    PetscMPIInt    rank; // in the world
    char           text[text_length];
  };

  alignas(cache_line) SharedCount arrived;
  std::atomic<std::uint32_t> failed, behind; // of those who have arrived for this task
  alignas(cache_line) SharedCount done;      // tasks
  bool done_behind;
  News result;

  News *brought() { return reinterpret_cast<News *>(this + 1); }
};

RankGroup::~RankGroup()
{
  int over = 0;

  (void)MPI_Finalized(&over);
  if (over) return;
  if (leaders_ != MPI_COMM_NULL) (void)PetscCommDestroy(&leaders_);
  if (members_ != MPI_COMM_NULL) (void)MPI_Comm_free(&members_);
}

ShortText RankGroup::describe() const { return ShortText("%zu ranks in %d group%s", position_.size(), groups_, groups_ == 1 ? "" : "s"); }

/* --- who belongs to whom */

/* On a host those with the same device and, for tests, no more than so many. */
PetscErrorCode RankGroup::find_members(MPI_Comm comm, Space space, MPI_Comm *members)
{
  MPI_Comm                          host;
  PetscMPIInt                       first;
  std::array<char, 16>              mine{};
  std::vector<std::array<char, 16>> all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  const PetscMPIInt here = ranks_of(host), rank = rank_in(host);
  PetscCall(Together(comm, "look at its device", [&] {
    all.resize(here);
    if (space == Space::Cuda) mine = device::uuid();
  }));
  PetscCallMPI(MPI_Allgather(mine.data(), 16, MPI_CHAR, all.data(), 16, MPI_CHAR, host));
  first                   = (PetscMPIInt)(std::find(all.begin(), all.end(), mine) - all.begin());
  const PetscMPIInt among = (PetscMPIInt)std::count(all.begin(), all.begin() + rank, mine),
                    part  = plugin.largest_group > 0 ? among / (PetscMPIInt)plugin.largest_group : 0;
  PetscCallMPI(MPI_Comm_split(host, first + here * part, rank, members));
  PetscCallMPI(MPI_Comm_free(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* why: empty, or why each rank is for itself. Want of memory is an error, after which the next call tries again: it would pass for a machine that has no
   groups. */
PetscErrorCode RankGroup::create(MPI_Comm comm, Space space, std::string *why)
{
  PetscErrorCode           here = PETSC_SUCCESS;
  MPI_Comm                 lead;
  PetscMPIInt              mine[2];
  std::vector<PetscMPIInt> places, order; // of each rank: its group, and where in it; the ranks by those

  PetscFunctionBegin;
  space_                 = space;
  const PetscMPIInt size = ranks_of(comm);
  PetscCall(find_members(comm, space, &members_));
  PetscCallMPI(MPI_Comm_size(members_, &size_));
  PetscCallMPI(MPI_Comm_rank(members_, &rank_));
  PetscCallMPI(MPI_Comm_split(comm, leads() ? 0 : MPI_UNDEFINED, 0, &lead));
  if (leads()) {
    std::shared_ptr<HaloTeam> team;

    PetscCallMPI(MPI_Comm_rank(lead, &mine_));
    PetscCallMPI(MPI_Comm_size(lead, &groups_));
    PetscCall(PetscCommDuplicate(lead, &leaders_, NULL));
    PetscCallMPI(MPI_Comm_free(&lead));
    here = HaloTeamGet(leaders_, &team);
    if (!here) team->asked_group = true; /* leaders form no groups */
  }
  PetscCallMPI(MPI_Bcast(&mine_, 1, MPI_INT, 0, members_));
  PetscCallMPI(MPI_Bcast(&groups_, 1, MPI_INT, 0, members_));
  if (groups_ == size) SetReason(why, "no two ranks share a device");
  if (!here)
    here = Guarded([&] {
      places.resize(2 * (std::size_t)size);
      position_.resize(size);
      group_of_.resize(size);
      order.resize(size);
    });
  PetscCall(FailTogether(comm, here, "form a group"));
  PetscCall(AgreeOnReason(comm, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  mine[0] = mine_;
  mine[1] = rank_;
  PetscCallMPI(MPI_Allgather(mine, 2, MPI_INT, places.data(), 2, MPI_INT, comm));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](PetscMPIInt a, PetscMPIInt b) { return std::make_pair(places[2 * a], places[2 * a + 1]) < std::make_pair(places[2 * b], places[2 * b + 1]); });
  for (PetscMPIInt k = 0; k < size; k++) position_[order[k]] = k;
  for (PetscMPIInt r = 0; r < size; r++) group_of_[r] = places[2 * r];
  here = Guarded([&] {
    try {
      window_ = SharedWindow(members_, sizeof(Board) + size_ * sizeof(Board::News));
      board_  = window_.at<Board>();
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const FailedElsewhere &) { // that rank says why
    } catch (const std::exception &e) {
      SetReason(why, e.what());
    }
  });
  PetscCall(FailTogether(comm, here, "form a group"));
  PetscCall(AgreeOnReason(comm, why));
  if (why->empty() && space == Space::Cuda) PetscCall(try_device_memory(comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A container may keep its processes from opening one another's device memory: vectors then go through memory of the host, where they always are with a PETSc
   that has no device. */
PetscErrorCode RankGroup::try_device_memory(MPI_Comm comm)
{
  std::unique_ptr<SharedBlock>   block;
  SharedBlock::Name              mine{};
  std::vector<SharedBlock::Name> names;
  PetscMPIInt                    can = 0;
  std::string                    why;

  PetscFunctionBegin;
  PetscCall(Together(comm, "form a group", [&] { names.resize(size_); }));
  try {
    if (device::can_share(&why)) {
      block = std::make_unique<SharedBlock>(1);
      mine  = block->name();
      can   = 1;
    }
  } catch (const std::exception &) {
  }
  PetscCallMPI(MPI_Allgather(&mine, (PetscMPIInt)sizeof(mine), MPI_BYTE, names.data(), (PetscMPIInt)sizeof(mine), MPI_BYTE, members_));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, comm));
  try {
    for (PetscMPIInt r = 0; can && r < (leads() ? size_ : 1); r++)
      if (r != rank_) (void)device::open_shared(names[r]);
  } catch (const std::exception &) {
    can = 0;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, comm));
  shares_device_memory_ = can;
  if (can) PetscCall(Together(comm, "form a group", [&] { lent_ = LentMemory(members_, rank_, size_); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RankGroup::Numbering RankGroup::number(const PetscInt ranges[]) const
{
  const std::size_t        ranks = position_.size();
  Numbering                made;
  std::vector<PetscMPIInt> rank_at(ranks);
  PetscInt                 next = 0;

  made.old_start.assign(ranges, ranges + ranks + 1);
  made.new_start.resize(ranks);
  for (std::size_t r = 0; r < ranks; r++) rank_at[position_[r]] = static_cast<PetscMPIInt>(r);
  for (PetscMPIInt r : rank_at) {
    made.new_start[r] = next;
    made.same &= next == ranges[r];
    if (group_of_[r] < mine_) made.begin += ranges[r + 1] - ranges[r];
    if (group_of_[r] <= mine_) made.end += ranges[r + 1] - ranges[r];
    next += ranges[r + 1] - ranges[r];
  }
  return made;
}

PetscInt RankGroup::Numbering::operator()(PetscInt old) const
{
  if (same) return old;
  const std::size_t r = std::upper_bound(old_start.begin(), old_start.end(), old) - old_start.begin() - 1;

  return old - old_start[r] + new_start[r];
}

/* --- tasks */

/* Awake where the last wait has ended before one could have slept much: waking takes tens of microseconds, as long as a product. */
PetscErrorCode RankGroup::wait(SharedCount &count, std::uint32_t wanted)
{
  using namespace std::chrono;
  constexpr auto look = microseconds(20), short_wait = microseconds(400);
  const auto     begin = steady_clock::now();

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(events.group_wait, 0, 0, 0, 0));
  PetscCall(Guarded([&] { count.wait_for(wanted, waits_are_short_ ? short_wait : look, members_); }));
  waits_are_short_ = steady_clock::now() - begin < short_wait;
  PetscCall(PetscLogEventEnd(events.group_wait, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What this rank lends must not be read before its device has done what is underway to it. */
PetscErrorCode RankGroup::arrive(PetscErrorCode here, const char *what, bool *behind)
{
  Board::News &mine = board_->brought()[rank_];

  PetscFunctionBegin;
  if (lent_.has_lent() && !here) here = settle();
  if (here) {
    mine.code = here;
    mine.rank = PetscGlobalRank;
    std::snprintf(mine.text, sizeof(mine.text), "%s", LastErrorText(here));
    board_->failed.fetch_add(1);
  }
  if (*behind) board_->behind.fetch_add(1);
  tasks_++;
  usage.tasks++;
  usage.group = PetscMax(usage.group, size_);
  board_->arrived.add();
  if (!leads()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wait(board_->arrived, tasks_ * (std::uint32_t)size_));
  if (board_->behind.load()) {
    *behind = true;
    board_->behind.store(0);
  }
  for (PetscMPIInt r = 0; r < size_ && board_->failed.load(); r++) {
    Board::News &news = board_->brought()[r];

    if (!news.code) continue;
    if (!here) here = RaiseErrorOf(news.rank, news.code, what, news.text);
    news.code = PETSC_SUCCESS;
    board_->failed.fetch_sub(1);
  }
  if (groups_ > 1) here = FailTogether(leaders_, here, "lead its group");
  PetscFunctionReturn(here);
}

/* What the device has been given of memory in common, it may be reading or writing still. */
PetscErrorCode RankGroup::settle() const
{
  PetscFunctionBegin;
  if (space_ == Space::Cuda) PetscCall(Guarded([] { device::synchronize(); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RankGroup::tell(PetscErrorCode failed, bool behind)
{
  Board::News &result = board_->result;

  board_->done_behind = behind;
  result.code         = failed;
  result.rank         = PetscGlobalRank;
  if (failed) std::snprintf(result.text, sizeof(result.text), "%s", LastErrorText(failed));
  board_->done.add();
}

PetscErrorCode RankGroup::leave(PetscErrorCode here, PetscErrorCode failed, const char *what, bool *behind)
{
  PetscFunctionBegin;
  if (!leads()) {
    PetscCall(wait(board_->done, tasks_));
    const Board::News &result = board_->result;

    *behind = board_->done_behind;
    PetscCall(here);
    if (result.code) PetscCall(RaiseErrorOf(result.rank, result.code, what, result.text));
  }
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- kept with the communicator */

PetscErrorCode RankGroupGet(MPI_Comm comm, Space space, std::shared_ptr<RankGroup> *group)
{
  std::shared_ptr<HaloTeam> team;

  PetscFunctionBegin;
  group->reset();
  if (ranks_of(comm) == 1 || plugin.ranks_per_gpu == RANKS_OWN || (plugin.ranks_per_gpu == RANKS_AUTO && space == Space::Host) || space != plugin.space)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HaloTeamGet(comm, &team));
  if (!team->asked_group) {
    std::shared_ptr<RankGroup> made;
    std::string                why;

    PetscCall(Together(comm, "form a group", [&] { made = std::make_shared<RankGroup>(); }));
    PetscCall(made->create(comm, space, &why));
    if (why.empty()) team->group = made;
    else PetscCall(PetscInfo(NULL, "Each rank works for itself: %s\n", why.c_str()));
    team->asked_group = true;
  }
  *group = team->group;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::parallel
