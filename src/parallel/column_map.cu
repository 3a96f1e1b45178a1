#include "column_map.hpp"
#include "core/launch/for_each_row.hpp"
#include "device_sums.hpp"
#include "entry_messages.hpp"
#include "messages.hpp"
#include "mpi_call.hpp"

namespace goza::parallel {

template <class T> static HD void pack_items(PetscInt k, const PetscInt *index, PetscInt width, const T *values, T *packed)
{
  packed[k] = values[static_cast<std::size_t>(index[k / width]) * width + k % width];
}

static HD void add_slots(PetscInt k, const PetscInt *slot_ptr, const PetscInt *slot, PetscInt width, const PetscScalar *received, PetscScalar *own)
{
  for (PetscInt s = slot_ptr[k / width]; s < slot_ptr[k / width + 1]; s++) own[k] += received[static_cast<std::size_t>(slot[s]) * width + k % width];
}

static HD void largest_slot(PetscInt i, const PetscInt *slot_ptr, const PetscInt *slot, const PetscInt *received, PetscInt *own)
{
  for (PetscInt s = slot_ptr[i]; s < slot_ptr[i + 1]; s++) own[i] = PetscMax(own[i], received[slot[s]]);
}

LocalColumns::LocalColumns(Space space) : space_(space), ghosts_here_(space) { }

LocalColumns::LocalColumns(MPI_Comm comm, PetscInt n, Space space) : LocalColumns(space)
{
  must(PetscCommDuplicate(comm, &comm_, nullptr), "PetscCommDuplicate");
  must_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  must_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  AgreeNoFailure(comm_);
  must(PetscLayoutCreateFromSizes(comm_, n, PETSC_DETERMINE, 1, &layout_), "PetscLayoutCreate");
}

LocalColumns::LocalColumns(const LocalColumns &owners, std::vector<PetscInt> ghosts) : LocalColumns(owners.space_)
{
  size_        = owners.size_;
  rank_        = owners.rank_;
  ghosts_      = std::move(ghosts);
  ghosts_here_ = Array<PetscInt>(space_, ghosts_.data(), ghosts_.size());
  must(PetscCommDuplicate(owners.comm_, &comm_, nullptr), "PetscCommDuplicate");
  must(PetscLayoutReference(owners.layout_, &layout_), "PetscLayoutReference");
}

LocalColumns::~LocalColumns()
{
  (void)PetscLayoutDestroy(&layout_);
  if (comm_ != MPI_COMM_NULL) (void)PetscCommDestroy(&comm_);
}

ColumnMap::ColumnMap(MPI_Comm comm, PetscInt n, Space space) : LocalColumns(comm, n, space), send_index_(space), slot_ptr_(space), slot_(space) { }

ColumnMap::ColumnMap(const LocalColumns &owners, std::vector<PetscInt> ghosts) :
  LocalColumns(owners, std::move(ghosts)), send_index_(space_), slot_ptr_(space_), slot_(space_)
{
  if (size_ > 1) find();
}

void ColumnMap::find()
{
  route_         = find_route(comm_, space_);
  Messages found = find_messages(comm_, route_.tag, layout_, nghost(), ghosts_.data());
  sends_         = std::move(found.sends); // by ascending rank: what comes back is added up in this order
  receives_      = std::move(found.receives);
  send_index_    = Array<PetscInt>(space_, found.send_index.data(), found.send_index.size());
}

HaloPlan ColumnMap::plan() const
{
  HaloPlan plan;

  plan.comm       = comm_;
  plan.space      = space_;
  plan.sends      = sends_;
  plan.receives   = receives_;
  plan.nsend      = nsend();
  plan.nghost     = nghost();
  plan.send_index = Array<PetscInt>(space_, send_index_.data(), nsend());
  return plan;
}

template <class T>
void ColumnMap::send_runs(bool backward, const T *out, const std::vector<PetscInt> &out_begin, T *in, const std::vector<PetscInt> &in_begin) const
{
  const auto placed = [](std::vector<HaloMessage> messages, const std::vector<PetscInt> &begin) {
    for (std::size_t m = 0; m < messages.size(); m++) {
      messages[m].begin = begin[m];
      messages[m].n     = begin[m + 1] - begin[m];
    }
    return messages;
  };

  goza::send_runs(route_, MpiType<T>(), sizeof(T), placed(backward ? receives_ : sends_, out_begin), out, placed(backward ? sends_ : receives_, in_begin), in);
}

template void ColumnMap::send_runs(bool, const PetscInt *, const std::vector<PetscInt> &, PetscInt *, const std::vector<PetscInt> &) const;
template void ColumnMap::send_runs(bool, const PetscScalar *, const std::vector<PetscInt> &, PetscScalar *, const std::vector<PetscInt> &) const;

struct MapMailbox {
  MapMailbox(HaloPlan given, const PeerOptions &options) : plan(std::move(given)), exchange(plan, options) { }

