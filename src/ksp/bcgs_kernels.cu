#include "bcgs_kernels.hpp"

namespace goza::ksp {
namespace {

struct Begin {
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

struct BcgsDirection {
  BcgsVectors     v;
  BcgsScalarsView S;
  DirectionPass   what;
  AnyFirstStep    first_step;
  bool            p_too = true;
  PetscScalar     alpha = 0, omega = 0, beta = 0;

  struct Values {
    PetscScalar        x, Mp, Ms, p, r, v;
    AnyFirstStep::Read first;
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
    e.r     = v.r[i];
    e.first = first_step.load(i);
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
    if (!p_too) return;
    v.p[i] = e.p;
    first_step.store(i, e.first, e.p);
  }
};

struct FirstHalf {
  static constexpr int dots = 1;

  BcgsVectors     v;
  BcgsScalarsView S;
  AnyFirstStep    first_step;
  PetscScalar     alpha = 0;

  struct Values {
    PetscScalar        r, v;
    AnyFirstStep::Read first;
  };
  HD void begin()
  {
    BcgsScalars now = *S.there;

    now.end_first_half();
    alpha = now.alpha;
  }
  HD Values load(PetscInt i) const { return {v.r[i], v.v[i], first_step.load(i)}; }
  HD void   change(Values &e) const { e.r -= alpha * e.v; }
  HD void   store(PetscInt i, const Values &e) const
  {
    v.r[i] = e.r;
    first_step.store(i, e.first, e.r);
  }
  HD PetscScalar term(int, const Values &e) const { return PetscConj(e.r) * e.r; }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->alpha = alpha;
    S.there->ss    = sums[0];
  }
};

/* For several ranks, which add up all at once. */
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

HD void expand_residual(PetscInt, const BcgsScalarsView &S, bool early) { S.there->expand_residual(early); }

HD void end_bcgs(PetscInt, const BcgsScalarsView &S, const LoopSwitch &more)
{
  S.there->begin_expanded_direction();
  S.there->end_iteration();
  more.again(!S.there->end.stop);
  S.tell();
}

struct SecondHalf {
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

} // namespace

void bcgs_begin(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums) { fuse(space, n, Begin{v, S}, sums); }

void bcgs_direction(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, const DirectionPass &what, const AnyFirstStep &first_step,
                    FusedSums &sums)
{
  fuse(space, n, BcgsDirection{v, S, what, first_step}, sums);
}

void bcgs_first_half(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, const AnyFirstStep &first_step, FusedSums &sums)
{
  fuse(space, n, FirstHalf{v, S, first_step}, sums);
}

void bcgs_products(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums) { fuse(space, n, BcgsProducts{v, S}, sums); }

void bcgs_expand(Space space, BcgsScalarsView S, bool early) { for_each_row(space, 1, bound<expand_residual>(S, early)); }

void bcgs_end(Space space, BcgsScalarsView S, LoopSwitch more) { for_each_row(space, 1, bound<end_bcgs>(S, more)); }

void bcgs_second_half(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, bool whole, LoopSwitch more, FusedSums &sums)
{
  fuse(space, n, SecondHalf{v, S, whole, more}, sums);
}

} // namespace goza::ksp
