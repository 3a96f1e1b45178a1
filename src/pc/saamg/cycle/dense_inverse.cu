#include "dense_inverse.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/launch/row_sums.hpp"

namespace goza::saamg {
namespace {

/* By the magnitude, or, where there is none, to a unit diagonal. */
HD void scale_of_row(PetscInt i, const Csr &A, const PetscReal *magnitude, PetscReal *scale)
{
  PetscReal m = magnitude[i];

  for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1] && m == 0; p++) m = A.col[p] == i ? PetscAbsScalar(A.val[p]) : 0;
  scale[i] = m > 0 ? 1 / PetscSqrtReal(m) : 1;
}

/* M: zero */
HD void write_scaled_row(PetscInt i, int lane, int lanes, const Csr &A, const PetscReal *scale, PetscScalar *M)
{
  for (PetscInt p = A.ptr[i] + lane; p < A.ptr[i + 1]; p += lanes) M[static_cast<std::size_t>(i) * A.nrows + A.col[p]] += A.val[p] * scale[i] * scale[A.col[p]];
}

/* Steps k .. k + steps - 1 of Gauss and Jordan, where the columns up to k - 1 already hold those of the inverse. Each entry finds what the first of them make
   of those that the others read anew: a launch takes longer than that. from: [n][n] */
template <PetscInt steps> HD void eliminate_column(PetscInt e, PetscInt n, PetscInt k, const PetscScalar *from, PetscScalar *to)
{
  const PetscInt i = e / n, j = e % n;
  PetscScalar    part[steps + 1][steps + 1]; // rows and columns k .. k + steps - 1 and, last, row i and column j

  UNROLL()
  for (PetscInt r = 0; r <= steps; r++) {
    const PetscScalar *row = from + static_cast<std::size_t>(r < steps ? k + r : i) * n;

    UNROLL()
    for (PetscInt c = 0; c <= steps; c++) part[r][c] = row[c < steps ? k + c : j];
  }
  UNROLL()
  for (PetscInt s = 0; s < steps; s++) {
    const PetscScalar inverse = PetscScalar(1) / part[s][s];

    UNROLL()
    for (PetscInt c = 0; c <= steps; c++) part[s][c] = c == s ? inverse : part[s][c] * inverse;
    UNROLL()
    for (PetscInt r = 0; r <= steps; r++) {
      const PetscScalar left = part[r][s];

      UNROLL()
      for (PetscInt c = 0; c <= steps; c++)
        if (r != s) part[r][c] = (c == s ? PetscScalar(0) : part[r][c]) - left * part[s][c];
    }
  }
  UNROLL()
  for (PetscInt r = 0; r <= steps; r++) {
    UNROLL()
    for (PetscInt c = 0; c <= steps; c++)
      if ((r < steps ? k + r == i : i < k || i >= k + steps) && (c < steps ? k + c == j : j < k || j >= k + steps)) to[e] = part[r][c];
  }
}

/* By how much an entry of A A^-1 differs from the identity's, and the inverse without the scaling. */
struct Check {
  static constexpr bool walks_along_row = true;

  Csr                A;
  const PetscReal   *scale;
  const PetscScalar *M;
  PetscScalar       *inverse;

  HD void operator()(PetscInt e, PetscReal *most) const
  {
    const PetscInt n = A.nrows, i = e / n, j = e % n;
    PetscScalar    rest = i == j ? 1 : 0;

    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) rest -= A.val[p] * scale[i] * scale[A.col[p]] * M[static_cast<std::size_t>(A.col[p]) * n + j];
    inverse[e]        = M[e] * scale[i] * scale[j];
    const PetscReal a = PetscAbsScalar(rest);

    *most = a - a == 0 ? Most::join(*most, a) : PETSC_MAX_REAL;
  }
};

struct SquaresOfRow {
  static constexpr bool walks_along_row = true;

  Csr              A;
  const PetscReal *scale;

  HD void operator()(PetscInt i, PetscReal *sum) const
  {
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) {
      const PetscReal a = PetscAbsScalar(A.val[p] * scale[i] * scale[A.col[p]]);

      *sum += a * a;
    }
  }
};

struct Square {
  const PetscScalar *M;

  HD void operator()(PetscInt e, PetscReal *sum) const { *sum += PetscAbsScalar(M[e]) * PetscAbsScalar(M[e]); }
};

} // namespace

bool dense_inverse(const Csr &A, const Array<PetscReal> &magnitude, Array<PetscScalar> &inverse)
{
  constexpr PetscInt  most_rows = 20000; // whose squares PetscInt counts
  constexpr PetscReal exact     = 0.67 * PETSC_SQRT_MACHINE_EPSILON;
  const Space         space     = A.space;
  const PetscInt      n         = A.nrows;

  if (n > most_rows || !n) return false;
  const std::size_t  entries = static_cast<std::size_t>(n) * n;
  Array<PetscScalar> M(space, entries), next(space, entries);
  Array<PetscReal>   scale(space, n), facts(space, 3); // what is left of the identity, and the squares of the norms of A and A^-1

  M.zero();
  for_each_row(space, n, bound<scale_of_row>(A, magnitude.data(), scale.data()));
  for_each_row_by_lanes(space, n, bound<write_scaled_row>(A, scale.data(), M.data()));
  const auto eliminate = [&](auto steps, PetscInt k) {
    for_each_row(space, n * n, bound<eliminate_column<steps.value>>(n, k, M.data(), next.data()));
    M.swap(next);
    return k + steps.value;
  };
  for (PetscInt k = 0; k < n;) {
    if (k + 8 <= n) k = eliminate(std::integral_constant<PetscInt, 8>(), k);
    else k = k + 4 <= n ? eliminate(std::integral_constant<PetscInt, 4>(), k) : eliminate(std::integral_constant<PetscInt, 1>(), k);
  }
  inverse = Array<PetscScalar>(space, entries);
  join_rows<Most, 1>(space, n * n, Check{A, scale.data(), M.data(), inverse.data()}, facts.data());
  join_rows<Plus, 1>(space, n, SquaresOfRow{A, scale.data()}, facts.data() + 1);
  join_rows<Plus, 1>(space, n * n, Square{M.data()}, facts.data() + 2);
  const std::vector<PetscReal> known = facts.to_host();

  return known[0] < exact && PetscMax(1, PetscSqrtReal(known[1])) * PetscSqrtReal(known[2]) <= most_condition;
}

} // namespace goza::saamg
