/* How a matrix couples its rows, as far as its entries tell, in the space where the matrix is. */
#pragma once
#include "eigen.hpp"

namespace goza::saamg {

/* Of all ranks; of a plain matrix that is large those of some of its rows. Entries at rounding's size, and those that lead to a row that is coupled to nothing,
   are no couplings. */
struct Couplings {
  // that are coupled to others; those of them whose off-diagonal entries of the diagonal's sign come to more than a hundredth of it
  std::int64_t         rows = 0, positive = 0;
  std::int64_t         edges = 0, weak = 0; // couplings, and those of less than half of their row's mean
  std::int64_t         squares       = 0;   // of the rows' couplings
  std::int64_t         minor         = 0;   // those of the diagonal's sign, and others below strong_share of their row's largest
  std::int64_t         ruled         = 0;   // rows of which one coupling comes to ruled_share of the diagonal
  std::int64_t         steep         = 0;   // rows whose entries of the diagonal's sign come to steep_share of it
  static constexpr int cuts          = 6;
  std::int64_t         below[cuts]   = {}; // couplings of less than cut() of what one is, over the diagonals, where all are alike; the first are as nothing
  PetscReal            diagonal_sign = 0;  // 0: of both, or of none

  /* Where entries are those of an M-matrix, small ones are weak couplings: across the layers of a stretched grid, say. On meshes with obtuse angles they say
     nothing, and on graphs with hubs strength would say as much of degrees as of weights. */
  bool anisotropic() const { return edges > 0 && !uneven() && positive <= rows / 1000 && 4 * weak >= edges && evenly(); }
  bool evenly() const { return static_cast<double>(squares) * static_cast<double>(rows) <= 2 * static_cast<double>(edges) * static_cast<double>(edges); }

  /* Where entries are of both signs, as of elements that are long or have obtuse angles, of higher order and of plates, smooth vectors differ along those of
     the diagonal's sign and along small ones, whatever the diagonals are. Where there are many, CG takes a sixth of the iterations with
     aggregates and filtered operators without them (Q1, one direction a hundredth of the other), or two thirds (13 points). */
  bool of_both_signs(bool grid_in_space) const
  {
    return diagonal_sign != 0 && 20 * (grid_in_space ? steep : positive) >= rows && 4 * minor >= edges && rows > 0;
  }

  /* On a grid in space boxes as aggregates have coarse operators of 27 diagonals; others' rows are three times as long, so that a set-up takes four times as
     long and a cycle twice. Q1 where points are r times as dense along one axis, iterations with aggregates along that and with boxes: r = 1.4, 6 and 7; 2.5, 7
     and 11; 5, 11 and 23; 10, 14 and 30. What those entries come to is 0.16, 0.73, 1.02 and more; 1.25 at most. */
  static constexpr PetscReal steep_share = static_cast<PetscReal>(1.2);

  /* Where couplings are of many orders of magnitude side by side one outweighs all others of its row in a good part of the rows: in 0.2 to 0.5 of them in the
     plane (6 neighbours, weights spread evenly over 3 to 6 decades; log-normal from cell to cell, over 4 decades and more), in up to 0.144 where cells of two
     kinds are mixed by chance. Along lines of random entries there are as many, but next to no couplings between those along them and those across. With
     aggregates that follow the largest CG takes 8 iterations for 42 (4 neighbours, 6 decades), 9 for 21 (log-normal), but 25 for 9 where cells of 1 and 100 000
     are mixed (a model). Where there are obtuse angles, in however few rows, what outweighs others is of short edges, along which they say nothing. */
  bool by_heaviest() const { return positive == 0 && uneven(); }

  /* Where couplings of all sizes make up a fifth, and not along lines or around single cells, where hardly a row is of one coupling, aggregates follow the
     largest and no threshold is called for. Coefficients from cell to cell by chance, over 4 to 10 decades: CG takes 6 to 11 iterations for 9 to 27 in space,
     8 to 24 for 9 to 74 in a plane. Stretched grids would take twice as many so, and single cells of 10 000 five times. */
  bool scattered() const { return 32 * ruled >= rows && 5 * (below[cuts - 1] - below[0]) >= edges; }

  static constexpr PetscReal ruled_share = static_cast<PetscReal>(0.75);

