/* Localities of small matrices, and the models' figures, worked out by hand. Lines of 128 bytes and 4-byte values, as in the papers: shift 5. */
#include "../support/host_csr.hpp"
#include "../support/matrix_market.hpp"
#include "locality/models.hpp"
#include "locality/order/cds_order.hpp"
#include "locality/order/csr_order.hpp"
#include "locality/order/fold_order.hpp"
#include "locality/order/rectangle_order.hpp"
#include "locality/order/sliced_ell_order.hpp"
#include "mat/fold/fold.hpp"
#include "mat/slicedell/slicedell.hpp"

#include "../support/check.hpp"
#include "../support/sparse.hpp"

#include <cmath>
#include <utility>
#include <vector>

using namespace goza;
using goza_test::HostCsr;
namespace tt = boost::test_tools;

namespace {

constexpr int shift = 5;

using Reads = std::vector<std::pair<PetscInt, bool>>; // column, padding

HostCsr pattern(PetscInt cols, const std::vector<std::vector<PetscInt>> &rows)
{
  HostCsr A;

  A.rows = static_cast<PetscInt>(rows.size());
  A.cols = cols;
  for (const auto &row : rows) {
    A.col.insert(A.col.end(), row.begin(), row.end());
    A.ptr.push_back(static_cast<PetscInt>(A.col.size()));
  }
  A.val.assign(A.col.size(), 1);
  return A;
}

/* A whole order, exactly. */
template <class Order> Locality locality_of(const Order &order, PetscInt ncols, int line)
{
  LocalityCounter counter(ncols, line);

  order([&](PetscInt col, bool padding) { counter(col, padding); });
  return counter.result();
}

template <class Order> Reads reads_of(const Order &order)
{
  Reads reads;

  order([&](PetscInt col, bool padding) { reads.emplace_back(col, padding); });
  return reads;
}

std::string text(const Reads &reads)
{
  std::string s;

  for (const auto &r : reads) s += std::to_string(r.first) + (r.second ? "* " : " ");
  return s;
}

SlicedEllOptions sliced_options(PetscInt height, PetscInt window, bool gaps)
{
  SlicedEllOptions options;

  options.slice_height = height;
  options.sort_window  = window;
  options.gaps         = gaps;
  return options;
}

std::string sliced_reads(const HostCsr &A, PetscInt height, PetscInt window, bool gaps)
{
  SlicedEll<PetscScalar, PetscScalar> ell(Space::Host, sliced_options(height, window, gaps));
  ell.build(A.view());
  return text(reads_of(SlicedEllOrder<PetscScalar>{ell.view(), A.ptr.data()}));
}

std::string fold_reads(const HostCsr &A, PetscInt width)
{
  FoldOptions options;
  options.width = width;
  Fold<PetscScalar, PetscScalar> fold(Space::Host, options);
  fold.build(A.view());
  return text(reads_of(FoldOrder<PetscScalar>{fold.view()}));
}

AnalysisOptions with_width(PetscInt fold_width)
{
  AnalysisOptions options;
  options.shift      = shift;
  options.fold_width = fold_width;
  return options;
}

/* Row i: columns i, i + 64, i + 128, as far apart as apache2's in P3 */
HostCsr strided()
{
  std::vector<std::vector<PetscInt>> rows;

  for (PetscInt i = 0; i < 64; i++) rows.push_back({i, i + 64, i + 128});
  return pattern(192, rows);
}

/* Row i: a line of its own, as clustered as nd24k's in P3 */
HostCsr clustered()
{
  std::vector<std::vector<PetscInt>> rows(32);

  for (PetscInt i = 0; i < 32; i++)
    for (PetscInt j = 0; j < 32; j++) rows[i].push_back(32 * i + j);
  return pattern(1024, rows);
}

} // namespace

BOOST_AUTO_TEST_SUITE(locality)

BOOST_AUTO_TEST_CASE(rows)
{
  const HostCsr       A = pattern(5, {{0, 2, 4}, {1}, {}, {0, 1, 2, 3, 4}, {4}});
  const RowStatistics s = row_statistics(A.view());

  BOOST_TEST(s.rows == 5);
  BOOST_TEST(s.columns == 5);
  BOOST_TEST(s.nnz == 10);
  BOOST_TEST(s.longest == 5);
  BOOST_TEST(s.mean == 2.0);
  BOOST_TEST(s.variance == 3.2, tt::tolerance(1e-14)); // (1 + 1 + 4 + 9 + 1) / 5
  BOOST_TEST(s.bandwidth == 4);                        // (0, 4)
  BOOST_TEST(s.diagonals == 7);                        // -3 -2 -1 0 1 2 4
}

