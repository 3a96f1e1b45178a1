/* The passes of BiCGStab over its vectors, and its scalars, which stay where the vectors are. */
#pragma once
#include "core/device/scalars.hpp"
#include "core/launch/first_step.hpp"
#include "core/launch/fused_elements.hpp"
#include "core/launch/loop_switch.hpp"
#include "loop_end.hpp"

namespace goza::ksp
{

struct BcgsScalars {
  PetscScalar vq;                      // what passes have summed, q the first residual: v'q,
  PetscScalar ss, st, tt, sq, tq;      // products of s, t and q,
  PetscScalar rr, rq;                  // and of r, s - omega t
  PetscScalar rho, alpha, omega, beta; // rho: r'q of the residual that the present direction begins from
  PetscScalar rho_old;                 // and of the direction before
  LoopEnd     end;

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
  HD void end_iteration() { end.look(PetscSqrtReal(PetscRealPart(rr)), vq == 0 || tt == 0 || rho_old == 0); }
};

struct BcgsVectors {
  PetscScalar *x, *r, *q, *v, *p, *Mp, *Ms, *t; // v = A M p, t = A M s; s takes the place of r
};

using BcgsScalarsView = ScalarsView<BcgsScalars>;

/* What a direction takes in: x <- x + alpha M p + omega M s, where x is late; p <- r + beta (p - omega v), or r at first. */
struct BcgsDirection {
  bool first, x_is_late;
  bool in_loop = false; // x is that of LoopEnd, and p stays where the device has stopped
  bool x_alone = false; // p stays
};

/* With `whole` the sums are those of all ranks, and a pass ends with the scalars that come of them. first_step: of the cycle that is applied to what a pass makes. */
void bcgs_begin(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums); // q <- r; r'r
void bcgs_direction(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, const BcgsDirection &what, const AnyFirstStep &first_step, FusedSums &sums);
void bcgs_first_half(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, const AnyFirstStep &first_step, FusedSums &sums); // s <- r - alpha v; s's
void bcgs_products(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums); // this rank's s't, t't, s'q, t'q
/* r <- s - omega t; r'r, r'q, and the end of an iteration */
void bcgs_second_half(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, bool whole, LoopSwitch more, FusedSums &sums);

} // namespace goza::ksp
