/* Values that a device writes straight into the memory of others. Each carries the number of its exchange, and the receiver polls the value itself: no flag
   travels behind, and no stream waits for another, so that an exchange is one kernel, which can be recorded (device.hpp) like any other. */
#pragma once
#include "core/util/scalar_types.hpp"
#include <cstdint>

namespace goza {

using MailboxWord = std::uint64_t; // arrives as a whole: 32 bits of a value, and 32 of its exchange's number

template <class V> constexpr int mailbox_words = sizeof(V) / 4; // of one value

/* How far a rank's exchanges are, on its device; zero at first. The host does not know: what is recorded is launched again and again. */
struct MailboxState {
  std::uint32_t collected; // exchanges
  std::uint32_t blocks;    // of the present one, that are done
  std::uint32_t late;      // the time-out has passed once: nothing is waited for any more
};

/* One exchange's flag in pinned memory: its kernels raise it on time-out, the host reads it without waiting for the device. A kernel that polls gives up soon
   after the host has raised it. */
class LateFlag {
public:
  LateFlag();
  ~LateFlag(); // no kernel of the exchange may be in flight
  LateFlag(const LateFlag &)            = delete;
  LateFlag &operator=(const LateFlag &) = delete;

  void                    raise() { *word_ = 1; }
  bool                    raised() const { return *word_; }
  void                    check() const; // throws where it is raised
  volatile std::uint32_t *word() const { return word_; }

private:
  volatile std::uint32_t *word_;
};

void forget_late_flags(); // when no exchange is left

/* What a rank sends and receives in every exchange: values of 4 or 8 bytes, always of one size. Words have two places, for even and odd exchanges. */
struct Mailbox {
  PetscInt                nsend = 0;
  const PetscInt         *index = nullptr; // [nsend] what to send of x; -1: nothing in particular
  MailboxWord *const     *place = nullptr; // [2][nsend] where it is wanted
  PetscInt                nget = 0, nkept = 0;
  const MailboxWord      *words = nullptr; // [2][nget][mailbox_words] what comes; the first nkept values are kept
  MailboxState           *state = nullptr;
  volatile std::uint32_t *late  = nullptr; // a LateFlag's
};

/* On the current stream: exchange number collected + 1, to values[nkept]. Without x what is sent has no meaning. At most this many blocks take part: each sends
   its share before it waits, and all of them must fit on the device beside whatever else polls there. What has not come after `timeout` seconds is NaN, or 0 in
   integers, and the flag is raised. V: of any type of 4 or 8 bytes */
template <class V> void exchange(const Mailbox &box, const V *x, V *values, unsigned most_blocks, double timeout);

/* The same where every rank sends each of the others `width` values, by ascending rank: values[n], n <= width and at most 256, become their sums over all
   ranks, added in the order of the ranks, and so the same on each. wanted: on the device, the same on every rank; where it is false nothing happens. */
void sum_over_ranks(const Mailbox &box, PetscInt width, PetscInt rank, PetscScalar *values, PetscInt n, double timeout, const bool *wanted = nullptr);

template <class V> void fill_places(MailboxWord **place, MailboxWord *to, PetscInt n); // of n values that are wanted one behind the other

} // namespace goza