/* lines 0 0 1 1 1 2 0: runs of 2, 3, 1, 1; the second read of line 0 after 1, those of line 1 after 1 and 1, the third of line 0 after 5 */
BOOST_AUTO_TEST_CASE(indices)
{
  const HostCsr  A = pattern(100, {{0, 1, 33, 34}, {35, 64, 2}});
  const Locality l = locality_of(CsrOrder{A.rows, A.ptr.data(), A.col.data()}, A.cols, shift);

  BOOST_TEST(l.padded.reads == 7);
  BOOST_TEST(l.padded.runs == 4);
  BOOST_TEST(l.padded.spatial() == 7.0 / 4);
  BOOST_TEST(l.padded.reused == 4);
  BOOST_TEST(l.padded.temporal() == 8.0 / 4);
  BOOST_TEST(l.padded.intervals[0] == 3);
  BOOST_TEST(l.padded.intervals[1] == 0);
  BOOST_TEST(l.padded.intervals[2] == 1); // 4 .. 7
  BOOST_TEST(l.padded.reused_within(0) == 0.0);
  BOOST_TEST(l.padded.reused_within(1) == 3.0 / 7);
  BOOST_TEST(l.padded.reused_within(5) == 3.5 / 7); // half of the bin 4 .. 7
  BOOST_TEST(l.padded.reused_within(100) == 4.0 / 7);
  BOOST_TEST(l.useful_per_line() == 7.0 / 3);
  BOOST_TEST(l.plain.runs == l.padded.runs);
}

/* With padding (*) that stays on its line: 0 1* 1* 40 2. With: runs of 3, 1, 1; without: 0 40 2. */
BOOST_AUTO_TEST_CASE(padding_apart)
{
  const auto order = [](const auto &visit) {
    visit(0, false);
    visit(1, true);
    visit(1, true);
    visit(40, false);
    visit(2, false);
  };
  const Locality l = locality_of(order, 64, shift);

  BOOST_TEST(l.padded.spatial() == 5.0 / 3);
  BOOST_TEST(l.plain.spatial() == 1.0);
  BOOST_TEST(l.padded.temporal() == (1 + 1 + 2) / 3.0);
  BOOST_TEST(l.plain.temporal() == 2.0);
}

BOOST_AUTO_TEST_CASE(sliced_ell_order)
{
  const HostCsr A = pattern(7, {{0, 1, 2}, {3}, {6}, {4, 5}});

  for (bool gaps : {true, false}) {
    BOOST_TEST(sliced_reads(A, 4, 0, gaps) == "0 3 6 4 1 3* 6* 5 2 3* 6* 5* ");
    BOOST_TEST(sliced_reads(A, 4, 4, gaps) == "0 4 3 6 1 5 3* 6* 2 5* 3* 6* "); // longest rows first
    BOOST_TEST(sliced_reads(A, 2, 0, gaps) == "0 3 1 3* 2 3* 6 4 6* 5 ");
    BOOST_TEST(sliced_reads(A, 32, 0, gaps) == "0 3 6 4 1 3* 6* 5 2 3* 6* 5* "); // no thread has places 4 .. 31
  }
  BOOST_TEST(sliced_reads(pattern(7, {{0, 1, 2}, {}, {6}}), 4, 0, true) == "0 6 1 2 "); // an empty row: each thread stops at its own end
}

/* A slice of 64 is two warps', the one after the other. */
BOOST_AUTO_TEST_CASE(warp_by_warp)
{
  std::vector<std::vector<PetscInt>> rows(64);
  std::string                        expected;

  for (PetscInt i = 0; i < 64; i++) rows[i] = {i, i + 100};
  for (PetscInt warp : {0, 32})
    for (PetscInt step : {0, 100})
      for (PetscInt lane = 0; lane < 32; lane++) expected += std::to_string(warp + step + lane) + " ";
  BOOST_TEST(sliced_reads(pattern(164, rows), 64, 0, true) == expected);
}

