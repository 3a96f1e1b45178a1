#include "vector_kernels.hpp"

namespace goza::ksp {
namespace {

struct SubtractFrom {
  const PetscScalar *b;
  PetscScalar       *y;

  struct Values {
    PetscScalar b, y;
  };
  HD Values load(PetscInt i) const { return {b[i], y[i]}; }
  HD void   change(Values &v) const { v.y = v.b - v.y; }
  HD void   store(PetscInt i, const Values &v) const { y[i] = v.y; }
};

struct Dot {
  static constexpr int dots = 1;

  const PetscScalar *x, *y;
  PetscScalar       *result;

  struct Values {
    PetscScalar x, y;
  };
  HD Values      load(PetscInt i) const { return {x[i], y ? y[i] : PetscScalar(1)}; }
  HD PetscScalar term(int, const Values &v) const { return v.x * PetscConj(v.y); }
  HD void        finish(const PetscScalar *sums) const { *result = sums[0]; }
};

struct Subtract {
  PetscScalar        factor;
  const PetscScalar *c, *v;
  PetscScalar       *x;

  struct Values {
    PetscScalar v, x;
  };
  HD void   begin() { factor *= *c; }
  HD Values load(PetscInt i) const { return {v ? v[i] : PetscScalar(1), x[i]}; }
  HD void   change(Values &e) const { e.x -= factor * e.v; }
  HD void   store(PetscInt i, const Values &e) const { x[i] = e.x; }
};

struct MultiplyPoints {
  const PetscScalar *d, *r;
  PetscScalar       *z;

  struct Values {
    PetscScalar d, r;
  };
  HD Values load(PetscInt i) const { return {d[i], r[i]}; }
  HD void   change(Values &v) const { v.r *= v.d; }
  HD void   store(PetscInt i, const Values &v) const { z[i] = v.r; }
};

struct MultiplyBlocks {
  PetscInt           n, bs;
  const PetscScalar *blocks, *r;
  PetscScalar       *z;

  using Values = PetscScalar;
  HD Values load(PetscInt i) const
  {
    const PetscInt first = i / bs * bs;
    PetscScalar    sum   = 0;

    for (PetscInt c = 0; c < bs; c++) sum += blocks[static_cast<std::size_t>(c) * n + i] * r[first + c];
    return sum;
  }
  HD void store(PetscInt i, const Values &v) const { z[i] = v; }
};

} // namespace

void subtract_from(Space space, PetscInt n, const PetscScalar *b, PetscScalar *y, FusedSums &sums) { fuse(space, n, SubtractFrom{b, y}, sums); }

void dot(Space space, PetscInt n, const PetscScalar *x, const PetscScalar *y, PetscScalar *result, FusedSums &sums) { fuse(space, n, Dot{x, y, result}, sums); }

void subtract(Space space, PetscInt n, PetscScalar factor, const PetscScalar *c, const PetscScalar *v, PetscScalar *x, FusedSums &sums)
{
  fuse(space, n, Subtract{factor, c, v, x}, sums);
}

void multiply_blocks(Space space, PetscInt n, PetscInt bs, const PetscScalar *blocks, const PetscScalar *r, PetscScalar *z, FusedSums &sums)
{
  if (bs == 1) fuse(space, n, MultiplyPoints{blocks, r, z}, sums);
  else fuse(space, n, MultiplyBlocks{n, bs, blocks, r, z}, sums);
}

} // namespace goza::ksp
