/* Rows on several ranks, fetched from one another and summed up over them, and taken apart into own and other columns, against what every rank computes
   alone: the same to the last bit. Ranks have different numbers of rows, one of them none, and there are rows without entries. */
#include "parallel/par_csr.hpp"
#include "parallel/rows_below.hpp"
#include "parallel/summed_rows.hpp"
#include "../support/gallery.hpp"
#include "../support/ordered_rows.hpp"
#include "../support/spaces.hpp"

#include <set>

using namespace goza;
using namespace goza_test;

namespace {

using SparseRow = OrderedRow; // by global or local columns
using Sparse    = OrderedRows;

/* How many each rank owns of about `mean` each; rank 1 owns nothing. */
struct Owners {
  std::vector<PetscInt> begin{0};
  PetscMPIInt           rank, size;

  explicit Owners(PetscInt mean)
  {
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    for (PetscMPIInt r = 0; r < size; r++) begin.push_back(begin.back() + (r == 1 ? 0 : mean + 7 * r % 5));
  }
  PetscInt n(PetscMPIInt r) const { return begin[r + 1] - begin[r]; }
  PetscInt total() const { return begin[size]; }
  bool     owns(PetscMPIInt r, PetscInt i) const { return i >= begin[r] && i < begin[r + 1]; }

  /* What a rank has of others, about one of `every`. */
  std::vector<PetscInt> ghosts(PetscMPIInt r, PetscInt every, PetscInt seed) const
  {
    std::vector<PetscInt> list;

    for (PetscInt i = 0; i < total(); i++)
      if (!owns(r, i) && (uniform(i, r, seed) + 1) / 2 * static_cast<PetscReal>(every) < 1) list.push_back(i);
    return list;
  }
};

/* Row i: about `mean` entries of n, some rows none, row 3 as many as there are. */
SparseRow random_row(PetscInt i, PetscInt n, PetscInt mean, PetscInt seed)
{
  SparseRow row;

  if (uniform(i, 0, seed) < -0.7) return row;
  for (PetscInt j = 0; j < n; j++)
    if (i == 3 || (uniform(i, 1 + j, seed) + 1) / 2 * static_cast<PetscReal>(n) < static_cast<PetscReal>(mean)) row[j] = uniform(i, 1 + j, seed + 1);
  return row;
}

PetscInt local(const LocalColumns &columns, PetscInt global)
{
  if (global >= columns.start() && global < columns.start() + columns.n()) return global - columns.start();
  return columns.n() + static_cast<PetscInt>(std::lower_bound(columns.ghosts().begin(), columns.ghosts().end(), global) - columns.ghosts().begin());
}

/* Rows by global columns, as a matrix by local ones. */
CsrMatrix csr(const LocalColumns &columns, const Sparse &rows)
{
  Sparse here;

  for (const SparseRow &row : rows) {
    here.emplace_back();
    for (const auto &[j, v] : row) here.back()[local(columns, j)] = v;
  }
  return csr_of(columns.space(), here, columns.nlocal());
}

/* The columns that a rank's rows have of others. */
std::vector<PetscInt> reached(const Owners &owners, const Sparse &rows)
{
  std::set<PetscInt> all;

  for (const SparseRow &row : rows)
    for (const auto &entry : row)
      if (!owners.owns(owners.rank, entry.first)) all.insert(entry.first);
  return {all.begin(), all.end()};
}

/* columns: null where they are what they are. first_unsorted: from this row on columns need not ascend. */
bool same(const Csr &got, const LocalColumns *columns, const Sparse &want, PetscInt first_unsorted = PETSC_MAX_INT)
{
  const PetscInt nnz = entries(got);
  const auto     ptr = Array<PetscInt>(got.space, got.ptr, got.nrows + 1).to_host(), col = Array<PetscInt>(got.space, got.col, nnz).to_host();
  const auto     val   = Array<PetscScalar>(got.space, got.val, nnz).to_host();
  const auto     named = columns ? globalize(*columns, got.col, nnz).to_host() : col;
  bool           good  = got.nrows == static_cast<PetscInt>(want.size()) && ptr[0] == 0 && ptr[got.nrows] == nnz;

  for (PetscInt i = 0; i < got.nrows && good; i++) {
    SparseRow row;
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      good          = good && col[p] >= 0 && col[p] < got.ncols && (p == ptr[i] || i >= first_unsorted || col[p] > col[p - 1]);
      row[named[p]] = val[p];
    }
    good = good && row == want[i] && static_cast<PetscInt>(row.size()) == ptr[i + 1] - ptr[i];
  }
  return good;
}

void scale(Sparse &rows, PetscScalar factor)
{
  for (SparseRow &row : rows)
    for (auto &entry : row) entry.second *= factor;
}

