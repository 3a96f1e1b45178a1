/* The passes of the conjugate gradient method over its vectors, for fused_elements.hpp, and its scalars, which stay where the vectors are. */
#pragma once
#include "core/device/scalars.hpp"
#include "core/launch/fused_elements.hpp"
#include "core/launch/loop_switch.hpp"
#include "loop_end.hpp"

namespace goza::ksp {

struct CgScalars {
  PetscScalar          zr, norm;        // what the latest passes have summed: z^H r; z^H z, or r^H r where that is the norm;
  PetscScalar          zs, mixed;       // z^H A z; z^H A p + p^H A z
  static constexpr int merged_sums = 4; // of several ranks: these, one behind the other
  PetscScalar          beta;            // z^H r of the present z
  PetscScalar          b, a;            // p <- z + b p; x <- x + a p
  PetscScalar          pw, pw_old;      // p^H A p of the present p and the one before; 0: none
  bool                 broken;          // the host will find something wrong with one of these
  LoopEnd              end;

  /* z is new. */
  HD void begin_direction()
  {
    broken = broken || !(PetscRealPart(zr * beta) >= 0) || zr == 0 || !(zr - zr == PetscScalar(0));
    b      = beta != 0 ? zr / beta : 0;
    beta   = zr;
    pw_old = pw;
  }
  /* p^H A p of the p that will be z + b p. With a Hermitian A b is real and mixed is -2 b pw, and with rounding or boundary rows that are not symmetric it is
     not. */
  HD void expand_product() { pw = zs + b * mixed + b * PetscConj(b) * pw_old; }
  HD bool is_indefinite() const
  {
    const PetscReal now = PetscRealPart(pw), before = PetscRealPart(pw_old);

    return pw == PetscScalar(0) || (now < 0 && before > 0) || (now > 0 && before < 0);
  }
  HD bool ends_here() const { return is_indefinite() || !(pw - pw == PetscScalar(0)); }
  /* 0: the host will stop; x stays as it is. */
  HD PetscScalar step() const { return broken || ends_here() ? PetscScalar(0) : beta / pw; }
  /* The same where p'A p is expanded in sums. */
  HD void begin_merged_direction()
  {
    begin_direction();
    expand_product();
    a = step();
  }
  /* An iteration is complete. */
  HD void end_iteration() { end.look(PetscSqrtReal(end.natural ? PetscAbsScalar(zr) : PetscRealPart(norm)), broken); }
};

struct CgVectors {
  PetscScalar        *x, *r, *z, *p, *w, *s; // w = A p; s = A z where there is one reduction
  const SingleScalar *narrow_z;              // z, where that is kept in single precision

  HD PetscScalar z_at(PetscInt i) const { return narrow_z ? static_cast<PetscScalar>(narrow_z[i]) : z[i]; }
};

using CgScalarsView = ScalarsView<CgScalars>;

/* One rank. x <- x + a p, with the direction before; p <- z + b p, or z at first. */
struct CgDirection {
  CgVectors     v;
  CgScalarsView S;
  DirectionPass what;
  bool          p_too = true;
  PetscScalar   a = 0, b = 0;

  struct Values {
    PetscScalar x, p, z;
  };
  HD void begin()
  {
    a     = S.there->a;
    b     = S.there->b;
    p_too = !(what.x_alone || (what.in_loop && S.there->end.stop));
    if (what.in_loop) v.x = S.there->end.x;
  }
  HD Values load(PetscInt i) const
  {
    return {what.x_is_late ? v.x[i] : PetscScalar(0), what.first ? PetscScalar(0) : v.p[i], p_too ? v.z_at(i) : PetscScalar(0)};
  }
  HD void change(Values &e) const
  {
    e.x += a * e.p;
    e.p = e.z + b * e.p;
  }
  HD void store(PetscInt i, const Values &e) const
  {
    if (what.x_is_late) v.x[i] = e.x;
    if (p_too) v.p[i] = e.p;
  }
};

/* a, from p'w; r <- r - a w; with_norm: r'r, and the end of an iteration. x is late by a p now. */
template <bool with_norm> struct CgResidual {
  static constexpr int dots = with_norm;

  CgVectors     v;
  CgScalarsView S;
  LoopSwitch    more;
  PetscScalar   a = 0;

  struct Values {
    PetscScalar r, w;
  };
  HD void        begin() { a = S.there->step(); }
  HD Values      load(PetscInt i) const { return {v.r[i], v.w[i]}; }
  HD void        change(Values &e) const { e.r -= a * e.w; }
  HD void        store(PetscInt i, const Values &e) const { v.r[i] = e.r; }
  HD PetscScalar term(int, const Values &e) const { return PetscConj(e.r) * e.r; }
  /* Without a sum other blocks may still be about to begin: a they do not read, and a step that has ended here is 0 to them already. */
  HD void finish(const PetscScalar *sums) const
  {
    S.there->a = a;
    if (S.there->ends_here()) S.there->broken = true;
    if (!with_norm) return;
    S.there->norm = sums[0];
    S.there->end_iteration();
    more.again(!S.there->end.stop);
    S.tell();
  }
};

/* z'r, z'z; b. ends: the iteration, too. */
struct CgProducts {
  static constexpr int dots = 2;

