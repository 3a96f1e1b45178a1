/* The passes of the conjugate gradient method over its vectors, and its scalars, which stay where the vectors are. */
#pragma once
#include "core/launch/fused_elements.hpp"
#include "core/device/scalars.hpp"

namespace goza::ksp
{

struct CgScalars {
  PetscScalar zr, norm;   // what the latest passes have summed: z'r; z'z, or r'r where that is the norm;
  PetscScalar zs, mixed;  // z'A z; z'A p + p'A z
  PetscScalar beta;       // z'r of the present z
  PetscScalar b, a;       // p <- z + b p; x <- x + a p
  PetscScalar pw, pw_old; // p'A p of the present p and the one before; 0: none

  /* z is new. */
  HD void begin_direction()
  {
    b      = beta != 0 ? zr / beta : 0;
    beta   = zr;
    pw_old = pw;
  }
  /* p'A p of the p that will be z + b p. With a symmetric A, mixed is -2 b pw, and with rounding or boundary rows that are not symmetric it is not. */
  HD void        expand_product() { pw = zs + b * mixed + b * b * pw_old; }
  HD bool        is_indefinite() const { return pw == 0 || (pw < 0 && pw_old > 0) || (pw > 0 && pw_old < 0); }
  HD PetscScalar step() const { return is_indefinite() || !(pw - pw == 0) ? 0 : beta / pw; } // 0: the host will stop; x stays as it is
};

struct CgVectors {
  PetscScalar *x, *r, *z, *p, *w, *s; // w = A p; s = A z where there is one reduction
};

using CgScalarsView = ScalarsView<CgScalars>;

/* One rank. x <- x + a p, with the direction before, where x is late; p <- z + b p. first: p <- z */
void cg_direction(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool first, bool x_is_late, FusedSums &sums);
/* a, from p'w; r <- r - a w; with_norm: r'r. x is late by a p now. */
void cg_residual(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool with_norm, FusedSums &sums);
void cg_products(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, FusedSums &sums); // z'r, z'z; b
void cg_solution(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, FusedSums &sums); // x <- x + a p
void cg_norm(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, FusedSums &sums);     // r'r

/* Several ranks, all of one iteration's sums at a time: this rank's part of them. first: there is no p yet. */
void cg_merged_products(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool of_residual, bool first, FusedSums &sums);
/* p <- z + b p, w <- s + b w, x <- x + a p, r <- r - a w */
void cg_merged_step(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool first, FusedSums &sums);

} // namespace goza::ksp