/* m rows of which one in `every` has entries in columns n .. of n + 40. */
void taken_apart(Space space, PetscInt m, PetscInt n, PetscInt mean, PetscInt every)
{
  const std::string what = std::to_string(m) + " rows of " + std::to_string(mean) + ", one in " + std::to_string(every) + ", on " + space_name(space);
  Sparse            all, own, others;

  for (PetscInt i = 0; i < m; i++) {
    const bool reaches = i % every == every - 1;

    all.push_back(random_row(i, reaches ? n + 40 : n, mean, 17));
    if (reaches) all.back()[n + i % 40] = i;
    own.emplace_back();
    others.emplace_back();
    for (const auto &[j, v] : all.back()) (j < n ? own : others).back()[j < n ? j : j - n] = v;
  }
  const CsrMatrix A = csr_of(space, all, n + 40);
  CsrMatrix       D, O;

  split_columns(A.view(), n, D, O);
  all_ranks(D.ncols == n && O.ncols == 40 && same(D.view(), nullptr, own) && same(O.view(), nullptr, others), what + ": split");
  const CsrMatrix again = join_columns(D.view(), O.view());
  all_ranks(again.ncols == n + 40 && same(again.view(), nullptr, all), what + ": joined");
}

/* Rows of about `mean` entries, one in `every` of the others' wanted. */
void fetched(Space space, PetscInt mean, PetscInt every)
{
  const std::string  what = "rows of " + std::to_string(mean) + ", one in " + std::to_string(every) + " wanted, on " + space_name(space);
  const Owners       rows(70), cols(45);
  const LocalColumns row_owners(PETSC_COMM_WORLD, rows.n(rows.rank), space), col_owners(PETSC_COMM_WORLD, cols.n(cols.rank), space);
  const auto         wanted = std::make_shared<ColumnMap>(row_owners, rows.ghosts(rows.rank, every, 3));
  Sparse             own, all;

  for (PetscInt i = 0; i < rows.n(rows.rank); i++) own.push_back(random_row(rows.begin[rows.rank] + i, cols.total(), mean, 5));
  all = own;
  for (PetscInt g : wanted->ghosts()) all.push_back(random_row(g, cols.total(), mean, 5));
  const LocalColumns columns(col_owners, reached(cols, own));
  CsrMatrix          M = csr(columns, own);
  RowsBelow          below(M.view(), columns, wanted);

  all_ranks(below.columns().ghosts() == reached(cols, all), what + ": ghosts");
  all_ranks(below.view().ncols == below.columns().nlocal() && same(below.view(), &below.columns(), all, rows.n(rows.rank)), what + ": rows");
  scale(own, 1. / 3);
  scale(all, 1. / 3);
  M = csr(columns, own);
  below.update(M.view());
  all_ranks(same(below.view(), &below.columns(), all, rows.n(rows.rank)), what + ": new values");
}

/* What rank r holds of a row; without_diagonal: never the entry on the diagonal. */
SparseRow part(PetscMPIInt r, PetscInt row, PetscInt ncols, PetscInt mean, bool without_diagonal)
{
  SparseRow p = random_row(row, ncols, mean, 100 + 2 * r);

  if (without_diagonal || uniform(row, r, 7) < 0) p.erase(row);
  return p;
}

struct Sum {
  PetscInt mean, every; // entries of a row; of the rows one in so many is on several ranks
  bool     with_diagonal, without_diagonal;

  Sparse parts(const Owners &rows, const Owners &cols, const std::vector<PetscInt> &ghosts) const
  {
    Sparse all;

    for (PetscInt i = rows.begin[rows.rank]; i < rows.begin[rows.rank + 1]; i++) all.push_back(part(rows.rank, i, cols.total(), mean, without_diagonal));
    for (PetscInt g : ghosts) all.push_back(part(rows.rank, g, cols.total(), mean, without_diagonal));
    return all;
  }

  /* This rank's rows of it. */
  Sparse alone(const Owners &rows, const Owners &cols) const
  {
    const PetscInt start = rows.begin[rows.rank];
    Sparse         sum   = parts(rows, cols, {});

    for (PetscMPIInt r = 0; r < rows.size; r++)
      for (PetscInt g : rows.ghosts(r, every, 11)) {
        if (!rows.owns(rows.rank, g)) continue;
        for (const auto &[j, v] : part(r, g, cols.total(), mean, without_diagonal)) sum[g - start][j] += v;
      }
    for (PetscInt i = 0; i < rows.n(rows.rank) && with_diagonal; i++) sum[i].emplace(start + i, 0);
    return sum;
  }
};

void summed(Space space, const Sum &given)
{
  const std::string what = "rows of " + std::to_string(given.mean) + ", one in " + std::to_string(given.every) + " on several ranks, on " + space_name(space) +
                           (given.with_diagonal ? ", with diagonal" : "");
  const Owners       rows(90), cols(given.with_diagonal ? 90 : 60);
  const LocalColumns row_owners(PETSC_COMM_WORLD, rows.n(rows.rank), space), col_owners(PETSC_COMM_WORLD, cols.n(cols.rank), space);
  const auto         map   = std::make_shared<ColumnMap>(row_owners, rows.ghosts(rows.rank, given.every, 11));
  Sparse             parts = given.parts(rows, cols, map->ghosts()), want = given.alone(rows, cols);
  CsrMatrix          sum;

  std::vector<PetscInt> ghosts = reached(cols, parts);
  for (PetscInt j = 0; j < cols.total(); j += 20) // and some that no row reaches
    if (!cols.owns(cols.rank, j) && !std::binary_search(ghosts.begin(), ghosts.end(), j)) ghosts.insert(std::lower_bound(ghosts.begin(), ghosts.end(), j), j);
  const LocalColumns columns(col_owners, ghosts);
  CsrMatrix          held = csr(columns, parts);
  SummedRows         over_ranks(held.view(), columns, map, given.with_diagonal, sum);

  all_ranks(over_ranks.columns()->ghosts() == reached(cols, want), what + ": ghosts");
  all_ranks(sum.ncols == over_ranks.columns()->nlocal() && same(sum.view(), over_ranks.columns().get(), want), what + ": rows");
  scale(parts, -0.5); // exact
  scale(want, -0.5);
  held = csr(columns, parts);
  over_ranks.update(held.view(), columns, sum);
  all_ranks(same(sum.view(), over_ranks.columns().get(), want), what + ": new values");
}

} // namespace

