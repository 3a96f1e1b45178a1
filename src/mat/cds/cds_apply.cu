/* The products of a CDS matrix: apart from its making, because their many kernels take their time to compile. */
#include "cds.hpp"
#include "cds_host.hpp"
#include "cds_four_rows.hpp"
#include "cds_shape.hpp"

namespace goza::mat {

/* Outputs that may be chosen as a kernel runs: those that read more than the sums. */
template <class Out, class V>
constexpr bool may_be_scaled = std::is_same_v<Out, Add<V>> || std::is_same_v<Out, Residual<V>> || std::is_same_v<Out, JacobiStep<V>>;

#if defined(__CUDACC__)
template <int bs, bool half, int N, class Store, class V, class Out>
static void launch_device(const CdsView<Store> &A, const GridStrides &grid, const V *x, const Out &out)
{
  const PetscInt line = grid.line ? grid.line : A.nrows, plane = grid.plane ? grid.plane : A.nrows;

  for_each_row_of_grid({A.nrows, line, plane}, CdsRow<Store, V, Out, bs, half, N>{A, x, out});
}

/* false: the matrix is not of that kind */
template <class Groups, class Store, class V, class Out>
static bool launch_four_rows(const CdsView<Store> &A, const GridStrides &grid, const V *x, const Out &out)
{
  if (!fits_four_rows(Groups(), A, grid, x)) return false;
  const Grid3 fours{A.nrows / 4, grid.line / 4, grid.plane / 4};

  if constexpr (is_sum<Out>::value) for_each_row_of_grid(fours, CdsFourRows<Store, V, Out, Groups>(A, x, out));
  else for_each_row_of_grid(fours, CdsFourRows<Store, V, ScaledOut<V>, Groups>(A, x, ScaledOut<V>(out)));
  return true;
}

template <int bs, bool half, class Store, class V, class Out>
static void launch_counted(const CdsView<Store> &A, const GridStrides &grid, const V *x, const Out &out)
{
  if constexpr (half && bs == 1) {
    if constexpr (Groups27::pays(sizeof(Store), sizeof(V))) {
      if (launch_four_rows<Groups27>(A, grid, x, out)) return;
    }
    if constexpr (Groups7::pays(sizeof(Store), sizeof(V))) {
      if (launch_four_rows<Groups7>(A, grid, x, out) || launch_four_rows<GroupsFan>(A, grid, x, out)) return;
    }
  }
  with_compiled_count<bs, half>(A.ndiag, A.ndiag && A.offset[0] == 0, [&](auto N) {
    if constexpr (N.value == 0 && may_be_scaled<Out, V>) launch_device<bs, half, 0>(A, grid, x, ScaledOut<V>(out));
    else launch_device<bs, half, N.value>(A, grid, x, out);
  });
}
#endif

template <int bs, bool half, class Store, class V, class Out>
static void launch(Space space, const CdsView<Store> &A, const GridStrides &grid, const V *x, const Out &out, V *host_sums)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    launch_counted<bs, half>(A, grid, x, out);
    return;
  }
#endif
  if (space == Space::Cuda) throw DeviceError("this libgoza was built without CUDA");
  (void)grid;
  if constexpr (may_be_scaled<Out, V>) cds_on_host(bs, half, A, x, ScaledOut<V>(out), host_sums);
  else cds_on_host(bs, half, A, x, out, host_sums);
}

/* Doubles with a compiled number of diagonals have a kernel for each output: one for all slows a solve in double. Elsewhere what becomes of a sum is chosen as
   the kernel runs. */
template <class Store, class V> void Cds<Store, V>::apply(const V *x, const RowOut<V> &out) const
{
  if constexpr (std::is_same_v<Store, PetscScalar>) {
    const auto launch_shape = [&](const auto &o) {
      with_shape(bs_, half_, [&](auto bs, auto half) { launch<bs.value, half.value>(this->space_, view(), grid_, x, o, host_sums_.data()); });
    };

    std::visit(launch_shape, out);
    if (rem_ptr_.size()) remainder_.apply_as(x, ScaledOut<V>(out).rest());
  } else apply_as(x, ScaledOut<V>(out));
}

template <class Store, class V> void Cds<Store, V>::apply_as(const V *x, const ScaledOut<V> &out) const
{
  with_shape(bs_, half_, [&](auto bs, auto half) { launch<bs.value, half.value>(this->space_, view(), grid_, x, out, host_sums_.data()); });
  if (rem_ptr_.size()) remainder_.apply_as(x, out.rest());
}

template <class Store, class V> void Cds<Store, V>::apply_dots(const V *x, const WithDots<V> &out) const
{
  if constexpr (std::is_same_v<Store, PetscScalar>) {
    if (!rem_ptr_.size() && this->nrows_) {
      with_shape(bs_, half_, [&](auto bs, auto half) { launch<bs.value, half.value>(this->space_, view(), grid_, x, out, host_sums_.data()); });
      return;
    }
  }
  Format<V>::apply_dots(x, out);
}

/* On the host a division takes longer than a read. */
template <class Store, class V> const V *Cds<Store, V>::main_diagonal() const
{
  if constexpr (std::is_same_v<Store, V>) {
    for (std::size_t d = 0; bs_ == 1 && this->space_ == Space::Cuda && d < offset_.size(); d++)
      if (offset_[d] == 0) return val_.data() + d * ld_;
  }
  return nullptr;
}

#define INSTANTIATE_PRODUCTS(Class, Store, V) \
  template void     Class<Store, V>::apply(const V *, const RowOut<V> &) const; \
  template void     Class<Store, V>::apply_dots(const V *, const WithDots<V> &) const; \
  template const V *Class<Store, V>::main_diagonal() const;
FOR_EACH_STORE(INSTANTIATE_PRODUCTS, Cds)
template void Cds<HalfScalar, PetscScalar>::apply_as(const PetscScalar *, const ScaledOut<PetscScalar> &) const; // not of PetscScalar, for which nobody asks
#if !PetscDefined(USE_REAL_SINGLE)
template void Cds<SingleScalar, PetscScalar>::apply_as(const PetscScalar *, const ScaledOut<PetscScalar> &) const;
template void Cds<SingleScalar, SingleScalar>::apply_as(const SingleScalar *, const ScaledOut<SingleScalar> &) const;
template void Cds<HalfScalar, SingleScalar>::apply_as(const SingleScalar *, const ScaledOut<SingleScalar> &) const;
#endif

} // namespace goza::mat
