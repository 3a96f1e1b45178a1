/* The diagonals that are nearly full in the blocks of a sample. */
#pragma once
#include "core/util/divided.hpp"
#include "counts.hpp"
#include "locality/team.hpp"
#include "mat/cds/diagonals.hpp"
#include <algorithm>

namespace goza::locality::sampling {

constexpr int    offset_slots = 1 << 15;
constexpr double mirror_share = 0.8 * diagonal_share;

struct CountOffsets {
  PetscInt nrows, bs;
  Offset  *offset; // [offset_slots]

  /* Where the table is full, further offsets are left out: of a matrix with so many, few diagonals are full. */
  HD void operator()(const Block &b, PetscInt first, Team team) const
  {
    for (PetscInt e = team.rank; e < b.ptr[b.nrows]; e += team.size) {
      const std::int64_t key = static_cast<std::int64_t>(divided(b.col[e], bs)) - divided(first + b.row[e], bs) + nrows + 1;
      int                at  = first_place(key, offset_slots);

      for (int tried = 0; tried < 64; tried++, at = (at + 1) & (offset_slots - 1)) {
        const std::int64_t before = offset[at].key == key ? key : fetch_claim(&offset[at].key, key);

        if (before && before != key) continue;
        fetch_add(&offset[at].count, std::int64_t(1));
        break;
      }
    }
  }
};

HD inline void list_offsets(PetscInt k, int nblocks, PetscInt bs, const Offset *offset, Report *report)
{
  std::int64_t rows = 0;

  if (!offset[k].count) return;
  for (int w = 0; w < nblocks; w++) rows += report->block[w].rows;
  if (static_cast<double>(offset[k].count) < mirror_share * static_cast<double>(rows * bs)) return;
  const std::int64_t at = fetch_add(&report->nlisted, std::int64_t(1));
  if (at < most_listed) report->listed[at] = offset[k];
}

inline SampledDiagonals diagonals_of(const Report &report, std::int64_t nrows, PetscInt bs, double rows, double entries)
{
  SampledDiagonals    found;
  std::vector<Offset> list(report.listed, report.listed + std::min<std::int64_t>(report.nlisted, most_listed));

  if (report.nlisted > most_listed) return found;
  for (const Offset &o : list) {
    if (static_cast<double>(o.count) < diagonal_share * rows * static_cast<double>(bs)) continue;
    const std::int64_t mirror = 2 * (nrows + 1) - o.key, offset = o.key - (nrows + 1); // mirror: of -offset

    found.pairs = found.pairs && std::any_of(list.begin(), list.end(), [&](const Offset &other) { return other.key == mirror; });
    if (offset > 1 && (!found.beyond || offset < found.beyond)) found.beyond = offset;
    found.count++;
    found.inside += static_cast<double>(o.count);
  }
  found.inside = entries > 0 ? found.inside / entries : 0;
  if (found.count > max_diagonals) found = {};
  return found;
}

} // namespace goza::locality::sampling
