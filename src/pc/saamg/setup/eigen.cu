#include "eigen.hpp"
#include "core/util/algorithm.hpp"
#include "core/util/vector_ops.hpp"
#include "lanczos_rows.hpp"
#include "level_product.hpp"

namespace goza::saamg {
namespace {

/* Of so many steps, whose numbers stand behind the first length: the largest eigenvalue, extrapolated. *symmetric tells whether the projected matrix was. */
PetscReal judge(const std::vector<PetscScalar> &numbers, PetscInt its, bool *symmetric)
{
  std::vector<PetscReal> a(its), b(its);
  PetscReal              largest = 0;
  PetscInt               k       = 0;
  const auto             length  = [&](PetscInt step) { return length_of(numbers[numbers_of_lanczos * step]); };

  *symmetric = true;
  for (; k < its; k++) {
    const PetscScalar *const products = numbers.data() + numbers_of_lanczos * k + 1;
    const PetscReal          next = length(k), last = k ? length(k - 1) : 0, beta = k ? next : 0;

    if (!(next > lanczos_breakdown * largest) || PetscIsInfOrNanReal(next)) break; // an invariant subspace, or a zero matrix
    if (k) b[k - 1] = next;
    a[k]    = PetscRealPart(products[0]) / (next * next);
    largest = PetscMax(PetscMax(largest, beta), PetscAbsReal(a[k]));
    if ((k && PetscAbsScalar(products[1] / (next * last) - beta) > 1e-3 * largest) ||
        PetscAbsReal(PetscImaginaryPart(products[0])) > 1e-3 * largest * (next * next)) {
      *symmetric = false;
      break;
    }
  }
  return k ? extrapolated(k == its ? k : 0, TridiagonalRadius(k, a, b), TridiagonalRadius(k - 2, a, b)) : 0;
}

/* A vector of equal parts has 1, a random one 3; along the steps an eigenvector of few rows, whose eigenvalue is beyond all others, grows out of it. */
constexpr PetscReal peaked = 30;

/* N times the sum of the squares of the rows' parts in the squared length of a step's vector, which is 1. */
PetscReal peak(const std::vector<PetscScalar> &numbers, PetscInt step, PetscInt N)
{
  const PetscScalar *const found = numbers.data() + numbers_of_lanczos * step;

  return step ? static_cast<PetscReal>(N) * PetscRealPart(found[-1]) / PetscSqr(PetscRealPart(found[0])) : 0;
}

/* multiply(v, w, found): w = A v and *found = w^T v, of this rank's rows, A being that of the inverse. *symmetric tells whether the projected matrix was,
   and before that whether it is expected to be. */
template <class V, class Multiply, class Inverse>
PetscReal lanczos(const Multiply &multiply, const ColumnMap &columns, const CsrFacts &facts, const Inverse &inverse, NodeIds ids, LanczosSteps steps,
                  bool *symmetric)
{
  const PetscInt     n     = static_cast<PetscInt>(facts.dinv.size());
  const Space        space = facts.dinv.space();
  const PetscReal    sign  = facts.positive ? 1 : -1;
  Array<V>           v(space, columns.nlocal(), unset), v_old(space, columns.nlocal(), unset), w(space, n, unset);
  Array<PetscScalar> numbers(space, numbers_of_lanczos * steps.most + 1);
  PetscInt           its = steps.its;

  numbers.zero(); // the last step finds no length
  join_rows<Plus, 1>(space, n, bound<start_at<V, Inverse>>(ids, sign, inverse, facts.isolated.data(), v.data(), v_old.data()), numbers.data());
  columns.sum_here(numbers.data(), 1);
  for (PetscInt step = 0;; step++) {
    PetscScalar *const found = numbers.data() + numbers_of_lanczos * step + 1, *const length2 = found - 1;

    multiply(v, w, found);
    if (step + 1 == its) { // mostly nobody asks for the next vector
      join_rows<Plus, 1>(space, n, Product<V>{w.data(), v_old.data()}, found + 1);
      columns.sum_here(found, 2);
      const std::vector<PetscScalar> seen = numbers.to_host();

      if (its == steps.most || !(peak(seen, step, columns.nglobal()) > peaked)) return judge(seen, its, symmetric);
      its = steps.most;
    } else columns.sum_here(found, 1);
    const PetscInt              stride = n <= few_to_advance ? n : (n + rows_to_advance<V> - 1) / rows_to_advance<V>;
    const AdvanceBy<V, Inverse> advance{sign,         found, length2, step ? length2 - numbers_of_lanczos : length2, w.data(), v.data(), inverse,
                                        v_old.data(), n,     stride};

    if (space == Space::Host) join_rows<Plus, 3>(space, n, advance.read(), found + 1); /* once, not for every row */
    else join_rows<Plus, 3>(space, stride, advance, found + 1);
    columns.sum_here(found + 1, 3);
    v.swap(v_old);
    if (step != 1 || *symmetric) continue;
    (void)judge(numbers.to_host(), 2, symmetric); // what is not symmetric mostly shows here, and the other steps would be for nothing
    if (!*symmetric) return 0;
  }
}

/* With A as it is. */
PetscReal lanczos(const LevelProduct &A, const ColumnMap &columns, const CsrFacts &facts, NodeIds ids, LanczosSteps steps, bool *symmetric)
{
  const Space    space    = A.A.space;
  const PetscInt n        = A.A.nrows;
  FusedSums      sums     = A.format ? FusedSums(space) : FusedSums();
  const auto     multiply = [&](Array<PetscScalar> &v, Array<PetscScalar> &w, PetscScalar *found) {
    if (A.format) {
      A.format->apply_dots(v.data(), {v.data(), w.data(), false, &sums});
      add_up(space, sums, found, nullptr);
    } else if (A.exact) {
      A(v, w);
      join_rows<Plus, 1>(space, n, Product<PetscScalar>{w.data(), v.data()}, found);
    } else {
      columns.update(v);
      goza::multiply(A.A, v.data(), w.data(), found);
    }
  };

  return lanczos<PetscScalar>(multiply, columns, facts, ExactInverse{facts.dinv.data()}, ids, steps, symmetric);
}

const HalfScalar *main_of(const RoughRows &rough)
{
  const auto view = rough.A.view();
  PetscInt   d    = 0;

  while (view.offset[d] != 0) d++; // it is there: rows are dominant
  return view.val + d * view.ld;
}

/* With a copy of rows none of which outweighs its diagonal, and the copy's own diagonal. An entry of either differs from A's by half precision's rounding u
   of its size or, of those that have fewer digits, by u / 2^14 of the row's diagonal; of D^-1 A a row's sizes beside the diagonal come to 1 at most, each
   off by 2 u, and that is 1 in both. By Gershgorin no eigenvalue then moves by more than 3 u. */
PetscReal lanczos(const RoughRows &rough, const ColumnMap &columns, const CsrFacts &facts, NodeIds ids, LanczosSteps steps, bool *symmetric)
{
  constexpr PetscReal margin   = 3 * static_cast<PetscReal>(StoreLimits<Half>::rounding);
  const PetscInt      n        = rough.A.nrows();
  const auto          multiply = [&](const Array<SingleScalar> &v, Array<SingleScalar> &w, PetscScalar *found) {
    rough.A.apply(v.data(), Assign<SingleScalar>{w.data()});
    join_rows<Plus, 1>(rough.A.space(), n, Product<SingleScalar>{w.data(), v.data()}, found);
  };
  const PetscReal lambda = lanczos<SingleScalar>(multiply, columns, facts, RoughInverse{main_of(rough)}, ids, steps, symmetric);

  return lambda > 0 ? lambda + margin : lambda;
}

/* --- Arnoldi, for matrices that are not symmetric */

/* Sum: |v|^2 */
HD void start_scaled(PetscInt i, PetscScalar *sum, const NodeIds &ids, const PetscScalar *dinv, PetscScalar *v)
{
  v[i] = hashed_entry(ids.of_row(i), dinv[i]) * dinv[i];
  *sum += v[i] * PetscConj(v[i]);
}

/* v = v / |v|. square: |v|^2 */
HD void normalise_entry(PetscInt i, const PetscScalar *square, PetscScalar *v)
{
  const PetscReal norm = PetscSqrtReal(PetscRealPart(*square));

  if (norm > 0) v[i] *= PetscScalar(1 / norm);
}

constexpr PetscInt together = 8; // vectors that a pass over another one reads beside it

/* A vector, and `count` of those that it is to be orthogonal to. */
struct Beside {
  PetscScalar       *v;
  PetscInt           count;
  const PetscScalar *before[together];
};

/* v = D v where D is given; sums: before_j^H v */
struct PartsAlong {
  Beside             vectors;
  const PetscScalar *scale;

