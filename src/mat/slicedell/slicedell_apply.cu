/* The products of a sliced-ELL matrix: apart from its making, because their many kernels take their time to compile. */
#include "slicedell.hpp"
#include "slicedell_host.hpp"
#include "long_rows_bodies.hpp"

namespace goza::mat {
namespace {

template <class V> struct Relax {
  using InPlace = void;
  const V *b, *dinv;
  V       *x;

  HD void operator()(PetscInt i, V s) const { x[i] += dinv[i] * (b[i] - s); }
};

template <class V, int bs> struct RelaxNode {
  using InPlace = void;
  const V *b, *inverse; // [nodes][bs][bs]
  V       *x;

  HD void node(PetscInt i, const V *sum) const
  {
    const V *D     = inverse + static_cast<std::size_t>(i) * (bs * bs);
    V        r[bs] = {};

    for (int c = 0; c < bs; c++) r[c] = b[i * bs + c] - sum[c];
    for (int k = 0; k < bs; k++) {
      V step = 0;

      for (int c = 0; c < bs; c++) step += D[k * bs + c] * r[c];
      x[i * bs + k] += step;
    }
  }
};

} // namespace

/* The rows of all places, br to each. */
template <int br, class Store, class V, class Out> static void launch_on_host(const EllView<Store> &A, PetscInt bc, const V *x, const Out &out)
{
  constexpr PetscInt at_once = 64;
  V                  sums[at_once * br];

  sum_up_on_host(out, [&] {
    for (PetscInt first = 0; first < A.nplaces; first += at_once) {
      const PetscInt n = PetscMin(at_once, A.nplaces - first);

      ell_sums_on_host(A, br, bc, x, first, n, sums);
      for (PetscInt p = 0; p < n; p++) put_node<br>(out, A.row ? A.row[first + p] : first + p, sums + p * br);
    }
  });
}

template <class Store, class V, class Out> static void launch_rows(Space space, const EllView<Store> &A, const V *x, const Out &out)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    if (A.shift < 5) for_each_warp((A.nplaces + (PetscInt(1) << A.shift) - 1) >> A.shift, EllSlice<Store, V, Out>{A, x, out});
    else for_each_row_on_device(A.nplaces, EllRow<Store, V, Out>{A, x, out});
    return;
  }
#endif
  if (space == Space::Cuda) throw DeviceError("this libgoza was built without CUDA");
  launch_on_host<1>(A, 1, x, out);
}

/* The rows one by one: those in slices and those apart. */
template <class Store, class V> template <class Out> void SlicedEll<Store, V>::launch_single(const V *x, const Out &out) const
{
  launch_rows(this->space_, view(), x, out);
  if constexpr (!is_sum<Out>::value) long_.apply(x, out);
}

template <int br, int bc, class Store, class V, class Out>
static void launch_blocks([[maybe_unused]] Space space, const EllView<Store> &A, [[maybe_unused]] std::size_t stored, const V *x, const Out &out)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    constexpr int W = values_together(Space::Cuda, sizeof(Store), br * bc);
    using Slice     = EllBlockSlice<Store, V, Out, br, bc, W>;

    if constexpr (!sums_up<Slice>) {
      const std::size_t rows = static_cast<std::size_t>(A.nplaces), long_row = rows < block_ell_few_rows ? block_ell_few_mean : rows / block_ell_rows_per_mean;

      if (A.shift == 0 && rows && stored >= long_row * (br * bc) * rows) {
        launch_kernel<EllBlockTeamKernel<Store, V, Out, br, bc, W>>(static_cast<unsigned>(A.nplaces), team_threads, Slice{A, x, out});
        return;
      }
    }
    if (A.shift < 5) for_each_warp((A.nplaces + (PetscInt(1) << A.shift) - 1) >> A.shift, Slice{A, x, out});
    else for_each_warp((A.nplaces + 31) / 32, EllBlockWarpOfRows<Store, V, Out, br, bc, W>({A, x, out}));
    return;
  }
#endif
  launch_on_host<br>(A, bc, x, out);
}

template <class Store, class V, class Out>
static void launch_shape(PetscInt br, PetscInt bc, Space space, const EllView<Store> &A, std::size_t stored, const V *x, const Out &out)
{
  if (br == 3 && bc == 3) launch_blocks<3, 3>(space, A, stored, x, out);
  else if (br == 6 && bc == 6) launch_blocks<6, 6>(space, A, stored, x, out);
  else if (br == 3) launch_blocks<3, 6>(space, A, stored, x, out);
  else launch_blocks<6, 3>(space, A, stored, x, out);
}

/* All rows, which may be in blocks; lists of rows are so for relax_nodes() alone. */
template <class Store, class V> template <class Out> void SlicedEll<Store, V>::launch(const V *x, const Out &out) const
{
  if (br_ == 3 || br_ == 6) launch_shape(br_, bc_, this->space_, view(), val_.size(), x, out);
  else launch_single(x, out);
}

/* y = A x of the vectors' own type has kernels of its own; all else that can become of a sum is chosen as they run. */
template <class Store, class V> void SlicedEll<Store, V>::apply(const V *x, const RowOut<V> &out) const
{
  if constexpr (std::is_same_v<Store, PetscScalar>) {
    if (const auto *assign = std::get_if<Assign<V>>(&out)) {
      launch(x, *assign);
      return;
    }
  }
  apply_as(x, ScaledOut<V>(out));
}

template <class Store, class V> void SlicedEll<Store, V>::apply_dots(const V *x, const WithDots<V> &out) const
{
  if constexpr (std::is_same_v<Store, PetscScalar>) {
    if (!listed_ && !long_.rows() && nplaces_) { // long rows end in two kernels
      launch(x, out);
      return;
    }
  }
  Format<V>::apply_dots(x, out);
}

template <class Store, class V> void SlicedEll<Store, V>::apply_as(const V *x, const ScaledOut<V> &out) const { launch(x, out); }

template <class Store, class V> void SlicedEll<Store, V>::relax(const V *b, const V *dinv, V *x) const
{
  if constexpr (std::is_same_v<Store, V>) launch_single(static_cast<const V *>(x), Relax<V>{b, dinv, x});
  else throw std::logic_error("relaxation wants values of the vectors' type"); // who relaxes has them
}

template <class Store, class V> void SlicedEll<Store, V>::relax_nodes(const V *b, const V *inverse, V *x) const
{
  if constexpr (std::is_same_v<Store, V>) {
    if (br_ == 2) launch_blocks<2, 2>(this->space_, view(), val_.size(), static_cast<const V *>(x), RelaxNode<V, 2>{b, inverse, x});
    else if (br_ == 3) launch_blocks<3, 3>(this->space_, view(), val_.size(), static_cast<const V *>(x), RelaxNode<V, 3>{b, inverse, x});
    else launch_blocks<6, 6>(this->space_, view(), val_.size(), static_cast<const V *>(x), RelaxNode<V, 6>{b, inverse, x});
  } else throw std::logic_error("relaxation wants values of the vectors' type"); // who relaxes has them
}

FOR_EACH_STORE(INSTANTIATE, SlicedEll)

} // namespace goza::mat
