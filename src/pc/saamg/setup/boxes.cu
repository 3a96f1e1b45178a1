#include "boxes.hpp"
#include "box_prolong_rows.hpp"
#include "box_rows.hpp"
#include "box_values.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/launch/row_sums.hpp"
#include "core/launch/staged_rows.hpp"
#include "core/util/algorithm.hpp"
#include "core/util/counted.hpp"
#include <cstdlib>

namespace goza::saamg {
namespace {

/* The grid of a lattice, a plane's lines taken for planes. */
BoxGrid grid_of(const Lattice &lattice, bool finest)
{
  BoxGrid grid{};
  int     at[3] = {0, 1, 2};

  if (lattice.points[2] == 1) at[1] = 2, at[2] = 1;
  for (int d = 0; d < 3; d++) {
    const int from = at[d];

    grid.nodes[d] = finest ? lattice.points[from] : lattice.tiles[from];
    grid.begin[d] = finest ? -lattice.shift[from] : 0;
    grid.tiles[d] = lattice.tiles[from];
    grid.first[d] = lattice.second(from);
    grid.boxes[d] = (lattice.tiles[from] - lattice.second(from)) / 3 + 1;
    grid.wide[d]  = 3;
  }
  return grid;
}

/* The diagonals of these places; none where some of them are the same. */
std::vector<PetscInt> diagonals_of(const BoxGrid &grid, Bits27 places)
{
  std::vector<PetscInt> offset;

  for (int bit = 0; bit < 27; bit++) {
    const PetscInt o = grid.neighbour(0, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1);

    if (!(places >> bit & 1)) continue;
    if (!offset.empty() && o <= offset.back()) return {};
    offset.push_back(o);
  }
  return offset;
}

/* The bits of the neighbours whose diagonals cds has; 0 where it has others, too. */
Bits27 bits_of(const mat::Cds<PetscScalar, PetscScalar> &cds, const BoxGrid &grid)
{
  const mat::CdsView<PetscScalar> view = cds.view();
  Bits27                          has  = 0;

  for (PetscInt d = 0; d < view.ndiag; d++) {
    Bits27 of_this = 0;

    for (int bit = 0; bit < 27; bit++) {
      const int      dx = bit % 3 - 1, dy = bit / 3 % 3 - 1, dz = bit / 9 - 1;
      const PetscInt o = grid.neighbour(0, dx, dy, dz);

      if ((dx && grid.nodes[0] == 1) || (dy && grid.nodes[1] == 1) || (dz && grid.nodes[2] == 1)) continue;
      if (o == view.offset[d] || (cds.half() && o == -view.offset[d])) of_this |= Bits27(1) << bit;
    }
    if (!of_this) return 0;
    has |= of_this;
  }
  return has;
}

/* Whether A has all entries of its diagonals that are inside the grid, and each of these is that of one neighbour: then they are known by place. */
bool has_all_places(const StoredRows &A, const BoxGrid &grid, Bits27 has)
{
  const mat::CdsView<PetscScalar> view     = A.diagonals()->view();
  const PetscInt                  mirrored = A.diagonals()->half() ? view.ndiag - (view.ndiag && view.offset[0] == 0) : 0;
  std::int64_t                    all      = 0;

  for (int bit = 0; bit < 27; bit++) {
    if (!(has >> bit & 1)) continue;
    all += static_cast<std::int64_t>(grid.nodes[0] - std::abs(bit % 3 - 1)) * (grid.nodes[1] - std::abs(bit / 3 % 3 - 1)) *
           (grid.nodes[2] - std::abs(bit / 9 - 1));
  }
  return how_many(has) == view.ndiag + mirrored && entries(A.A) == all;
}

/* As for_each_row(), for a body whose rows read what their neighbours read: a device's blocks are bricks of the grid. */
template <class Body> void for_each_node_of_grid(Space space, const BoxGrid &grid, const Body &body)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    for_each_row_of_grid({grid.size(), grid.nodes[0], grid.plane()}, body);
    return;
  }
#endif
  for_each_row_on_host(space, grid.size(), body);
}

/* Entries and strong ones of all rows. has: bits_of() the diagonals, where there are such; returned where these say which entries there are. */
Bits27 find_neighbours(const StoredRows &A, const BoxGrid &grid, Bits27 has, const Measure &measure, Array<Bits27> &stored, Array<Bits27> &strong)
{
  Csr rows = A.A;

  const auto *cds = diagonals_of_nodes(A);

  if (A.no_rows() || (has && has_all_places(A, grid, has))) {
    for_each_row(rows.space, rows.nrows, FindPlaces<CdsStencil>{grid, stencil_of(*cds, grid), has, measure, stored.data(), strong.data()});
    return has;
  }
  if (cds) rows.val = nullptr;
  for_each_csr_row(rows, 1, FindNeighbours{grid, rows.ptr, rows.col, rows.val, measure, stored.data(), cds ? nullptr : strong.data()});
  if (cds) for_each_row(rows.space, rows.nrows, bound<find_strong>(grid, stencil_of(*cds, grid), measure, stored.data(), strong.data()));
  return 0;
}

