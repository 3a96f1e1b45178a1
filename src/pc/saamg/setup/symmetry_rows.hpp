/* Row bodies that compare a matrix with its transpose.

   The diffusive part C of A is what the two directions of an edge share: c_ij is the one of a_ij and a_ji that is nearer to zero, 0 where their signs differ,
   and what a_ij has beyond it goes to the diagonal, so that rows sum up as they did. Of upwind convection and diffusion it is the diffusion, of a symmetric
   matrix the matrix. An interpolation smoothed with it instead of A is smoothed where diffusion is felt and stays as it is where convection is: smoothed with
   all of A, the coarse operator of strong convection is that of central differences with a cell's Peclet number that triples from level to level, on which no
   smoother converges. */
#pragma once
#include "core/sparse/csr.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::saamg {

/* A row's sum of r_i a_ij s_j - s_i a_ij r_j, which over all rows is zero where A is symmetric, or with the conjugate of the second where it is Hermitian, and
   of their magnitudes.
   r and s [columns]: real, 0 where a row is coupled to nothing. */
struct Antisymmetry {
  static constexpr bool walks_along_row = true, by_lanes = true;

  const PetscInt    *ptr;
  Columns            col;
  Values             val;
  const PetscScalar *r, *s;
  bool               conjugated;

  HD Antisymmetry on(Columns c, Values v) const { return {ptr, c, v, r, s, conjugated}; }

  HD void operator()(PetscInt i, PetscScalar *sum) const { (*this)(i, 0, 1, sum); }

  HD void operator()(PetscInt i, int lane, int lanes, PetscScalar *sum) const
  {
    PetscScalar with_r = 0, with_s = 0;
    PetscReal   r_size = 0, s_size = 0;

    for (PetscInt p = ptr[i] + lane; p < ptr[i + 1]; p += lanes) {
      const PetscScalar ar = val[p] * r[col[p]], as = val[p] * s[col[p]];

      with_r += ar;
      with_s += as;
      r_size += PetscAbsScalar(ar);
      s_size += PetscAbsScalar(as);
    }
    sum[0] += r[i] * with_s - conjugate_if(conjugated, s[i] * with_r); // of a lane's entries, as all else here
    sum[1] += PetscAbsScalar(r[i]) * s_size + PetscAbsScalar(s[i]) * r_size;
  }
};

/* A's rows beside those of its transpose, or the conjugate of that, whose ghost columns may be others. */
struct BesideTranspose {
  Csr             A, T;
  const PetscInt *ghost, *tghost; // their global numbers

  /* f(local column of A or -1, a_ij, a_ji), ascending. */
  template <class F> HD void for_each_pair(PetscInt i, F f) const
  {
    for_each_of_both(i, [&](PetscInt j, PetscInt, PetscScalar a, PetscScalar t) { f(j, a, t); });
  }

  /* f(local column of A or -1, of T or -1, a_ij, a_ji), ascending. */
  template <class F> HD void for_each_of_both(PetscInt i, F f) const
  {
    PetscInt p = A.ptr[i], q = T.ptr[i];

    while (p < A.ptr[i + 1] || q < T.ptr[i + 1]) {
      const std::int64_t here  = p < A.ptr[i + 1] ? place(A.col[p], ghost) : no_place;
      const std::int64_t there = q < T.ptr[i + 1] ? place(T.col[q], tghost) : no_place;

      f(here <= there ? A.col[p] : -1, there <= here ? T.col[q] : -1, here <= there ? A.val[p] : PetscScalar(0), there <= here ? T.val[q] : PetscScalar(0));
      p += here <= there;
      q += there <= here;
    }
  }

  HD bool same_component(PetscInt i, PetscInt j, PetscInt bs) const { return bs == 1 || component(i, bs) == component(j, bs); }

private:
  HD PetscInt component(PetscInt c, PetscInt bs) const { return (c < A.nrows ? c : ghost[c - A.nrows]) % bs; }

  static constexpr std::int64_t no_place = std::int64_t(1) << 62;

  HD std::int64_t place(PetscInt c, const PetscInt *ghosts) const { return c < A.nrows ? c : static_cast<std::int64_t>(A.nrows) + ghosts[c - A.nrows]; }
};

/* Counts rows that are coupled to others, those of them that differ from their columns by more than a hundredth, and those where the two directions of edges
   have opposite signs and the weaker ones come to more than a quarter of the diagonal, as with central differences where a cell's Peclet number is well beyond
   2; and those where the two directions of their edges differ by more than a quarter of what both come to, as with upwind differences where that number is 2/3.
   Columns of rows that are coupled to nothing, such as Dirichlet values that were not eliminated, do not count. */
