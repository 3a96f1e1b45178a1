/* The passes of BiCGStab over its vectors, and its scalars, which stay where the vectors are. */
#pragma once
#include "core/device/scalars.hpp"
#include "core/launch/first_step.hpp"
#include "core/launch/fused_elements.hpp"
#include "core/launch/loop_switch.hpp"
#include "loop_end.hpp"

namespace goza::ksp {

struct BcgsScalars {
  PetscScalar vq;                      // what passes have summed, q the first residual: q^H v,
  PetscScalar ss, st, tt, sq, tq;      // s^H s, s^H t, t^H t, q^H s, q^H t,
  PetscScalar rr, rq;                  // and r^H r, q^H r of r = s - omega t
  PetscScalar rho, alpha, omega, beta; // rho: q^H r of the residual that the present direction begins from
  PetscScalar rho_old;                 // and of the direction before
  PetscScalar rr_of_sums, rq_of_sums;  // several ranks: as they come of the products, unless
  bool        cancels;                 // digits are lost in them,
  bool        lost;                    // or were in v'q, which was summed up before v was known
  LoopEnd     end;

  static constexpr int products = 5; // ss and those behind it

  /* alpha is 0 where the host will find a breakdown: x stays as it is. */
  HD void end_first_half() { alpha = vq != 0 ? rho / vq : 0; }
  HD void end_second_half()
  {
    omega = vq != 0 && tt != 0 ? PetscConj(st) / tt : 0;
    if (tt == 0 && ss != 0) alpha = 0;
  }
  HD void begin_direction()
  {
    rho_old = rho;
    rho     = rq;
    beta    = rho_old != 0 && tt != 0 ? rho / rho_old * (alpha / omega) : 0; // 0: the host will find a breakdown
  }
  HD void end_iteration() { end.look(PetscSqrtReal(PetscRealPart(rr)), vq == 0 || tt == 0 || rho_old == 0 || lost); }

  /* Several ranks, when the products are those of all: omega, and the products of r = s - omega t that come of them. early: q^H v is (A^H q)^H M p. */
  HD void expand_residual(bool early)
  {
    const PetscReal most_lost = 0.67 * PETSC_SQRT_MACHINE_EPSILON, few_digits = 100 * most_lost; /* of q^H v; of them */

    lost = early && !(PetscAbsScalar(sq) < most_lost * PetscAbsScalar(rho)); /* q^H s = rho - alpha q^H v, 0 but for rounding */
    end_second_half();
    rr_of_sums = ss - 2 * PetscRealPart(omega * st) + omega * PetscConj(omega) * tt;
    rq_of_sums = sq - omega * tq;
    cancels    = !(PetscRealPart(rr_of_sums) > few_digits * PetscRealPart(ss) &&
                PetscAbsScalar(rq_of_sums) > few_digits * (PetscAbsScalar(sq) + PetscAbsScalar(omega * tq)));
  }
  /* With rr and rq of all ranks where digits cancel. */
  HD void begin_expanded_direction()
  {
    if (!cancels) {
      rr = rr_of_sums;
      rq = rq_of_sums;
    }
    begin_direction();
  }
};

struct BcgsVectors {
  PetscScalar *x, *r, *q, *v, *p, *Mp, *Ms, *t; // v = A M p, t = A M s; s takes the place of r
};

using BcgsScalarsView = ScalarsView<BcgsScalars>;

/* With `whole` the sums are those of all ranks, and a pass ends with the scalars that come of them. first_step: of the cycle that is applied to what a pass
   makes. */
void bcgs_begin(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums); // q <- r; r'r
/* x <- x + alpha M p + omega M s; p <- r + beta (p - omega v), or r at first */
void bcgs_direction(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, const DirectionPass &what, const AnyFirstStep &first_step,
                    FusedSums &sums);
// s <- r - alpha v; s's
void bcgs_first_half(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, const AnyFirstStep &first_step, FusedSums &sums);
void bcgs_products(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums); // this rank's s't, t't, s'q, t'q
/* What comes of them when they are those of all ranks; and of r'r and r'q: the end of an iteration. */
void bcgs_expand(Space space, BcgsScalarsView S, bool early);
void bcgs_end(Space space, BcgsScalarsView S, LoopSwitch more);
/* r <- s - omega t; r'r, r'q, and the end of an iteration */
void bcgs_second_half(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, bool whole, LoopSwitch more, FusedSums &sums);

} // namespace goza::ksp
