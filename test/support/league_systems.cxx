#include "league_groups.hpp"

namespace goza_test {
namespace {

Sparse poisson(int size)
{
  const PetscInt n = side(3, size);

  return brick_volumes<3>(
    even_bricks<3>({n, n, n}, {1, 1, 1}), [](int, const Place<3> &x) { return 0.5 + noise<3>(x, 1000, 6); }, [](int, bool) { return true; });
}

/* b unknowns a node: each diffuses, and those of a node are coupled to one another, symmetrically and more weakly than they hold themselves. */
LeagueMatrix blocks(int size, PetscInt b, double coupling, bool known)
{
  const PetscInt n = static_cast<PetscInt>(std::cbrt(nodes(size) / b));
  const Sparse   A = brick_volumes<3>(
    even_bricks<3>({n, n, n}, {1, 1, 1}), [](int, const Place<3> &) { return 1.; }, [](int, bool) { return true; });
  LeagueMatrix m;

  m.bs     = known ? b : 1;
  m.A.rows = m.A.cols = A.rows * b;
  for (PetscInt row = 0; row < m.A.rows; row++) {
    const PetscInt i = row / b, c = row % b;

    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) {
      const double diffusion = 1 + 0.5 * static_cast<double>(c);

      for (PetscInt d = 0; d < b; d++) {
        const double reaction = coupling / static_cast<double>(n);

        if (A.col[p] != i && d != c) continue;
        m.A.col.push_back(A.col[p] * b + d);
        m.A.val.push_back(d != c ? -reaction / static_cast<double>(b) : diffusion * A.val[p] + (A.col[p] == i ? reaction : 0));
      }
    }
    m.A.ptr.push_back(static_cast<PetscInt>(m.A.col.size()));
  }
  return m;
}

/* Rows and columns times powers of ten, over so many decades in A. */
Sparse scaled(Sparse A, double decades, bool columns_too)
{
  const auto factor = [&](PetscInt i) { return std::pow(10., decades * (Random(static_cast<std::uint64_t>(i)).uniform() - 0.5) / (columns_too ? 2 : 1)); };

  for (PetscInt i = 0; i < A.rows; i++)
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) A.val[p] *= factor(i) * (columns_too ? factor(A.col[p]) : 1);
  return A;
}

enum class Given {
  rows,    /* the identity's, columns stay */
  penalty, /* a large number on the diagonal */
  huge,    /* rows and columns are the identity's, times 1e8 */
  tiny     /* ... times 1e-8 */
};

Sparse with_given(int size, Given style)
{
  Sparse     A     = poisson(size);
  const auto given = [](PetscInt i) { return i % 7 == 3; };

  for (PetscInt i = 0; i < A.rows; i++) {
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) {
      const bool diagonal = A.col[p] == i;

      if (style == Given::penalty) A.val[p] += diagonal && given(i) ? 1e20 : 0;
      else if (given(i)) A.val[p] = diagonal ? style == Given::huge ? 1e8 : style == Given::tiny ? 1e-8 : 1 : 0;
      else if (style != Given::rows && given(A.col[p])) A.val[p] = 0;
    }
  }
  return A;
}

} // namespace

void add_systems(Problems &all)
{
  const auto add = [&](const char *group, const char *name, const char *ksp, std::function<LeagueMatrix(int)> make) {
    all.push_back({group, name, ksp, Family::reported, make});
  };

  add("blocks", "blocks_of_4", "cg", [](int s) { return blocks(s, 4, 1, true); });
  add("blocks", "blocks_of_6", "cg", [](int s) { return blocks(s, 6, 1, true); });
  add("blocks", "blocks_of_9", "cg", [](int s) { return blocks(s, 9, 10, true); });
  add("blocks", "blocks_untold", "cg", [](int s) { return blocks(s, 5, 1, false); });
  add("blocks", "blocks_tight", "cg", [](int s) { return blocks(s, 4, 1e3, true); });

  add("scaling and given rows", "scaled_15_decades", "cg", [](int s) { return scalar(scaled(poisson(s), 15, true)); });
  add("scaling and given rows", "rows_scaled_8_decades", "gmres", [](int s) { return scalar(scaled(poisson(s), 8, false)); });
  add("scaling and given rows", "given_rows", "gmres", [](int s) { return scalar(with_given(s, Given::rows)); });
  add("scaling and given rows", "given_by_penalty", "cg", [](int s) { return scalar(with_given(s, Given::penalty)); });
  add("scaling and given rows", "given_huge", "cg", [](int s) { return scalar(with_given(s, Given::huge)); });
  add("scaling and given rows", "given_tiny", "cg", [](int s) { return scalar(with_given(s, Given::tiny)); });
}

} // namespace goza_test
