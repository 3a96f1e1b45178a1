/* Sliced ELL for one who owns its values. */
#include "ell_entries.hpp"
#include "ell_layout.hpp"
#include "long_rows_bodies.hpp"
#include "slicedell.hpp"

namespace goza::mat {

template <class Store, class V> void SlicedEll<Store, V>::layout_like(const SlicedEll &other)
{
  const Space space = this->space_;

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
  slice_ptr_   = other.slice_ptr_.copied(space);
  col_ptr_     = other.col_ptr_.copied(space);
  row_         = other.row_.copied(space);
  length_      = other.length_.copied(space);
  col_         = other.col_.copied(space);
  first_       = other.first_.copied(space);
  head_        = other.head_.copied(space);
  gap_         = other.gap_.copied(space);
  place_of_    = other.place_of_.copied(space);
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
    for_each_row(space, nplaces_, bound<place_of_row>(false, row_.data(), place_of_.data()));
    for_each_row(space, long_.rows(), bound<place_of_row>(true, long_.list(), place_of_.data()));
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
