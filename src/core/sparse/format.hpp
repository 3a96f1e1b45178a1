/* What a matrix format is to the rest of Goza: built from CSR in its own space, refilled when only values move, applied with a fused output.
   V is the type of the vectors and of the sums. A format is a shadow of a CSR matrix: it never changes values itself. */
#pragma once
#include "csr.hpp"
#include "core/launch/row_out.hpp"
#include "core/util/vector_ops.hpp"
#include <limits>
#include <memory>

namespace goza {

/* The matrix cannot be held as was asked for; the glue turns it into PETSC_ERR_ARG_INCOMP. */
struct FormatRefusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class V> class Format {
public:
  virtual ~Format() = default;

  virtual void        build(const Csr &A)                           = 0;    // pattern and values; A.space is the format's space
  virtual void        refill(const Csr &A)                          = 0;    // same pattern, new values; A.col may be null unless refill_reads_columns()
  virtual void        apply(const V *x, const RowOut<V> &out) const = 0;    // x and out's arrays live in the format's space
  virtual void        apply_dots(const V *x, const WithDots<V> &out) const; // in one pass where the format can
  virtual const V    *main_diagonal() const { return nullptr; }             // by row, where it lies so and a product reads it: for JacobiStep
  virtual std::size_t bytes() const    = 0;
  virtual std::string describe() const = 0; // one line for a viewer, from numbers already there

  virtual bool   refill_reads_columns() const { return false; }
  virtual double rounding() const { return std::numeric_limits<RealOf<V>>::epsilon() / 2; } // of a stored value, relative to it

  /* A format that chooses may find that the CSR which it shadows is best left as it is; whether it can be is for the owner to say, after each build. */
  virtual bool wants_csr() const { return false; }
  virtual void settle_for_csr(bool) { }
  /* It may leave that open for a while, and say for each product that is asked for whose turn it is; the owner tells what it took. */
  virtual bool undecided() const { return false; }
  virtual bool csr_is_next() const { return false; }
  virtual void took(double) { }   // seconds
  virtual void lent_at_once() { } // before build(): whoever gets it makes the products

  Space    space() const { return space_; }
  PetscInt nrows() const { return nrows_; }
  PetscInt ncols() const { return ncols_; }

protected:
  explicit Format(Space space) : space_(space) { }

  Space    space_;
  PetscInt nrows_ = 0, ncols_ = 0;
};

template <class V> void Format<V>::apply_dots(const V *x, const WithDots<V> &out) const
{
  apply(x, Assign<V>{out.y});
  leave_dots(space_, nrows_, out.w, out.y, out.squares, *out.sums);
}

} // namespace goza
