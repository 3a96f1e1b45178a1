#include "facts_rows.hpp"
#include "mat/cds/cds_like.hpp"
#include <cmath>

namespace goza::saamg {

/* Without values yet; nullptr: the diagonal's entries are of too many magnitudes, or there are several unknowns a node. */
static std::shared_ptr<RoughRows> room_for_rough(const mat::Cds<PetscScalar, PetscScalar> &cds)
{
  constexpr StoreRange range{0, StoreLimits<Half>::most}; // all of them keep their digits, and what is added to them does nearly
  mat::CdsOptions      options;

  options.storage = cds.half() ? mat::CdsStorage::Auto : mat::CdsStorage::Full;
  if (cds.block_size() > 1) return nullptr;
  const RowExponents diagonal = mat::diagonal_exponents(cds);
  const std::int64_t most = diagonal.most - RowExponents::far_above, least = RowExponents::far_above - diagonal.least;
  auto               rough = std::make_shared<RoughRows>(cds.space(), options);

  if (!diagonal.most || most - least > range.most - range.least || !rough->A.lay_out_like(cds)) return nullptr;
  rough->diagonal = diagonal;
  rough->factor   = static_cast<PetscReal>(std::ldexp(1.0, static_cast<int>(range.most - most)));
  return rough;
}

CsrFacts row_facts(const StoredRows &rows, const LocalColumns &columns, PetscInt bs, std::size_t rough_from)
{
  constexpr int of_row = Facts<AijRowsView>::facts + 1;
  const Csr    &A      = rows.A;
  const Space   space  = A.space;
  CsrFacts      facts;

  facts.dinv       = Array<PetscScalar>(space, A.nrows, unset);
  facts.isolated   = Array<unsigned char>(space, A.nrows, unset);
  const auto *cds  = columns.size() == 1 ? rows.diagonals() : nullptr;
  const auto  look = [&](auto entries) {
    return joined_rows<Plus, of_row, std::int64_t>(space, A.nrows, Facts<decltype(entries)>{entries, bs, facts.dinv.data(), facts.isolated.data()});
  };
  std::vector<std::int64_t> n;

  if (const auto rough = cds && cds->bytes() >= rough_from ? room_for_rough(*cds) : nullptr) {
    n           = look(CopiedEntries{entries_of(*cds), rough->factor, rough->A.view().ld, rough->A.values_to_write()});
    facts.rough = rough;
  } else if (cds) n = look(entries_of(*cds));
  else n = joined_csr_rows<Plus, of_row, std::int64_t>(A, 1, Facts<AijRowsView>{rows_of(A), bs, facts.dinv.data(), facts.isolated.data()});
  facts.nisolated = n[4];
  columns.sum(n.data(), of_row);
  facts.any_isolated   = n[4] > 0;
  facts.positive       = n[0] > 0;
  facts.negative       = n[1] > 0;
  facts.finite         = n[2] == 0;
  facts.squares_finite = n[3] == 0;
  facts.dominant       = n[5] == 0;
  facts.couplings      = n[of_row - 1];
  facts.covered        = n[6] == 0 && facts.positive != facts.negative;
  facts.real           = !PetscDefined(USE_COMPLEX) || n[of_row - 2] == 0;
  facts.coupled        = columns.nglobal() - n[4];
  facts.hollow         = n[7];
  facts.faint          = n[8];
  return facts;
}

namespace {

/* In parts of a millionth, rounded up, so that it is the same on any number of ranks. Rows: has for_each_entry(). */
template <class Rows> struct BesideDiagonal {
  static constexpr bool      walks_along_row = true;
  static constexpr PetscReal parts           = 1 << 20;

  Rows               A;
  const PetscScalar *dinv;

  HD BesideDiagonal on(Columns c, Values v) const { return {A.on(c, v), dinv}; }

  HD void operator()(PetscInt i, std::int64_t *most) const
  {
    PetscReal others = 0;

    A.for_each_entry(i, [&](PetscInt j, PetscScalar a) { others += j == i ? 0 : PetscAbsScalar(a); });
    most[0] = PetscMax(most[0], static_cast<std::int64_t>(others * PetscAbsScalar(dinv[i]) * parts) + (others > 0));
  }
};

} // namespace

int largest_exponent(const StoredRows &rows, const LocalColumns &columns)
{
  const auto  *cds  = columns.size() == 1 ? rows.diagonals() : nullptr;
  std::int64_t most = cds ? mat::diagonal_exponents(*cds).most : exponents_of({rows.A})[0].most;

  columns.largest(&most);
  return most ? static_cast<int>(most - RowExponents::far_above) : 0;
}

PetscReal most_beside_diagonal(const StoredRows &rows, const LocalColumns &columns, const CsrFacts &facts)
{
  const Csr          &A   = rows.A;
  const auto         *cds = columns.size() == 1 ? rows.diagonals() : nullptr;
  Array<std::int64_t> most(A.space, 1);

  if (cds) join_rows<Most, 1>(A.space, A.nrows, BesideDiagonal<mat::CdsEntries<const PetscScalar>>{entries_of(*cds), facts.dinv.data()}, most.data());
  else join_csr_rows<Most, 1>(A, 1, BesideDiagonal<AijRowsView>{rows_of(A), facts.dinv.data()}, most.data());
  std::int64_t n = most.to_host()[0];

  columns.largest(&n);
  return static_cast<PetscReal>(n) / BesideDiagonal<AijRowsView>::parts;
}

} // namespace goza::saamg