/* Slices that share their columns are read as those that do not. */
BOOST_AUTO_TEST_CASE(shared_columns)
{
  std::vector<std::vector<PetscInt>> rows(640);

  for (PetscInt i = 0; i < 640; i++) rows[i] = {i, i + 3, i + 100};
  const HostCsr A = pattern(740, rows);
  for (PetscInt height : {1, 4, 32, 64}) {
    SlicedEll<PetscScalar, PetscScalar> ell(Space::Host, sliced_options(height, 0, true));
    ell.build(A.view());
    BOOST_TEST(ell.view().head, ell.describe());
    BOOST_TEST(sliced_reads(A, height, 0, true) == sliced_reads(A, height, 0, false));
  }
}

/* Width 2: row 1 in lines (1 3) and (2), row 0 in one; longest lines first. A row in groups of its own: entry e in lane e % 32. */
BOOST_AUTO_TEST_CASE(fold_order)
{
  BOOST_TEST(fold_reads(pattern(5, {{0}, {1, 2, 3}, {}}), 2) == "1 2 0 3 ");
  std::vector<PetscInt> full;
  std::string           expected;

  for (PetscInt j = 0; j < 40; j++) {
    full.push_back(j);
    expected += std::to_string(j) + " ";
  }
  BOOST_TEST(fold_reads(pattern(40, {full}), 1) == expected);
  BOOST_TEST(fold_reads(pattern(200000, {{0, 70000}, {199999}}), 2) == "0 199999 70000 "); // whole words for columns
}

BOOST_AUTO_TEST_CASE(cds_order)
{
  const HostCsr A = pattern(3, {{0}, {0, 1, 2}, {1, 2}}); // (0, 1) is missing
  CdsOrder      full{{3, 3, 3, 32, nullptr, {-1, 0, 1}}, 1, false, A.ptr.data(), A.col.data(), 0, 3};
  CdsOrder      half{{3, 3, 2, 32, nullptr, {0, 1}}, 1, true, A.ptr.data(), A.col.data(), 0, 3};

  BOOST_TEST(text(reads_of(full)) == "0 1 0 1 2 1* 2 ");
  BOOST_TEST(text(reads_of(half)) == "0 1 2 1* 2 0 1 ");
  const HostCsr  blocks = pattern(4, {{0, 1}, {0, 1}, {2, 3}, {2, 3}});
  const CdsOrder order{{2, 2, 1, 32, nullptr, {0}}, 2, false, blocks.ptr.data(), blocks.col.data(), 0, 2};
  BOOST_TEST(text(reads_of(order)) == "0 2 1 3 "); // threads 0 and 1 at once, then the second column of the block
}

/* P3's findings in small: the transposed order helps far-away columns, and breaks runs of them. */
BOOST_AUTO_TEST_CASE(strided_rows)
{
  const HostCsr        A   = strided();
  const LayoutLocality csr = analyse(A.view(), Layout::Csr, with_width(8)), ell = analyse(A.view(), Layout::SlicedEll, with_width(8)),
                       fold = analyse(A.view(), Layout::Fold, with_width(8)), cds = analyse(A.view(), Layout::CdsFull, with_width(8));

  BOOST_TEST(csr.locality.padded.spatial() == 1.0);
  BOOST_TEST(csr.locality.padded.temporal() == 3.0);
  BOOST_TEST(ell.locality.padded.spatial() == 32.0);
  BOOST_TEST(ell.locality.padded.temporal() == 1.0);
  BOOST_TEST(fold.locality.padded.spatial() == 32.0);
  BOOST_TEST(cds.locality.padded.spatial() == 32.0);
  BOOST_TEST(csr.locality.useful_per_line() == 32.0);
  BOOST_TEST(ell.stored == 192);
  BOOST_TEST(fold.stored == 192);
  BOOST_TEST(!analyse(A.view(), Layout::CdsHalf, with_width(8)).present); // no pairs of diagonals
}

BOOST_AUTO_TEST_CASE(clustered_rows)
{
  const HostCsr        A   = clustered();
  const LayoutLocality csr = analyse(A.view(), Layout::Csr, with_width(8)), ell = analyse(A.view(), Layout::SlicedEll, with_width(8)),
                       fold = analyse(A.view(), Layout::Fold, with_width(8));

  BOOST_TEST(csr.locality.padded.spatial() == 32.0);
  BOOST_TEST(csr.locality.padded.temporal() == 1.0);
  BOOST_TEST(ell.locality.padded.spatial() == 1.0);
  BOOST_TEST(ell.locality.padded.temporal() == 32.0);
  BOOST_TEST(fold.locality.padded.spatial() == 4.0);                      // 4 lanes to a row, reading neighbouring entries
  BOOST_TEST(fold.locality.padded.temporal() == (3 * 8 + 7 * 29) / 31.0); // of a line, in 8 steps: 1 1 1, then 29 to the next step's first
}

