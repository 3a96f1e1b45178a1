/* The passes of BiCGStab over its vectors, for fused_elements.hpp, and its scalars, which stay where the vectors are. With `whole` the sums are those of all
   ranks, and a pass ends with the scalars that come of them. */
#pragma once
#include "core/device/scalars.hpp"
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

struct BcgsBegin { // q <- r; r'r
  static constexpr int dots = 1;

  BcgsVectors     v;
  BcgsScalarsView S;

  using Values = PetscScalar;
  HD Values      load(PetscInt i) const { return v.r[i]; }
  HD void        store(PetscInt i, const Values &r) const { v.q[i] = r; }
  HD PetscScalar term(int, const Values &r) const { return PetscConj(r) * r; }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->rr = S.there->rho = sums[0];
    S.tell();
  }
};

/* x <- x + alpha M p + omega M s; p <- r + beta (p - omega v), or r at first */
struct BcgsDirection {
  BcgsVectors     v;
  BcgsScalarsView S;
  DirectionPass   what;
  bool            p_too = true;
  PetscScalar     alpha = 0, omega = 0, beta = 0;

  struct Values {
    PetscScalar x, Mp, Ms, p, r, v;
  };
  HD void begin()
  {
    alpha = S.there->alpha;
    omega = S.there->omega;
    beta  = S.there->beta;
    p_too = !(what.x_alone || (what.in_loop && S.there->end.stop));
    if (what.in_loop) v.x = S.there->end.x;
  }
  HD Values load(PetscInt i) const
  {
    Values e{};

    if (what.x_is_late) {
      e.x  = v.x[i];
      e.Mp = v.Mp[i];
      e.Ms = v.Ms[i];
    }
    if (!p_too) return e;
    e.r = v.r[i];
    if (!what.first) {
      e.p = v.p[i];
      e.v = v.v[i];
    }
    return e;
  }
  HD void change(Values &e) const
  {
    e.x += alpha * e.Mp + omega * e.Ms;
    e.p = what.first ? e.r : e.r - omega * beta * e.v + beta * e.p;
  }
  HD void store(PetscInt i, const Values &e) const
  {
    if (what.x_is_late) v.x[i] = e.x;
    if (p_too) v.p[i] = e.p;
  }
};

/* s <- r - alpha v; s's */
struct BcgsFirstHalf {
  static constexpr int dots = 1;

  BcgsVectors     v;
  BcgsScalarsView S;
  PetscScalar     alpha = 0;

  struct Values {
    PetscScalar r, v;
  };
  HD void begin()
  {
    BcgsScalars now = *S.there;

    now.end_first_half();
    alpha = now.alpha;
  }
  HD Values      load(PetscInt i) const { return {v.r[i], v.v[i]}; }
  HD void        change(Values &e) const { e.r -= alpha * e.v; }
  HD void        store(PetscInt i, const Values &e) const { v.r[i] = e.r; }
  HD PetscScalar term(int, const Values &e) const { return PetscConj(e.r) * e.r; }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->alpha = alpha;
    S.there->ss    = sums[0];
  }
};

/* For several ranks, which add up all at once: this rank's s't, t't, s'q, t'q. */
struct BcgsProducts {
  static constexpr int dots = 4;

  BcgsVectors     v;
  BcgsScalarsView S;

  struct Values {
    PetscScalar s, t, q;
  };
  HD Values      load(PetscInt i) const { return {v.r[i], v.t[i], v.q[i]}; }
  HD PetscScalar term(int d, const Values &e) const
  {
    const PetscScalar first = d % 2 == 0 ? e.s : e.t;

    return d < 2 ? PetscConj(first) * e.t : first * PetscConj(e.q);
  }
  HD void finish(const PetscScalar *sums) const
  {
    S.there->st = sums[0];
    S.there->tt = sums[1];
    S.there->sq = sums[2];
    S.there->tq = sums[3];
  }
};

/* What comes of them when they are those of all ranks; and of r'r and r'q: the end of an iteration. */
HD inline void expand_bcgs_residual(PetscInt, const BcgsScalarsView &S, bool early) { S.there->expand_residual(early); }

HD inline void end_bcgs(PetscInt, const BcgsScalarsView &S, const LoopSwitch &more)
{
  S.there->begin_expanded_direction();
  S.there->end_iteration();
  more.again(!S.there->end.stop);
  S.tell();
}

/* r <- s - omega t; r'r, r'q, and the end of an iteration */
struct BcgsSecondHalf {
  static constexpr int dots = 2;

  BcgsVectors     v;
  BcgsScalarsView S;
  bool            whole;
  LoopSwitch      more;
  PetscScalar     alpha = 0, omega = 0;

  struct Values {
    PetscScalar r, t, q;
  };
  HD void begin()
  {
    BcgsScalars now = *S.there;

    if (whole) now.end_second_half();
    alpha = now.alpha;
    omega = now.omega;
  }
  HD Values      load(PetscInt i) const { return {v.r[i], v.t[i], v.q[i]}; }
  HD void        change(Values &e) const { e.r -= omega * e.t; }
  HD void        store(PetscInt i, const Values &e) const { v.r[i] = e.r; }
  HD PetscScalar term(int d, const Values &e) const { return e.r * PetscConj(d == 0 ? e.r : e.q); }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->alpha = alpha;
    S.there->omega = omega;
    S.there->rr    = sums[0];
    S.there->rq    = sums[1];
    if (!whole) return;
    S.there->begin_direction();
    S.there->end_iteration();
    more.again(!S.there->end.stop);
    S.tell();
  }
};

} // namespace goza::ksp