  HD void operator()(PetscInt i, PetscScalar *sum) const
  {
    PetscScalar v = vectors.v[i];

    if (scale) vectors.v[i] = v *= scale[i];
    UNROLL()
    for (PetscInt j = 0; j < together; j++)
      if (j < vectors.count) sum[j] += v * PetscConj(vectors.before[j][i]);
  }
};

/* v = v - sum of h_j before_j; sum: |v|^2 */
struct TakeParts {
  Beside             vectors;
  const PetscScalar *h;

  HD void operator()(PetscInt i, PetscScalar *sum) const
  {
    PetscScalar v = vectors.v[i];

    UNROLL()
    for (PetscInt j = 0; j < together; j++)
      if (j < vectors.count) v -= h[j] * vectors.before[j][i];
    vectors.v[i] = v;
    *sum += v * PetscConj(v);
  }
};

// one pass of Gram-Schmidt keeps so many vectors orthogonal, in single precision, too; of more it multiplies the rounding until Ritz values are of nothing
constexpr PetscInt few_steps = 10;

/* What the steps of Arnoldi find, step after step: |V_0|^2, and of each step what it has of the vectors before it, the length, squared, of what is left, and
   what a second pass finds. */
PetscInt second_pass(PetscInt its) { return its + 1; }

PetscInt numbers_of_step(PetscInt its) { return second_pass(its) + its; }

/* The largest |eigenvalue| of the projected matrix, extrapolated */
PetscReal radius_of(const std::vector<PetscScalar> &found, PetscInt its)
{
  const PetscInt           column = numbers_of_step(its);
  std::vector<PetscScalar> H(its * its, 0), square;
  PetscReal                largest = 0;
  PetscInt                 k;
  const auto               length = [&](PetscInt step, PetscInt at) { return PetscSqrtReal(PetscRealPart(found[column * step + at])); };

  if (!(length(0, 0) > 0) || PetscIsInfOrNanReal(length(0, 0))) return 0;
  for (k = 0; k < its;) {
    for (PetscInt i = 0; i <= k; i++) {
      H[i * its + k] = found[column * (k + 1) + i] + found[column * (k + 1) + second_pass(its) + i];
      largest        = PetscMax(largest, PetscAbsScalar(H[i * its + k]));
    }
    const PetscReal norm = length(k + 1, k + 1);
    k++;
    if (k == its || !(norm > lanczos_breakdown * largest) || PetscIsInfOrNanReal(norm)) break;
    H[k * its + k - 1] = norm;
  }
  const auto radius = [&](PetscInt m) {
    square.resize(m * m);
    for (PetscInt i = 0; i < m; i++) std::copy_n(H.begin() + i * its, m, square.begin() + i * m);
    return DenseRadius(m, square);
  };

  return extrapolated(k == its ? k : 0, radius(k), radius(PetscMax(k - 2, 0)));
}

/* Its numbers stay where the vectors are until all steps are done. */
PetscReal arnoldi(const LevelProduct &A, const ColumnMap &columns, const Array<PetscScalar> &dinv, NodeIds ids, PetscInt its)
{
  const Space                     space = A.A.space;
  const PetscInt                  n = A.A.nrows, column = numbers_of_step(its);
  std::vector<Array<PetscScalar>> V;
  Array<PetscScalar>              numbers(space, column * (its + 1) + together); // a pass leaves zeros behind what it finds, where others follow
  const auto                      beside = [&](PetscInt k, PetscInt first) {
    Beside some{V[k].data(), PetscMin(k - first, together), {}};

    for (PetscInt j = 0; j < some.count; j++) some.before[j] = V[first + j].data();
    return some;
  };
  const auto make_orthogonal = [&](PetscInt k, const PetscScalar *scale, PetscScalar *h, PetscScalar *square) { // scaled V_k to those before it
    for (PetscInt i = 0; i < k; i += together) join_rows<Plus, together>(space, n, PartsAlong{beside(k, i), i ? nullptr : scale}, h + i);
    columns.sum_here(h, k);
    for (PetscInt i = 0; i < k; i += together) join_rows<Plus, 1>(space, n, TakeParts{beside(k, i), h + i}, square);
  };
  const auto normalise = [&](PetscInt k, PetscScalar *square) {
    columns.sum_here(square, 1);
    for_each_row(space, n, bound<normalise_entry>(square, V[k].data()));
  };

  numbers.zero();
  V.emplace_back(space, columns.nlocal(), unset);
  join_rows<Plus, 1>(space, n, bound<start_scaled>(ids, dinv.data(), V[0].data()), numbers.data());
  normalise(0, numbers.data());
  for (PetscInt k = 0; k < its; k++) {
    PetscScalar *const h = numbers.data() + column * (k + 1), *const square = h + k + 1;

    V.emplace_back(space, columns.nlocal(), unset);
    A(V[k], V[k + 1]);
    make_orthogonal(k + 1, dinv.data(), h, square);
    if (its > few_steps) make_orthogonal(k + 1, nullptr, h + second_pass(its), square);
    normalise(k + 1, square);
  }

  return radius_of(numbers.to_host(), its);
}

} // namespace

PetscReal lambda_max(const StoredRows &A, const ColumnMap &columns, const CsrFacts &facts, LanczosSteps steps, NodeIds ids, ParOperator<PetscScalar> *exact,
                     bool *expected)
{
  const LevelProduct product{A.A, columns, exact, columns.size() == 1 ? A.diagonals() : nullptr};
  PetscReal          lambda    = 0;
  bool               by_itself = false, &symmetric = expected ? *expected : by_itself;

  for (PetscInt *some : {&steps.its, &steps.most}) *some = PetscMin(PetscMin(PetscMax(*some, 1), columns.nglobal()), max_lanczos_steps);
  if (facts.positive == facts.negative) symmetric = false;
  else {
    if (columns.nglobal() <= few_rows) steps = columns.nglobal();
    if (facts.rough && facts.dominant) lambda = lanczos(*facts.rough, columns, facts, ids, steps, &symmetric);
    else lambda = lanczos(product, columns, facts, ids, steps, &symmetric);
  }
  if ((facts.positive || facts.negative) && !symmetric) lambda = arnoldi(product, columns, facts.dinv, ids, steps.its);
  if (facts.dominant) lambda = PetscMin(lambda, 2);
  if (facts.any_isolated) lambda = PetscMax(lambda, 1);
  return lambda > 0 && !PetscIsInfOrNanReal(lambda) ? lambda : 1;
}

} // namespace goza::saamg
