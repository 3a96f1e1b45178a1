/* Values that a device writes straight into the memory of others. Each carries the number of the exchange that it is of, and whoever waits for it polls the value
   itself: no flag travels behind, and no stream waits for another, so that an exchange is two kernels, which can be recorded (device.hpp) like any other. */
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
  std::uint32_t blocks;    // of the present collection, that are done
  std::uint32_t late;      // something did not come: nothing is waited for any more
};

/* On the current stream: exchange number collected + 1, whose words have the places of its parity.
   post(): x[index[k]], or nothing in particular where index[k] < 0, to *place[n * parity + k], k < n. Waits for nothing.
   collect(): waits for n values whose words begin at words[n * mail_words<V> * parity]; the first nkept are values[]. At most this many blocks wait at a time,
   so that neighbours on the same device can post. What has not come after `patience` seconds is NaN, and check_mail() says so. */
template <class V> void post(PetscInt n, const PetscInt *index, const V *x, MailWord *const *place, const MailState *state);
template <class V> void collect(PetscInt n, const MailWord *words, PetscInt nkept, V *values, MailState *state, unsigned most_blocks, double patience);

/* A DeviceError where something has been late since the last call, as far as the device has come: nothing is waited for. */
void check_mail();
void forget_mail(); // when no exchange is left

} // namespace goza