BOOST_AUTO_TEST_CASE(split_and_joined)
{
  for (Space space : spaces())
    for (PetscInt m : {0, 1, 31, 32, 33, 500})
      for (PetscInt every : {1, 7, 100, 100000}) {
        taken_apart(space, m, 60, 5, every);
        taken_apart(space, m, 900, 125, every);
        taken_apart(space, m, 0, 3, every);
      }
  for (Space space : spaces()) taken_apart(space, 40, 3000, 1500, 9); // a row is a run
}

BOOST_AUTO_TEST_CASE(rows_below)
{
  for (Space space : spaces())
    for (PetscInt mean : {0, 4, 30})
      for (PetscInt every : {2, 10, 1000}) fetched(space, mean, every);
}

BOOST_AUTO_TEST_CASE(summed_rows)
{
  for (Space space : spaces())
    for (PetscInt mean : {0, 4, 40})
      for (PetscInt every : {1, 3, 20, 1000}) {
        summed(space, {mean, every, false, false});
        summed(space, {mean, every, true, false});
        summed(space, {mean, every, true, true});
      }
}

/* In kernels of a few at once where devices reach one another. */
BOOST_AUTO_TEST_CASE(any_number_of_sums)
{
  const Owners owners(20);
  const auto   part = [](PetscMPIInt rank, PetscInt k) { return static_cast<PetscScalar>((rank + 1) * (k + 1)); }; // exact

  for (Space space : spaces()) {
    const ColumnMap map(LocalColumns(PETSC_COMM_WORLD, owners.n(owners.rank), space), owners.ghosts(owners.rank, 3, 1));

    for (PetscInt n = 0; n < 12; n++) {
      std::vector<PetscScalar> here(n), want(n);

      for (PetscInt k = 0; k < n; k++) here[k] = part(owners.rank, k);
      for (PetscMPIInt r = 0; r < owners.size; r++)
        for (PetscInt k = 0; k < n; k++) want[k] += part(r, k);
      Array<PetscScalar> sums(space, here.data(), here.size());
      map.sum_here(sums.data(), n);
      all_ranks(sums.to_host() == want, std::to_string(n) + " sums on " + space_name(space));
    }
  }
}

/* All 64 bits of what is kept for a column, also those that are no number as a PetscScalar (quiet and signalling NaN, denormal), to the ghosts and in sums. */
BOOST_AUTO_TEST_CASE(whole_64_bits)
{
  const auto bits = [](PetscInt i) {
    const std::uint64_t odd[] = {0x7ff0000000000001u, 0xfff8000000000123u, 1, 0x8000000000000000u, ~std::uint64_t(0), 0x123456789abcdef0u};
    return odd[i % 6] ^ (i < 6 ? 0 : static_cast<std::uint64_t>(i) << 20);
  };
  for (Space space : spaces()) {
    const Owners                owners(20);
    const std::vector<PetscInt> ghosts = owners.ghosts(owners.rank, 3, 1);
    const PetscInt              n = owners.n(owners.rank), begin = owners.begin[owners.rank];
    const LocalColumns          own(PETSC_COMM_WORLD, n, space);
    const ColumnMap             map(own, ghosts);
    std::vector<std::uint64_t>  values(map.nlocal(), 42);
    Array<std::uint64_t>        here(space, map.nlocal());

    for (PetscInt i = 0; i < n; i++) values[i] = bits(begin + i);
    here.assign(values.data());
    map.update(here);
    const std::vector<std::uint64_t> got = here.to_host();
    for (PetscInt i = 0; i < n; i++) BOOST_TEST_REQUIRE(got[i] == bits(begin + i));
    for (std::size_t g = 0; g < ghosts.size(); g++) BOOST_TEST_REQUIRE(got[n + g] == bits(ghosts[g]), "ghost " << ghosts[g]);
    std::uint64_t sums[2] = {bits(owners.rank), 1}, want[2] = {0, static_cast<std::uint64_t>(owners.size)};
    for (PetscMPIInt r = 0; r < owners.size; r++) want[0] += bits(r);
    map.sum(sums, 2);
    BOOST_TEST(sums[0] == want[0]);
    BOOST_TEST(sums[1] == want[1]);
  }
}
