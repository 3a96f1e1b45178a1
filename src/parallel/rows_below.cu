#include "rows_below.hpp"
#include "core/util/counted.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/sparse/row_length.hpp"
#include "entry_messages.hpp"
#include "renumber.hpp"
#include <iterator>

namespace goza::parallel {

/* The row pointer of the fetched rows behind that of M's. nnz: of M */
static HD void pointer_below(PetscInt g, PetscInt nnz, const PetscInt *fetched, PetscInt *ptr) { ptr[g] = nnz + fetched[g]; }

static HD void pack_columns(PetscInt k, int lane, int lanes, const Csr &M, const GlobalNumber &number, const PetscInt *list, const PetscInt *to, PetscInt *col)
{
  const PetscInt begin = M.ptr[list[k]], length = M.ptr[list[k] + 1] - begin;

  for (PetscInt p = lane; p < length; p += lanes) col[to[k] + p] = number(M.col[begin + p]);
}

static HD void pack_values(PetscInt k, int lane, int lanes, const Csr &M, const PetscInt *list, const PetscInt *to, PetscScalar *val)
{
  const PetscInt begin = M.ptr[list[k]], length = M.ptr[list[k] + 1] - begin;

  for (PetscInt p = lane; p < length; p += lanes) val[to[k] + p] = M.val[begin + p];
}

RowsBelow::RowsBelow(const Csr &M, const LocalColumns &columns, MapPtr wanted) :
  wanted_(std::move(wanted)), rows_(M.space, wanted_->nlocal(), 0), nnz_(entries(M)), send_ptr_(M.space)
{
  fetch_lengths(M);
  fetch_columns(M, columns);
  fetch_values(M);
}

void RowsBelow::fetch_lengths(const Csr &M)
{
  const Space      space = M.space;
  const ColumnMap &map   = *wanted_;
  const PetscInt   n = map.n(), nghost = map.nghost(), nsend = map.nsend();
  Array<PetscInt>  length(space, nsend), fetched(space, nghost + 1);

  send_ptr_ = Array<PetscInt>(space, nsend + 1);
  for_each_row(space, nsend, RowLength<PetscInt>{M.ptr, map.send_index().data(), length.data()});
  map.send_runs(false, static_cast<const PetscInt *>(length.data()), row_begins(map.sends()), fetched.data(), row_begins(map.receives()));
  if (nsend) send_ptr_.copy_from(length.data(), nsend);
  const PetscInt nsent = lengths_to_pointer(space, send_ptr_), nfetched = lengths_to_pointer(space, fetched),
                 nnz = counted(static_cast<std::int64_t>(nnz_) + nfetched);

  out_      = entry_begins(space, send_ptr_.data(), 0, nsent, map.sends());
  in_       = entry_begins(space, fetched.data(), 0, nfetched, map.receives());
  rows_.ptr = Array<PetscInt>(space, n + nghost + 1);
  rows_.col = Array<PetscInt>(space, nnz);
  rows_.val = Array<PetscScalar>(space, nnz);
  if (n) rows_.ptr.copy_from(M.ptr, n);
  for_each_row(space, nghost + 1, bound<pointer_below>(nnz_, fetched.data(), rows_.ptr.data() + n));
}

/* What is sent goes by global numbers. M's own rows are copied with what numbers their columns get. */
void RowsBelow::fetch_columns(const Csr &M, const LocalColumns &columns)
{
  const Space           space  = M.space;
  PetscInt *const       below  = rows_.col.data() + nnz_;
  const PetscInt        nbelow = rows_.nnz() - nnz_;
  Array<PetscInt>       send(space, out_.back());
  std::vector<PetscInt> ghosts;

  for_each_row_by_lanes(space, wanted_->nsend(), bound<pack_columns>(M, GlobalNumber(columns), wanted_->send_index().data(), send_ptr_.data(), send.data()));
  wanted_->send_runs(false, static_cast<const PetscInt *>(send.data()), out_, below, in_);
  const std::vector<PetscInt> found = ghosts_among(columns, below, nbelow);
  std::set_union(columns.ghosts().begin(), columns.ghosts().end(), found.begin(), found.end(), std::back_inserter(ghosts));
  columns_    = std::make_unique<LocalColumns>(columns, std::move(ghosts));
  rows_.ncols = columns_->nlocal();
  put_numbers(space, nnz_, NewNumber(columns, *columns_), M.col, rows_.col.data());
  put_numbers(space, nbelow, LocalNumber(*columns_), below, below);
}

void RowsBelow::fetch_values(const Csr &M)
{
  Array<PetscScalar> send(M.space, out_.back());

  for_each_row_by_lanes(M.space, wanted_->nsend(), bound<pack_values>(M, wanted_->send_index().data(), send_ptr_.data(), send.data()));
  if (nnz_) rows_.val.copy_from(M.val, nnz_);
  wanted_->send_runs(false, static_cast<const PetscScalar *>(send.data()), out_, rows_.val.data() + nnz_, in_);
}

void RowsBelow::update(const Csr &M) { fetch_values(M); }

} // namespace goza::parallel
