/* Locality of the reads of x in a sparse product (papers P2 and P3), from the pattern alone: plain C++ on host arrays.

   The reads of x are a sequence of columns j_1, j_2, ... , j_n, in an order that belongs to the format (order/). The line of a column is j >> shift, with
   2^shift values to a line: shift = 5 for the papers' 128 bytes and 4-byte values, 4 for doubles.

     spatial locality index    (P3, 3.3; the S of P2's eq. 1)  mean length, in reads, of the runs of consecutive reads with equal j >> shift.
                               The paper writes a run's length when the next begins; here the last run counts too.
     temporal locality index   (P2, 2.1 (6))  mean number of reads until the same line is read again: l - k over all pairs of reads k < l of one line
                               with no read of it in between; 1 for a read of the line just read. Lines read once have none. Unit: reads.
     useful elements per line  distinct columns read, over distinct lines read: what a cache that forgets nothing uses of a line.

   The first two are given for the sequence with the reads of padding in it (what the hardware sees) and without them (P3, 4.2). */
#pragma once
#include "core/sparse/csr.hpp"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace goza::locality {

constexpr int reuse_bins = 48; // 2^48 reads of x: more than memory holds

struct RowStatistics {
  PetscInt     rows = 0, columns = 0;
  std::int64_t nnz       = 0;
  PetscInt     longest   = 0; // P2, 2.1 (3): most entries in a row
  double       mean      = 0; // P2, 2.1 (5)
  double       variance  = 0; // P2, 2.1 (4): of the population, that is over rows and not rows - 1
  PetscInt     bandwidth = 0; // largest |i - j| of an entry
  PetscInt     diagonals = 0; // different j - i
};

/* Always exact: one pass. */
RowStatistics row_statistics(const Csr &A);

/* One sequence, counted. Sums, so that windows can be added. */
struct LocalityCounts {
  std::int64_t                         reads = 0, runs = 0, reused = 0;
  double                               interval_sum = 0;
  std::array<std::int64_t, reuse_bins> intervals{}; // [k]: intervals in [2^k, 2^(k + 1))

  double spatial() const { return runs ? static_cast<double>(reads) / static_cast<double>(runs) : 0; }
  double temporal() const { return reused ? interval_sum / static_cast<double>(reused) : 0; }
  /* Share of the reads whose line was read at most n reads before; inside a bin intervals count as evenly spread. */
  double reused_within(double n) const;
  void   add(const LocalityCounts &other);
};

struct Locality {
  LocalityCounts padded, plain;                         // with the reads of padding, and without
  std::int64_t   columns = 0, lines = 0;                // different ones, summed over the windows
  int            windows       = 1;                     // 1: the whole matrix was read, and the errors are 0
  double         share         = 1;                     // of the rows, that was read
  double         spatial_error = 0, temporal_error = 0; // standard errors of padded.spatial() and padded.temporal(), from the spread of the windows

  double useful_per_line() const { return lines ? static_cast<double>(columns) / static_cast<double>(lines) : 0; }
};

/* Takes the columns one by one. */
class LocalityCounter {
public:
  LocalityCounter(PetscInt ncols, int shift);

  void operator()(PetscInt col, bool padding)
  {
    const PetscInt line = col >> shift_;

    count(padded_, line, result_.padded);
    if (!padding) count(plain_, line, result_.plain);
    if (!seen_[col]) {
      seen_[col] = true;
      result_.columns++;
    }
  }
  Locality result() const;

private:
  struct Track {
    std::vector<std::int64_t> last; // [lines] number of the read, from 1; 0: never
    PetscInt                  line = -1;
  };
  static void count(Track &track, PetscInt line, LocalityCounts &counts)
  {
    const std::int64_t now = ++counts.reads, before = track.last[line];

    if (before) {
      int bin = 0;

      for (std::int64_t n = now - before; n > 1; n >>= 1) bin++;
      counts.intervals[bin]++;
      counts.interval_sum += static_cast<double>(now - before);
      counts.reused++;
    }
    counts.runs += line != track.line;
    track.line       = line;
    track.last[line] = now;
  }

  int               shift_;
  Track             padded_, plain_;
  std::vector<bool> seen_; // [ncols]
  Locality          result_;
};

/* --- Formats, of a CSR pattern on the host; its values are not looked at and may be null. */

enum class Layout {
  Csr,
  SlicedEll,
  Fold,
  Rectangle, // paper P3's Fold, see order/rectangle_order.hpp
  CdsFull,
  CdsHalf // as if the values were symmetric: only the pattern's diagonals must come in pairs
};

constexpr Layout layouts[] = {Layout::Csr, Layout::SlicedEll, Layout::Fold, Layout::Rectangle, Layout::CdsFull, Layout::CdsHalf};
const char      *layout_name(Layout layout);

struct AnalysisOptions {
  int          shift        = 4;  // log2 of the values in a line
  PetscInt     slice_height = 32; // of sliced ELL: a power of two
  PetscInt     fold_width   = 0;  // 0: what Fold chooses, and of the rectangle the mean row's entries
  PetscInt     bs           = 1;  // of CDS
  PetscInt     block        = 1;  // of sliced ELL that holds one column index for a block; rows consist of full ones
  std::int64_t most_entries = 0;  // 0: all. Else, of a longer matrix, windows with about so many entries in all, evenly spread over the rows. An interval that
                                  // ends beyond its window is not seen: the temporal index of windows is too small where intervals are long

  std::optional<std::vector<PetscInt>> diagonals; // of CDS, ascending; else those that it stores by default
};

struct LayoutLocality {
  Layout       layout  = Layout::Csr;
  bool         present = false;     // false: the matrix cannot be held so (no diagonal worth it, or they do not pair)
  std::int64_t nnz = 0, stored = 0; // entries in the windows, and the places that they take in memory
  std::int64_t unindexed = 0;       // reads of x that read no index
  Locality     locality;

  double stored_per_nonzero() const { return nnz ? static_cast<double>(stored) / static_cast<double>(nnz) : 1; }
  /* Nnz/Nnzp of P2's eq. 3, which corrects for products with padding: places in memory that no thread reads do not count */
  double density() const { return locality.padded.reads ? static_cast<double>(locality.plain.reads) / static_cast<double>(locality.padded.reads) : 1; }
  double indexed_share() const { return locality.padded.reads ? 1 - static_cast<double>(unindexed) / static_cast<double>(locality.padded.reads) : 1; }
};

LayoutLocality analyse(const Csr &A, Layout layout, const AnalysisOptions &options);

/* 2^shift values of value_bytes to a line; throws std::invalid_argument where that is no power of two. */
int line_shift(int line_bytes, int value_bytes);

} // namespace goza::locality
