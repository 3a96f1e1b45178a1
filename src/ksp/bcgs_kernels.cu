#include "bcgs_kernels.hpp"

namespace goza::ksp
{

namespace
{

struct NoDots {
  static constexpr int dots = 0;

  template <class Values> HD PetscScalar term(int, const Values &) const { return 0; }
  HD void                                finish(const PetscScalar *) const { }
};

struct Begin {
  static constexpr int dots = 1;

  BcgsVectors     v;
  BcgsScalarsView S;

  using Values = PetscScalar;
  HD void        begin() { }
  HD Values      load(PetscInt i) const { return v.r[i]; }
  HD void        change(Values &) const { }
  HD void        store(PetscInt i, const Values &r) const { v.q[i] = r; }
  HD PetscScalar term(int, const Values &r) const { return r * r; }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->rr = S.there->rho = sums[0];
    S.tell();
  }
};

struct Direction : NoDots {
  BcgsVectors     v;
  BcgsScalarsView S;
  bool            first, x_is_late;
  PetscScalar     alpha = 0, omega = 0, beta = 0;

  struct Values {
    PetscScalar x, Mp, Ms, p, r, v;
  };
  Direction(const BcgsVectors &v, BcgsScalarsView S, bool first, bool x_is_late) : v(v), S(S), first(first), x_is_late(x_is_late) { }
  HD void begin()
  {
    alpha = S.there->alpha;
    omega = S.there->omega;
    beta  = S.there->beta;
  }
  HD Values load(PetscInt i) const
  {
    Values e{0, 0, 0, 0, v.r[i], 0};

    if (x_is_late) {
      e.x  = v.x[i];
      e.Mp = v.Mp[i];
      e.Ms = v.Ms[i];
    }
    if (!first) {
      e.p = v.p[i];
      e.v = v.v[i];
    }
    return e;
  }
  HD void change(Values &e) const
  {
    e.x += alpha * e.Mp + omega * e.Ms;
    e.p = first ? e.r : e.r - omega * beta * e.v + beta * e.p;
  }
  HD void store(PetscInt i, const Values &e) const
  {
    if (x_is_late) v.x[i] = e.x;
    v.p[i] = e.p;
  }
};

struct FirstHalf {
  static constexpr int dots = 1;

  BcgsVectors     v;
  BcgsScalarsView S;
  PetscScalar     alpha = 0;

  struct Values {
    PetscScalar r, v;
  };
  FirstHalf(const BcgsVectors &v, BcgsScalarsView S) : v(v), S(S) { }
  HD void begin()
  {
    BcgsScalars now = *S.there;

    now.end_first_half();
    alpha = now.alpha;
  }
  HD Values      load(PetscInt i) const { return {v.r[i], v.v[i]}; }
  HD void        change(Values &e) const { e.r -= alpha * e.v; }
  HD void        store(PetscInt i, const Values &e) const { v.r[i] = e.r; }
  HD PetscScalar term(int, const Values &e) const { return e.r * e.r; }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->alpha = alpha;
    S.there->ss    = sums[0];
  }
};

/* s't and t't, and for several ranks, which add up all at once, s'q and t'q. */
template <bool whole> struct Products {
  static constexpr int dots = whole ? 2 : 4;

  BcgsVectors     v;
  BcgsScalarsView S;

  struct Values {
    PetscScalar s, t, q;
  };
  HD void        begin() { }
  HD Values      load(PetscInt i) const { return {v.r[i], v.t[i], whole ? PetscScalar(0) : v.q[i]}; }
  HD void        change(Values &) const { }
  HD void        store(PetscInt, const Values &) const { }
  HD PetscScalar term(int d, const Values &e) const { return (d % 2 == 0 ? e.s : e.t) * (d < 2 ? e.t : e.q); }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->st = sums[0];
    S.there->tt = sums[1];
    if constexpr (whole) S.there->end_second_half();
    else {
      S.there->sq = sums[2];
      S.there->tq = sums[3];
    }
  }
};

struct SecondHalf {
  static constexpr int dots = 2;

  BcgsVectors     v;
  BcgsScalarsView S;
  bool            whole;
  PetscScalar     omega = 0;

  struct Values {
    PetscScalar r, t, q;
  };
  SecondHalf(const BcgsVectors &v, BcgsScalarsView S, bool whole) : v(v), S(S), whole(whole) { }
  HD void        begin() { omega = S.there->omega; }
  HD Values      load(PetscInt i) const { return {v.r[i], v.t[i], v.q[i]}; }
  HD void        change(Values &e) const { e.r -= omega * e.t; }
  HD void        store(PetscInt i, const Values &e) const { v.r[i] = e.r; }
  HD PetscScalar term(int d, const Values &e) const { return e.r * (d == 0 ? e.r : e.q); }
  HD void        finish(const PetscScalar *sums) const
  {
    S.there->rr = sums[0];
    S.there->rq = sums[1];
    if (!whole) return;
    S.there->begin_direction();
    S.tell();
  }
};

struct Solution : NoDots {
  BcgsVectors     v;
  BcgsScalarsView S;
  PetscScalar     alpha = 0, omega = 0;

  struct Values {
    PetscScalar x, Mp, Ms;
  };
  Solution(const BcgsVectors &v, BcgsScalarsView S) : v(v), S(S) { }
  HD void begin()
  {
    alpha = S.there->alpha;
    omega = S.there->omega;
  }
  HD Values load(PetscInt i) const { return {v.x[i], v.Mp[i], v.Ms[i]}; }
  HD void   change(Values &e) const { e.x += alpha * e.Mp + omega * e.Ms; }
  HD void   store(PetscInt i, const Values &e) const { v.x[i] = e.x; }
};

} // namespace

void bcgs_begin(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums)
{
  fuse(space, n, Begin{v, S}, sums);
}

void bcgs_direction(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, bool first, bool x_is_late, FusedSums &sums)
{
  fuse(space, n, Direction(v, S, first, x_is_late), sums);
}

void bcgs_first_half(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums)
{
  fuse(space, n, FirstHalf(v, S), sums);
}

void bcgs_products(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, bool whole, FusedSums &sums)
{
  if (whole) fuse(space, n, Products<true>{v, S}, sums);
  else fuse(space, n, Products<false>{v, S}, sums);
}

void bcgs_second_half(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, bool whole, FusedSums &sums)
{
  fuse(space, n, SecondHalf(v, S, whole), sums);
}

void bcgs_solution(Space space, PetscInt n, const BcgsVectors &v, BcgsScalarsView S, FusedSums &sums)
{
  fuse(space, n, Solution(v, S), sums);
}

} // namespace goza::ksp
