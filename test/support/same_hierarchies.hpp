/* Hierarchies beside one another: integers equal, values to rounding. */
#pragma once

#include "check.hpp"
#include "entry.hpp"
#include "pc/saamg/setup/hierarchy.hpp"
#include "parallel/par_csr.hpp"

#include <algorithm>
#include <cmath>

namespace goza_test {

using namespace goza;

/* A rank's rows by global columns, ascending. */
struct Arrays {
  PetscInt                                                   m = 0, start = 0, total = 0;
  std::vector<std::vector<std::pair<PetscInt, PetscScalar>>> row;

  Arrays(const Csr &A, const LocalColumns &columns, PetscInt first, PetscInt of) : m(A.nrows), start(first), total(of)
  {
    const PetscInt nnz = entries(A);
    const auto     ptr = Array<PetscInt>(A.space, A.ptr, A.nrows + 1).to_host(), col = globalize(columns, A.col, nnz).to_host();
    const auto     val = Array<PetscScalar>(A.space, A.val, nnz).to_host();
    row.resize(m);
    for (PetscInt i = 0; i < m; i++) {
      for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) row[i].emplace_back(col[p], val[p]);
      std::sort(row[i].begin(), row[i].end());
    }
  }
};

/* got: rows of a rank; want: all rows. */
inline void check_same(const Arrays &got, const Arrays &want, PetscReal tolerance, const std::string &what)
{
  PetscReal scale = 0, difference = 0;
  bool      pattern = got.total == want.total && got.start + got.m <= want.m;

  for (const auto &r : want.row)
    for (const auto &entry : r) scale = std::max(scale, PetscAbsScalar(entry.second));
  for (PetscInt i = 0; i < got.m && pattern; i++) {
    const auto &mine = got.row[i], &theirs = want.row[got.start + i];
    pattern = mine.size() == theirs.size();
    for (std::size_t p = 0; p < mine.size() && pattern; p++) {
      pattern    = mine[p].first == theirs[p].first;
      difference = std::max(difference, PetscAbsScalar(mine[p].second - theirs[p].second));
    }
  }
  all_ranks(pattern, what + ": pattern");
  all_ranks(difference <= tolerance * scale, what + ": values differ by " + std::to_string(difference) + " of " + std::to_string(scale));
}

/* want: of a rank that has all rows, or, where alike, of the same ranks. */
inline void check_hierarchies(const Entry &e, const Hierarchy &got, const Hierarchy &want, PetscInt gather_limit, const std::string &what, bool alike = false)
{
  all_ranks(got.grids().size() == want.grids().size(), what + ": " + std::to_string(got.grids().size()) + " levels for " + std::to_string(want.grids().size()));
  for (std::size_t l = 0; l < want.grids().size(); l++) {
    const Grid       &g = got.grids()[l], &w = want.grids()[l];
    const std::string level = what + ", level " + std::to_string(l);
    const PetscInt    n = w.rows(), start = alike ? 0 : g.level->columns->start();
    /* estimates of lambda pass rounding on; that of a nonsymmetric matrix, by Arnoldi, multiplies it (measured: up to 0.4 %) */
    const PetscReal loose = (e.has(symmetric) ? 1e5 * PETSC_MACHINE_EPSILON : 1e-2) * std::pow(100, l);

    all_ranks(std::abs(g.lambda - w.lambda) <= loose * w.lambda, level + ": lambda " + std::to_string(g.lambda) + " for " + std::to_string(w.lambda));
    all_ranks(g.bs == w.bs && g.rows() == n, level + ": sizes");
    all_ranks(l == 0 || g.level->A.nrows == 0 || g.level->A.nrows >= std::min<PetscInt>(n, gather_limit) ||
                n >= static_cast<std::int64_t>(gather_limit) * g.level->columns->size(),
              level + ": a rank has enough rows, or none");
    check_same({g.level->A, *g.level->columns, start, g.rows()}, {w.level->A, *w.level->columns, 0, n}, loose, level + ": A");
    auto isolated = g.level->isolated.to_host(), alone_there = w.level->isolated.to_host();
    isolated.resize(g.level->A.nrows, 0);
    alone_there.resize(n, 0);
    all_ranks(std::equal(isolated.begin(), isolated.end(), alone_there.begin() + start), level + ": rows coupled to nothing");
    if (!w.transfer) continue;
    const CsrTransfer &gt = *g.transfer, &wt = *w.transfer;
    check_same({gt.P.view(), *gt.coarse, start, g.rows()}, {wt.P.view(), *wt.coarse, 0, n}, loose, level + ": P");
    all_ranks(!gt.wcoarse == !wt.wcoarse, level + ": has test functions of its own");
    if (gt.wcoarse && wt.wcoarse) check_same({gt.W.view(), *gt.wcoarse, start, g.rows()}, {wt.W.view(), *wt.wcoarse, 0, n}, loose, level + ": W");
    if (!gt.multiplied_by_place() && !wt.multiplied_by_place())
      check_same({gt.R.view(), *gt.fine, alike ? 0 : gt.coarse->start(), gt.coarse->nglobal()}, {wt.R.view(), *wt.fine, 0, wt.coarse->nglobal()}, loose,
                 level + ": R");
  }
}

} // namespace goza_test
