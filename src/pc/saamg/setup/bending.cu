#include "bending.hpp"
#include "core/launch/row_sums.hpp"

namespace goza::saamg {
namespace {

/* Whether a row takes 1, x and x^2 for zeros, x along each direction of the lattice: the second does so in constant coefficients of any order, the third where
   no term is of second order. */
struct LooksBent {
  Lattice         lattice;
  PetscInt        every;
  const PetscInt *id; // [columns]
  AijRowsView     A;

  static constexpr PetscReal rounding = static_cast<PetscReal>(0.01), stretched = static_cast<PetscReal>(0.1); // of the sums of sizes

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    const auto here   = lattice.point(id[i]);
    bool       inside = id[i] % every == 0;

    for (int d = 0; d < 3; d++)
      inside = inside && (lattice.points[d] == 1 || (here.at[d] >= Bending::reach && here.at[d] + Bending::reach < lattice.points[d]));
    if (!inside || A.dptr[i + 1] - A.dptr[i] < 2) return;
    PetscReal sum[3][3] = {}, size[3][3] = {}; // of the directions, times 1, x, x^2

    A.for_each_entry(i, [&](PetscInt j, PetscScalar a) {
      const auto there = lattice.point(id[j]);

      for (int d = 0; d < 3; d++) {
        const PetscInt away = there.at[d] - here.at[d];
        PetscReal      term = PetscRealPart(a);

        count[2] += away < -Bending::reach || away > Bending::reach;
        for (int power = 0; power < 3; power++, term *= static_cast<PetscReal>(away)) {
          sum[d][power] += term;
          size[d][power] += PetscAbsReal(term);
        }
      }
    });
    bool bent = true;

    for (int d = 0; d < 3; d++)
      for (int power = 0; power < 3; power++)
        bent = bent && static_cast<float>(PetscAbsReal(sum[d][power])) <= static_cast<float>((power < 2 ? rounding : stretched) * size[d][power]);
    count[0]++;
    count[1] += bent;
  }
};

/* About the lattice's middle, so that no aggregate takes them for constants before it must. B: [rows][k] */
HD void set_linear(PetscInt i, const NodeIds &ids, PetscInt k, PetscScalar *B)
{
  const auto   here = ids.lattice.point(ids(i));
  PetscScalar *b    = B + static_cast<std::size_t>(i) * k;

  *b++ = 1;
  for (int d = 0; d < 3; d++) {
    const PetscReal points = static_cast<PetscReal>(ids.lattice.points[d]);

    if (points > 1) *b++ = (2 * static_cast<PetscReal>(here.at[d]) + 1) / points - 1;
  }
}

} // namespace

Bending bending_of(const Csr &A, const ColumnMap &columns, NodeIds ids)
{
  constexpr PetscInt looked_at = 4096;
  Bending            found;

  found.lattice = ids.lattice.known() ? ids.lattice : lattice_of(A, columns, 1, Bending::reach);
  if (!found.lattice.known()) return found;
  Array<PetscInt>     id(A.space, columns.nlocal(), unset);
  Array<std::int64_t> counts(A.space, 3);

  for_each_row(A.space, A.nrows, WriteIds{ids, id.data()});
  columns.update(id);
  join_rows<Plus, 3>(A.space, A.nrows, LooksBent{found.lattice, columns.nglobal() / looked_at + 1, id.data(), rows_of(A)}, counts.data());
  std::vector<std::int64_t> n = counts.to_host();

  columns.sum(n.data(), 3);
  found.rows = n[0];
  found.bent = n[1];
  found.far  = n[2];
  return found;
}

Array<PetscScalar> linear_functions(const Bending &bending, NodeIds ids, PetscInt rows, Space space)
{
  const PetscInt     k = bending.functions();
  Array<PetscScalar> B(space, static_cast<std::size_t>(rows) * k, unset);

  ids.lattice = bending.lattice;
  for_each_row(space, rows, bound<set_linear>(ids, k, B.data()));
  return B;
}

} // namespace goza::saamg
