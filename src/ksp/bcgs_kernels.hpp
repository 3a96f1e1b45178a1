/* The passes of BiCGStab over its vectors, and its scalars, which stay where the vectors are. */
#pragma once
#include "core/launch/fused_elements.hpp"
#include "core/device/scalars.hpp"

namespace goza::ksp
{

struct BcgsScalars {
  PetscScalar vq;                      // what passes have summed, q the first residual: v'q,
  PetscScalar ss, st, tt, sq, tq;      // products of s, t and q,
  PetscScalar rr, rq;                  // and of r, s - omega t
  PetscScalar rho, alpha, omega, beta; // rho: r'q of the residual that the present direction begins from
  PetscScalar rho_old;                 // and of the direction before

  /* alpha is 0 where the host will find a breakdown: x stays as it is. */
  HD void end_first_half() { alpha = vq != 0 ? rho / vq : 0; }
  HD void end_second_half()
  {
    omega = vq != 0 && tt != 0 ? st / tt : 0;
    if (tt == 0 && ss != 0) alpha = 0;
  }
  HD void begin_direction()
  {
    rho_old = rho;
    rho     = rq;
    beta    = rho_old != 0 && tt != 0 ? rho / rho_old * (alpha / omega) : 0; // 0: the host will find a breakdown
  }
};

struct BcgsVectors {
  PetscScalar *x, *r, *q, *v, *p, *Mp, *Ms, *t; // v = A M p, t = A M s; s takes the place of r
};

using BcgsScalarsView = ScalarsView<BcgsScalars>;

/* What a direction takes in: x <- x + alpha M p + omega M s, where x is late; p <- r + beta (p - omega v), or r at first. */
struct BcgsDirection {
  bool first, x_is_late;
  bool x_alone = false; // p stays
};

/* With `whole` the sums are those of all ranks, and a pass ends with the scalars that come of them. */
void bcgs_begin(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums); // q <- r; r'r
void bcgs_direction(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, const BcgsDirection &what, FusedSums &sums);
void bcgs_first_half(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums);              // s <- r - alpha v; s's
void bcgs_products(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums);                // this rank's s't, t't, s'q, t'q
void bcgs_second_half(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, bool whole, FusedSums &sums); // r <- s - omega t; r'r, r'q

} // namespace goza::ksp