  CgVectors     v;
  CgScalarsView S;
  bool          ends;
  LoopSwitch    more;

  struct Values {
    PetscScalar z, r;
  };
  HD Values      load(PetscInt i) const { return {v.z_at(i), v.r[i]}; }
  HD PetscScalar term(int d, const Values &e) const { return PetscConj(e.z) * (d == 0 ? e.r : e.z); }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->zr   = sums[0];
    S.there->norm = sums[1];
    S.there->begin_direction();
    if (ends) {
      S.there->end_iteration();
      more.again(!S.there->end.stop);
    }
    S.tell();
  }
};

struct CgNorm { // r'r
  static constexpr int dots = 1;

  CgVectors     v;
  CgScalarsView S;

  using Values = PetscScalar;
  HD Values      load(PetscInt i) const { return v.r[i]; }
  HD PetscScalar term(int, const Values &e) const { return PetscConj(e) * e; }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->norm = sums[0];
    S.tell();
  }
};

/* Several ranks, all of one iteration's sums at a time: this rank's part of them. first: there is no p yet. */
struct CgMergedProducts {
  static constexpr int dots = 4;

  CgVectors     v;
  CgScalarsView S;
  bool          of_residual, first;

  struct Values {
    PetscScalar z, r, s, p, w;
  };
  HD Values load(PetscInt i) const
  {
    const PetscScalar p = first ? PetscScalar(0) : v.p[i], w = first ? PetscScalar(0) : v.w[i];

    return {v.z[i], v.r[i], v.s[i], p, w};
  }
  HD PetscScalar term(int d, const Values &e) const
  {
    switch (d) {
    case 0:
      return PetscConj(e.z) * e.r;
    case 1:
      return of_residual ? PetscConj(e.r) * e.r : PetscConj(e.z) * e.z;
    case 2:
      return PetscConj(e.z) * e.s;
    default:
      return PetscConj(e.z) * e.w + PetscConj(e.p) * e.s;
    }
  }
  HD void finish(const PetscScalar *sums) const
  {
    S.there->zr    = sums[0];
    S.there->norm  = sums[1];
    S.there->zs    = sums[2];
    S.there->mixed = sums[3];
  }
};

/* What comes of these sums, when they are those of all ranks: a, b, and the end of an iteration. */
HD inline void end_cg_merged(PetscInt, const CgScalarsView &S, const LoopSwitch &more)
{
  S.there->begin_merged_direction();
  if (S.there->ends_here()) S.there->broken = true;
  S.there->end_iteration();
  more.again(!S.there->end.stop);
  S.tell();
}

/* p <- z + b p, w <- s + b w, x <- x + a p, r <- r - a w; in_loop: x is that of LoopEnd */
struct CgMergedStep {
  CgVectors     v;
  CgScalarsView S;
  bool          first, in_loop;
  PetscScalar   a = 0, b = 0;

  struct Values {
    PetscScalar x, r, z, s, p, w;
  };
  HD void begin()
  {
    a = S.there->a;
    b = S.there->b;
    if (in_loop) v.x = S.there->end.x;
  }
  HD Values load(PetscInt i) const { return {v.x[i], v.r[i], v.z[i], v.s[i], first ? PetscScalar(0) : v.p[i], first ? PetscScalar(0) : v.w[i]}; }
  HD void change(Values &e) const
  {
    e.p = e.z + b * e.p;
    e.w = e.s + b * e.w;
    e.x += a * e.p;
    e.r -= a * e.w;
  }
  HD void store(PetscInt i, const Values &e) const
  {
    v.p[i] = e.p;
    v.w[i] = e.w;
    v.x[i] = e.x;
    v.r[i] = e.r;
  }
};

} // namespace goza::ksp
