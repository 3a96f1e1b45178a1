/* A level's rows as the set-up reads them: CSR, or by diagonals, which takes half the time. Of a matrix that is nothing but its diagonals there is no CSR. */
#pragma once
#include "core/sparse/format.hpp"
#include "local_rows.hpp"
#include "mat/cds/cds.hpp"
#include "mat/cds/cds_entries.hpp"

namespace goza::saamg {

struct StoredRows {
  Csr                        A;
  const Format<PetscScalar> *format; // of the same values, or nullptr

  StoredRows(const Csr &rows, const Format<PetscScalar> *same = nullptr) : A(rows), format(same) { }

  bool no_rows() const { return !A.ptr && A.nrows; } // the matrix is nothing but its diagonals

  /* The format where it is CDS and holds all entries of this rank's rows, as they are or as those of their mirror images; else nullptr. On several ranks a
     format has a part of the rows only. */
  const mat::Cds<PetscScalar, PetscScalar> *diagonals() const
  {
    const auto *cds = dynamic_cast<const mat::Cds<PetscScalar, PetscScalar> *>(format);

    return cds && A.nrows == A.ncols && cds->space() == A.space && cds->nrows() == A.nrows && !cds->in_remainder() && cds->unscaled() && !cds->hermitian_half()
           ? cds
           : nullptr;
  }
};

inline mat::CdsEntries<const PetscScalar> entries_of(const mat::Cds<PetscScalar, PetscScalar> &cds)
{
  const auto view = cds.view();

  return mat::entries_in(view, static_cast<int>(cds.block_size()), cds.half(), view.val);
}

} // namespace goza::saamg
