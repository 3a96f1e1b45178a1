#include "eigen.hpp"
#include "core/algorithm.hpp"
#include "core/csr_ops.hpp"
#include "core/staged_rows.hpp"
#include "pc/saamg/eigen.hpp"

namespace goza
{

namespace
{

struct Facts {
  const PetscInt *ptr;
  Columns         col;
  Values          val;
  PetscScalar    *dinv;
  std::int64_t   *alone, *positive, *negative, *bad, *bad_square;

  HD Facts on(Columns c, Values v) const { return {ptr, c, v, dinv, alone, positive, negative, bad, bad_square}; }

  HD void operator()(PetscInt i) const
  {
    PetscScalar d       = 0;
    bool        coupled = false, finite = true, squares_finite = true;

    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      const PetscScalar a = val[p];

      finite         = finite && a - a == PetscScalar(0);
      squares_finite = squares_finite && a * a - a * a == PetscScalar(0);
      if (col[p] == i) d = a;
      else coupled = coupled || a != PetscScalar(0);
    }
    const PetscScalar inverse = d != PetscScalar(0) ? PetscScalar(1) / d : PetscScalar(0);

    dinv[i]       = inverse - inverse == PetscScalar(0) ? inverse : PetscScalar(0);
    alone[i]      = !coupled;
    positive[i]   = dinv[i] > 0;
    negative[i]   = dinv[i] < 0;
    bad[i]        = !finite;
    bad_square[i] = !squares_finite;
  }
};

/* y = A x, in the format where there is one. */
struct Product {
  Csr                        A;
  const Format<PetscScalar> *format;

  void operator()(const Array<PetscScalar> &x, Array<PetscScalar> &y) const
  {
    if (format) format->apply(x.data(), Assign<PetscScalar>{y.data()});
    else multiply(A, x.data(), y.data());
  }
};

/* --- Lanczos for D^-1 A in the inner product of sign D. Its coefficients stay where the vectors are until all steps are done. */

/* Rows alone keep their zeros in every step: what they do to other rows, where their columns were not eliminated, is not symmetric, and their own eigenvalues are 1. */
struct Start {
  PetscInt            first; // global number of the first row
  const PetscScalar  *dinv;
  const std::int64_t *alone;
  PetscScalar        *r, *product;

  HD void operator()(PetscInt i) const
  {
    r[i]       = alone[i] ? PetscScalar(0) : hashed_entry(first + i, dinv[i]);
    product[i] = r[i] * dinv[i] * r[i];
  }
};

/* The one "row" of a step: |r| and its inverse. */
struct Length {
  PetscReal          sign;
  const PetscScalar *length2; // r^T D^-1 r
  PetscScalar       *length, *inverse;

  HD void operator()(PetscInt) const
  {
    *length  = PetscSqrtReal(PetscMax(sign * *length2, 0));
    *inverse = *length > 0 ? 1 / *length : 0;
  }
};

/* q = r / |r| and v = D^-1 q, columns of sign D^-1 */
struct Normalise {
  PetscReal          sign;
  const PetscScalar *r, *dinv, *inverse;
  PetscScalar       *q, *v;

  HD void operator()(PetscInt i) const
  {
    q[i] = r[i] * *inverse;
    v[i] = sign * dinv[i] * q[i];
  }
};

struct Products {
  const PetscScalar *w, *v, *v_old;
  PetscScalar       *wv, *wv_old;

  HD void operator()(PetscInt i) const
  {
    wv[i]     = w[i] * v[i];
    wv_old[i] = w[i] * v_old[i];
  }
};

/* r = w - (w^T v) q - beta q_old */
struct Advance {
  const PetscScalar *w, *q, *q_old, *dinv, *wv, *beta; // q_old is zero in the first step
  PetscScalar       *r, *product;

