/* A sliced-ELL matrix times a vector on the host, a slice at a time: the sums of its places lie side by side. */
#include "slicedell_host.hpp"

namespace goza::mat {
namespace {

template <class Store, class V, int br, int bc> struct EllOnHost {
  static constexpr int H = 1 << host_shift;

  EllView<Store> A;
  const V       *x;

  void operator()(PetscInt first, PetscInt n, V *sums) const
  {
    const PetscInt end = first + n;

    for (; A.shift == host_shift && first + H <= end; first += H, sums += H * br) add_slice(first / H, sums);
    for (; first < end; first++, sums += br) add_place(first, sums);
  }

private:
  struct ToSums {
    V *sums;

    void node(PetscInt, const V *s) const { std::copy(s, s + br, sums); }
  };

  /* of a slice that not all of are there, or of another height */
  [[gnu::noinline]] void add_place(PetscInt place, V *sums) const { EllBlockRow<Store, V, ToSums, br, bc, 1>{A, x, {sums}}(place); }

  void add_slice(PetscInt slice, V *sums) const
  {
    const std::int64_t   begin = A.slice_ptr[slice], at = A.columns_at(slice);
    const PetscInt       n = static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) / H), place = slice * H;
    const Store         *val = A.val + begin * (br * bc);
    LanesOf<H, Store, V> sum[br];

    if (at < 0) {
      const std::uint16_t *gap = A.gap + ~at;
      LocalColumn          col[H];

      for (int p = 0; p < H; p++) col[p] = A.first[place + p];
      for (PetscInt k = 0; k < n; k++, gap += H, val += br * bc * H) {
        for (int p = 0; p < H; p++) col[p] += gap[p];
        add_blocks(val, x, col, sum);
      }
    } else {
      const LocalColumn *col  = A.col + at;
      const V           *from = x + A.base(slice) * bc;

      for (PetscInt k = 0; k < n; k++, col += H, val += br * bc * H) add_blocks(val, from, col, sum);
    }
    for (int p = 0; p < H; p++)
      for (int r = 0; r < br; r++) sums[p * br + r] = A.empty(place + p) ? V(0) : sum[r].of[p];
  }

  static void add_blocks(const Store *val, const V *from, const LocalColumn *col, LanesOf<H, Store, V> *sum)
  {
    for (int c = 0; c < bc; c++) {
      LanesOf<H, Store, V> a, xs;

      xs.set([=](int p) { return from[col[p] * bc + c]; });
      for (int r = 0; r < br; r++) {
        load_lanes(val + (r * bc + c) * H, a);
        sum[r].add_product(a, xs);
      }
    }
  }
};

} // namespace

template <class Store, class V> void ell_sums_on_host(const EllView<Store> &A, PetscInt br, PetscInt bc, const V *x, PetscInt first, PetscInt n, V *sums)
{
  run_on_host([&] {
    if constexpr (std::is_same_v<Store, V>) {
      if (br == 2) return EllOnHost<Store, V, 2, 2>{A, x}(first, n, sums); // relaxed
    }
    if (br == 1) EllOnHost<Store, V, 1, 1>{A, x}(first, n, sums);
    else if (br == 3 && bc == 3) EllOnHost<Store, V, 3, 3>{A, x}(first, n, sums);
    else if (br == 6 && bc == 6) EllOnHost<Store, V, 6, 6>{A, x}(first, n, sums);
    else if (br == 3) EllOnHost<Store, V, 3, 6>{A, x}(first, n, sums);
    else EllOnHost<Store, V, 6, 3>{A, x}(first, n, sums);
  });
}

#define INSTANTIATE_ELL_SUMS(View, Store, V) template void ell_sums_on_host(const View<Store> &, PetscInt, PetscInt, const V *, PetscInt, PetscInt, V *);
FOR_EACH_STORE(INSTANTIATE_ELL_SUMS, EllView)

} // namespace goza::mat
