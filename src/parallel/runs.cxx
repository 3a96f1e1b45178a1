#include "runs.hpp"
#include "agree.hpp"
#include "messages.hpp"
#include "mpi_call.hpp"

namespace goza::parallel {
namespace {

/* What a rank tells a neighbour. */
struct Announcement {
  SharedBlock::Name block;
  std::int64_t      begin; // of the message in it, in bytes
};

std::vector<HaloMessage> announcements(std::vector<HaloMessage> messages) // one of each, in bytes
{
  constexpr PetscInt n    = sizeof(Announcement);
  PetscInt           next = 0;

  for (HaloMessage &m : messages) m = {m.rank, n * next++, n};
  return messages;
}

PetscInt items(const std::vector<HaloMessage> &messages)
{
  PetscInt end = 0;

  for (const HaloMessage &m : messages) end = PetscMax(end, m.begin + m.n);
  return end;
}

/* Every exchange waits for the device before it meets the others. So a buffer is free for the exchange after the next: what a neighbour copied of it is there
   since that neighbour's next meeting. */
void from_device_to_device(const RunRoute &route, std::size_t item, const std::vector<HaloMessage> &to, const void *out, const std::vector<HaloMessage> &from,
                           void *in)
{
  constexpr std::size_t         least  = std::size_t(4) << 20; // bytes of a buffer, so that it seldom grows: others have to open it anew
  std::unique_ptr<SharedBlock> &buffer = route.team->buffer[route.team->exchanges++ & 1];
  const std::size_t             bytes  = items(to) * item;
  std::vector<Announcement>     mine, theirs(from.size());

  if (bytes) {
    if (!buffer || buffer->bytes() < bytes) {
      buffer.reset();
      buffer = std::make_unique<SharedBlock>(std::max(bytes, least));
    }
    device::copy_async(buffer->data(), out, bytes);
  }
  for (const HaloMessage &m : to) mine.push_back({buffer ? buffer->name() : SharedBlock::Name(), static_cast<std::int64_t>(m.begin * item)});
  device::synchronize();
  trade(route.comm, route.tag, MPI_BYTE, 1, announcements(to), mine.data(), announcements(from), theirs.data());
  for (std::size_t m = 0; m < from.size(); m++)
    if (from[m].n) device::copy_async(static_cast<char *>(in) + from[m].begin * item, device::open_shared(theirs[m].block) + theirs[m].begin, from[m].n * item);
}

void through_the_host(const RunRoute &route, MPI_Datatype type, std::size_t item, const std::vector<HaloMessage> &to, const void *out,
                      const std::vector<HaloMessage> &from, void *in)
{
  const bool        stage = route.space == Space::Cuda;
  const std::size_t nout = items(to) * item, nin = items(from) * item;
  std::vector<char> staged_out, staged_in;

  if (stage) {
    staged_out.resize(nout);
    staged_in.resize(nin);
    if (nout) device::copy(staged_out.data(), out, nout);
    out = staged_out.data();
  }
  trade(route.comm, route.tag, type, item, to, out, from, stage ? staged_in.data() : in);
  if (stage && nin) device::copy(in, staged_in.data(), nin);
}

} // namespace

RunRoute find_route(MPI_Comm comm, Space space)
{
  RunRoute route;
  int      wish = HALO_HOST;

  if (space == Space::Cuda) must(GetHaloWish(&wish), "-goza_halo");
  AgreeNoFailure(comm);
  must(PetscCommGetNewTag(comm, &route.tag), "PetscCommGetNewTag"); // nothing may fail on one rank alone before: later tags would not be the same
  route.comm  = comm;
  route.space = space;
  if (space == Space::Host) return route;
  PetscMPIInt no_peer = wish != HALO_AUTO && wish != HALO_PEER, by_name = wish == HALO_PEER, any[2], here[2] = {no_peer, by_name};

  must_mpi(MPI_Allreduce(here, any, 2, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  if (any[0]) return route;
  must(HaloTeamGet(comm, &route.team), "HaloTeamGet");
  if (!any[1] && route.team->shared_device) route.team.reset();
  if (!route.team) return route;
  must(HaloTeamAskPeer(comm, route.tag, route.team.get()), "HaloTeamAskPeer");
  if (!route.team->no_peer.empty()) route.team.reset();
  return route;
}

void send_runs(const RunRoute &route, MPI_Datatype type, std::size_t item, const std::vector<HaloMessage> &to, const void *out,
               const std::vector<HaloMessage> &from, void *in)
{
  if (route.team) from_device_to_device(route, item, to, out, from, in);
  else through_the_host(route, type, item, to, out, from, in);
}

} // namespace goza::parallel
