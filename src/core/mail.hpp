/* Values that a device writes straight into the memory of others. Each carries the number of the exchange that it is of, and whoever waits for it polls the value
   itself: no flag travels behind, and no stream waits for another, so that an exchange is one kernel, which can be recorded (device.hpp) like any other. */
#pragma once
#include "space.hpp"
#include <cstdint>

namespace goza
{

using MailWord = std::uint64_t; // what arrives as a whole: 32 bits of a value, and 32 of its exchange's number

template <class V> constexpr int mail_words = sizeof(V) / 4; // of one value

/* How far a rank's exchanges are, on its device; zero at first. The host does not know: what is recorded is launched again and again. */
struct MailState {
  std::uint32_t collected; // exchanges
  std::uint32_t blocks;    // of the present one, that are done
  std::uint32_t late;      // something did not come: nothing is waited for any more
};

/* What a rank sends and gets in every exchange. Words have two places, for even and odd exchanges. */
template <class V> struct Mail {
  PetscInt         nsend = 0;
  const PetscInt  *index = nullptr; // [nsend] what to send of x; -1: nothing in particular
  MailWord *const *place = nullptr; // [2][nsend] where it is wanted
  PetscInt         nget = 0, nkept = 0;
  const MailWord  *words  = nullptr; // [2][nget][mail_words<V>] what comes
  V               *values = nullptr; // [nkept] the first of it
  MailState       *state  = nullptr;
};

/* On the current stream: exchange number collected + 1. At most this many blocks take part: each sends its share before it waits, and all of them must find room on the
   device beside whatever else waits there. What has not come after `patience` seconds is NaN, and check_mail() says so. */
template <class V> void exchange(const Mail<V> &mail, const V *x, unsigned most_blocks, double patience);

/* The same where every rank sends each of the others `width` values, by ascending rank: values[n], n <= width and at most 256, become their sums over all ranks, added in the
   order of the ranks, and so the same on each. */
void sum_by_mail(const Mail<PetscScalar> &mail, PetscInt width, PetscInt rank, PetscScalar *values, PetscInt n, double patience);

template <class V> void fill_places(MailWord **place, MailWord *to, PetscInt n); // of n values that are wanted one behind the other

bool              mail_was_late(); // something has been, since the last call, as far as the device has come: nothing is waited for
[[noreturn]] void throw_late_mail();
inline void       check_mail()
{
  if (mail_was_late()) throw_late_mail();
}
void forget_mail(); // when no exchange is left

} // namespace goza