template <class V> HD void size_at(PetscInt i, const V *value, PetscReal *size) { size[i] = PetscAbsScalar(value[i]); }

/* The sizes of what is not real, in `own`; real numbers as they are. */
template <class V> const PetscReal *sizes_of(const Array<V> &values, Array<PetscReal> &own)
{
  if constexpr (std::is_same_v<V, PetscReal>) return values.data();
  else {
    own = Array<PetscReal>(values.space(), values.size());
    for_each_row(values.space(), static_cast<PetscInt>(values.size()), bound<size_at<V>>(values.data(), own.data()));
    return own.data();
  }
}

} // namespace

/* Stars in space do not reach a box's corners. has: as bits_of(). Collective. */
static bool of_stars(const StoredRows &A, Bits27 has, const ColumnMap &columns)
{
  if (A.no_rows()) return how_many(has) <= 7;
  std::int64_t n = entries(A.A);

  columns.sum(&n, 1);
  return n <= static_cast<std::int64_t>(7) * columns.nglobal();
}

static void make_narrow(BoxGrid &grid, int d)
{
  grid.wide[d]  = 1;
  grid.first[d] = 0;
  grid.boxes[d] = grid.tiles[d];
}

/* Makes boxes one tile wide in directions in which no edge leads. False: none are to be expected. whole: of all ranks. Collective. */
static bool find_widths(const Array<Bits27> &edges, const ColumnMap &columns, BoxGrid &whole, Boxes &boxes)
{
  std::vector<std::int64_t> count = joined_rows<Plus, CountEdges::n, std::int64_t>(edges.space(), boxes.grid.size(),
                                                                                   CountEdges{boxes.stencil.data(), edges.data()});
  int                       wide  = 0;

  columns.sum(count.data(), CountEdges::n);
  for (int d = 0; d < 3; d++) {
    std::int64_t along = 0;

    for (int axes = 1; axes < CountEdges::n; axes++) along += axes >> d & 1 ? count[axes] : 0;
    wide += along > 0;
    if (along && 2 * along < columns.nglobal()) return false; // somewhere they do
    if (along || whole.nodes[d] == 1) continue;
    make_narrow(whole, d);
    make_narrow(boxes.grid, d);
  }
  for (int bit = 0; bit < 27; bit++) boxes.kept_places |= count[CountEdges::axes_of(bit)] ? Bits27(1) << bit : 0;
  boxes.kept_entries = count[0];
  return wide > 0 && (wide < 3 || count[3] + count[5] + count[6] + count[7] > 0) && diagonals_of(whole, boxes.kept_places).size() > 0;
}

/* The stencil, and what CheckBoxes counts, of all ranks. has: as bits_of(); whole: of all ranks. Collective. */
static std::vector<std::int64_t> check_boxes(const StoredRows &A, const Array<PetscScalar> &dinv, Bits27 has, const ColumnMap &columns, PetscReal threshold,
                                             BoxGrid &whole, Boxes &boxes)
{
  const Space         space   = A.A.space;
  const BoxGrid      &grid    = boxes.grid;
  const PetscInt      n       = grid.size();
  const bool          filters = threshold > 0;
  Array<Bits27>       strong(space, n), edges(space, n);
  Array<std::int64_t> sums(space, BoxCounts::n);
  Array<PetscReal>    sizes(space);
  Array<PetscScalar>  on_grid = boxes.ranks ? boxes.ranks->on_grid(grid, boxes.ranks->with_ghosts(dinv)) : Array<PetscScalar>(space);
  const Measure       measure{sizes_of(boxes.ranks ? on_grid : dinv, sizes), strength_cut(threshold)};

  boxes.stencil = Array<Bits27>(space, n);
  if (boxes.ranks) find_places(A.A, grid, *boxes.ranks, measure, boxes.stencil, strong);
  else boxes.places = find_neighbours(A, grid, has, measure, boxes.stencil, strong);
  for_each_row(space, n, bound<keep_coupled>(grid, strong.data(), edges.data()));
  if (boxes.ranks) boxes.ranks->update(edges);
  if (filters && !find_widths(edges, columns, whole, boxes)) return {1, 0, 0, 0, 0, 0};
  with_values(A, boxes, [&](auto values) {
    join_rows<Plus, BoxCounts::n>(space, grid.places_by_thirds(space),
                                  CheckBoxes<decltype(values)>{grid, values, measure, boxes.stencil.data(), edges.data(), boxes.stars, grid.is_narrow(),
                                                               filters},
                                  sums.data());
  });
  for_each_row(space, n, bound<mark_coupled>(edges.data(), boxes.stencil.data()));
  if (filters) {
    for_each_row(space, n, bound<keep_edges>(boxes.stencil.data(), edges.data()));
    boxes.kept = std::move(edges);
  }
  std::vector<std::int64_t> count = sums.to_host();

  columns.sum(count.data(), BoxCounts::n);
  return count;
}

