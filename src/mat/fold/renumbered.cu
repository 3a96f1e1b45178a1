#include "renumbered.hpp"
#include "core/sparse/csr_matrix.hpp"
#include "core/sparse/numbering.hpp"
#include "core/sparse/row_length.hpp"
#include "mat/tuning.hpp"
#include <cstdio>

namespace goza::mat {
namespace {

constexpr PetscInt longest_sorted = 256; // a longer row keeps its order: one thread sorts it

/* A row in its new place, its entries by their new columns: threads of neighbouring rows then read neighbouring places of x at the same time. */
HD void move_row(PetscInt k, const Csr &A, const PetscInt *from, const PetscInt *number, const PetscInt *ptr, PetscInt *col, PetscScalar *val)
{
  const PetscInt begin = A.ptr[from[k]], n = A.ptr[from[k] + 1] - begin;
  PetscInt      *c = col + ptr[k];
  PetscScalar   *v = val + ptr[k];

  for (PetscInt j = 0; j < n; j++) {
    const PetscInt here = number[A.col[begin + j]];
    PetscInt       at   = j;

    for (; at > 0 && n <= longest_sorted && c[at - 1] > here; at--) {
      c[at] = c[at - 1];
      v[at] = v[at - 1];
    }
    c[at] = here;
    v[at] = A.val[begin + j];
  }
}

struct PutBack {
  const PetscInt        *number;
  const PetscScalar     *y;
  ScaledOut<PetscScalar> out;

  HD void operator()(PetscInt row) const { out(row, y[number[row]]); }
};

constexpr PetscInt most_levels = 512, longest_row = 1024; // one thread searches a row

} // namespace

bool Renumbered::choose(const Csr &A)
{
  const bool   automatic = wanted_ == FoldOrder::Auto;
  const double rows      = A.nrows;

  if (!automatic && A.nrows != A.ncols) throw FormatRefusal("-mat_fold_order breadth_first needs a square matrix, and square diagonal blocks");
  if (wanted_ == FoldOrder::Natural || A.nrows != A.ncols || !A.nrows) return false;
  if (automatic && (space_ == Space::Host || A.nrows < l1_least_rows)) return false;
  before_ = static_cast<double>(far_sectors(A, l1_reach)) / rows;
  if (automatic && (before_ < least_gain || most_entries(A.space, A.nrows, A.ptr) > longest_row)) return false;
  from_ = breadth_first_order(A, automatic ? most_levels : PETSC_MAX_INT);
  if (!from_.size()) return false;
  number_ = inverse_of(from_);
  after_  = static_cast<double>(far_entries(A, l1_reach, number_.data())) / rows;
  return !automatic || before_ - after_ >= least_gain;
}

/* call() gets the matrix in the new order; its arrays live until it returns. */
template <class Call> void Renumbered::with_numbered(const Csr &A, const Call &call) const
{
  const PetscInt     nnz = entries(A);
  Array<PetscInt>    col(space_, nnz);
  Array<PetscScalar> val(space_, nnz);

  for_each_row(space_, A.nrows, bound<move_row>(A, from_.data(), number_.data(), ptr_.data(), col.data(), val.data()));
  call(Csr{space_, A.nrows, A.ncols, ptr_.data(), col.data(), val.data(), nnz});
}

void Renumbered::build(const Csr &A)
{
  nrows_ = A.nrows;
  ncols_ = A.ncols;
  taken_ = choose(A);
  if (!taken_) {
    for (Array<PetscInt> *a : {&from_, &number_, &ptr_}) *a = Array<PetscInt>(space_);
    for (Array<PetscScalar> *a : {&x_, &y_}) *a = Array<PetscScalar>(space_);
    inner_->build(A);
    return;
  }
  ptr_ = Array<PetscInt>(space_, A.nrows + 1);
  for_each_row(space_, A.nrows, RowLength<PetscInt>{A.ptr, from_.data(), ptr_.data()});
  lengths_to_pointer(space_, ptr_);
  x_ = Array<PetscScalar>(space_, A.ncols);
  y_ = Array<PetscScalar>(space_, A.nrows);
  with_numbered(A, [this](const Csr &B) { inner_->build(B); });
}

void Renumbered::refill(const Csr &A)
{
  if (taken_) with_numbered(A, [this](const Csr &B) { inner_->refill(B); });
  else inner_->refill(A);
}

void Renumbered::apply(const PetscScalar *x, const RowOut<PetscScalar> &out) const
{
  if (!taken_) {
    inner_->apply(x, out);
    return;
  }
  gather(space_, ncols_, from_.data(), x, x_.data());
  inner_->apply(x_.data(), Assign<PetscScalar>{y_.data()});
  for_each_row(space_, nrows_, PutBack{number_.data(), y_.data(), ScaledOut<PetscScalar>(out)});
}

void Renumbered::apply_dots(const PetscScalar *x, const WithDots<PetscScalar> &out) const
{
  if (taken_) Format<PetscScalar>::apply_dots(x, out);
  else inner_->apply_dots(x, out);
}

std::size_t Renumbered::bytes() const { return inner_->bytes() + from_.bytes() + number_.bytes() + ptr_.bytes() + x_.bytes() + y_.bytes(); }

std::string Renumbered::describe() const
{
  char text[160] = "";

  if (taken_)
    std::snprintf(text, sizeof(text), ", numbered anew breadth first: %.1f entries of a row are far from it, where %.1f sectors of x were", after_, before_);
  return inner_->describe() + text;
}

} // namespace goza::mat