  HaloPlan                  plan;
  PeerExchange<PetscScalar> exchange;
};

/* Null where it cannot be had. Collective */
std::shared_ptr<MapMailbox> ColumnMap::make_mailbox(HaloPlan plan) const
{
  std::string why;
  PeerOptions options;

  must(GetPeerOptions(comm_, route_.tag, &options, &why), "GetPeerOptions");
  plan.tag        = route_.tag;
  const auto made = std::make_shared<MapMailbox>(std::move(plan), options);
  AgreeNoFailure(comm_);
  must(made->exchange.setup(&why), "an exchange's set-up");
  return why.empty() ? made : nullptr;
}

/* It takes as long to make as two or three updates that go from device to device. */
bool ColumnMap::has_mailbox() const
{
  if (!route_.team || ++updates_ < 3) return false;
  if (updates_ == 3) mailbox_ = make_mailbox(plan());
  return mailbox_ != nullptr;
}

/* As many as most sums have. */
static constexpr PetscInt sums_at_once = 4;

bool ColumnMap::has_sums() const
{
  if (!route_.team) return false;
  if (!summed_) {
    std::string why;

    summed_ = true;
    AgreeNoFailure(comm_);
    must(DeviceSums::Create(comm_, route_.tag, sums_at_once, &sums_, &why), "an exchange's set-up");
  }
  return sums_ != nullptr;
}

template <class T> void ColumnMap::update(T *values, PetscInt width) const
{
  if (size_ == 1) return;
  if constexpr (sizeof(T) == sizeof(PetscScalar)) {
    if (width == 1 && has_mailbox()) {
      AgreeNoFailure(comm_);
      mailbox_->exchange.fetch(static_cast<const T *>(values), values + n());
      return;
    }
  }
  Array<T> packed(space_, static_cast<std::size_t>(nsend()) * width);

  for_each_row(space_, nsend() * width, bound<pack_items<T>>(send_index_.data(), width, values, packed.data()));
  send_runs(false, static_cast<const T *>(packed.data()), row_begins(sends_, width), values + static_cast<std::size_t>(n()) * width,
            row_begins(receives_, width));
}

template void ColumnMap::update(PetscInt *, PetscInt) const;
template void ColumnMap::update(PetscScalar *, PetscInt) const;
#if PetscDefined(USE_COMPLEX)
template void ColumnMap::update(PetscReal *, PetscInt) const;
#endif
template void ColumnMap::update(std::uint64_t *, PetscInt) const;

void ColumnMap::add_from_ghosts(const PetscScalar *ghosts, PetscInt width, PetscScalar *own) const
{
  if (size_ == 1) return;
  Array<PetscScalar> received(space_, static_cast<std::size_t>(nsend()) * width);

  send_runs(true, ghosts, row_begins(receives_, width), received.data(), row_begins(sends_, width));
  for_each_row(space_, n() * width, bound<add_slots>(slot_ptr().data(), slot().data(), width, received.data(), own));
}

void ColumnMap::largest_of_ghosts(const PetscInt *ghosts, PetscInt *own) const
{
  if (size_ == 1) return;
  Array<PetscInt> received(space_, nsend());

  send_runs(true, ghosts, row_begins(receives_), received.data(), row_begins(sends_));
  for_each_row(space_, n(), bound<largest_slot>(slot_ptr().data(), slot().data(), received.data(), own));
}

void ColumnMap::group_slots() const
{
  if (slot_ptr_.size()) return;
  Array<PetscInt> ptr(space_), slot(space_);

  group_by(space_, send_index_.data(), nsend(), n(), ptr, slot); // what this throws leaves no half of them, which would pass for both
  slot_     = std::move(slot);
  slot_ptr_ = std::move(ptr);
}

const Array<PetscInt> &ColumnMap::slot_ptr() const
{
  group_slots();
  return slot_ptr_;
}

const Array<PetscInt> &ColumnMap::slot() const
{
  group_slots();
  return slot_;
}

template <class T> void LocalColumns::sum(T *values, int n) const
{
  if (size_ == 1) return;
  AgreeNoFailure(comm_);
  must_mpi(MPI_Allreduce(MPI_IN_PLACE, values, n, MpiType<T>(), MPIU_SUM, comm_), "MPI_Allreduce");
}
template void LocalColumns::sum(PetscScalar *, int) const;
#if PetscDefined(USE_COMPLEX)
template void LocalColumns::sum(PetscReal *, int) const;
#endif
template void LocalColumns::sum(std::int64_t *, int) const;
template void LocalColumns::sum(std::uint64_t *, int) const;

void LocalColumns::largest(std::int64_t *value) const
{
  if (size_ == 1) return;
  AgreeNoFailure(comm_);
  must_mpi(MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT64_T, MPI_MAX, comm_), "MPI_Allreduce");
}

bool LocalColumns::any(bool here) const
{
  std::int64_t n = here;

  sum(&n, 1);
  return n > 0;
}

void ColumnMap::sum_here(PetscScalar *values, PetscInt n) const
{
  if (size_ == 1) return;
  if (has_sums()) {
    AgreeNoFailure(comm_);
    sums_->sum(values, n);
    return;
  }
  std::vector<PetscScalar> host = Array<PetscScalar>(space_, values, n).to_host();

  sum(host.data(), static_cast<int>(n));
  if (space_ == Space::Cuda) device::copy(values, host.data(), n * sizeof(PetscScalar));
  else std::copy_n(host.begin(), n, values);
}

} // namespace goza::parallel
