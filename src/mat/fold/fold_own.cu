/* Fold for one who owns its values. */
#include "fold.hpp"
#include "fold_entries.hpp"

namespace goza::mat {

/* Of each row the first line; of long rows the first group. */
static HD void find_lines(PetscInt line, const FoldHead *head, const PetscInt *long_row, const PetscInt *piece_ptr, PetscInt nlong, PetscInt *line_of,
                          PetscInt *long_group)
{
  const PetscInt  group = line / fold_lanes;
  const int       lane  = static_cast<int>(line % fold_lanes);
  const FoldHead &h     = head[group];

  if (!(h.line[lane] & fold_first)) return;
  if (h.first_row >= 0) {
    line_of[h.first_row + h.row[lane]] = line;
    return;
  }
  const PetscInt k = partition_point(1, nlong, [&](PetscInt next) { return piece_ptr[next] <= ~h.first_row; }) - 1;

  if (piece_ptr[k] != ~h.first_row) return;
  line_of[long_row[k]] = ~k;
  long_group[k]        = group;
}

template <class Store, class V> void Fold<Store, V>::layout_like(const Fold &other)
{
  const Space space = this->space_;

  this->nrows_ = other.nrows_;
  this->ncols_ = other.ncols_;
  options_     = other.options_;
  shape_       = other.shape_;
  nnz_         = other.nnz_;
  near_        = other.near_;
  head_        = other.head_.copied(space);
  col_         = other.col_.copied(space);
  long_row_    = other.long_row_.copied(space);
  piece_ptr_   = other.piece_ptr_.copied(space);
  line_of_     = other.line_of_.copied(space);
  long_group_  = other.long_group_.copied(space);
  piece_       = Array<V>(space, other.piece_.size());
  val_         = Array<Store>(space, other.val_.size());
  share_out();
  val_.zero();
}

template <class Store, class V> FoldEntries<Store> Fold<Store, V>::entry_view()
{
  const Space space = this->space_;

  if (line_of_.size() != static_cast<std::size_t>(this->nrows_)) {
    line_of_    = Array<PetscInt>(space, this->nrows_);
    long_group_ = Array<PetscInt>(space, long_row_.size());
    for_each_row(space, static_cast<PetscInt>(head_.size()) * fold_lanes,
                 bound<find_lines>(head_.data(), long_row_.data(), piece_ptr_.data(), static_cast<PetscInt>(long_row_.size()), line_of_.data(),
                                   long_group_.data()));
  }
  return {view(),          this->nrows_,       this->ncols_,      static_cast<std::int64_t>(shape_.width) * fold_lanes,
          line_of_.data(), long_group_.data(), piece_ptr_.data(), static_cast<std::int64_t>(val_.size()),
          val_.data()};
}

template void                     Fold<PetscScalar, PetscScalar>::layout_like(const Fold &other);
template FoldEntries<PetscScalar> Fold<PetscScalar, PetscScalar>::entry_view();

} // namespace goza::mat