  /* Away from 1/4, what the corners of Q1's square have beside its sides where one direction does not count, and from 1/2, what those of its cube have beside
     its edges. */
  static constexpr PetscReal strong_share = static_cast<PetscReal>(0.35);

  /* On slivers, which are told by rows whose errors outlast smoothing, aggregates along these lie as well and are larger: the operators below have half as many
     entries. */
  static constexpr PetscReal strong_share_of_slivers = static_cast<PetscReal>(0.15);

  /* Across a jump of an M-matrix's coefficients the couplings are as nothing beside the diagonals; elsewhere they may all be alike. Aggregates that reach
     across interpolate what is not smooth there: CG takes several times as many iterations. A smaller jump shows where next to none of the others come near
     them, unlike in a field that varies from row to row: 7 points, 100^3, cubes of 1 and 1000, 20 to 23 iterations for 45 to 53. */
  bool jump() const { return edges > 0 && positive <= rows / 1000 && across().couplings > 0 && evenly(); }

  HD static constexpr PetscReal cut(int k)
  {
    const PetscReal odd = static_cast<PetscReal>(0.12), even = static_cast<PetscReal>(0.085);

    return k ? (k % 2 ? odd : even) * static_cast<PetscReal>(1 << k / 2) : static_cast<PetscReal>(0.03);
  }

  /* The couplings across, and the middle of the widest range of shares, between theirs and that of the others, in which next to none are; share 0: there are
     none such. */
  struct Across {
    std::int64_t couplings = 0;
    PetscReal    share     = 0;
  };
  Across across() const
  {
    Across    found;
    PetscReal widest = 1;

    if (100 * below[0] >= edges) found = {below[0], PetscSqrtReal(cut(0) * cut(1))};
    else if (2 * below[cuts - 1] > edges) return found; /* diagonals outweigh the most of them */
    for (int k = 0; k < cuts - 1; k++) {
      const PetscReal wide = cut(last_without_more(k)) / cut(k);

      if (100 * below[k] < edges || 2 * below[k] > edges || !(wide > widest)) continue;
      widest = wide;
      found  = {below[k], PetscSqrtReal(wide) * cut(k)};
    }
    return found;
  }

  /* Of strength, for aggregates along strong couplings: half of what an entry is, over the diagonal, where all are alike. CG, 7 points, a threshold of 0 and
     this one: stretched by 1.15 from cell to cell, 60^3, 41 and 8 iterations; z x 100, 40^3, 36 and 6; z x 0.01, 21 and 7; z x 10, 12 and 6. At jumps, on every
     level, what across() says: with 0.06 on the finest level, halved from one to the next, cells of 1 and 10 000 by chance, 20^3, 30^3, 45^3, take 49, 58 and
     55 iterations for 9, 9 and 15. */
  PetscReal threshold() const
  {
    const PetscReal share = anisotropic() ? static_cast<PetscReal>(0.5) : jump() && !scattered() ? across().share : 0;

    return share > 0 ? share * static_cast<PetscReal>(rows) / static_cast<PetscReal>(edges) : 0;
  }

  /* Whether nothing speaks for other aggregates than those of all couplings alike. */
  bool plain() const { return !anisotropic() && !jump() && !by_heaviest() && !of_both_signs(false); }

  /* With a little more of what does, as chance may have kept out of some rows. */
  Couplings with_more() const
  {
    Couplings more = *this;

    for (std::int64_t *n : {&more.weak, &more.minor, &more.ruled, &more.steep}) *n += *n / 16;
    for (std::int64_t &n : more.below) n += n / 16;
    return more;
  }

private:
  bool uneven() const
  {
    return rows > 0 && positive <= rows / 1000 && (scattered() || (6 * ruled >= rows && 12 * (below[cuts - 1] - below[0]) >= edges)) && evenly();
  }
  int last_without_more(int k) const // cut up to which there are hardly more couplings than up to the k-th
  {
    int last = k;

    while (last + 1 < cuts && 20 * (below[last + 1] - below[k]) <= below[k]) last++;
    return last;
  }
};

Couplings couplings_of(const StoredRows &A, const ColumnMap &columns, const CsrFacts &facts); // collective

/* The share of this rank's off-diagonal entries in its own columns that are strong at this threshold, by some thousands of its rows. */
PetscReal share_of_strong(const Csr &A, PetscReal threshold);

} // namespace goza::saamg
