/* What falls to a lane of a row, of kinds of rows that lanes may share. */
#pragma once
#include "core/launch/by_lanes.hpp"
#include "local_rows.hpp"
#include <type_traits>

namespace goza::saamg {

template <class Rows> constexpr bool has_lanes = std::is_same_v<Rows, AijRowsView>;

/* f(local column, value); of other kinds lane 0 has the row. */
template <class Rows, class F> HD void for_each_entry_of(const Rows &A, PetscInt row, [[maybe_unused]] int lane, [[maybe_unused]] int lanes, F f)
{
  if constexpr (has_lanes<Rows>) {
    for (PetscInt p = A.dptr[row] + lane; p < A.dptr[row + 1]; p += lanes) f(A.dcol[p], A.dval[p]);
  } else A.for_each_entry(row, f);
}

} // namespace goza::saamg
