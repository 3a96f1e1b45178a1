/* Patterns after the kinds of matrices that papers P2 and P3 measured; random ones are the same on every machine. */
#pragma once

#include "sparse.hpp"

#include <array>
#include <functional>

namespace goza_test {

using Offset  = std::array<PetscInt, 3>;
using Offsets = std::vector<Offset>;

/* Offsets within one step, at most `far` of them along axes at the same time: 7, 19, 27 points; in two dimensions 5 and 9 */
Offsets steps(int dimensions, int far);
/* Edges of Kuhn's six tetrahedra in each cube: 15 points */
Offsets tetrahedra();
/* The neighbours of each point of a box; an edge is there with the probability given */
Sparse on_grid(PetscInt nx, PetscInt ny, PetscInt nz, const Offsets &offsets, double probability = 1);
/* The 27-point operator on a box with bs unknowns a node, entries value(row, column), made by all cores */
Sparse stencil_27_points(const PetscInt n[3], PetscInt bs, const std::function<PetscReal(PetscInt, PetscInt)> &value);
Sparse stencil_27_points(PetscInt n, PetscInt bs = 1); /* on n x n x n nodes, entries coefficient(row, column) */

/* Elasticity on n x n x n nodes, assembled from hexahedra of random stiffness, the face x = 0 clamped: its rows and columns are the identity's */
Sparse elasticity_on_grid(PetscInt n);

/* Streets: a grid with gaps, numbered at random inside neighbourhoods; no diagonal, some rows empty */
Sparse road(PetscInt nx, PetscInt ny);
/* A triangulation whose squares are cut along one diagonal or the other: 5 to 9 entries a row, as Delaunay's have */
Sparse triangles(PetscInt nx, PetscInt ny);
/* Components with a few neighbours near by, some far, and nets that reach many of them. kept: share of the neighbours that stay */
Sparse circuit(PetscInt n, PetscInt nets, PetscInt reach, double far, std::uint64_t seed, double kept = 1);
/* Pages: links mostly to the same site, else to popular pages; many without links. exponent: of the number of links; copied: share of the pages with the links
   of the page before, as of one template (the copying model of Kumar 2000) */
Sparse web(PetscInt n, std::uint64_t seed, double exponent = 1.9, double copied = 0);
/* R-MAT (Chakrabarti 2004) with Graph500's 0.57, 0.19, 0.19, 0.05 */
Sparse rmat(int scale, PetscInt edges_per_vertex, bool symmetric, std::uint64_t seed);
/* A ring with `near` neighbours, a tenth of the edges moved to anywhere (Watts and Strogatz 1998) */
Sparse small_world(PetscInt n, PetscInt near, std::uint64_t seed);
/* Rows of runs of neighbouring columns inside a band, as in nd24k */
Sparse clustered(PetscInt n, PetscInt runs, PetscInt longest, PetscInt band, std::uint64_t seed);
/* `least` to `most` columns anywhere inside +- band of the row's place */
Sparse scattered(PetscInt rows, PetscInt cols, PetscInt least, PetscInt most, PetscInt band, std::uint64_t seed);
/* About `mean` entries a row, at distances of up to band that stay the same for about `stretch` rows: pieces of diagonals */
Sparse pieces_of_diagonals(PetscInt n, double mean, PetscInt stretch, PetscInt band, std::uint64_t seed);
/* Row lengths whose logarithm is normal; columns anywhere */
Sparse log_normal(PetscInt n, double mean_log, double sigma, std::uint64_t seed);
/* A diagonal with a few full rows and columns at the end */
Sparse arrow(PetscInt n, PetscInt heads);
/* Long chains with few branches, numbered at random: at most four neighbours, as in graphs of genome words */
Sparse kmer(PetscInt n, std::uint64_t seed);

/* Numbered at random; inside neighbourhoods of `near` only, where it is given */
Sparse shuffled(const Sparse &A, std::uint64_t seed, PetscInt near = 0);
Sparse without_diagonal(const Sparse &A);

} // namespace goza_test
