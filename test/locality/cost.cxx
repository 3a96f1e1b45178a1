/* Samples, what formats make of them, and the model of product times, on small matrices worked out by hand. Doubles: 4 to a sector of 32 bytes. */
#include "core/device/array.hpp"
#include "locality/cost.hpp"
#include "../support/host_csr.hpp"
#include "locality/traits.hpp"
#include "mat/fold/packing.hpp"
#include "mat/slicedell/slicedell.hpp"

#include "../support/check.hpp"
#include "../support/sparse.hpp"
#include "../support/study_gallery.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>

using namespace goza;
using goza_test::HostCsr;
namespace tt = boost::test_tools;

namespace {

HostCsr pattern(PetscInt rows, PetscInt cols, const std::function<std::vector<PetscInt>(PetscInt)> &row)
{
  HostCsr A;

  A.rows = rows;
  A.cols = cols;
  for (PetscInt i = 0; i < rows; i++) {
    for (PetscInt j : row(i)) A.col.push_back(j);
    A.ptr.push_back(static_cast<PetscInt>(A.col.size()));
  }
  A.val.assign(A.col.size(), 1);
  return A;
}

struct Asked {
  Sample sample;
  Traits traits;

  Asked(const HostCsr &A, Layout layout, PetscInt param) :
    sample(take_sample(A.view(), {{layout, param}}, Caches())), traits(traits_of(sample, {layout, param}))
  {
  }
};

/* The names and figures of a platform file, one of them another */
std::string file_with(const std::string &name, const std::string &value)
{
  char        path[] = "/tmp/goza_platform_XXXXXX";
  std::string line;
  const int   fd = mkstemp(path);
  std::string text;

  BOOST_REQUIRE(fd >= 0);
  close(fd);
  write_text(machine_text(*find_machine("h200")), path);
  std::ifstream in(path);
  while (std::getline(in, line)) text += (line.rfind(name + " ", 0) == 0 ? value.empty() ? "" : name + " " + value : line) + "\n";
  in.close();
  std::ofstream(path) << text;
  return path;
}

bool refused(const std::string &name, const std::string &value, const std::string &words)
{
  const std::string file = file_with(name, value);
  bool              says = false;

  try {
    (void)read_machine(file);
  } catch (const std::runtime_error &e) {
    says = std::string(e.what()).find(words) != std::string::npos;
  }
  std::remove(file.c_str());
  return says;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cost)

const std::vector<FormatChoice> usual_ways{{Layout::Csr, 0}, {Layout::SlicedEll, 32}, {Layout::Fold, 8}, {Layout::CdsFull, 1}};

BOOST_AUTO_TEST_CASE(whole_sample)
{
  const HostCsr A = pattern(100, 100, [](PetscInt i) { return i == 7 ? std::vector<PetscInt>{} : std::vector<PetscInt>{i}; });
  const Sample  s = take_sample(A.view(), usual_ways, Caches());

  BOOST_TEST(s.nnz == 99);
  BOOST_TEST(s.longest == 1);
  BOOST_TEST(s.usual == 1);
  BOOST_TEST(s.long_rows == 0);
  BOOST_TEST(s.row_share == 1.0);
  BOOST_TEST(s.nnz_share == 1.0);
  BOOST_TEST(s.short_gaps == 1.0);
  BOOST_TEST(s.reads.size() == 3u); /* CDS reads as sliced ELL does */
}

BOOST_AUTO_TEST_CASE(empty)
{
  const HostCsr A;
  DecisionInput input;

  input.machine = &machine_for(Space::Host);
  BOOST_TEST(take_sample(A.view(), usual_ways, Caches()).nnz == 0);
  BOOST_TEST(!decide(A.view(), input).sentence.empty());
}

/* Two rows of 3000 entries among 10 000 of one: counted apart, though no window need show them */
BOOST_AUTO_TEST_CASE(long_rows)
{
  const HostCsr A = pattern(10000, 10000, [](PetscInt i) {
    std::vector<PetscInt> row;
    for (PetscInt j = 0; j < (i == 5000 || i == 9999 ? 3000 : 1); j++) row.push_back(j);
    return row;
  });
  const Sample  s = take_sample(A.view(), usual_ways, Caches());

  BOOST_TEST(s.longest == 3000);
  BOOST_TEST(s.usual == 1);
  BOOST_TEST(s.long_rows == 2);
  BOOST_TEST(s.long_nnz == 6000);
  /* sliced ELL holds such rows apart, a line of Fold has its width */
  const Traits     ell = traits_of(s, {Layout::SlicedEll, 32});
  SlicedEllOptions height;
  height.slice_height = 32;
  SlicedEll<PetscScalar, PetscScalar> held(Space::Host, height);
  held.build(A.view());
  BOOST_TEST(held.long_rows().rows() == 2);
  BOOST_TEST(ell.chain == piece_entries / 32.); /* of the warps that have a piece: the other rows have one entry */
  BOOST_TEST(ell.kernels == 3.0);
  BOOST_TEST(std::abs(ell.stored - static_cast<double>(held.stored())) <= 64, ell.stored << ", " << held.stored());
  BOOST_TEST(traits_of(s, {Layout::Fold, 8}).chain == 8.0);
  BOOST_TEST(traits_of(s, {Layout::Fold, 8}).kernels == 2.0);
  BOOST_CHECK_THROW((void)traits_of(s, {Layout::Fold, 16}), std::logic_error); /* not sampled */
}

/* Rows of 1000: the first 128 entries of each are looked at, and all are counted */
BOOST_AUTO_TEST_CASE(cut_rows)
{
  const HostCsr A = pattern(64, 4000, [](PetscInt i) {
    std::vector<PetscInt> row;
    for (PetscInt j = 0; j < 1000; j++) row.push_back(4 * ((j + i) % 1000));
    std::sort(row.begin(), row.end());
    return row;
  });
  const Asked   a(A, Layout::SlicedEll, 32);

  BOOST_TEST(a.sample.nnz_share == 4096.0 / 64000); /* 32 rows of 128 fill a block */
  BOOST_TEST(a.sample.usual == 1000);
  BOOST_TEST(a.traits.stored == 64000.0);
  BOOST_TEST(a.traits.reads->misses == 128 / (4096.0 / 64000)); /* the same 128 sectors in every row */
}

/* For a host a part of the windows and blocks is looked at, and the reads of fewer are followed, which stand for all. */
BOOST_AUTO_TEST_CASE(blocks_for_a_host)
{
  const PetscInt n = 16 * sample_window;
  const HostCsr  A = pattern(n, n, [n](PetscInt i) {
    std::vector<PetscInt> row;
    for (PetscInt d : {-64, -2, 0, 2, 64}) {
      if (i + d >= 0 && i + d < n) row.push_back(i + d);
    }
    return row;
  });
  Caches         part, whole;

  part.device = false;
  const std::vector<FormatChoice> choices{{Layout::SlicedEll, 32}, {Layout::CdsFull, 1}};
  const Sample                    few = take_sample(A.view(), choices, part), all = take_sample(A.view(), choices, whole);

  BOOST_TEST(few.nnz_share < 0.1 * all.nnz_share);
  BOOST_TEST(few.nnz_share > 0);
  BOOST_TEST(std::abs(few.reads[0].requests / all.reads[0].requests - 1) < 0.02);
  BOOST_TEST(all.row_share == 1);
  BOOST_TEST(few.row_share == 0.5);
  BOOST_TEST(few.diagonals.count == all.diagonals.count);
  BOOST_TEST(few.reads[0].sorted == all.reads[0].sorted, tt::tolerance(1e-3));
}

/* 64 rows, each with columns 0 to 3: one sector. Two warps of sliced ELL ask for it in each of 4 steps; the block fetches it once. */
BOOST_AUTO_TEST_CASE(one_sector)
{
  const HostCsr A = pattern(64, 4, [](PetscInt) { return std::vector<PetscInt>{0, 1, 2, 3}; });
  const Asked   a(A, Layout::SlicedEll, 32);

  BOOST_TEST(a.traits.reads->requests == 8.0);
  BOOST_TEST(a.traits.reads->misses == 1.0);
  BOOST_TEST(a.traits.stored == 256.0);
  BOOST_TEST(a.traits.warps == 2.0);
  BOOST_TEST(a.traits.chain == 4.0);
}

/* One warp goes through sectors 0 .. 39 twice; a cache of 16 has forgotten each when it is asked for again, one of 64 has not. */
BOOST_AUTO_TEST_CASE(forgotten_sectors)
{
  const HostCsr A = pattern(1, 400, [](PetscInt) {
    std::vector<PetscInt> row;
    for (PetscInt j = 0; j < 80; j++) row.push_back(4 * (j % 40));
    return row;
  });
  Caches        caches;

  for (const auto &[kept, misses] : {std::pair<int, double>{16, 80}, {64, 40}}) {
    caches.per_block = kept;
    const Sample s   = take_sample(A.view(), {{Layout::SlicedEll, 32}}, caches);
    BOOST_TEST(s.reads[0].requests == 80.0);
    BOOST_TEST(s.reads[0].misses == misses);
  }
}

/* A diagonal of 64: a warp's 32 columns are in 8 sectors, all of them new */
BOOST_AUTO_TEST_CASE(diagonal)
{
  const HostCsr A = pattern(64, 64, [](PetscInt i) { return std::vector<PetscInt>{i}; });
  const Asked   a(A, Layout::CdsHalf, 1);

  BOOST_TEST(a.traits.reads->requests == 16.0);
  BOOST_TEST(a.traits.reads->misses == 16.0);
  BOOST_TEST(a.traits.reads->near == 16.0);
  BOOST_TEST(a.sample.diagonals.count == 1);
  BOOST_TEST(a.sample.diagonals.inside == 1.0);
  BOOST_TEST(a.traits.possible);
}

/* Diagonals 0, 1 and 2 of 300 rows: no pairs, so that half of it cannot be held for all */
BOOST_AUTO_TEST_CASE(diagonals_above)
{
  const HostCsr A = pattern(300, 300, [](PetscInt i) {
    std::vector<PetscInt> row;
    for (PetscInt j = i; j < std::min<PetscInt>(300, i + 3); j++) row.push_back(j);
    return row;
  });

  BOOST_TEST(Asked(A, Layout::CdsFull, 1).sample.diagonals.count == 3);
  BOOST_TEST(Asked(A, Layout::CdsFull, 1).traits.possible);
  BOOST_TEST(!Asked(A, Layout::CdsHalf, 1).traits.possible);
}

/* 27 points: half storage goes pair by pair where nodes have one unknown, and begins several loads at a time where they have three. */
BOOST_AUTO_TEST_CASE(waits_of_half_diagonals)
{
  const HostCsr points = goza_test::on_grid(16, 16, 16, goza_test::steps(3, 3)), blocks = goza_test::in_blocks(points, 3);

  BOOST_TEST(Asked(points, Layout::CdsHalf, 1).traits.chain == 27.0);
  BOOST_TEST(Asked(blocks, Layout::CdsHalf, 3).traits.chain == 35.0);
}

/* Diagonals and one entry more in each row, which the second kernel adds: in rows of their own order, an entry and a result a sector. Of 40 entries more, 16
   lanes share a row. */
BOOST_AUTO_TEST_CASE(remainder)
{
  const auto beside_diagonals = [](PetscInt more) {
    return pattern(2000, 100000, [=](PetscInt i) {
      std::vector<PetscInt> row{i, i + 1, i + 2};
      for (PetscInt k = 0; k < more; k++) row.push_back(5000 + (i * 7919 + k * 2003) % 90000);
      return row;
    });
  };
  const Traits one = Asked(beside_diagonals(1), Layout::CdsFull, 1).traits, many = Asked(beside_diagonals(40), Layout::CdsFull, 1).traits;

  BOOST_TEST(one.rest == 1.0);
  BOOST_TEST(one.rest_reads == 4000.0);
  BOOST_TEST(many.rest == 3.0);
}

/* Lengths 4 and 1 in turn. In slices of 2 as they come: 4 a row; sorted, 32 slices of 4 and 32 of 1. */
BOOST_AUTO_TEST_CASE(sorting_saves)
{
  const HostCsr A = pattern(128, 128, [](PetscInt i) { return i % 2 ? std::vector<PetscInt>{0} : std::vector<PetscInt>{0, 1, 2, 3}; });

  BOOST_TEST(Asked(A, Layout::SlicedEll, 2).traits.stored == 320.0);
}

/* Rows of 20 in lines of 8: three lines, ten rows to a group of 32 lanes, 7 steps each */
BOOST_AUTO_TEST_CASE(folded)
{
  const HostCsr A = pattern(40, 20, [](PetscInt) {
    std::vector<PetscInt> row;
    for (PetscInt j = 0; j < 20; j++) row.push_back(j);
    return row;
  });
  const Asked   a(A, Layout::Fold, 8);

  BOOST_TEST(a.traits.warps == 4.0);
  BOOST_TEST(a.traits.steps == 28.0);
}

/* The sample packs as many rows together as Fold does on a device: fewer where columns are far. */
BOOST_AUTO_TEST_CASE(folded_in_chunks)
{
  for (bool far : {false, true}) {
    goza_test::Random random(3);
    const HostCsr     A = pattern(4096, 4096000, [&](PetscInt i) {
      std::vector<PetscInt> row(random.below(30));
      for (PetscInt &j : row) j = far ? random.below(4096000) : std::max<PetscInt>(0, 1000 * i - random.below(1000));
      std::sort(row.begin(), row.end());
      return row;
    });
    const Asked       a(A, Layout::Fold, 32);
    const FoldPacking packed(A.view(), 32, far ? fold_small_chunk : fold_chunk);

    BOOST_TEST(a.traits.warps == static_cast<double>(packed.shape.groups));
    BOOST_TEST(a.traits.steps == static_cast<double>(packed.shape.steps));
  }
}

/* What the sample expects of sliced ELL's columns is what the format does, for lines that begin anywhere in a slice, too. */
BOOST_AUTO_TEST_CASE(shared_columns)
{
  const auto grid = [](PetscInt line, PetscInt lines) {
    return pattern(line * lines, line * lines, [=](PetscInt i) {
      std::vector<PetscInt> row;
      for (PetscInt y = -1; y <= 1; y++)
        for (PetscInt x = -1; x <= 1; x++)
          if (i % line + x >= 0 && i % line + x < line && i / line + y >= 0 && i / line + y < lines) row.push_back(i + y * line + x);
      return row;
    });
  };
  const auto scattered = [](PetscInt n) {
    goza_test::Random random(7);
    return pattern(n, n, [&](PetscInt) {
      std::vector<PetscInt> row;
      for (PetscInt k = 0; k < 9; k++) row.push_back(random.below(n));
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      return row;
    });
  };

  for (const HostCsr &A : {grid(64, 64), grid(64, 3000), grid(37, 37), grid(101, 3000), grid(300, 700), scattered(3000), scattered(200000),
                           goza_test::in_blocks(goza_test::triangles(230, 230), 6)}) {
    SlicedEllOptions options;
    options.slice_height = 32;
    SlicedEll<PetscScalar, PetscScalar> ell(Space::Host, options);
    ell.build(A.view());
    const Asked a(A, Layout::SlicedEll, 32);

    BOOST_TEST((a.sample.kinds * columns_worth_sharing <= 1) == (ell.view().head != nullptr), A.rows << " rows: " << a.sample.kinds << ", " << ell.describe());
    BOOST_TEST(a.traits.matrix == static_cast<double>(ell.bytes()), tt::tolerance(0.05));
  }
}

/* The device counts what the host does. */
BOOST_AUTO_TEST_CASE(both_spaces)
{
  if (!device::available()) return;
  for (PetscInt n : {1, 1000, 70000, 300000}) {
    const HostCsr                   A = pattern(n, n, [n](PetscInt i) {
      std::vector<PetscInt> row;
      for (PetscInt k = 0; k < (i % 9999 == 5 ? 1500 : i % 97 == 3 ? 200 : 1 + i % 13); k++)
        row.push_back(static_cast<PetscInt>((static_cast<std::int64_t>(i) * (k % 3 ? 1 : 7919) + 31 * k) % n));
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      return row;
    });
    const std::vector<FormatChoice> choices{{Layout::Csr, 0},  {Layout::SlicedEll, 4}, {Layout::SlicedEll, 32},
                                            {Layout::Fold, 8}, {Layout::Fold, 32},     {Layout::CdsFull, 1}};
    const Array<PetscInt>           ptr(Space::Cuda, A.ptr.data(), A.ptr.size()), col(Space::Cuda, A.col.data(), A.col.size());
    const Sample host = take_sample(A.view(), choices, Caches()), there = take_sample({Space::Cuda, n, n, ptr.data(), col.data(), nullptr}, choices, Caches());

    BOOST_TEST(host.nnz == there.nnz);
    BOOST_TEST(host.longest == there.longest);
    BOOST_TEST(host.long_nnz == there.long_nnz);
    BOOST_TEST(host.usual == there.usual);
    BOOST_TEST(host.nnz_share == there.nnz_share);
    BOOST_TEST(host.short_gaps == there.short_gaps);
    BOOST_TEST(host.diagonals.inside == there.diagonals.inside);
    for (std::size_t k = 0; k < host.reads.size(); k++) {
      const SampledReads &a = host.reads[k], &b = there.reads[k];

      BOOST_TEST(a.requests == b.requests);
      BOOST_TEST(a.misses == b.misses);
      BOOST_TEST(a.sorted == b.sorted);
      BOOST_TEST(a.plain == b.plain);
      BOOST_TEST(a.groups == b.groups);
      BOOST_TEST(a.steps == b.steps);
      BOOST_TEST(a.near == b.near, tt::tolerance(0.02)); /* which of the lanes that ask at once is the first is open */
    }
  }
}

BOOST_AUTO_TEST_CASE(parts_of_the_time)
{
  const HostCsr                   A       = pattern(5000, 5000, [](PetscInt i) { return std::vector<PetscInt>{i, (i * 37) % 5000, (i * 101 + 7) % 5000}; });
  Machine                         machine = *find_machine("h200");
  const std::vector<FormatChoice> choices{{Layout::Csr, 0}, {Layout::SlicedEll, 32}, {Layout::Fold, 8}};
  const Sample                    s = take_sample(A.view(), choices, caches_of(machine));

  for (const FormatChoice &choice : choices) {
    const Traits t = traits_of(s, choice);
    const Cost   c = cost_of(machine, s, choice, t);

    BOOST_TEST(c.seconds == c.l2 + c.memory + c.l1 + c.waiting + c.fixed, tt::tolerance(1e-12));
    BOOST_TEST(c.memory == 0.0); /* all of it stays in L2 */
    BOOST_TEST(c.gflops == 2e-9 * 15000 / c.seconds, tt::tolerance(1e-12));
    BOOST_TEST(traits_of(s, choice, 4).matrix == t.matrix - 4 * (choice.layout == Layout::SlicedEll ? t.stored : 15000), tt::tolerance(1e-12));
    Machine small = machine;
    small.l2      = 1e4;
    BOOST_TEST(cost_of(small, s, choice, t).seconds > c.seconds);
  }
}

/* On a host a line of x that has room in the core's own cache is asked for once, however many blocks of rows the sample took. */
BOOST_AUTO_TEST_CASE(lines_of_a_core)
{
  Machine machine = *find_machine("host");
  machine.miss    = 1; /* second: nothing else counts */
  const FormatChoice choice{Layout::Csr, 0};
  double             far     = 0; /* share of the lines that is not near the row */
  const auto         seconds = [&](PetscInt n) {
    const HostCsr A = pattern(n, n, [n](PetscInt i) {
      return std::vector<PetscInt>{i, static_cast<PetscInt>(i * 7919LL % n), static_cast<PetscInt>(i * 104729LL % n)};
    });
    const Sample  s = take_sample(A.view(), {choice}, caches_of(machine));
    far             = 1 - s.reads[0].near / s.reads[0].misses;
    return cost_of(machine, s, choice, traits_of(s, choice)).seconds;
  };
  const double lines = seconds(100000); /* 0.8 MB of x */

  BOOST_TEST(lines == 12500 * far, tt::tolerance(0.02));
  BOOST_TEST(far > 0.2);
  BOOST_TEST(far < 0.8);
  BOOST_TEST(seconds(1000000) > 400000); /* 8 MB of x, and 1 MB of room: most of the two million scattered reads */
}

/* Which PETSc multiplies together, as I-nodes. */
BOOST_AUTO_TEST_CASE(rows_of_the_same_columns)
{
  constexpr PetscInt n     = 60000;
  const auto         three = [](PetscInt first) { return std::vector<PetscInt>{first, first + 1, first + 2}; };
  const HostCsr      nodes = pattern(n, n, [&](PetscInt i) { return three(i / 3 * 3); }),
                rows       = pattern(n, n, [&](PetscInt i) { return three(std::min(i, n - 3)); });
  const auto csr           = [](const HostCsr &A) { return Asked(A, Layout::Csr, 0); };

  BOOST_TEST(csr(nodes).sample.repeated == 2. / 3, tt::tolerance(0.05));
  BOOST_TEST(csr(nodes).traits.nodes == 3.0 * n);
  BOOST_TEST(csr(rows).sample.repeated < 0.02);
  BOOST_TEST(csr(rows).traits.nodes == 0.0);
  const Machine     &machine = *find_machine("epyc"); /* of three rows x is read once, and one row's columns */
  const FormatChoice choice{Layout::Csr, 0};
  const Sample       two[] = {take_sample(nodes.view(), {choice}, caches_of(machine)), take_sample(rows.view(), {choice}, caches_of(machine))};
  const Traits       same = traits_of(two[0], choice), other = traits_of(two[1], choice);

  BOOST_TEST(same.once == 1. / 3, tt::tolerance(0.1));
  BOOST_TEST(other.matrix - same.matrix == sizeof(PetscInt) * 2. * n, tt::tolerance(0.1));
  BOOST_TEST(cost_of(machine, two[0], choice, same).seconds < 0.9 * cost_of(machine, two[1], choice, other).seconds);
}

/* A processor remembers where the rows of a short product end, whatever their lengths; of a long one it foresees none. */
BOOST_AUTO_TEST_CASE(ends_of_rows)
{
  const Machine &machine = *find_machine("epyc");
  const auto     each    = [&](PetscInt n) {
    const HostCsr      A = pattern(n, n, [n](PetscInt i) {
      std::vector<PetscInt> columns;

      for (PetscInt k = 0; k < 1 + i * 7919LL % 5; k++) columns.push_back(std::min(n - 1, i + k));
      return columns;
    });
    const FormatChoice csr{Layout::Csr, 0}, ell{Layout::SlicedEll, 4};
    const Sample       s = take_sample(A.view(), {csr, ell}, caches_of(machine));
    const Traits       t = traits_of(s, csr);

    BOOST_TEST(t.turns > 0.9 * n);
    return cost_of(machine, s, csr, t).seconds / n;
  };

  BOOST_TEST(each(200000) > 1.5 * each(20000));
}

BOOST_AUTO_TEST_CASE(candidates)
{
  const HostCsr A = pattern(500, 500, [](PetscInt i) { return std::vector<PetscInt>{i}; });
  DecisionInput input;

  input.machine = &machine_for(Space::Host);
  for (const auto &[one, layout] : {std::pair<unsigned, Layout>{format_csr, Layout::Csr},
                                    {format_sliced_ell, Layout::SlicedEll},
                                    {format_fold, Layout::Fold},
                                    {format_cds, Layout::CdsFull}}) {
    input.candidates = one;
    BOOST_TEST((decide(A.view(), input).choice.layout == layout));
  }
  input.candidates = format_csr;
  input.csr        = false; /* PETSc's product is somewhere else */
  BOOST_TEST((decide(A.view(), input).choice.layout == Layout::SlicedEll));
  input.candidates = all_formats;
  input.csr        = true;
  const Decision d = decide(A.view(), input);
  for (std::size_t k = 1; k < d.candidates.size(); k++) BOOST_TEST(d.candidates[k - 1].cost.seconds <= d.candidates[k].cost.seconds);
  BOOST_TEST((d.without_csr().choice.layout != Layout::Csr));
  /* each costs a host a pass over the sample */
  BOOST_TEST(std::count_if(d.candidates.begin(), d.candidates.end(), [](const Candidate &c) { return c.choice.layout == Layout::Fold; }) == 1);
}

/* A grid that is periodic in two directions, nodes of two unknowns: some of the entries lie on no diagonal, and one usual format need not be far better than
   another. */
BOOST_AUTO_TEST_CASE(diagonals_of_a_periodic_grid)
{
  constexpr PetscInt nz = 9, n = 40, bs = 2;
  const HostCsr      A = pattern(nz * n * n * bs, nz * n * n * bs, [](PetscInt i) {
    const PetscInt        node = i / bs, z = node % nz, y = node / nz % n, x = node / nz / n;
    std::vector<PetscInt> columns;

    for (PetscInt k = 0; k < 27 * bs; k++) {
      const PetscInt e = k / bs, zz = z + e % 3 - 1, yy = (y + e / 3 % 3 - 1 + n) % n, xx = (x + e / 9 - 1 + n) % n;

      if (zz >= 0 && zz < nz) columns.push_back(((xx * n + yy) * nz + zz) * bs + k % bs);
    }
    std::sort(columns.begin(), columns.end());
    return columns;
  });
  DecisionInput      input;

  input.machine    = find_machine("epyc");
  input.candidates = format_sliced_ell | format_fold | format_cds;
  input.csr        = false;
  input.bs         = bs;
  input.margin     = 1.5;
  const Decision d = decide(A.view(), input);
  BOOST_TEST(take_sample(A.view(), {{Layout::CdsHalf, bs}}, caches_of(*input.machine)).diagonals.inside < 0.98);
  BOOST_TEST((d.choice.layout == Layout::CdsHalf && d.choice.param == bs), d.sentence);
}

/* What was measured, and nothing else; the rest comes from the platform that is named, scaled. */
BOOST_AUTO_TEST_CASE(calibrations)
{
  const Machine    &base = *find_machine("h200");
  const Calibration c{"NVIDIA H9000 (test)", Space::Cuda, 2e12, 3e11, 5e7, base.l2_bandwidth / 2, 2 * base.kernel_launch, 128, 1 << 17, 99};
  const Machine     m = machine_from_text(c.text(), "here");

  BOOST_TEST(c.text().find("csr.") == std::string::npos);
  BOOST_TEST(c.text().find("sectors") == std::string::npos);
  BOOST_TEST(m.name == "NVIDIA-H9000-test");
  BOOST_TEST(m.device == "NVIDIA H9000 (test)");
  BOOST_TEST(m.bandwidth == 2e12);
  BOOST_TEST(m.processors == 99);
  BOOST_TEST(m.cache == 1 << 17);
  BOOST_TEST(m.sectors == base.sectors / 2, tt::tolerance(1e-5));
  BOOST_TEST(m.csr.launch == base.csr.launch); // how fast a host asks is no part of a product's time by the device's clock
  BOOST_TEST(m.csr.warp == 2 * base.csr.warp, tt::tolerance(1e-5));
  BOOST_TEST(m.csr.latency == base.csr.latency);
  const Calibration host{"a processor", Space::Host, 3e10, 5e9, 3e7, 0, 0, 64, 1 << 20, 1};
  const Machine     h = machine_from_text(host.text(), "here");
  BOOST_TEST(host.text().find("kernel_launch") == std::string::npos);
  BOOST_TEST(host.text().find("l2_bandwidth") == std::string::npos);
  BOOST_TEST(h.gather == 5e9);
  BOOST_TEST(h.fold.step == find_machine("host")->fold.step);
  for (const char *bad : {"name x\nkind gpu\nfrom nothing\n", "name x\nkind gpu\nfrom host\n", "name x\nkind gpu\nfrom c2050\n",
                          "name x\nkind gpu\nl2 1e7\nfrom h200\n", "name x\nkind gpu\nfrom h200\nline 0\n"})
    BOOST_CHECK_THROW((void)machine_from_text(bad, "here"), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(names_of_devices)
{
  BOOST_TEST(find_machine_by_device(Space::Cuda, "NVIDIA H200")->name == "h200");
  BOOST_TEST(find_machine_by_device(Space::Cuda, "NVIDIA H200 NVL")->name == "h200");
  BOOST_TEST(!find_machine_by_device(Space::Cuda, "NVIDIA H2000"));
  BOOST_TEST(!find_machine_by_device(Space::Cuda, "NVIDIA H100 80GB HBM3"));
  BOOST_TEST(!find_machine_by_device(Space::Host, "NVIDIA H200"));
  for (const char *name : {"c2050", "h200", "host", "epyc"}) BOOST_TEST(!find_machine(name)->source.empty());
}

/* Measured once, and read the second time; a file that is none is measured again. */
BOOST_AUTO_TEST_CASE(kept_in_the_cache_folder)
{
  const std::string before   = machine_for(Space::Host).name; /* by the processor's name */
  char              folder[] = "/tmp/goza_cache_XXXXXX";

  BOOST_REQUIRE(mkdtemp(folder));
  setenv("XDG_CACHE_HOME", folder, 1);
  const std::string file = kept_calibration(Space::Host);
  BOOST_TEST(file.rfind(folder, 0) == 0);
  const Machine m = this_machine(Space::Host), kept = read_machine(file);
  BOOST_TEST(m.device == device_name(Space::Host));
  BOOST_TEST(kept.bandwidth == m.bandwidth);
  BOOST_TEST(m.bandwidth > 1e8);
  BOOST_TEST(machine_for(Space::Host).name == before); /* what was viewed changes no choice */
  choose_machine(find_machine("c2050"));
  BOOST_TEST(machine_for(Space::Host).name == before);
  BOOST_TEST(chosen_machine()->name == "c2050");
  choose_machine(&kept);
  BOOST_TEST(machine_for(Space::Host).name == kept.name);
  choose_machine(nullptr);
  std::remove(file.c_str());
  std::remove((std::string(folder) + "/goza").c_str());
  std::remove(folder);
}

BOOST_AUTO_TEST_CASE(platform_files)
{
  const std::string file = file_with("name", "mine");
  const Machine     m    = read_machine(file);

  BOOST_TEST(m.name == "mine");
  BOOST_TEST(m.gpu);
  BOOST_TEST(m.bandwidth == find_machine("h200")->bandwidth, tt::tolerance(1e-5));
  BOOST_TEST(m.fold.part == find_machine("h200")->fold.part, tt::tolerance(1e-5));
  BOOST_TEST(m.processors == 132);
  std::remove(file.c_str());
  BOOST_TEST(refused("bandwidth", "-1", "bandwidth -1 is not from"));
  BOOST_TEST(refused("bandwidth", "1e40", "bandwidth 1e40 is not from"));
  BOOST_TEST(refused("bandwidth", "nan", "not a number"));
  BOOST_TEST(refused("bandwidth", "fast", "not a number"));
  BOOST_TEST(refused("bandwidth", "", "bandwidth is missing"));
  BOOST_TEST(refused("l2_bandwidth", "1e9", "below bandwidth"));
  BOOST_TEST(refused("kind", "abacus", "kind is host or gpu"));
  BOOST_TEST(refused("kind", "", "no kind"));
  BOOST_TEST(refused("processors", "0", "processors 0"));
  BOOST_TEST(refused("name", "x\nwheels 4", "wheels is no figure"));
  BOOST_CHECK_THROW((void)read_machine("/no/such/file"), std::runtime_error);
}

BOOST_AUTO_TEST_SUITE_END()