  HD void operator()(PetscInt i) const
  {
    r[i]       = w[i] - *wv * q[i] - *beta * q_old[i];
    product[i] = r[i] * dinv[i] * r[i];
  }
};

/* *symmetric tells whether the projected matrix was. */
PetscReal lanczos(const Product &A, const ColumnMap &columns, const CsrFacts &facts, PetscReal sign, PetscInt its, bool *symmetric)
{
  const Array<PetscScalar> &dinv  = facts.dinv;
  const Space               space = A.A.space;
  const PetscInt            n     = A.A.nrows;
  Array<PetscScalar> r(space, n), q(space, n), q_old(space, n), v(space, columns.nlocal()), v_old(space, columns.nlocal()), w(space, n), product(space, n), other(space, n);
  Array<PetscScalar> length2(space, its + 1), back(space, 2 * its), length(space, 2); // back: w^T v and w^T v_old of every step
  PetscReal          a[max_lanczos_steps], b[max_lanczos_steps], largest = 0;
  PetscInt           k = 0;

  /* the tridiagonal matrix of the steps so far, and whether it was symmetric */
  const auto judge = [&](PetscInt steps) {
    const std::vector<PetscScalar> lengths = length2.to_host(), products = back.to_host();

    *symmetric = true;
    for (k = 0, largest = 0; k < steps; k++) {
      const PetscReal next = PetscSqrtReal(PetscMax(sign * PetscRealPart(lengths[k]), 0)), beta = k ? next : 0;

      if (!(next > lanczos_breakdown * largest) || PetscIsInfOrNanReal(next)) break; // an invariant subspace, or a zero matrix
      if (k) b[k - 1] = next;
      a[k]    = PetscRealPart(products[2 * k]);
      largest = PetscMax(PetscMax(largest, beta), PetscAbsScalar(products[2 * k]));
      if (k && PetscAbsScalar(products[2 * k + 1] - beta) > 1e-3 * largest) {
        *symmetric = false;
        break;
      }
    }
  };

  q.zero();
  v.zero();
  for_each_row(space, n, Start{columns.start(), dinv.data(), facts.alone.data(), r.data(), product.data()});
  sum_into(space, product.data(), n, length2.data());
  columns.sum_here(length2.data(), 1);
  for (PetscInt step = 0; step < its; step++) {
    q.swap(q_old);
    v.swap(v_old);
    for_each_row(space, 1, Length{sign, length2.data() + step, length.data(), length.data() + 1});
    for_each_row(space, n, Normalise{sign, r.data(), dinv.data(), length.data() + 1, q.data(), v.data()});
    columns.update(v);
    A(v, w);
    for_each_row(space, n, Products{w.data(), v.data(), v_old.data(), product.data(), other.data()});
    sum_into(space, product.data(), n, back.data() + 2 * step);
    sum_into(space, other.data(), n, back.data() + 2 * step + 1);
    columns.sum_here(back.data() + 2 * step, 2);
    for_each_row(space, n, Advance{w.data(), q.data(), q_old.data(), dinv.data(), back.data() + 2 * step, length.data(), r.data(), product.data()});
    sum_into(space, product.data(), n, length2.data() + step + 1);
    columns.sum_here(length2.data() + step + 1, 1);
    if (step != 1) continue;
    judge(2); // what is not symmetric mostly shows here, and the other steps would be for nothing
    if (!*symmetric) return 0;
  }
  judge(its);

  return k ? TridiagonalRadius(k, a, b) : 0;
}

/* --- Arnoldi, for matrices that are not symmetric */

struct StartScaled {
  PetscInt           first;
  const PetscScalar *dinv;
  PetscScalar       *v;

  HD void operator()(PetscInt i) const { v[i] = hashed_entry(first + i, dinv[i]) * dinv[i]; }
};

struct Scale {
  const PetscScalar *by; // null: 1
  PetscScalar        factor, *v;

  HD void operator()(PetscInt i) const { v[i] *= by ? factor * by[i] : factor; }
};

struct Subtract {
  PetscScalar        h;
  const PetscScalar *x;
  PetscScalar       *y;

  HD void operator()(PetscInt i) const { y[i] -= h * x[i]; }
};

struct Multiply {
  const PetscScalar *x, *y;
  PetscScalar       *product;

