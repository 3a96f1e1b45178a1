/* The places that formats take in the windows of a sample. */
#pragma once
#include "counts.hpp"
#include "locality/team.hpp"
#include "mat/fold/fold_view.hpp"

namespace goza::locality::sampling {

constexpr PetscInt most_chunks = sample_window / fold_small_chunk, most_width = fold_max_width;

struct PlaceScratch {
  int count[ordinary_row + 1];            // of rows by length
  int lines[most_chunks][most_width + 1]; // of Fold by length
};

struct CountPlaces {
  Windows         windows;
  const PetscInt *ptr;
  const Report   *report;        // of TakeBlocks
  PetscInt        most_in_slice; // entries of a row that sliced ELL does not hold apart
  bool            device;
  PetscInt        nrows;

  HD void operator()(int w, const Order &o, PlaceScratch &s, OrderCounts &c, Team team) const
  {
    if (o.layout == Layout::SlicedEll) slice_window(w, o.param, s, c, team);
    if (o.layout == Layout::Fold) fold_window(w, o.param, s, c, team);
  }

private:
  HD PetscInt ordinary_length(PetscInt i) const
  {
    const PetscInt n = ptr[i + 1] - ptr[i];

    return n > ordinary_row ? 0 : n; // long rows are counted apart, from the whole matrix
  }

  /* Places in slices of H rows, in the order given and sorted by length inside the window. */
  HD void slice_window(int w, PetscInt H, PlaceScratch &s, OrderCounts &c, Team team) const
  {
    const PetscInt begin = windows.begin[w], n = windows.nrows[w];
    std::int64_t   plain = 0, apart = 0;

    for (PetscInt l = team.rank; l <= ordinary_row; l += team.size) s.count[l] = 0;
    team.sync();
    for (PetscInt first = H * team.rank; first < n; first += H * team.size) {
      PetscInt most = 0;

      for (PetscInt i = first; i < first + H && i < n; i++) {
        const PetscInt l = ordinary_length(begin + i);

        if (l > most_in_slice) {
          apart += l;
          continue;
        }
        most = l > most ? l : most;
        fetch_add(&s.count[l], 1);
      }
      plain += most * H;
    }
    fetch_add(&c.plain, plain + apart);
    fetch_add(&c.sorted, apart);
    team.sync();
    if (team.rank) return;
    std::int64_t sorted = 0;
    PetscInt     at     = 0;

    for (PetscInt l = static_cast<PetscInt>(report->usual[w]); l > 0; l--) { // a slice begins with its longest row
      const PetscInt end = at + s.count[l];

      sorted += static_cast<std::int64_t>(l) * H * ((end + H - 1) / H - (at + H - 1) / H);
      at = end;
    }
    c.sorted += sorted;
  }

  /* The rows that Fold would pack together. */
  HD PetscInt chunk_of_fold() const
  {
    std::int64_t far = 0, all = 0;

    if (!device) return fold_chunk;
    for (int w = 0; w < windows.nblocks; w++) {
      far += report->block[w].far_from_row;
      all += report->block[w].entries;
    }
    return all ? fold_chunk_for(static_cast<double>(far) / static_cast<double>(all), ptr[nrows], nrows) : fold_chunk;
  }

  /* Groups of 32 lines, by their length inside a chunk. */
  HD void fold_window(int w, PetscInt width, PlaceScratch &s, OrderCounts &c, Team team) const
  {
    const PetscInt begin = windows.begin[w], n = windows.nrows[w], chunk = chunk_of_fold(), chunks = sample_window / chunk;
    std::int64_t   groups = 0, steps = 0;

    for (PetscInt l = team.rank; l < chunks * (most_width + 1); l += team.size) s.lines[l / (most_width + 1)][l % (most_width + 1)] = 0;
    team.sync();
    PetscInt k = 0; // the chunk of row i
    for (PetscInt i = team.rank; i < n; i += team.size) {
      const PetscInt length = ordinary_length(begin + i), lines = length > width ? (length - 1) / width + 1 : 1;

      while (i >= (k + 1) * chunk) k++;
      if (lines > lanes) { // groups of its own
        groups += (length + lanes * width - 1) / (lanes * width);
        steps += (length + lanes - 1) / lanes;
      } else fetch_add(&s.lines[k][lines > 1 ? (length - 1) / lines + 1 : length], static_cast<int>(lines));
    }
    team.sync();
    for (PetscInt k = team.rank; k < chunks; k += team.size) {
      const int *count = s.lines[k];
      PetscInt   room  = 0; // in the group begun last

      for (PetscInt l = width; l >= 0; l--) {
        const PetscInt left = count[l] - (room < count[l] ? room : count[l]), opened = (left + lanes - 1) / lanes;

        room -= count[l] - left;
        if (!left) continue;
        groups += opened;
        steps += static_cast<std::int64_t>(opened) * l;
        room = opened * lanes - left;
      }
    }
    if (groups) fetch_add(&c.groups, groups);
    if (steps) fetch_add(&c.steps, steps);
  }
};

} // namespace goza::locality::sampling
