/* Rows by their lengths. */
#include "algorithm.hpp"
#include "core/launch/for_each_row.hpp"
#include <algorithm>
#include <vector>

namespace goza {

/* The longer a row, the less. */
static HD void shortness(PetscInt place, const PetscInt *ptr, const PetscInt *rows, PetscInt *key)
{
  key[place] = PETSC_MAX_INT - (ptr[rows[place] + 1] - ptr[rows[place]]);
}

static HD void window_of(PetscInt k, const PetscInt *place, PetscInt window, PetscInt *key) { key[k] = place[k] / window; }

/* A window after the other by a count of the rows of each length, or, where lengths differ much, by comparisons. */
static void sort_by_length_on_host(const PetscInt *ptr, PetscInt *rows, PetscInt n, PetscInt window)
{
  std::vector<PetscInt> length, sorted, next;
  const auto            length_of = [ptr](PetscInt i) { return ptr[i + 1] - ptr[i]; };

  for (PetscInt begin = 0; begin < n; begin += std::min(window, n - begin)) {
    const PetscInt m  = std::min(window, n - begin);
    PetscInt      *in = rows + begin;

    length.resize(m);
    for (PetscInt k = 0; k < m; k++) length[k] = length_of(in[k]);
    const auto [least, most] = std::minmax_element(length.begin(), length.end());
    const PetscInt lengths = *most - *least + 1, longest = *most;

    if (lengths > 4 * m) {
      std::stable_sort(in, in + m, [&](PetscInt a, PetscInt b) { return length_of(a) > length_of(b); });
      continue;
    }
    next.assign(lengths + 1, 0);
    sorted.assign(in, in + m);
    for (PetscInt k = 0; k < m; k++) next[longest - length[k] + 1]++;
    for (PetscInt l = 0; l < lengths; l++) next[l + 1] += next[l];
    for (PetscInt k = 0; k < m; k++) in[next[longest - length[k]]++] = sorted[k];
  }
}

/* On a device by length and then by window, since sorts are stable. */
void sort_by_length(Space space, const PetscInt *ptr, PetscInt *rows, std::size_t count, PetscInt window)
{
  const PetscInt n = static_cast<PetscInt>(count);

  if (space == Space::Host) {
    sort_by_length_on_host(ptr, rows, n, window);
    return;
  }
  Array<PetscInt> key(space, n), by_length(space, n);

  for_each_row(space, n, bound<shortness>(ptr, rows, key.data()));
  Array<PetscInt> order = order_by(space, key.data(), n);
  gather(space, n, order.data(), static_cast<const PetscInt *>(rows), by_length.data());
  for_each_row(space, n, bound<window_of>(order.data(), window, key.data()));
  order = order_by(space, key.data(), n);
  gather(space, n, order.data(), static_cast<const PetscInt *>(by_length.data()), rows);
}

} // namespace goza
