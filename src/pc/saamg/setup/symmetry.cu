#include "symmetry.hpp"
#include "core/util/algorithm.hpp"
#include "core/launch/row_sums.hpp"
#include "core/launch/staged_rows.hpp"
#include "core/util/vector_ops.hpp"
#include "parallel/summed_rows.hpp"
#include "symmetry_rows.hpp"

namespace goza::saamg {
namespace {

/* Hashed numbers of the size that a_ij r_i s_j has the same scale in every row; 0 where a row is coupled to nothing. */
struct Probe {
  PetscInt             start, which;
  const PetscScalar   *dinv;
  const unsigned char *isolated;
  PetscScalar         *r;

  HD void operator()(PetscInt i) const
  {
    const PetscReal uniform = static_cast<PetscReal>(hash62(2 * static_cast<std::uint64_t>(start + i) + which) >> 9) /
                                static_cast<PetscReal>(std::uint64_t(1) << 52) -
                              1;

    r[i] = isolated[i] ? PetscScalar(0) : uniform * (dinv[i] != PetscScalar(0) ? PetscSqrtReal(PetscAbsScalar(dinv[i])) : 1);
  }
};

HD void to_number(PetscInt i, const unsigned char *from, PetscInt *to) { to[i] = from[i]; }

/* By two hashed vectors: r^T A s = s^T A r, or the conjugate of that. */
bool seems_symmetric(const Csr &A, const ColumnMap &columns, const CsrFacts &facts, bool conjugated)
{
  const PetscReal    rounding = PETSC_SQRT_MACHINE_EPSILON / 100;
  const Space        space    = A.space;
  Array<PetscScalar> r(space, columns.nlocal()), s(space, columns.nlocal());

  for_each_row(space, A.nrows, Probe{columns.start(), 0, facts.dinv.data(), facts.isolated.data(), r.data()});
  for_each_row(space, A.nrows, Probe{columns.start(), 1, facts.dinv.data(), facts.isolated.data(), s.data()});
  columns.update(r);
  columns.update(s);
  std::vector<PetscScalar> sum = joined_csr_rows<Plus, 2, PetscScalar>(A, 1, Antisymmetry{A.ptr, A.col, A.val, r.data(), s.data(), conjugated});
  columns.sum(sum.data(), 2);
  return !(PetscAbsScalar(sum[0]) > rounding * PetscAbsScalar(sum[1])); // a NaN is found elsewhere
}

/* Or the conjugate of that. */
CsrMatrix mirror_image(const Csr &A, const MapPtr &columns, bool conjugated, MapPtr &tcolumns)
{
  CsrMatrix T = transpose(A, *columns, columns, tcolumns);

  if (conjugated) conjugate(A.space, T.val.size(), T.val.data());
  return T;
}

Symmetry compare(const Csr &A, const MapPtr &columns, const CsrFacts &facts, bool conjugated)
{
  const Space         space = A.space;
  Symmetry            result;
  MapPtr              tcolumns;
  const CsrMatrix     T = mirror_image(A, columns, conjugated, tcolumns);
  Array<PetscInt>     isolated(space, columns->nlocal());
  Array<std::int64_t> counts(space, CountSkew::n);

  for_each_row(space, A.nrows, bound<to_number>(facts.isolated.data(), isolated.data()));
  columns->update(isolated);
  join_rows<Plus, CountSkew::n>(space, A.nrows, CountSkew{{A, T.view(), columns->ghosts_here().data(), tcolumns->ghosts_here().data()}, isolated.data()},
                                counts.data());
  std::vector<std::int64_t> count = counts.to_host();
  columns->sum(count.data(), CountSkew::n);
  result.rows       = count[0];
  result.skew       = count[1];
  result.opposed    = count[2];
  result.flowing    = count[3];
  result.symmetric  = result.skew == 0;
  result.conjugated = conjugated;
  return result;
}

/* Entries of diagonal blocks that differ from their mirror images. d: of the diagonal */
HD void count_skew_blocks(PetscInt i, std::int64_t *count, const mat::CdsEntries<const PetscScalar> &entries, int d)
{
  for (int r = 1; r < entries.bs; r++)
    for (int c = 0; c < r; c++) *count += *entries.at(d, r, c, i) != *entries.at(d, c, r, i);
}

/* Symmetric by what is stored: one of each two blocks off the diagonal, and both halves of a diagonal block. */
bool by_storage(const mat::Cds<PetscScalar, PetscScalar> &cds)
{
  if (!cds.proves_symmetry()) return false;
  if (cds.block_size() == 1) return true;

  const auto          entries = entries_of(cds);
  const int           d       = entries.find(0);
  Array<std::int64_t> count(cds.space(), 1);

  if (d < 0) return true;
  join_rows<Plus, 1>(cds.space(), entries.nodes, bound<count_skew_blocks>(entries, d), count.data());
  return read_value(cds.space(), count.data()) == 0;
}

} // namespace

Symmetry symmetry_of(const StoredRows &rows, const MapPtr &columns, const CsrFacts &facts)
{
  const Csr &A = rows.A;
  Symmetry   result;

  const auto *const cds    = columns->size() == 1 ? rows.diagonals() : nullptr;
  const bool        proven = cds && facts.finite && by_storage(*cds);

  if (!facts.finite || (proven && facts.real)) return result;
  if (!rows.no_rows() && seems_symmetric(A, *columns, facts, true)) return result;
  result.conjugated = facts.real;
  if (!facts.real && (proven || seems_symmetric(A, *columns, facts, false))) return result;
  const Symmetry as_hermitian = compare(A, columns, facts, true);
  if (facts.real) return as_hermitian;
  const Symmetry as_it_is = compare(A, columns, facts, false);
  return as_it_is.skew < as_hermitian.skew ? as_it_is : as_hermitian;
}

CsrMatrix diffusive_part(const Csr &A, const MapPtr &columns, PetscInt bs, bool conjugated, const Array<PetscInt> &aggregate)
{
  const Space     space = A.space;
  MapPtr          tcolumns;
  const CsrMatrix T = mirror_image(A, columns, conjugated, tcolumns);
  CsrMatrix       C(space, A.nrows, A.ncols);

  C.ptr = Array<PetscInt>(space, A.nrows + 1);
  DiffusiveRow
    body{{A, T.view(), columns->ghosts_here().data(), tcolumns->ghosts_here().data()}, aggregate.data(), bs, nullptr, C.ptr.data(), nullptr, nullptr};
  for_each_row(space, A.nrows, body);
  const PetscInt nnz = lengths_to_pointer(space, C.ptr);
  C.col              = Array<PetscInt>(space, nnz);
  C.val              = Array<PetscScalar>(space, nnz);
  body.ptr           = C.ptr.data();
  body.col           = C.col.data();
  body.val           = C.val.data();
  for_each_row(space, A.nrows, body);
  return C;
}

void make_upwind(const Csr &A, const MapPtr &columns, PetscInt bs, bool conjugated, PetscScalar *val)
{
  MapPtr          tcolumns;
  const CsrMatrix T = mirror_image(A, columns, conjugated, tcolumns);

  for_each_row(A.space, A.nrows, UpwindRow{{A, T.view(), columns->ghosts_here().data(), tcolumns->ghosts_here().data()}, bs, val});
}

} // namespace goza::saamg
