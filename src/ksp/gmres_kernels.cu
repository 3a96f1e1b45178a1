#include "gmres_kernels.hpp"

namespace goza::ksp {
namespace {

template <int m> struct BasisProducts {
  static constexpr int dots = m;

  const PetscScalar *v[m], *w;
  PetscScalar       *h;

  struct Values {
    PetscScalar v[m], w;
  };
  HD Values load(PetscInt i) const
  {
    Values e;

    for (int j = 0; j < m; j++) e.v[j] = v[j][i];
    e.w = w[i];
    return e;
  }
  HD PetscScalar term(int d, const Values &e) const { return PetscConj(e.v[d]) * e.w; }
  HD void        finish(const PetscScalar *sums) const
  {
    for (int j = 0; j < m; j++) h[j] = sums[j];
  }
};

template <int m> struct Combine {
  static constexpr int dots = 1;

  const PetscScalar *v[m], *h;
  PetscScalar        factor, *w, *ww;
  PetscScalar        c[m] = {};

  struct Values {
    PetscScalar v[m], w;
  };
  HD void begin()
  {
    for (int j = 0; j < m; j++) c[j] = factor * h[j];
  }
  HD Values load(PetscInt i) const
  {
    Values e;

    for (int j = 0; j < m; j++) e.v[j] = v[j][i];
    e.w = w[i];
    return e;
  }
  HD void change(Values &e) const
  {
    for (int j = 0; j < m; j++) e.w += c[j] * e.v[j];
  }
  HD void        store(PetscInt i, const Values &e) const { w[i] = e.w; }
  HD PetscScalar term(int, const Values &e) const { return PetscConj(e.w) * e.w; }
  HD void        finish(const PetscScalar *sums) const
  {
    if (ww) *ww = sums[0];
  }
};

struct Normalize {
  const PetscScalar *ww;
  PetscScalar       *w;
  ColumnMessage      column;
  PetscScalar        factor = 1;

  using Values = PetscScalar;
  HD void   begin() { factor = PetscRealPart(*ww) > 0 ? 1 / PetscSqrtReal(PetscRealPart(*ww)) : 1; }
  HD Values load(PetscInt i) const { return w[i]; }
  HD void   change(Values &e) const { e *= factor; }
  HD void   store(PetscInt i, const Values &e) const { w[i] = e; }
  HD void   finish(const PetscScalar *) const { column.tell(); }
};

template <template <int> class Body, int m, class... Others> Body<m> with_basis(const PetscScalar *const *v, const Others &...others)
{
  Body<m> body{{}, others...};

  std::copy_n(v, m, body.v);
  return body;
}

/* with(count, first) for pieces of 8, 4, 2 and 1 that make up m. */
template <int size = 8, class With> void in_pieces(PetscInt m, const With &with, PetscInt first = 0)
{
  for (; m - first >= size; first += size) with(std::integral_constant<int, size>(), first);
  if constexpr (size > 1) in_pieces<size / 2>(m, with, first);
}

} // namespace

void gmres_products(Space space, PetscInt n, const BasisVectors &basis, const PetscScalar *w, PetscScalar *h, FusedSums &sums)
{
  in_pieces(basis.m, [&](auto count, PetscInt first) { fuse(space, n, with_basis<BasisProducts, count.value>(basis.v + first, w, h + first), sums); });
}

void gmres_combine(Space space, PetscInt n, PetscScalar factor, const BasisVectors &basis, const PetscScalar *h, PetscScalar *w, PetscScalar *ww,
                   FusedSums &sums)
{
  in_pieces(basis.m, [&](auto count, PetscInt first) {
    fuse(space, n, with_basis<Combine, count.value>(basis.v + first, h + first, factor, w, first + count.value == basis.m ? ww : nullptr), sums);
  });
}

void gmres_normalize(Space space, PetscInt n, const PetscScalar *ww, PetscScalar *w, const ColumnMessage &column, FusedSums &sums)
{
  fuse(space, n, Normalize{ww, w, column}, sums);
}

} // namespace goza::ksp
