/* Sliced ELL for one who owns its values. */
#include "ell_entries.hpp"
#include "ell_layout.hpp"
#include "long_rows_bodies.hpp"
#include "slicedell.hpp"

namespace goza::mat
{

template <class Store, class V> void SlicedEll<Store, V>::layout_like(const SlicedEll &other)
{
  const Space space = this->space_;
  const auto  like  = [space](const auto &array) { return std::decay_t<decltype(array)>(space, array.data(), array.size()); };

  this->nrows_ = other.nrows_;
  this->ncols_ = other.ncols_;
  options_     = other.options_;
  shift_       = other.shift_;
  br_          = other.br_;
  bc_          = other.bc_;
  listed_      = other.listed_;
  named_       = other.named_;
  nplaces_     = other.nplaces_;
  window_      = other.window_;
  nnz_         = other.nnz_;
  in_gaps_     = other.in_gaps_;
  spread_      = other.spread_;
  team_space_  = other.team_space_;
  slice_ptr_   = like(other.slice_ptr_);
  col_ptr_     = like(other.col_ptr_);
  row_         = like(other.row_);
  length_      = like(other.length_);
  col_         = like(other.col_);
  first_       = like(other.first_);
  head_        = like(other.head_);
  gap_         = like(other.gap_);
  place_of_    = like(other.place_of_);
  val_         = Array<Store>(space, other.val_.size());
  long_        = LongRows<Store, V>(space);
  long_.lay_out_like(other.long_);
  long_.put_values_at(val_.data() + in_slices());
  val_.zero();
}

template <class Store, class V> EllEntries<Store> SlicedEll<Store, V>::entry_view()
{
  const Space space = this->space_;
  const bool  named = named_ || row_.size(); // or sorted

  if (named && !place_of_.size()) {
    place_of_ = Array<PetscInt>(space, this->nrows_ / br_);
    for_each_row(space, nplaces_, PlaceOfRow{false, row_.data(), place_of_.data()});
    for_each_row(space, long_.rows(), PlaceOfRow{true, long_.list(), place_of_.data()});
  }
  return {view(),
          this->nrows_,
          this->ncols_,
          static_cast<int>(br_),
          static_cast<int>(bc_),
          team(),
          values_together(team_space_, sizeof(Store), br_ * bc_),
          spread_,
          named ? place_of_.data() : nullptr,
          long_.pointer(),
          long_.columns(),
          in_slices(),
          static_cast<std::int64_t>(val_.size()),
          val_.data()};
}

template void                    SlicedEll<PetscScalar, PetscScalar>::layout_like(const SlicedEll &other);
template EllEntries<PetscScalar> SlicedEll<PetscScalar, PetscScalar>::entry_view();

} // namespace goza::mat
