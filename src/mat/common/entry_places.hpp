/* Where a rank's entries lie among those of its group. Rows keep their order there, and neighbouring rows mostly are neighbours there, too: runs are few.

     entries    0 1 2 3 4 | 5 6 7 | 8 9 ...
     begin_     0           5       8           of each run, and their number
     to_        20          40      25          where its first entry lies   */
#pragma once
#include "core/device/array.hpp"
#include "petsc/compat.hpp"

namespace goza::mat {

/* out[place of p] = values[p], on the device: a chunk of entries knows its first run. */
struct PlaceEntry {
  static constexpr PetscInt chunk = 256; // entries

  const PetscInt    *begin, *to, *first; // first: run of each chunk's first entry, and behind them the last run
  const PetscScalar *values;
  PetscScalar       *out;

  HD void operator()(PetscInt p) const
  {
    PetscInt low = first[p / chunk], high = first[p / chunk + 1];

    while (low < high) {
      const PetscInt middle = low + (high - low + 1) / 2;

      if (begin[middle] <= p) low = middle;
      else high = middle - 1;
    }
    out[to[low] + (p - begin[low])] = values[p];
  }
};

class EntryPlaces {
public:
  void     clear();
  void     add(PetscInt n, PetscInt to); // the next n entries lie from there on
  PetscInt size() const { return begin_.back(); }
  PetscInt runs() const { return static_cast<PetscInt>(to_.size()); }

  void put(Space space, const PetscScalar *values, PetscScalar *out); // both arrays there

  struct Index { // of the runs, for PlaceEntry
    Array<PetscInt> begin, to, first;
  };
  Index index(Space space) const;

private:
  std::vector<PetscInt> begin_ = {0}, to_;
  Index                 on_device_; // made when it is needed
};

} // namespace goza::mat
