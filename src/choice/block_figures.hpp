/* Figures of every rank's diagonal block, for views. */
#pragma once
#include "core/sparse/csr.hpp"
#include <functional>
#include <limits>
#include <petscmat.h>

namespace goza::choice {

constexpr double no_figure = std::numeric_limits<double>::infinity();

/* Collective. find(block, figure) writes figure[n] from the pattern, which is always on the host; what it does not write is no_figure.
   least[n] and most[n] are over the ranks that have the figure; least[k] > most[k] where none has. */
PetscErrorCode MatBlockFigures(Mat A, int n, const std::function<void(const Csr &block, double *figure)> &find, double *least, double *most);

} // namespace goza::choice
