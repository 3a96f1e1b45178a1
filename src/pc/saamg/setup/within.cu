#include "within.hpp"
#include "box_prolong_rows.hpp"
#include "box_values.hpp"
#include "core/sparse/csr_product.hpp"
#include "parallel/rows_below.hpp"
#include "within_rows.hpp"
#include <optional>

namespace goza::saamg {

void smooth_within(const Csr &A, const MapPtr &columns, const Array<PetscScalar> &dinv, PetscReal omega, const Array<PetscScalar> &coarse_B,
                   const MapPtr &reached, CsrMatrix &P)
{
  const Space              space = A.space;
  Array<PetscScalar>       coarse(space, reached->nlocal(), unset), sum(space, columns->nlocal(), unset), val(space, P.val.size(), unset);
  std::optional<RowsBelow> below;
  Csr                      rows = P.view();

  if (reached->n()) coarse.copy_from(coarse_B.data(), reached->n());
  reached->update(coarse);
  for_each_row(space, P.nrows, bound<interpolate_at>(P.ptr.data(), P.col.data(), P.val.data(), coarse.data(), sum.data()));
  columns->update(sum);
  if (columns->size() > 1) {
    below.emplace(P.view(), *reached, columns);
    rows = below->view();
  }
  WithinRow             body{A.ptr, A.col, A.val, dinv.data(), omega, rows.ptr, rows.col, rows.val, P.col.data(), coarse.data(), sum.data(), val.data()};
  std::vector<PetscInt> place;

  if (space == Space::Host) {
    place.resize(rows.ncols);
    body.place = place.data();
    run_on_host([&] {
      for (PetscInt i = 0; i < P.nrows; i++) body(i, 0, 1);
    });
  }
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    Array<PetscInt> list(space);

    product::fill_short(P.nrows, WithinTerms{A.ptr, A.col, A.val, rows.ptr, rows.col, rows.val}, rows.ptr, rows.col, val.data(), list);
    for_each_row_by_few_lanes(space, P.nrows, body);
  }
#endif
  P.val = std::move(val);
}

void smooth_within(const Boxes &boxes, const StoredRows &A, const Array<PetscScalar> &dinv, PetscReal omega, const Array<PetscScalar> &coarse_B, CsrMatrix &P)
{
  const Space        space = A.A.space;
  const PetscInt     n     = A.A.nrows;
  Array<PetscScalar> sum(space, n), val(space, P.val.size());
  const BoxRowsOfP   rows{boxes.grid, boxes.reach.data(), P.ptr.data(), P.val.data(), coarse_B.data()};

  for_each_row(space, n, bound<interpolate_by_boxes>(rows, sum.data()));
  with_values(A, boxes, [&](auto values) {
    for_each_row(space, n, WithinBoxes<decltype(values)>{rows, values, boxes.smoothing_stencil(), dinv.data(), omega, sum.data(), val.data()});
  });
  P.val = std::move(val);
}

} // namespace goza::saamg
