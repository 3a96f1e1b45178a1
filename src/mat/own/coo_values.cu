#include "coo_values.hpp"

namespace goza::mat {

/* Every so many-th entry: their number need not fit a PetscInt. */
template <class Place> static HD void add_values_at(PetscInt row, std::int64_t n, PetscInt rows, const Place *place, const PetscScalar *from, PetscScalar *val)
{
  for (std::int64_t k = row; k < n; k += rows)
    if (place[k] >= 0) val[place[k]] += from[k];
}

/* The same of places that get several. */
static HD void sum_values(PetscInt row, std::int64_t n, PetscInt rows, const std::int64_t *place, const std::int64_t *order, const std::int64_t *start,
                          const PetscScalar *from, PetscScalar *val)
{
  for (std::int64_t k = row; k < n; k += rows) {
    PetscScalar sum = 0;

    for (std::int64_t p = start[k]; p < start[k + 1]; p++) sum += from[order[p]];
    val[place[k]] += sum;
  }
}

void sort_places(CooPlaces &coo)
{
  std::vector<std::int64_t> place, order, start, first;

  if (coo.wide.size()) place = coo.wide.to_host();
  else place.assign(coo.narrow.data(), coo.narrow.data() + coo.narrow.size());
  for (std::size_t k = 0; k < place.size(); k++)
    if (place[k] >= 0) order.push_back(static_cast<std::int64_t>(k));
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return place[a] < place[b]; });
  for (std::size_t p = 0; p < order.size(); p++) {
    if (p && place[order[p]] == place[order[p - 1]]) continue;
    start.push_back(static_cast<std::int64_t>(p));
    first.push_back(place[order[p]]);
  }
  start.push_back(static_cast<std::int64_t>(order.size()));
  coo.narrow = Array<PetscInt>();
  coo.wide   = Array<std::int64_t>(Space::Host, first.data(), first.size());
  coo.order  = Array<std::int64_t>(Space::Host, order.data(), order.size());
  coo.start  = Array<std::int64_t>(Space::Host, start.data(), start.size());
}

void put_values(Space space, const CooPlaces &coo, const PetscScalar *from, PetscScalar *val)
{
  const std::int64_t places = static_cast<std::int64_t>(coo.wide.size());
  const PetscInt     rows   = space == Space::Host ? PetscMin(coo.n, 1) : static_cast<PetscInt>((coo.n + 63) / 64),
                 all        = static_cast<PetscInt>(PetscMin(places, PetscInt(1) << 30));

  if (coo.doubles) for_each_row(space, all, bound<sum_values>(places, all, coo.wide.data(), coo.order.data(), coo.start.data(), from, val));
  else if (places) for_each_row(space, rows, bound<add_values_at<std::int64_t>>(coo.n, rows, coo.wide.data(), from, val));
  else for_each_row(space, rows, bound<add_values_at<PetscInt>>(coo.n, rows, coo.narrow.data(), from, val));
}

/* Entries a part: many beside what a copy costs, few beside a matrix. */
static constexpr PetscCount part_entries = PetscCount(1) << 20;

CooParts::CooParts(const CooPlaces &coo)
{
  const PetscCount n = PetscMin(coo.n, part_entries);

  part_.space = Space::Cuda;
  from_       = Array<PetscScalar>(Space::Cuda, n);
  if (coo.wide.size()) part_.wide = Array<std::int64_t>(Space::Cuda, n);
  else part_.narrow = Array<PetscInt>(Space::Cuda, n);
}

void CooParts::put(const CooPlaces &coo, const PetscScalar *from, PetscScalar *val)
{
  for (PetscCount begin = 0; begin < coo.n; begin += part_.n) {
    part_.n = PetscMin(coo.n - begin, static_cast<PetscCount>(from_.size()));
    if (coo.wide.size()) device::copy(part_.wide.data(), coo.wide.data() + begin, part_.n * sizeof(std::int64_t));
    else device::copy(part_.narrow.data(), coo.narrow.data() + begin, part_.n * sizeof(PetscInt));
    device::copy(from_.data(), from + begin, part_.n * sizeof(PetscScalar));
    put_values(Space::Cuda, part_, from_.data(), val);
  }
}

} // namespace goza::mat
