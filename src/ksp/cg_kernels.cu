#include "cg_kernels.hpp"

namespace goza::ksp {
namespace {

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

template <bool with_norm> struct CgResidual {
  static constexpr int dots = with_norm;

  CgVectors     v;
  CgScalarsView S;
  AnyFirstStep  first_step;
  LoopSwitch    more;
  PetscScalar   a = 0;

  struct Values {
    PetscScalar        r, w;
    AnyFirstStep::Read first;
  };
  HD void   begin() { a = S.there->step(); }
  HD Values load(PetscInt i) const { return {v.r[i], v.w[i], first_step.load(i)}; }
  HD void   change(Values &e) const { e.r -= a * e.w; }
  HD void   store(PetscInt i, const Values &e) const
  {
    v.r[i] = e.r;
    first_step.store(i, e.first, e.r);
  }
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

struct CgProducts {
  static constexpr int dots = 2;

  CgVectors          v;
  CgScalarsView      S;
  const PetscScalar *left; // [n][2], or none
  bool               ends;
  LoopSwitch         more;

  struct Values {
    PetscScalar zr, zz;
  };
  HD Values load(PetscInt i) const
  {
    if (left) return {left[2 * static_cast<std::size_t>(i)], left[2 * static_cast<std::size_t>(i) + 1]};
    const PetscScalar z = v.z_at(i);

    return {PetscConj(z) * v.r[i], PetscConj(z) * z};
  }
  HD PetscScalar term(int d, const Values &e) const { return d == 0 ? e.zr : e.zz; }
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

struct Norm {
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

struct MergedProducts {
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

HD void end_merged(PetscInt, const CgScalarsView &S, const LoopSwitch &more)
{
  S.there->begin_merged_direction();
  if (S.there->ends_here()) S.there->broken = true;
  S.there->end_iteration();
  more.again(!S.there->end.stop);
  S.tell();
}

struct MergedStep {
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

} // namespace

void cg_direction(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, const DirectionPass &what, FusedSums &sums)
{
  fuse(space, n, CgDirection{v, S, what}, sums);
}

void cg_residual(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool with_norm, const AnyFirstStep &first_step, LoopSwitch more, FusedSums &sums)
{
  if (with_norm) fuse(space, n, CgResidual<true>{v, S, first_step, more}, sums);
  else fuse(space, n, CgResidual<false>{v, S, first_step, more}, sums);
}

void cg_products(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool left, bool ends, LoopSwitch more, FusedSums &sums)
{
  if (left) fuse(space, sums.nleft(), CgProducts{v, S, sums.left(), ends, more}, sums);
  else fuse(space, n, CgProducts{v, S, nullptr, ends, more}, sums);
}

void cg_norm(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, FusedSums &sums) { fuse(space, n, Norm{v, S}, sums); }

void cg_merged_products(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool of_residual, bool first, FusedSums &sums)
{
  fuse(space, n, MergedProducts{v, S, of_residual, first}, sums);
}

void cg_merged_end(Space space, CgScalarsView S, LoopSwitch more) { for_each_row(space, 1, bound<end_merged>(S, more)); }

void cg_merged_step(Space space, PetscInt n, const CgVectors &v, CgScalarsView S, bool first, bool in_loop, FusedSums &sums)
{
  fuse(space, n, MergedStep{v, S, first, in_loop}, sums);
}

} // namespace goza::ksp
