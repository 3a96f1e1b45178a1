#include "entry_places.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::mat {

void EntryPlaces::clear()
{
  begin_.assign(1, 0);
  to_.clear();
  on_device_ = Index();
}

void EntryPlaces::add(PetscInt n, PetscInt to)
{
  if (!n) return;
  const bool goes_on = !to_.empty() && to == to_.back() + (begin_.back() - begin_[begin_.size() - 2]);

  if (goes_on) begin_.back() += n;
  else {
    begin_.push_back(begin_.back() + n);
    to_.push_back(to);
  }
}

EntryPlaces::Index EntryPlaces::index(Space space) const
{
  std::vector<PetscInt> first;
  PetscInt              run = 0;

  for (PetscInt p = 0; p < size(); p += PlaceEntry::chunk) {
    while (begin_[run + 1] <= p) run++;
    first.push_back(run);
  }
  first.push_back(PetscMax(runs() - 1, 0));
  return {Array<PetscInt>(space, begin_.data(), begin_.size()), Array<PetscInt>(space, to_.data(), to_.size()),
          Array<PetscInt>(space, first.data(), first.size())};
}

void EntryPlaces::put(Space space, const PetscScalar *values, PetscScalar *out)
{
  if (!size()) return;
  if (space == Space::Host) {
    for (PetscInt r = 0; r < runs(); r++) std::copy(values + begin_[r], values + begin_[r + 1], out + to_[r]);
    return;
  }
  if (!on_device_.begin.size()) on_device_ = index(space);
  for_each_row(space, size(), PlaceEntry{on_device_.begin.data(), on_device_.to.data(), on_device_.first.data(), values, out});
}

} // namespace goza::mat
