#include "cg_kernels.hpp"

namespace goza::ksp
{

namespace
{

struct NoDots {
  static constexpr int dots = 0;

  template <class Values> HD PetscScalar term(int, const Values &) const { return 0; }
};

struct Direction : NoDots {
  CgVectors     v;
  CgScalarsView S;
  bool          first, x_is_late;
  PetscScalar   a = 0, b = 0;

  struct Values {
    PetscScalar x, p, z;
  };
  Direction(const CgVectors &v, CgScalarsView S, bool first, bool x_is_late) : v(v), S(S), first(first), x_is_late(x_is_late) { }
  HD void begin()
  {
    a = S.there->a;
    b = S.there->b;
  }
  HD Values load(PetscInt i) const { return {x_is_late ? v.x[i] : PetscScalar(0), first ? PetscScalar(0) : v.p[i], v.z[i]}; }
  HD void   change(Values &e) const
  {
    e.x += a * e.p;
    e.p = e.z + b * e.p;
  }
  HD void store(PetscInt i, const Values &e) const
  {
    if (x_is_late) v.x[i] = e.x;
    v.p[i] = e.p;
  }
  HD void finish(const PetscScalar *) const { }
};

template <bool with_norm> struct CgResidual {
  static constexpr int dots = with_norm;

  CgVectors     v;
  CgScalarsView S;
  PetscScalar   a = 0;

  struct Values {
    PetscScalar r, w;
  };
  CgResidual(const CgVectors &v, CgScalarsView S) : v(v), S(S) { }
  HD void        begin() { a = S.there->step(); }
  HD Values      load(PetscInt i) const { return {v.r[i], v.w[i]}; }
  HD void        change(Values &e) const { e.r -= a * e.w; }
  HD void        store(PetscInt i, const Values &e) const { v.r[i] = e.r; }
  HD PetscScalar term(int, const Values &e) const { return e.r * e.r; }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->a = a;
    if (!with_norm) return; // other blocks may still be at work, but none of them reads a
    S.there->norm = sums[0];
    S.tell();
  }
};

struct Products {
  static constexpr int dots = 2;

  CgVectors     v;
  CgScalarsView S;

  struct Values {
    PetscScalar z, r;
  };
  HD void        begin() { }
  HD Values      load(PetscInt i) const { return {v.z[i], v.r[i]}; }
  HD void        change(Values &) const { }
  HD void        store(PetscInt, const Values &) const { }
  HD PetscScalar term(int d, const Values &e) const { return e.z * (d == 0 ? e.r : e.z); }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->zr   = sums[0];
    S.there->norm = sums[1];
    S.there->begin_direction();
    S.tell();
  }
};

struct Solution : NoDots {
  CgVectors     v;
  CgScalarsView S;
  PetscScalar   a = 0;

  struct Values {
    PetscScalar x, p;
  };
  Solution(const CgVectors &v, CgScalarsView S) : v(v), S(S) { }
  HD void   begin() { a = S.there->a; }
  HD Values load(PetscInt i) const { return {v.x[i], v.p[i]}; }
  HD void   change(Values &e) const { e.x += a * e.p; }
  HD void   store(PetscInt i, const Values &e) const { v.x[i] = e.x; }
  HD void   finish(const PetscScalar *) const { }
};

struct Norm {
  static constexpr int dots = 1;

  CgVectors     v;
  CgScalarsView S;

  using Values = PetscScalar;
  HD void        begin() { }
  HD Values      load(PetscInt i) const { return v.r[i]; }
  HD void        change(Values &) const { }
  HD void        store(PetscInt, const Values &) const { }
  HD PetscScalar term(int, const Values &e) const { return e * e; }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->norm = sums[0];
    S.tell();
  }
};

struct MergedProducts {
  static constexpr int dots = 4;

  CgVectors     v;
  CgScalarsView S;
  bool          of_residual, first;

  struct Values {
    PetscScalar z, r, s, p, w;
  };
  HD void        begin() { }
  HD Values      load(PetscInt i) const { return {v.z[i], v.r[i], v.s[i], first ? PetscScalar(0) : v.p[i], first ? PetscScalar(0) : v.w[i]}; }
       HD void change(Values &) const { }
  HD void        store(PetscInt, const Values &) const { }
  HD PetscScalar term(int d, const Values &e) const
  {
    switch (d) {
    case 0:
      return e.z * e.r;
    case 1:
      return of_residual ? e.r * e.r : e.z * e.z;
    case 2:
      return e.z * e.s;
    default:
      return e.z * e.w + e.p * e.s;
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

struct MergedStep : NoDots {
  CgVectors     v;
  CgScalarsView S;
  bool          first;
  PetscScalar   a = 0, b = 0;

  struct Values {
    PetscScalar x, r, z, s, p, w;
  };
  MergedStep(const CgVectors &v, CgScalarsView S, bool first) : v(v), S(S), first(first) { }
  HD void begin()
  {
    a = S.there->a;
    b = S.there->b;
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
  HD void finish(const PetscScalar *) const { }
};

} // namespace

void cg_direction(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool first, bool x_is_late, FusedSums &sums)
{
  fuse(space, n, Direction(v, S, first, x_is_late), sums);
}

void cg_residual(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool with_norm, FusedSums &sums)
{
  if (with_norm) fuse(space, n, CgResidual<true>(v, S), sums);
  else fuse(space, n, CgResidual<false>(v, S), sums);
}

void cg_products(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, FusedSums &sums)
{
  fuse(space, n, Products{v, S}, sums);
}

void cg_solution(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, FusedSums &sums)
{
  fuse(space, n, Solution(v, S), sums);
}

void cg_norm(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, FusedSums &sums)
{
  fuse(space, n, Norm{v, S}, sums);
}

void cg_merged_products(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool of_residual, bool first, FusedSums &sums)
{
  fuse(space, n, MergedProducts{v, S, of_residual, first}, sums);
}

void cg_merged_step(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool first, FusedSums &sums)
{
  fuse(space, n, MergedStep(v, S, first), sums);
}

} // namespace goza::ksp