/* Two entries, each alone on its diagonal: they are the remainder, read after the diagonals. */
BOOST_AUTO_TEST_CASE(cds_remainder)
{
  std::vector<std::vector<PetscInt>> rows(64);

  for (PetscInt i = 0; i < 64; i++) rows[i] = {i};
  rows[7].push_back(60);
  rows[50].insert(rows[50].begin(), 3);
  const HostCsr        A   = pattern(64, rows);
  const LayoutLocality cds = analyse(A.view(), Layout::CdsFull, with_width(0));

  BOOST_TEST(cds.present);
  BOOST_TEST(cds.nnz == 66);
  BOOST_TEST(cds.locality.plain.reads == 66);
  BOOST_TEST(cds.locality.padded.reads == 66);
  BOOST_TEST(cds.locality.padded.runs == 3); // line 0, line 1 with 60, then 3
}

/* Every entry is read once in every format. */
BOOST_AUTO_TEST_CASE(each_entry_once)
{
  goza_test::Random random(5);
  const HostCsr     A = goza_test::from_rows(5000, 3000, [&](PetscInt, std::vector<PetscInt> &row) {
    for (PetscInt k = random.below(60); k > 0; k--) row.push_back(random.below(3000));
  });

  for (Layout layout : layouts) {
    const LayoutLocality l = analyse(A.view(), layout, with_width(0));

    if (!l.present) continue;
    BOOST_TEST(l.locality.plain.reads == static_cast<std::int64_t>(A.col.size()), layout_name(layout));
    BOOST_TEST(l.locality.padded.reads >= l.locality.plain.reads);
    BOOST_TEST(l.nnz == static_cast<std::int64_t>(A.col.size()));
    BOOST_TEST(l.stored >= l.nnz);
  }
}

/* Windows: the estimate is within four of its own standard errors of the truth, for rows that are all alike in kind. */
BOOST_AUTO_TEST_CASE(windows)
{
  const PetscInt    n = 40 * 4096;
  goza_test::Random random(9);
  const HostCsr     A       = goza_test::from_rows(n, n, [&](PetscInt i, std::vector<PetscInt> &row) {
    const PetscInt begin = std::max<PetscInt>(0, i - 300);
    for (PetscInt k = 1 + random.below(8); k > 0; k--) row.push_back(std::min(n - 1, begin + random.below(600)));
  });
  AnalysisOptions   options = with_width(0);

  for (Layout layout : {Layout::Csr, Layout::SlicedEll, Layout::Fold}) {
    options.most_entries       = 0;
    const LayoutLocality exact = analyse(A.view(), layout, options);
    options.most_entries       = static_cast<std::int64_t>(A.col.size()) / 4;
    const LayoutLocality some  = analyse(A.view(), layout, options);

    BOOST_TEST(exact.locality.windows == 1);
    BOOST_TEST(exact.locality.spatial_error == 0.0);
    BOOST_TEST(some.locality.windows == 10);
    BOOST_TEST(some.locality.share == 0.25);
    BOOST_TEST(some.locality.spatial_error > 0.0);
    BOOST_TEST(some.locality.spatial_error < 0.01 * exact.locality.padded.spatial());
    BOOST_TEST(std::abs(some.locality.padded.spatial() - exact.locality.padded.spatial()) <= 4 * some.locality.spatial_error, layout_name(layout));
    BOOST_TEST(some.locality.padded.temporal() <= exact.locality.padded.temporal() + 4 * some.locality.temporal_error);
  }
}