  HD void operator()(PetscInt i) const { product[i] = x[i] * y[i]; }
};

/* Over all ranks' rows. */
PetscScalar dot(const LocalColumns &columns, const Array<PetscScalar> &x, const Array<PetscScalar> &y, Array<PetscScalar> &work)
{
  const Space        space = x.space();
  Array<PetscScalar> result(space, 1);

  for_each_row(space, columns.n(), Multiply{x.data(), y.data(), work.data()});
  sum_into(space, work.data(), columns.n(), result.data());
  PetscScalar sum = read_value(space, result.data());
  columns.sum(&sum, 1);
  return sum;
}

PetscReal normalise(const LocalColumns &columns, Array<PetscScalar> &x, Array<PetscScalar> &work)
{
  const PetscReal norm = PetscSqrtReal(PetscRealPart(dot(columns, x, x, work)));

  if (norm > 0) for_each_row(x.space(), columns.n(), Scale{nullptr, 1 / norm, x.data()});
  return norm;
}

PetscReal arnoldi(const Product &A, const ColumnMap &columns, const Array<PetscScalar> &dinv, PetscInt its)
{
  const Space                     space = A.A.space;
  const PetscInt                  n     = A.A.nrows;
  std::vector<Array<PetscScalar>> V;
  Array<PetscScalar>              work(space, n);
  std::vector<PetscScalar>        H(its * its, 0), h(its), square;
  PetscReal                       norm, largest = 0;
  PetscInt                        k = 0;

  V.emplace_back(space, columns.nlocal());
  for_each_row(space, n, StartScaled{columns.start(), dinv.data(), V[0].data()});
  norm = normalise(columns, V[0], work);
  if (!(norm > 0) || PetscIsInfOrNanReal(norm)) return 0;
  while (k < its) {
    V.emplace_back(space, columns.nlocal());
    columns.update(V[k]);
    A(V[k], V[k + 1]);
    for_each_row(space, n, Scale{dinv.data(), 1, V[k + 1].data()});
    for (PetscInt i = 0; i <= k; i++) {
      H[i * its + k] = h[i] = dot(columns, V[k + 1], V[i], work);
      largest               = PetscMax(largest, PetscAbsScalar(h[i]));
    }
    for (PetscInt i = 0; i <= k; i++) for_each_row(space, n, Subtract{h[i], V[i].data(), V[k + 1].data()});
    norm = normalise(columns, V[k + 1], work);
    k++;
    if (k == its || !(norm > lanczos_breakdown * largest) || PetscIsInfOrNanReal(norm)) break;
    H[k * its + k - 1] = norm;
  }
  square.resize(k * k);
  for (PetscInt i = 0; i < k; i++) std::copy_n(H.begin() + i * its, k, square.begin() + i * k);
  return DenseRadius(k, square);
}

} // namespace

CsrFacts row_facts(const Csr &A, const LocalColumns &columns)
{
  const Space         space = A.space;
  CsrFacts            facts;
  Array<std::int64_t> flags[4], counts(space, 5);

  facts.dinv  = Array<PetscScalar>(space, A.nrows);
  facts.alone = Array<std::int64_t>(space, A.nrows);
  for (auto &f : flags) f = Array<std::int64_t>(space, A.nrows);
  for_each_csr_row(A, 1, Facts{A.ptr, A.col, A.val, facts.dinv.data(), facts.alone.data(), flags[0].data(), flags[1].data(), flags[2].data(), flags[3].data()});
  sum_into(space, facts.alone.data(), facts.alone.size(), counts.data());
  for (int f = 0; f < 4; f++) sum_into(space, flags[f].data(), flags[f].size(), counts.data() + 1 + f);

  std::vector<std::int64_t> n = counts.to_host();

  facts.nalone = n[0];
  columns.sum(n.data(), 5);
  facts.any_alone      = n[0] > 0;
  facts.positive       = n[1] > 0;
  facts.negative       = n[2] > 0;
  facts.finite         = n[3] == 0;
  facts.squares_finite = n[4] == 0;
  return facts;
}

PetscReal lambda_max(const Csr &A, const ColumnMap &columns, const CsrFacts &facts, PetscInt its, const Format<PetscScalar> *format)
{
  const Product product{A, format};
  PetscReal     lambda    = 0;
  bool          symmetric = false;

  its = PetscMin(PetscMin(PetscMax(its, 1), columns.nglobal()), max_lanczos_steps);
  if (facts.positive != facts.negative) lambda = lanczos(product, columns, facts, facts.positive ? 1 : -1, its, &symmetric);
  if ((facts.positive || facts.negative) && !symmetric) lambda = arnoldi(product, columns, facts.dinv, its);
  if (facts.any_alone) lambda = PetscMax(lambda, 1);
  return lambda > 0 && !PetscIsInfOrNanReal(lambda) ? lambda : 1;
}

} // namespace goza
