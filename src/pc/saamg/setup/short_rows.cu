#include "short_rows.hpp"
#include "core/launch/for_each_row.hpp"
#include "core/util/algorithm.hpp"
#include "parallel/par_csr.hpp"
#include "within_rows.hpp"
#include <limits>

namespace goza::saamg {
namespace {

HD void length_kept(PetscInt i, const PetscInt *ptr, const PetscInt *chosen, PetscInt most, PetscInt *length)
{
  const PetscInt n = ptr[i + 1] - ptr[i];

  length[i] = (!chosen || chosen[i]) && n > most ? most : n;
}

/* An entry's place among those of its row: by size, rounded to float so that values which differ only by the order of a sum compare equal, then by name. */
struct Ranked {
  float    size;
  PetscInt name;

  HD bool before(const Ranked &other) const { return size > other.size || (size == other.size && name < other.name); }
};

template <int most> struct KeepLargest {
  const PetscInt    *ptr, *col;
  const PetscScalar *val, *coarse; // [columns]
  const PetscInt    *name;         // [columns]
  NodeIds            rows;
  const PetscInt    *kept_ptr;
  PetscInt          *kept_col;
  PetscScalar       *kept_val;

  HD Ranked ranked(PetscInt i, PetscInt p) const
  {
    const PetscInt c = col[p];

    return {name[c] == rows(i) ? std::numeric_limits<float>::max() : static_cast<float>(PetscAbsScalar(val[p] * coarse[c])), name[c]};
  }

  HD void operator()(PetscInt i) const
  {
    const PetscInt begin = ptr[i], end = ptr[i + 1], first = kept_ptr[i];
    const bool     shorter = end - begin > kept_ptr[i + 1] - first;
    const Ranked   last    = shorter ? last_kept(i, begin, end) : Ranked{-1, 0};
    PetscScalar    wanted = 0, found = 0;
    PetscInt       q = first;

    for (PetscInt p = begin; p < end; p++) {
      const PetscScalar part = val[p] * coarse[col[p]];

      wanted += part;
      if (shorter && last.before(ranked(i, p))) continue;
      found += part;
      kept_col[q] = col[p];
      kept_val[q] = val[p];
      q++;
    }
    const PetscScalar share = shorter ? share_out(wanted, found) : PetscScalar(0);

    if (share == PetscScalar(0)) return;
    for (PetscInt p = first; p < q; p++) kept_val[p] *= share;
  }

private:
  HD Ranked last_kept(PetscInt i, PetscInt begin, PetscInt end) const
  {
    Ranked kept[most];

    UNROLL()
    for (int k = 0; k < most; k++) kept[k] = {-1, 0};
    for (PetscInt p = begin; p < end; p++) {
      Ranked entry = ranked(i, p);

      UNROLL()
      for (int k = 0; k < most; k++) {
        if (!entry.before(kept[k])) continue;
        const Ranked next = kept[k];

        kept[k] = entry;
        entry   = next;
      }
    }
    return kept[most - 1];
  }
};

template <int most> CsrMatrix with_largest(const ColumnsOfP &of, const PetscInt *chosen, const ColumnMap &columns, const CsrMatrix &P)
{
  const Space              space  = P.space();
  const Array<PetscScalar> coarse = with_ghosts(of.coarse_B, columns);
  const Array<PetscInt>    name   = with_ghosts(of.name, columns);
  CsrMatrix                kept(space, P.nrows, P.ncols);

  kept.ptr = Array<PetscInt>(space, P.nrows + 1);
  for_each_row(space, P.nrows, bound<length_kept>(P.ptr.data(), chosen, static_cast<PetscInt>(most), kept.ptr.data()));
  const PetscInt nnz = lengths_to_pointer(space, kept.ptr);

  kept.col = Array<PetscInt>(space, nnz, unset);
  kept.val = Array<PetscScalar>(space, nnz, unset);
  for_each_row(space, P.nrows,
               KeepLargest<most>{P.ptr.data(), P.col.data(), P.val.data(), coarse.data(), name.data(), of.rows, kept.ptr.data(), kept.col.data(),
                                 kept.val.data()});
  return kept;
}

} // namespace

void shorten_rows(const ColumnsOfP &of, const PetscInt *chosen, MapPtr &columns, CsrMatrix &P)
{
  P = chosen ? with_largest<most_entries_of_chosen>(of, chosen, *columns, P) : with_largest<most_entries_kept>(of, nullptr, *columns, P);
  if (columns->size() > 1) columns = drop_unused_ghosts(*columns, columns->ghosts(), P);
}

} // namespace goza::saamg