BOOST_AUTO_TEST_CASE(bad_input)
{
  const HostCsr empty, no_rows = pattern(7, {}), no_columns = pattern(0, {{}, {}}), one = pattern(9, {{0, 8}});

  for (Layout layout : layouts) {
    for (const HostCsr *A : {&empty, &no_rows, &no_columns}) {
      const LayoutLocality l = analyse(A->view(), layout, with_width(0));

      BOOST_TEST(l.locality.padded.reads == 0);
      BOOST_TEST(l.locality.padded.spatial() == 0.0);
      BOOST_TEST(l.locality.useful_per_line() == 0.0);
      BOOST_TEST(predict(*find_machine("h200"), l, A->rows, 0, {8, 4}).gflops == 0.0);
    }
    const LayoutLocality l = analyse(one.view(), layout, with_width(0));
    if (l.present) BOOST_TEST(l.locality.plain.reads == 2);
  }
  BOOST_TEST(row_statistics(empty.view()).mean == 0.0);
  BOOST_TEST(row_statistics(one.view()).bandwidth == 8);
  BOOST_TEST(line_shift(128, 4) == 5);
  BOOST_TEST(line_shift(64, 8) == 3);
  BOOST_CHECK_THROW(line_shift(100, 8), std::invalid_argument);
  BOOST_CHECK_THROW(line_shift(128, 0), std::invalid_argument);
  BOOST_CHECK_THROW(line_shift(128, 256), std::invalid_argument);
  BOOST_TEST(!find_machine("abacus"));
}

/* The C2050 of P2, table 1, with hit 0.1, S = 4, and as many places of padding as entries */
BOOST_AUTO_TEST_CASE(models)
{
  const auto       close = tt::tolerance(1e-12);
  const Machine   &card  = *find_machine("c2050");
  constexpr double F = 4, I = 4, L = 128, W = 144e9;

  BOOST_TEST(card.bandwidth == W);
  BOOST_TEST(card.line == 128);
  BOOST_TEST(card.cache == 16384);
  BOOST_TEST(bpf_cache(F, I, 0.1, L, 4) == 32.8, close);                               // eq. 1: 2 + 2 + 0.9 * 32
  BOOST_TEST(flops_cache(W, F, I, 0.1, L, 4) == 144e9 / 32.8, close);                  // eq. 2
  BOOST_TEST(flops_cache_padded(500, 1000, W, F, I, 0.1, L, 4) == 72e9 / 32.8, close); // eq. 3
  BOOST_TEST(bpf_gather(F) == 4.0);                                                    // eq. 4
  BOOST_TEST(flops_gather(W, F) == 36e9, close);                                       // eq. 5
  BOOST_TEST(flops_gather_padded(500, 1000, W, F) == 18e9, close);                     // eq. 6
  BOOST_TEST(flops_small(W, 0.1, 4, 1e5) == 144e9 / 34.8 * 0.06, close);               // eq. 7
  BOOST_TEST(bpf_cache(F, I, 1, L, 32) == 4.0, close);                                 // every read of x hits
  BOOST_TEST(bpf_cache(F, I, 0, L, 32) == 8.0, close);                                 // section 5: S raised to a whole line
}

/* strided() in CSR: S = 1; 186 of its 192 reads come 3 after the last of their line, and half of the bin 2 .. 3 is within 2, all within 128 lines. */
BOOST_AUTO_TEST_CASE(predictions)
{
  const auto           close = tt::tolerance(1e-12);
  const LayoutLocality csr = analyse(strided().view(), Layout::Csr, with_width(0)), cds = analyse(strided().view(), Layout::CdsFull, with_width(0));
  const Machine        card  = *find_machine("c2050");
  const double         hit   = 186.0 / 192;
  const Prediction     large = predict(card, csr, 70000, 192, {4, 4}), small = predict(card, csr, 69999, 192, {4, 4}),
                   other = predict(card, cds, 70000, 192, {4, 4});

  BOOST_TEST(large.hit == hit, close);
  BOOST_TEST(large.bpf == 4 + (1 - hit) * 128, close);
  BOOST_TEST(large.gflops == 144 / large.bpf, close);
  BOOST_TEST(large.gather == 36.0, close);
  for (const Prediction &p : {large, small}) { // figure 4's lines: hits by the temporal index alone
    const Machine::HitLine &line = p.small ? card.few_rows : card.many_rows;

    BOOST_TEST(p.line_hit == std::clamp(line.at_one + line.slope * std::log10(std::max(1.0, csr.locality.padded.temporal())), 0.0, 1.0), close);
    BOOST_TEST((p.line_gflops > p.gflops) == (p.line_hit > p.hit));
  }
  BOOST_TEST(predict(*find_machine("h200"), csr, 70000, 192, {4, 4}).line_hit == 0);
  BOOST_TEST(!large.small);
  BOOST_TEST(small.small);
  BOOST_TEST(small.gflops == 144 / (6 + (1 - hit) * 128) * (192 * 6e-7), close);
  BOOST_TEST(other.bpf == 2 + (1 - hit) * 4, close);                          // no indices
  BOOST_TEST(predict(card, cds, 69999, 192, {4, 4}).small);                   // eq. 7 is for all formats of a matrix
  BOOST_TEST(!predict(card, csr, 69999, 192, {8, 4}).small);                  // its 6 is for values of 4 bytes
  BOOST_TEST(!predict(card, cds, 69999, 192, {4, 4, 8}).small);               // held in 4 bytes, like no other format of the matrix
  BOOST_TEST(!predict(*find_machine("h200"), csr, 69999, 192, {4, 4}).small); // its coefficient is the C2050's
  BOOST_TEST(large.full_lines == 144 / (4 + (1 - hit) * 128 / 32), close);
  BOOST_TEST(large.more_hits == 144 / 4., close); // 1.3 * 186 / 192 is more than all
}