std::shared_ptr<Boxes> find_boxes(const StoredRows &A, const Array<PetscScalar> &dinv, NodeIds ids, const MapPtr &columns, BoxesWanted wanted)
{
  const Lattice &lattice = ids.lattice;
  const bool     finest  = lattice.spacing[0] == 1 && lattice.spacing[1] == 1 && lattice.spacing[2] == 1;
  BoxGrid        whole   = grid_of(lattice, finest);
  auto           boxes   = std::make_shared<Boxes>();

  if (whole.nodes[2] == 1 || static_cast<std::int64_t>(whole.plane()) * whole.nodes[2] != columns->nglobal()) return nullptr;
  const auto  *cds = columns->size() == 1 ? diagonals_of_nodes(A) : nullptr;
  const Bits27 has = cds ? bits_of(*cds, whole) : 0;

  boxes->stars = wanted.threshold == 0 && whole.nodes[1] > 1 && of_stars(A, has, *columns);
  if (!(boxes->stars ? wanted.stars : wanted.full)) return nullptr;
  boxes->grid = whole;
  if (columns->size() > 1) {
    boxes->ranks = part_of_lattice(lattice, ids, columns, boxes->grid);
    if (!boxes->ranks) return nullptr;
  }
  const std::vector<std::int64_t> count = check_boxes(A, dinv, has, *columns, wanted.threshold, whole, *boxes);

  boxes->doubtful = count[BoxCounts::odd] > whole.all_boxes() / boxes_to_an_odd_root;
  if (count[BoxCounts::bad] || (boxes->doubtful && wanted.threshold > 0)) return nullptr;
  bool longer[3];
  for (int d = 0; d < 3; d++) {
    const int of = lattice.points[2] == 1 && d > 0 ? 3 - d : d; // as grid_of() has them

    longer[of] = 8 * count[BoxCounts::elsewhere + d] > count[BoxCounts::coupled];
    if (!longer[of] && whole.tiles[d] > 1 && whole.wide[d] > 1) return nullptr;
  }
  boxes->coarse = lattice.coarser(longer);
  return boxes;
}

WithoutWeak::WithoutWeak(Boxes &boxes, const StoredRows &A) : boxes_(boxes), rows_(A.A.space, A.A.nrows, A.A.ncols), values_(A.A.space)
{
  const PetscInt n      = boxes.grid.size();
  const auto    *same   = boxes.ranks ? nullptr : diagonals_of_nodes(A);
  const auto     filter = [&](const CdsStencil &to, bool half, PetscScalar *val) {
    with_values(A, boxes, [&](auto values) {
      for_each_row(A.A.space, n, FilterNode<decltype(values)>{boxes.grid, values, boxes.stencil.data(), boxes.kept.data(), to, half, val});
    });
  };

  boxes.find_stencil();
  if (boxes.ranks) {
    const CdsStencil to = places_for_values(boxes.grid, values_);

    filter(to, false, values_.data());
    rows_ = rows_kept(boxes, to);
    boxes.ranks->values.swap(values_); // last: whatever fails, they are A's again
    return;
  }
  cds_ = std::make_unique<mat::Cds<PetscScalar, PetscScalar>>(A.A.space);
  cds_->lay_out_zeros(n, n, 1, diagonals_of(boxes.grid, boxes.kept_places), same && same->half());
  filter(stencil_of(*cds_, boxes.grid), cds_->half(), cds_->values_to_write());
}

void Boxes::find_stencil()
{
  if (stencil.size()) return;
  stencil = Array<Bits27>(reach.space(), reach.size());
  for_each_row(reach.space(), static_cast<PetscInt>(reach.size()), bound<stencil_by_place>(grid, places, reach.data(), stencil.data()));
}

Array<PetscInt> names_of(const Boxes &boxes, NodeIds ids)
{
  const Space     space = boxes.stencil.space();
  const PetscInt  n     = boxes.grid.all_boxes();
  Array<PetscInt> name(space, n);

  for_each_row(space, n, bound<name_boxes>(boxes.grid, ids, name.data()));
  return name;
}

