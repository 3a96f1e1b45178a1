/* What a look at each row of a matrix finds. */
#pragma once
#include "eigen.hpp"
#include "core/launch/staged_rows.hpp"
#include "row_lanes.hpp"

namespace goza::saamg {

/* The entries of CDS, one unknown a node: as a row is walked along, what is stored with it goes into a copy in half precision, too. */
struct CopiedEntries {
  mat::CdsEntries<const PetscScalar> A;
  PetscReal                          factor;
  std::int64_t                       ld;
  HalfScalar                        *copy; // [ndiag][ld]

  template <class F> HD void for_each_entry(PetscInt row, F f) const
  {
#if defined(__CUDA_ARCH__)
    if (A.all_inside(row)) {
      int d = -A.below(); // mirror images come first

      A.for_each_inside(row, [&](PetscInt col, PetscScalar a) {
        f(col, a);
        if (d >= 0) put(d, row, a);
        d++;
      });
      return;
    }
#endif
    for (int d = A.ndiag - 1; A.half && d >= 0; d--) {
      const PetscInt j = row - A.offset[d];

      if (j >= 0 && j != row) f(j, A.val[d * A.ld + j]);
    }
    for (int d = 0; d < A.ndiag; d++) {
      const PetscInt    j = row + A.offset[d];
      const PetscScalar a = A.val[d * A.ld + row];

      if (j >= 0 && j < A.columns) f(j, a);
      put(d, row, a);
      for (PetscInt beyond = row + 1; row + 1 == A.nodes && beyond < ld; beyond++) put(d, beyond, 0);
    }
  }

private:
  HD void put(int d, PetscInt i, PetscScalar a) const { copy[d * ld + i] = static_cast<HalfScalar>(a * factor); }
};

/* How many rows there are of which one thing or another is to be said, and behind these the couplings; a row's inverse diagonal and whether it is isolated are
   written. Rows: has for_each_entry(). */
template <class Rows> struct Facts {
  static constexpr bool walks_along_row = true, by_lanes = has_lanes<Rows>;

  static constexpr int       facts     = PetscDefined(USE_COMPLEX) ? 10 : 9;
  static constexpr PetscReal normal    = std::numeric_limits<PetscReal>::min(); // the least that is
  static constexpr PetscReal dominance = 1 + 100 * PETSC_MACHINE_EPSILON;       // of a diagonal over a row: sums are rounded

  Rows           A;
  PetscInt       bs;
  PetscScalar   *dinv;
  unsigned char *isolated;

  HD Facts on(Columns c, Values v) const { return {A.on(c, v), bs, dinv, isolated}; }

  HD void operator()(PetscInt i, std::int64_t *count) const { (*this)(i, 0, 1, count); }

  HD void operator()(PetscInt i, int lane, int lanes, std::int64_t *count) const
  {
    if (bs > 1) { /* whose blocks lanes would part */
      if (lane > 0) return;
      lanes = 1;
    }
    Seen seen = see(i, lane, lanes);

    seen.d                  = sum_of_lanes(seen.d, lanes);
    seen.nothing_of_squares = sum_of_lanes(seen.nothing_of_squares, lanes);
    seen.others             = sum_of_lanes(seen.others, lanes);
    seen.most               = most_of_lanes(seen.most, lanes);
    seen.couplings          = sum_of_lanes(seen.couplings, lanes);
    seen.real               = in_all_lanes(seen.real, lanes);
    if (lane == 0) say(i, seen, count);
  }

private:
  struct Seen {                                // of a row's entries, or a lane's
    PetscScalar d = 0, nothing_of_squares = 0; // NaN where an entry's square is not finite
    PetscReal   others = 0, most = 0;
    unsigned    couplings = 0;
    bool        real      = true;

    HD void look(PetscScalar a)
    {
      nothing_of_squares += a * a * PetscScalar(0);
      most = PetscMax(most, PetscAbsScalar(a));
      real = real && PetscImaginaryPart(a) == 0;
    }
    HD bool counts(PetscScalar a) const { return PetscAbsScalar(a) > 64 * PETSC_MACHINE_EPSILON * most; } // beside the entries so far
  };

  HD Seen see(PetscInt i, int lane, int lanes) const
  {
    PetscInt own = bs == 1 ? i : i / bs * bs, node = own - bs; // the first columns of the row's own node and of that of the last entry
    bool     counted = false;
    Seen     seen;

    if (bs == 1) {
      for_each_entry_of(A, i, lane, lanes, [&](PetscInt j, PetscScalar a) {
        const bool own_entry = j == i;

        seen.look(a);
        if (own_entry) seen.d = a;
        seen.couplings += !own_entry && seen.counts(a);
        seen.others += own_entry ? 0 : PetscAbsScalar(a);
      });
      return seen;
    }
    A.for_each_entry(i, [&](PetscInt j, PetscScalar a) {
      seen.look(a);
      if (j == i) seen.d = a;
      else {
        if (j < node || j >= node + bs) { /* a division for every entry would take longer than all else */
          node    = j / bs * bs;
          counted = node == own;
        }
        if (!counted && seen.counts(a)) {
          seen.couplings++;
          counted = true;
        }
        seen.others += PetscAbsScalar(a);
      }
    });
    return seen;
  }

  HD void say(PetscInt i, const Seen &seen, std::int64_t *count) const
  {
    const bool  coupled = !(seen.others == 0); // a NaN is a coupling
    PetscScalar nothing = 0;

    if (seen.nothing_of_squares != PetscScalar(0)) A.for_each_entry(i, [&](PetscInt, PetscScalar a) { nothing += a - a; });
    const PetscScalar inverse = seen.d != PetscScalar(0) ? PetscScalar(1) / seen.d : PetscScalar(0);

    dinv[i]                 = inverse - inverse == PetscScalar(0) ? inverse : PetscScalar(0);
    isolated[i]             = !coupled;
    const PetscReal sign    = PetscRealPart(dinv[i]);
    const bool      crooked = PetscImaginaryPart(dinv[i]) != 0;
    count[0] += sign > 0 || crooked;
    count[1] += sign < 0 || crooked;
    count[2] += nothing != PetscScalar(0);
    count[3] += seen.nothing_of_squares != PetscScalar(0);
    count[4] += !coupled;
    count[5] += !(seen.others <= dominance * PetscAbsScalar(seen.d));
    count[6] += !(seen.others <= most_covered * PetscAbsScalar(seen.d));
    count[7] += coupled && dinv[i] == PetscScalar(0);
    count[8] += coupled && seen.most * seen.most < normal;
    if (PetscDefined(USE_COMPLEX)) count[9] += !seen.real;
    count[facts] += seen.couplings;
  }
};

} // namespace goza::saamg