/* P3's Fold at width 2: lines {0, 1}, {40, padding}, and then row 0's second {2, padding}, read 0 40 2, 1 pad pad: the padding is column 0 */
BOOST_AUTO_TEST_CASE(rectangle)
{
  const PetscInt        ptr[] = {0, 3, 3, 4}, col[] = {0, 1, 2, 40};
  std::vector<PetscInt> read, padded;

  RectangleOrder{3, ptr, col, 2}([&](PetscInt j, bool padding) { (padding ? padded : read).push_back(j); });
  BOOST_TEST(read == (std::vector<PetscInt>{0, 40, 2, 1}), tt::per_element());
  BOOST_TEST(padded == (std::vector<PetscInt>{0, 0}), tt::per_element());
  const Locality l = locality_of(RectangleOrder{3, ptr, col, 2}, 64, 5);

  BOOST_TEST(l.padded.spatial() == 2.0); /* 0 | 40 | 2 1 0 0 */
  BOOST_TEST(l.plain.spatial() == 4.0 / 3);
  AnalysisOptions      options = with_width(2);
  const LayoutLocality whole   = analyse(pattern(64, {{0, 1, 2}, {}, {40}}).view(), Layout::Rectangle, options);
  BOOST_TEST(whole.locality.padded.spatial() == 2.0);
  BOOST_TEST(whole.stored == 6);
  BOOST_TEST(whole.density() == 4.0 / 6);
}

/* A diagonal and one far entry a row: on the diagonal no index is read, in the remainder one is */
BOOST_AUTO_TEST_CASE(remainder_indices)
{
  std::vector<std::vector<PetscInt>> rows;

  for (PetscInt i = 0; i < 256; i++) rows.push_back(i % 8 == 3 && i < 200 ? std::vector<PetscInt>{i, 201 + i * 7 % 50} : std::vector<PetscInt>{i});
  const HostCsr        A   = pattern(256, rows);
  const LayoutLocality cds = analyse(A.view(), Layout::CdsFull, with_width(0));
  const double         all = static_cast<double>(cds.locality.padded.reads), rest = all - static_cast<double>(cds.unindexed);

  BOOST_TEST(cds.unindexed == 256);
  BOOST_TEST(rest >= 25.0);
  const Prediction p = predict(*find_machine("c2050"), cds, 100000, static_cast<std::int64_t>(A.col.size()), {4, 4});
  BOOST_TEST(p.bpf == 2 + 2 * rest / all + (1 - p.hit) * 128 / p.S, tt::tolerance(1e-12));
}

/* Blocks of 3 x 3 with one column index: 32 nodes at once read the first columns of their blocks, then the second, then the third */
BOOST_AUTO_TEST_CASE(blocks_of_sliced_ell)
{
  std::vector<std::vector<PetscInt>> rows;

  for (PetscInt i = 0; i < 192; i++) rows.push_back({i / 3 * 3, i / 3 * 3 + 1, i / 3 * 3 + 2});
  const HostCsr   A       = pattern(192, rows);
  AnalysisOptions options = with_width(0);

  options.slice_height   = 32;
  options.block          = 3;
  const LayoutLocality l = analyse(A.view(), Layout::SlicedEll, options);
  BOOST_TEST(l.stored == 576);
  BOOST_TEST(l.locality.padded.reads == 192);
  BOOST_TEST(l.locality.padded.spatial() == 192 / 18.); /* each sweep of 32 nodes passes 96 columns, in three lines: 3 runs, six sweeps */
}

BOOST_AUTO_TEST_SUITE_END()