void normalise(Boxes &boxes, const PetscScalar *B, Array<PetscScalar> &T, Array<PetscScalar> &coarse_B)
{
  boxes.find_stencil();
  const Space    space = boxes.stencil.space();
  const PetscInt n     = boxes.grid.all_boxes();

  T        = Array<PetscScalar>(space, boxes.stencil.size(), unset);
  coarse_B = Array<PetscScalar>(space, n, unset);
  if (!B) {
    Array<PetscScalar> of_box(space, n, unset);

    for_each_row(space, n, bound<ones_of_box>(boxes.grid, boxes.stencil.data(), of_box.data(), coarse_B.data()));
    for_each_row(space, boxes.grid.size(), bound<spread_ones>(boxes.grid, boxes.stencil.data(), of_box.data(), T.data()));
    return;
  }
  T.zero(); // of nodes beyond the boxes
  for_each_row_by_lanes(space, n, NormaliseBox{boxes.grid, boxes.stencil.data(), B, T.data(), coarse_B.data()});
}

/* P will be smoothed twice. */
static void reach_further(Boxes &boxes)
{
  const PetscInt     n    = boxes.grid.size();
  const Array<Bits8> once = std::move(boxes.reach);

  boxes.reach = Array<Bits8>(once.space(), n);
  for_each_row(once.space(), n, ReachedFurther{boxes.grid, boxes.stencil.data(), once.data(), boxes.reach.data()});
  if (boxes.ranks) boxes.ranks->update(boxes.reach);
}

void point_to_rows(Array<PetscInt> &ptr, PetscInt *entries)
{
  if (*entries < 0) *entries = lengths_to_pointer(ptr.space(), ptr);
  else scan_lengths(ptr.space(), ptr.data(), ptr);
}

/* Which boxes the rows of P reach. */
static void find_reach(Boxes &boxes, Space space)
{
  const PetscInt n = boxes.grid.size();

  boxes.find_stencil();
  if (boxes.entries >= 0) return;
  boxes.reach = Array<Bits8>(space, n);
  for_each_row(space, n, ReachedBoxes{boxes.grid, boxes.smoothing_stencil(), boxes.reach.data()});
  if (boxes.ranks) boxes.ranks->update(boxes.reach);
  if (boxes.stars) reach_further(boxes);
}

CsrMatrix left_to_product(Boxes &boxes, Space space)
{
  find_reach(boxes, space);
  if (boxes.entries < 0) boxes.entries = counted(joined_rows<Plus, 1, std::int64_t>(space, boxes.grid.size(), CountReached{boxes.reach.data()})[0]);
  return CsrMatrix(space, boxes.grid.size(), boxes.grid.all_boxes());
}

CsrMatrix smoothed_prolongator(Boxes &boxes, const StoredRows &A, const Array<PetscScalar> &T, const Array<PetscScalar> &dinv, PetscReal omega, MapPtr &columns)
{
  const Space    space = A.A.space;
  const PetscInt n     = boxes.grid.size();
  CsrMatrix      P(space, n, boxes.grid.all_boxes());

  find_reach(boxes, space);
  P.ptr = Array<PetscInt>(space, n + 1);
  for_each_row(space, n, bound<length_by_bits<Bits8>>(boxes.reach.data(), P.ptr.data()));
  point_to_rows(P.ptr, &boxes.entries);
  if (space == Space::Host) P.col = Array<PetscInt>(space, boxes.entries);
  P.val = Array<PetscScalar>(space, boxes.entries);
  if (!boxes.ranks) {
    smooth_values(boxes, A, T, dinv, omega, P);
    return P;
  }
  smooth_values(boxes, A, boxes.ranks->on_grid(boxes.grid, T), boxes.ranks->on_grid(boxes.grid, dinv), omega, P);
  return own_rows_of(boxes, P, columns);
}

void smooth_values(Boxes &boxes, const StoredRows &A, const Array<PetscScalar> &T, const Array<PetscScalar> &dinv, PetscReal omega, CsrMatrix &P)
{
  boxes.find_stencil();
  with_values(A, boxes, [&](auto values) {
    for_each_node_of_grid(A.A.space, boxes.grid,
                          SmoothBoxes<decltype(values)>{{boxes.grid, values, boxes.smoothing_stencil(), T.data(), dinv.data(), omega},
                                                        {boxes.grid, boxes.reach.data(), P.ptr.data(), P.col.data()},
                                                        P.val.data()});
  });
}

void number_columns(const Boxes &boxes, CsrMatrix &P)
{
  if (P.col.size()) return;
  P.col = Array<PetscInt>(P.space(), P.val.size());
  for_each_row(P.space(), P.nrows, NumberBoxes{boxes.grid, boxes.reach.data(), P.ptr.data(), P.col.data()});
}

} // namespace goza::saamg
