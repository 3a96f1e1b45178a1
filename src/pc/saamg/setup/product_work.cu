#include "galerkin.hpp"
#include "core/sparse/csr_pattern.hpp"
#include "core/sparse/row_length.hpp"
#include "core/launch/staged_rows.hpp"
#include "prolong_rows.hpp"
#include <utility>
#include <vector>

namespace goza::saamg {
namespace {

/* The rows of a node each count as if they were its row of blocks. */
struct WorkOfRow {
  static constexpr bool walks_along_row = true, by_lanes = true;

  const PetscInt *ptr;
  Columns         col;
  const PetscInt *length, *begin; // of P's rows, or where these begin
  double          bs, k, aggregates;
  PetscInt        most = PETSC_MAX_INT; // entries of a row that are looked at

  HD WorkOfRow on(Columns c, Values) const { return {ptr, c, length, begin, bs, k, aggregates, most}; }

  HD void operator()(PetscInt i, double *work) const { (*this)(i, 0, 1, work); }
  HD void operator()(PetscInt i, int lane, int lanes, double *work) const
  {
    const PetscInt end   = ptr[i + 1] - ptr[i] < most ? ptr[i + 1] : ptr[i] + most;
    double         terms = 0;

    for (PetscInt p = ptr[i] + lane; p < end; p += lanes) terms += length_of(col[p]);
    terms = sum_of_lanes(terms, lanes) / (bs * k);
    if (lane == 0) *work += (terms + length_of(i) / k * (terms < aggregates ? terms : aggregates)) / bs;
  }

private:
  HD PetscInt length_of(PetscInt j) const { return begin ? begin[j + 1] - begin[j] : length[j]; }
};

HD void square_of_length(PetscInt i, std::int64_t *sum, const PetscInt *ptr)
{
  const std::int64_t length = ptr[i + 1] - ptr[i];

  *sum += length * length;
}

/* Entries of a row that are looked at where not all are. */
constexpr PetscInt some_entries = 512;

/* The aggregates that some entries of a row reach. */
struct SomeReached {
  ReachedRows rows;

  template <class F> HD void visit(PetscInt row, int lane, int lanes, F f) const { rows.visit_some(row, some_entries, lane, lanes, f); }
};

#if defined(__CUDACC__)
/* Of a row that is longer than the teams' tables. */
template <int Lanes> HD void least_length(PetscInt i, PetscInt *length) { length[i] = length[i] < 0 ? pattern::slots_of<Lanes> / 4 * 3 : length[i]; }
#endif

#if defined(__CUDACC__)
template <int lanes> void least_lengths_by_teams(PetscInt nrows, const SomeReached &rows, PetscInt *length)
{
  launch_kernel<pattern::TeamKernel<lanes, SomeReached>>(blocks_for(nrows, rows_per_block / lanes), rows_per_block, nrows,
                                                         static_cast<const PetscInt *>(nullptr), rows, static_cast<PetscInt *>(nullptr), length,
                                                         static_cast<const PetscInt *>(nullptr), static_cast<PetscInt *>(nullptr));
  for_each_row(Space::Cuda, nrows, bound<least_length<lanes>>(length));
}
#endif

/* length[row]: no more columns than the row has, and all of them where they are few. */
void least_lengths(const Csr &A, PetscInt ncols, const SomeReached &rows, PetscInt *length)
{
#if defined(__CUDACC__)
  if (A.space == Space::Cuda) {
    if (entries(A) > static_cast<std::int64_t>(warp_lanes) * A.nrows) least_lengths_by_teams<32>(A.nrows, rows, length);
    else if (A.nrows) least_lengths_by_teams<8>(A.nrows, rows, length);
    return;
  }
#endif
  std::vector<PetscInt> seen(ncols, -1); // the last row that had this column

  for (PetscInt row = 0; row < A.nrows; row++) {
    length[row] = 0;
    rows.visit(row, 0, 1, [&](PetscInt c) { length[row] += std::exchange(seen[c], row) != row; });
  }
}

Csr columns_of(const Csr &A) { return {A.space, A.nrows, A.ncols, A.ptr, A.col, nullptr, A.nnz}; }

} // namespace

double product_work(const Csr &A, const ColumnMap &columns, const Interpolation &I)
{
  constexpr double uncountable = 1e15;
  const double     aggregates  = static_cast<double>(I.coarse->nglobal()) / I.k;
  const bool       alone = columns.size() == 1, by_nodes = alone && I.nodes && I.blocks;
  Array<PetscInt>  length(A.space, alone ? 0 : columns.nlocal(), unset);
  const double     bs = static_cast<double>(I.bs), k = static_cast<double>(I.k);

  if (!alone) {
    for_each_row(A.space, A.nrows, RowLength<PetscInt>{I.P.ptr.data(), nullptr, length.data()});
    columns.update(length);
  }
  const double found = by_nodes
                       ? joined_rows<Plus, 1, double>(A.space, A.nrows / I.bs,
                                                      WorkOfRow{I.nodes->ptr.data(), I.nodes->col.data(), nullptr, I.blocks->ptr.data(), 1, 1, aggregates})[0]
                       : joined_csr_rows<Plus, 1, double>(columns_of(A), 1,
                                                          WorkOfRow{A.ptr, A.col, length.data(), alone ? I.P.ptr.data() : nullptr, bs, k, aggregates})[0];
  std::int64_t sum   = static_cast<std::int64_t>(PetscMin(found, uncountable));
  columns.sum(&sum, 1);
  return static_cast<double>(sum);
}

double walks_of_two(const Csr &A, const LocalColumns &columns)
{
  std::int64_t sum = joined_rows<Plus, 1, std::int64_t>(A.space, A.nrows, bound<square_of_length>(A.ptr))[0];

  columns.sum(&sum, 1);
  return static_cast<double>(sum) / PetscMax(columns.nglobal(), 1);
}

/* Of entries and columns that are left out there is only more work. */
double least_product_work(const Csr &A, const ColumnMap &columns, const Array<PetscInt> &aggregate, const LocalColumns &aggregates)
{
  Array<PetscInt> length(A.space, columns.nlocal(), unset);

  least_lengths(A, aggregates.nlocal(), SomeReached{{A.ptr, A.col, 1, aggregate.data()}}, length.data());
  columns.update(length);
  std::int64_t sum = static_cast<std::int64_t>(
    joined_csr_rows<Plus, 1, double>(columns_of(A), 1,
                                     WorkOfRow{A.ptr, A.col, length.data(), nullptr, 1, 1, static_cast<double>(aggregates.nglobal()), some_entries})[0]);

  columns.sum(&sum, 1);
  return static_cast<double>(sum);
}

} // namespace goza::saamg
