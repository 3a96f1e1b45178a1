/* The passes of the conjugate gradient method over its vectors, and its scalars, which stay where the vectors are. */
#pragma once
#include "core/device/scalars.hpp"
#include "core/launch/first_step.hpp"
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
void cg_direction(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, const DirectionPass &what, FusedSums &sums);
/* a, from p'w; r <- r - a w, and the first step of the cycle for it; with_norm: r'r, and the end of an iteration. x is late by a p now. */
void cg_residual(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool with_norm, const AnyFirstStep &first_step, LoopSwitch more,
                 FusedSums &sums);
/* z'r, z'z, of the vectors or of what a cycle has left of them in `sums`; b. ends: the iteration, too. */
void cg_products(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool left, bool ends, LoopSwitch more, FusedSums &sums);
void cg_norm(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, FusedSums &sums); // r'r

/* Several ranks, all of one iteration's sums at a time: this rank's part of them. first: there is no p yet. */
void cg_merged_products(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool of_residual, bool first, FusedSums &sums);
/* What comes of these sums, when they are those of all ranks: a, b, and the end of an iteration. */
void cg_merged_end(Space space, CgScalarsView S, LoopSwitch more);
/* p <- z + b p, w <- s + b w, x <- x + a p, r <- r - a w; in_loop: x is that of LoopEnd */
void cg_merged_step(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool first, bool in_loop, FusedSums &sums);

} // namespace goza::ksp
