/* Chebyshev polynomials by their roots. */
#pragma once
#include "core/rooms.hpp"
#include <vector>

namespace goza::saamg {

/* Of the first kind: among the polynomials p of this degree with p(0) = 1, the one with the smallest largest value over [1/ratio, 1]. Its roots, descending. */
std::vector<double> first_kind_roots(int degree, double ratio);

/* Of the fourth kind with optimal weights: among the polynomials p of this degree with p(0) = 1, the one with the smallest sup of t p(t)^2 / (1 - p(t)^2) over
   0 < t <= 1, which bounds the V-cycle's convergence (Lottes 2022, Optimal polynomial smoothers for multigrid V-cycles; Phillips, Fischer 2022). Its roots, all
   in (0, 1), ascending. */
std::vector<double> optimal_roots(int degree);

/* In the order in which a product of (1 - t/root) stays small from factor to factor: each root far from those before it (Leja). */
std::vector<double> leja_order(std::vector<double> roots);

} // namespace goza::saamg
