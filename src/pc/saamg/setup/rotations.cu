#include "rotations.hpp"
#include "core/launch/joined_rows.hpp"
#include "near_null.hpp"

namespace goza::saamg {
namespace {

constexpr int       sums      = 10; // rows, and three of each pair
constexpr PetscReal hundredth = static_cast<PetscReal>(0.01);

/* What the row of component c of a node leaves of e_c, and of x_d along e_c, for all c and d: its entries' sums by the component of their columns. */
struct LooksTurned {
  Lattice         lattice;
  PetscInt        bs, every;
  const PetscInt *id; // [columns], of rows
  AijRowsView     A;

  static constexpr PetscReal rounding = static_cast<PetscReal>(1e-4); // of the sum of sizes

  HD void operator()(PetscInt i, double *sum) const
  {
    if (id[i] / bs % every) return;
    const auto  here     = lattice.point(id[i] / bs);
    PetscScalar moved[3] = {}, along[3][3] = {}; // [component], [component][direction]
    PetscReal   size = 0;

    A.for_each_entry(i, [&](PetscInt j, PetscScalar a) {
      const auto     there = lattice.point(id[j] / bs);
      const PetscInt c     = id[j] % bs;

      moved[c] += a;
      size += PetscAbsScalar(a);
      for (int d = 0; d < 3; d++) along[c][d] += a * static_cast<PetscReal>(there.at[d] - here.at[d]);
    });
    for (int c = 0; c < 3; c++)
      if (!(PetscAbsScalar(moved[c]) <= rounding * size)) return;
    if (!(size > 0)) return;
    sum[0] += 1;
    for (int d = 0, k = 1; d < 3; d++)
      for (int e = d + 1; e < 3; e++, k += 3) {
        const PetscScalar first = along[d][e] / size, second = along[e][d] / size;

        sum[k] += PetscRealPart(first * PetscConj(first));
        sum[k + 1] += PetscRealPart(first * PetscConj(second));
        sum[k + 2] += PetscRealPart(second * PetscConj(second));
      }
  }
};

HD void write_row(PetscInt i, const NodeIds &ids, PetscInt *id) { id[i] = static_cast<PetscInt>(ids.of_row(i)); }

/* About the lattice's middle. place: [nodes][dim] */
HD void write_place(PetscInt i, const NodeIds &ids, PetscInt dim, PetscReal x, PetscReal y, PetscReal z, PetscReal *place)
{
  const auto      here       = ids.lattice.point(ids(i));
  const PetscReal spacing[3] = {x, y, z};

  for (PetscInt d = 0; d < dim; d++)
    place[static_cast<std::size_t>(i) * dim + d] = spacing[d] * (static_cast<PetscReal>(here.at[d]) - static_cast<PetscReal>(ids.lattice.points[d] - 1) / 2);
}

bool collinear(const Rotations::Pair &p, double rows)
{
  constexpr PetscReal something = static_cast<PetscReal>(1e-6), rounding = static_cast<PetscReal>(1e-3);

  return p.first > something * rows && p.second > something * rows && p.both * p.both >= (1 - rounding) * p.first * p.second;
}

} // namespace

bool Rotations::there() const
{
  if (!dim || !(rows > 0)) return false;
  for (int k = 0; k < (dim == 2 ? 1 : 3); k++)
    if (!collinear(pair[k], rows)) return false;
  const PetscReal third = dim == 2 ? 1 : spacing(1) * pair[2].both / (pair[2].first * spacing(2));

  return PetscAbsReal(third - 1) < hundredth;
}

bool Rotations::like(const Rotations &o) const
{
  if (there() != o.there()) return false;
  for (int d = 1; there() && d < dim; d++)
    if (!(PetscAbsReal(spacing(d) - o.spacing(d)) < hundredth * PetscAbsReal(spacing(d)))) return false;
  return true;
}

Rotations rotations_of(const Csr &A, const ColumnMap &columns, NodeIds ids)
{
  constexpr PetscInt looked_at = 8192;
  Rotations          found;
  const PetscInt    *points = ids.lattice.points;

  found.lattice = ids.lattice;
  if ((ids.bs != 2 && ids.bs != 3) || points[0] < 2 || points[1] < 2 || (points[2] > 1) != (ids.bs == 3)) return found;
  found.dim = static_cast<int>(ids.bs);
  Array<PetscInt> id(A.space, columns.nlocal(), unset);

  for_each_row(A.space, A.nrows, bound<write_row>(ids, id.data()));
  columns.update(id);
  const PetscInt      every = columns.nglobal() / ids.bs / looked_at + 1;
  std::vector<double> sum   = joined_rows<Plus, sums, double>(A.space, A.nrows, LooksTurned{ids.lattice, ids.bs, every, id.data(), rows_of(A)});

  columns.sum(sum.data(), sums);
  found.rows = sum[0];
  for (int k = 0; k < 3; k++) {
    const auto real = [&](int which) { return static_cast<PetscReal>(static_cast<float>(sum[1 + 3 * k + which])); }; // as of any number of ranks

    found.pair[k] = {real(0), real(1), real(2)};
  }
  return found;
}

Array<PetscScalar> rigid_body_modes(const Rotations &found, NodeIds ids, PetscInt rows, Space space)
{
  const PetscReal  middle[3] = {};
  Array<PetscReal> place(space, static_cast<std::size_t>(rows), unset);

  ids.lattice = found.lattice;
  for_each_row(space, rows / found.dim,
               bound<write_place>(ids, found.dim, found.spacing(0), found.spacing(1), found.dim == 3 ? found.spacing(2) : 1, place.data()));
  return rigid_body_modes(space, rows, found.dim, place.data(), middle);
}

} // namespace goza::saamg