struct CountSkew {
  BesideTranspose both;
  const PetscInt *isolated; // [columns]

  static constexpr int n = 4;

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    PetscReal apart = 0, size = 0, opposed = 0, diagonal = 0;

    if (isolated[i]) return;
    both.for_each_pair(i, [&](PetscInt j, PetscScalar a, PetscScalar t) {
      const PetscReal one = PetscAbsScalar(a), other = PetscAbsScalar(t);

      if (j >= 0 && isolated[j]) return;
      if (j == i) diagonal = one;
      if (PetscRealPart(a * PetscConj(t)) < 0) opposed += one < other ? one : other;
      apart += PetscAbsScalar(a - t);
      size += one + other;
    });
    count[0] += size > 0;
    count[1] += static_cast<float>(apart) > 0.01f * static_cast<float>(size);
    count[3] += static_cast<float>(apart) > 0.25f * (static_cast<float>(size) - 2 * static_cast<float>(diagonal));
    count[2] += static_cast<float>(opposed) > 0.25f * static_cast<float>(diagonal);
  }
};

/* A row of A, in place, without entries of the diagonal's sign whose mirror images are of the other: an edge takes as much diffusion as removes such an entry,
   and rows sum up as they did. What is central differences beyond a cell's Peclet number of 2 becomes upwind ones, and the rest stays as it is. */
struct UpwindRow {
  BesideTranspose both;
  PetscInt        bs;
  PetscScalar    *val; // of A

  HD void operator()(PetscInt i) const
  {
    PetscInt own = -1, p = both.A.ptr[i];

    for (PetscInt q = p; q < both.A.ptr[i + 1]; q++)
      if (both.A.col[q] == i) own = q;
    if (own < 0) return;
    const PetscScalar diagonal = val[own];
    PetscScalar       moved    = 0;

    both.for_each_pair(i, [&](PetscInt j, PetscScalar a, PetscScalar t) {
      if (j < 0) return;
      const PetscInt at = p++;

      if (j == i || !both.same_component(i, j, bs) || PetscRealPart(a * PetscConj(t)) > 0) return;
      const PetscScalar d = PetscRealPart(a * PetscConj(diagonal)) > 0 ? a : PetscRealPart(t * PetscConj(diagonal)) > 0 ? t : PetscScalar(0);

      val[at] = a - d;
      moved += d;
    });
    val[own] = diagonal + moved;
  }
};

/* A row of the diffusive part, in two passes: its length, then its entries. Entries of an edge that is convection in the main are left out, and those that lead
   to no aggregate, which no interpolation reads. */
struct DiffusiveRow {
  BesideTranspose both;
  const PetscInt *aggregate; // [columns] -1: none
  PetscInt        bs;
  const PetscInt *ptr; // null in the first pass
  PetscInt       *length, *col;
  PetscScalar    *val;

  static constexpr PetscReal least = 0.1; // of the weaker direction in the stronger; below, P is longer for no fewer iterations

  HD void operator()(PetscInt i) const
  {
    PetscInt    n = 0, own = -1, first = ptr ? ptr[i] : 0;
    PetscScalar diagonal = 0;

    both.for_each_pair(i, [&](PetscInt j, PetscScalar a, PetscScalar t) {
      if (j < 0 || (j != i && aggregate[j] < 0)) return;
      const PetscScalar c = j == i ? a : shared(a, t);

      if (j == i) own = n;
      else if (c == PetscScalar(0)) {
        diagonal += both.same_component(i, j, bs) ? a : PetscScalar(0);
        return;
      } else diagonal += both.same_component(i, j, bs) ? a - c : PetscScalar(0);
      if (ptr) {
        col[first + n] = j;
        val[first + n] = c;
      }
      n++;
    });
    if (!ptr) length[i] = n;
    else if (own >= 0) val[first + own] += diagonal;
  }

private:
  HD static PetscScalar shared(PetscScalar a, PetscScalar t)
  {
    const PetscReal one = PetscAbsScalar(a), other = PetscAbsScalar(t), weaker = one < other ? one : other, stronger = one < other ? other : one;

    if (!(PetscRealPart(a * PetscConj(t)) > 0) || static_cast<float>(weaker) < static_cast<float>(least * stronger)) return 0;
    return one < other ? a : t;
  }
};

} // namespace goza::saamg
