/* P^T A P on a lattice of boxes. */
#include "box_product_rows.hpp"
#include "box_prolong_rows.hpp"
#include "box_values.hpp"
#include "boxes.hpp"
#include "host_box_product.hpp"
#include "tuning.hpp"
#include <algorithm>
#include <type_traits>

namespace goza::saamg {

/* The places of a row of R A P: where boxes are of one tile, those in which rows of A have entries, as far as these are known. */
static Bits27 places_of_product(const Boxes &boxes)
{
  const Bits27 all    = (Bits27(1) << 27) - 1;
  Bits27       places = 0, lines = 0; // lines: in the directions of such boxes
  const auto   across = [&](int bit) {
    for (int d = 0, step = 1; d < 3; d++, step *= 3)
      if (boxes.grid.wide[d] == 3) bit += step * (1 - bit / step % 3);
    return bit;
  };

  for (int bit = 0; bit < 27; bit++) lines |= (boxes.places ? boxes.places : all) >> bit & 1 ? Bits27(1) << across(bit) : 0;
  for (int bit = 0; bit < 27; bit++) places |= lines >> across(bit) & 1 ? Bits27(1) << bit : 0;
  return places;
}

/* Zeros for a matrix of the boxes, by the diagonals of these places or, half, of those from the main one on; nullptr where the grid is too thin for these to be
   apart. */
static std::unique_ptr<mat::Cds<PetscScalar, PetscScalar>> diagonals_of_boxes(Space space, const BoxGrid &grid, Bits27 places, bool half)
{
  const PetscInt        n = grid.all_boxes();
  std::vector<PetscInt> offset;

  if (grid.boxes[0] < 3 || grid.boxes[1] < 3 || grid.boxes[2] < 2) return nullptr;
  for (int bit = 0; bit < 27; bit++)
    if (places >> bit & 1) offset.push_back(grid.box_behind(0, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1));
  auto cds = std::make_unique<mat::Cds<PetscScalar, PetscScalar>>(space);

  cds->lay_out_zeros(n, n, 1, offset, half);
  return cds;
}

/* Which entries the rows of R A P have. */
static Array<Bits27> find_product(const Boxes &boxes)
{
  const Space space = boxes.stencil.space();

  if (made_on_host(boxes, space)) return product_pattern_on_host(boxes);
  const BoxGrid &grid = boxes.grid;
  Array<Bits27>  found(space, boxes.stencil.size()), bits(space, grid.all_boxes());

  for_each_row(space, grid.size(), bound<find_product_row>(grid, boxes.stencil.data(), boxes.reach.data(), found.data()));
  for_each_row(space, grid.all_boxes(), bound<find_box_row>(grid, boxes.reach.data(), found.data(), bits.data()));
  return bits;
}

/* Whether the product's entries across its diagonal need not be made twice. */
static bool half_is_enough(const Boxes &boxes, const StoredRows &A, bool conjugated)
{
  const auto *cds = boxes.ranks ? nullptr : diagonals_of_nodes(A);

  return cds && cds->half() && !cds->hermitian_half() && (!conjugated || !PetscDefined(USE_COMPLEX));
}

/* Where R A P goes: into diagonals or, without such, to n boxes' values by the 27 neighbours. */
static BoxPlaces where_product_goes(const BoxGrid &grid, mat::Cds<PetscScalar, PetscScalar> *cds, Bits27 places, PetscInt n, PetscScalar *val)
{
  BoxPlaces to{places, cds && cds->half(), cds ? cds->values_to_write() : val, {}};
  BoxGrid   coarse = grid;

  for (int d = 0; d < 3; d++) coarse.nodes[d] = grid.boxes[d];
  if (cds) std::copy_n(stencil_of(*cds, coarse).start, 27, to.start);
  else
    for (int bit = 0; bit < 27; bit++) to.start[bit] = static_cast<std::int64_t>(bit) * n;
  return to;
}

static Array<BoxPair<HalfScalar>> no_pairs(const BoxGrid &grid, Space space)
{
  Array<BoxPair<HalfScalar>> pairs(space, static_cast<std::size_t>(BoxLines(grid).pairs()), unset);

  pairs.zero();
  return pairs;
}

/* Rows of P for the planes from `first` on, into the window. */
template <class Stencil>
static void place_rows(Boxes &boxes, const Stencil &A, const CsrMatrix &P, const BoxWindow &window, PetscInt first, PetscInt end, std::int64_t *most)
{
  const Space space = P.space();
  const auto  place = [&](const auto &rows, BoxPair<HalfScalar> *pairs) {
    const PlaceInterpolation<std::decay_t<decltype(rows)>> body{BoxLines(boxes.grid), boxes.reach.data(), rows, window, first, end, pairs};

    join_rows<Most, 3>(space, body.count(space), body, most);
  };

  if (const BoxSmoothing *by = boxes.smoothing.get())
    place(SmoothedRow27<Stencil>{boxes.grid, A, boxes.stencil.data(), by->T, by->dinv, by->omega}, boxes.pairs.data());
  else place(bound<held_row8>(boxes.reach.data(), P.ptr.data(), P.val.data()), nullptr);
}

/* R A P by planes of boxes. m: null, or squares gets what R diag(m) R^H has on its diagonal. */
static void product_by_planes(Boxes &boxes, const StoredRows &A, const CsrMatrix &P, bool conjugated, const BoxPlaces &to, const PetscReal *m,
                              PetscReal *squares)
{
  const Space    space = P.space();
  const BoxGrid &grid  = boxes.grid;
  const PetscInt wide = grid.wide[2], least = 2 * grid.reach(2) + 1, wanted = box_window_rows(space == Space::Cuda, grid.size()) / grid.plane();
  // planes of boxes; the nodes that they need, and these nodes' neighbours:
  const PetscInt     together = PetscMin((PetscMax(wanted, least) - least) / wide + 1, grid.boxes[2]);
  const PetscInt     most     = PetscMax(grid.tiles[2], 2); // of a box whose root is no plane of this rank, two others may be
  const PetscInt     line = size_of_line(grid), of_plane = line * grid.tiles[1];
  const PetscInt     reached = wide * (together - 1) + least, planes = PetscMin(reached, most);
  const PetscInt     planes_of_P = PetscMin(PetscMax(reached + 1, together + 2), most);
  BoxWindow          window(of_plane, planes), of_P(of_plane, planes_of_P);
  Array<PetscScalar> product(space, 27 * window.size()), placed(space, 8 * of_P.size() + 2 * line); // lines beside the first and the last
  PetscInt           made = 0, made_of_P = 0;                                                       // planes
  const bool         symmetric = half_is_enough(boxes, A, conjugated);

  if (boxes.smoothing) boxes.pairs = no_pairs(boxes.grid, space);
  boxes.exponents = Array<std::int64_t>(space, 3 * ((grid.boxes[2] + together - 1) / together), unset);
  window.val      = product.data();
  of_P.val        = placed.data() + line;
  placed.zero(); // where no node is
  with_values(A, boxes, [&](auto values) {
    for (PetscInt first = 0; first < grid.boxes[2]; first += together) {
      const PetscInt last = PetscMin(first + together, grid.boxes[2]) - 1, end = PetscMin(grid.root(last, 2) + grid.reach(2) + 1, grid.tiles[2]),
                     in_plane = grid.boxes_of_plane();
      const PetscInt end_of_P = PetscMin(end + 1, grid.tiles[2]);

      place_rows(boxes, values, P, of_P, made_of_P, end_of_P, boxes.exponents.data() + 3 * (first / together));
      const auto multiply = [&](auto wide_in_x) {
        const MultiplyBoxes<decltype(values), wide_in_x.value>
          body{grid, values, boxes.stencil.data(), of_P, window, made, end, space == Space::Cuda && grid.tiles[1] > 1};

        for_each_row(space, body.count(), body);
      };

      if (grid.wide[0] == 1) multiply(std::integral_constant<int, 1>());
      else multiply(std::integral_constant<int, 3>());
      for_each_row(space, (symmetric ? 5 : 9) * (last + 1 - first) * in_plane,
                   ProjectBoxes{grid, of_P, window, first * in_plane, (last + 1 - first) * in_plane, conjugated, symmetric, to, m, squares});
      made      = end;
      made_of_P = end_of_P;
    }
  });
}

/* P: its rows on the grid. */
static void product_by_place(Boxes &boxes, const StoredRows &A, const CsrMatrix &P, bool conjugated, const BoxPlaces &to, const PetscReal *m = nullptr,
                             PetscReal *squares = nullptr)
{
  boxes.find_stencil();
  if (boxes.coarse_entries < 0) boxes.coarse_stencil = find_product(boxes);
  if (made_on_host(boxes, P.space())) product_on_host(boxes, A, P, conjugated, to, m, squares);
  else if (boxes.grid.all_boxes()) product_by_planes(boxes, A, P, conjugated, to, m, squares);
  boxes.spare_stencil();
  boxes.smoothing.reset();
}

CsrMatrix galerkin_in_parts(Boxes &boxes, const StoredRows &A, const CsrMatrix &P, const ColumnMap &columns, bool conjugated)
{
  const PetscInt     n = boxes.grid.all_boxes();
  Array<PetscScalar> val(P.space(), static_cast<std::size_t>(27) * n);

  product_by_place(boxes, A, rows_on_grid(boxes, P), conjugated, where_product_goes(boxes.grid, nullptr, places_of_product(boxes), n, val.data()));
  return parts_of_product(boxes, columns, n, val.data());
}

BoxProduct galerkin(Boxes &boxes, const StoredRows &A, const CsrMatrix &P, bool conjugated, const Array<PetscReal> &magnitude)
{
  const Space    space  = P.space();
  const BoxGrid &grid   = boxes.grid;
  const PetscInt n      = grid.all_boxes();
  const Bits27   places = places_of_product(boxes);
  auto           cds    = diagonals_of_boxes(space, grid, places, half_is_enough(boxes, A, conjugated)); // the product is made where they are held, if they are
  Array<PetscScalar> own(space, cds ? 0 : static_cast<std::size_t>(27) * n);
  const BoxPlaces    to = where_product_goes(grid, cds.get(), places, n, own.data());
  Array<PetscReal>   squares(space, n, unset);
  CsrMatrix          C(space, n, n);

  product_by_place(boxes, A, P, conjugated, to, magnitude.data(), squares.data());
  C.ptr = Array<PetscInt>(space, n + 1);
  for_each_row(space, n, bound<length_by_bits<Bits27>>(boxes.coarse_stencil.data(), C.ptr.data()));
  point_to_rows(C.ptr, &boxes.coarse_entries);
  C.col = Array<PetscInt>(space, boxes.coarse_entries);
  C.val = Array<PetscScalar>(space, boxes.coarse_entries);
  for_each_row_by_lanes(space, n, WriteBoxRows{grid, boxes.coarse_stencil.data(), to, C.ptr.data(), C.col.data(), C.val.data()});
  PetscScalar *const diagonal = cds ? to.val + to.start[bit_of(0, 0, 0)] : nullptr;

  return {std::move(C), std::move(cds), diagonal, std::move(squares)};
}

} // namespace goza::saamg
