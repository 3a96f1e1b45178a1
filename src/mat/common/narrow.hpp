/* A format whose values are stored in less than the vectors' type: a Store of its own inside, the scaling that keeps them in range around it. */
#pragma once
#include "core/sparse/format.hpp"
#include "core/sparse/value_scaling.hpp"

namespace goza::mat {

/* Formats that multiply values by a factor as they store them. */
template <class F, class = void> constexpr bool takes_factor                                                                               = false;
template <class F> constexpr bool               takes_factor<F, std::void_t<decltype(std::declval<F &>().multiply_values(PetscScalar()))>> = true;

/* Inner: a format that has apply_as(x, ScaledOut<V>) and Stored, the type of its values. */
template <class Inner, class V> class Narrow final : public Format<V> {
public:
  template <class Options> Narrow(Space space, const Options &options) : Format<V>(space), inner_(space, options) { }

  void build(const Csr &A) override
  {
    this->nrows_ = A.nrows;
    this->ncols_ = A.ncols;
    fill(A, [this](const Csr &S) { inner_.build(S); });
  }
  template <class Known> void build(const Csr &A, const Known &known)
  {
    this->nrows_ = A.nrows;
    this->ncols_ = A.ncols;
    fill(A, [&](const Csr &S) { inner_.build(S, known); });
  }
  void refill(const Csr &A) override
  {
    fill(A, [this](const Csr &S) { inner_.refill(S); });
  }
  /* From a format of the same matrix; false: from rows only. */
  template <class Same> bool build_like(const Same &same)
  {
    Array<PetscScalar> inverse(same.space());

    if (!scale_like(same, inverse) || !inner_.build_like(same, inverse.data())) return false;
    this->nrows_ = same.nrows();
    this->ncols_ = same.ncols();
    return true;
  }
  template <class Same> bool refill_like(const Same &same)
  {
    Array<PetscScalar> inverse(same.space());

    return scale_like(same, inverse) && inner_.refill_like(same, inverse.data());
  }
  /* Values that stand in a format already, times a power of two. */
  void take(Inner &&made, PetscReal factor)
  {
    this->nrows_ = made.nrows();
    this->ncols_ = made.ncols();
    inner_       = std::move(made);
    scaling_.took_one_factor(factor);
  }
  void        apply(const V *x, const RowOut<V> &out) const override { inner_.apply_as(scaling_.vector(x), scaling_.output(out)); }
  std::size_t bytes() const override { return inner_.bytes() + scaling_.bytes(); }
  std::string describe() const override { return inner_.describe() + ", " + Limits::name + " precision, " + scaling_.describe(); }
  bool        refill_reads_columns() const override { return true; } // new values may need another scaling
  double      rounding() const override { return Limits::rounding; }

  const Inner &inner() const { return inner_; }

  /* What the matrices that this is built and refilled from have, where the caller finds it for each of them. roots: of those that are symmetric in build_like()
     and refill_like() the diagonal may scale, which has the largest entries. */
  void expect(const RowExponents *exponents, bool roots = false)
  {
    known_ = exponents;
    roots_ = roots;
  }

private:
  using Limits = StoreLimits<RealOf<typename Inner::Stored>>;

  bool take_one_factor(const RowExponents &exponents)
  {
    PetscScalar factor;

    if (!scaling_.take_one_factor(exponents, {Limits::least, Limits::most}, &factor)) return false;
    inner_.multiply_values(factor);
    return true;
  }

  /* inverse: of the roots of its diagonal, where one factor does not serve, and these do */
  template <class Same> bool scale_like(const Same &same, Array<PetscScalar> &inverse)
  {
    if (take_one_factor(known_ ? *known_ : row_exponents(same))) return true;
    const PetscScalar *diagonal = roots_ && same.half() ? same.main_diagonal() : nullptr;

    inner_.multiply_values(1);
    return diagonal && scaling_.take_roots(same.space(), same.nrows(), diagonal, inverse);
  }

  template <class Call> void fill(const Csr &A, const Call &call)
  {
    PetscScalar factor = 1;
    const Csr   S      = scaling_.apply(A, {Limits::least, Limits::most}, takes_factor<Inner> ? &factor : nullptr, known_);

    if constexpr (takes_factor<Inner>) inner_.multiply_values(factor);
    call(S);
    scaling_.release();
  }

  Inner               inner_;
  ValueScaling<V>     scaling_;
  const RowExponents *known_ = nullptr;
  bool                roots_ = false;
};

template <class F> constexpr bool              is_narrow                   = false;
template <class Inner, class V> constexpr bool is_narrow<Narrow<Inner, V>> = true;

/* F<Store, V> for a precision of the values. */
template <template <class, class> class F, class V, class Options>
std::unique_ptr<Format<V>> make_format(Precision precision, Space space, const Options &options)
{
  switch (precision) {
#if !PetscDefined(USE_REAL_SINGLE)
  case Precision::Single:
    return std::make_unique<Narrow<F<SingleScalar, V>, V>>(space, options);
#endif
  case Precision::Half:
    return std::make_unique<Narrow<F<HalfScalar, V>, V>>(space, options);
  default:
    return std::make_unique<F<V, V>>(space, options);
  }
}

} // namespace goza::mat
