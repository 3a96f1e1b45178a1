#include "box_ranks.hpp"
#include "boxes.hpp"
#include "box_messages.hpp"
#include "box_prolong_rows.hpp"
#include "box_rows.hpp"
#include "core/launch/row_sums.hpp"
#include "core/launch/staged_rows.hpp"
#include "core/util/algorithm.hpp"
#include "graph.hpp"
#include "parallel/entry_messages.hpp"
#include "parallel/par_csr.hpp"

namespace goza::saamg {

/* A rank's grid may have so many nodes to each that it knows of, and this many anyway. */
constexpr std::int64_t bearable_nodes = 4, always_bearable_nodes = 4096;

/* The part of `whole` with nodes from low to high - 1, with all boxes that these reach. */
static BoxGrid part_of(const BoxGrid &whole, const std::int64_t low[3], const std::int64_t high[3])
{
  BoxGrid part{};

  for (int d = 0; d < 3; d++) {
    const PetscInt from = static_cast<PetscInt>(low[d]), to = static_cast<PetscInt>(high[d]), root = whole.first[d];
    const PetscInt tile = PetscMax(from - whole.begin[d], 0), end = PetscMin(to - whole.begin[d], whole.tiles[d]);
    // the boxes of the tile before the first one's, and behind the last one's: roots from tile - 2 to end + 1
    const PetscInt before = PetscMax(tile - root, 0) / 3, last = PetscMin((end + 1 - root) / 3, whole.boxes[d] - 1);

    part.nodes[d] = to - from;
    part.wide[d]  = 3;
    if (end <= tile) continue;
    part.begin[d] = whole.begin[d] + tile - from;
    part.tiles[d] = end - tile;
    part.first[d] = root + 3 * before - tile;
    part.boxes[d] = last - before + 1;
  }
  return part;
}

std::unique_ptr<RankBoxes> part_of_lattice(const Lattice &lattice, NodeIds ids, const MapPtr &columns, BoxGrid &grid)
{
  const Space         space = columns->space();
  const PetscInt      n = columns->n(), nlocal = columns->nlocal();
  const BoxGrid       whole = grid;
  const bool          plane = lattice.points[2] == 1;
  auto                ranks = std::make_unique<RankBoxes>();
  Array<std::int64_t> reach(space, 6);
  Array<PetscInt>     id(space, nlocal, unset);
  std::int64_t        low[3] = {}, high[3] = {}, nodes = 1;

  ids.lattice   = lattice;
  ranks->values = Array<PetscScalar>(space);
  join_rows<Most, 6>(space, n, ReachOfNodes{ids, whole, {0, plane ? 2 : 1, plane ? 1 : 2}}, reach.data());
  const std::vector<std::int64_t> most = reach.to_host();

  for (int d = 0; d < 3; d++) {
    low[d]  = n ? PetscMax(whole.nodes[d] - most[3 + d] - 1, 0) : 0;
    high[d] = n ? PetscMin(most[d] + 1, whole.nodes[d]) : 0;
    nodes *= high[d] - low[d];
  }
  if (columns->any(nodes > bearable_nodes * nlocal + always_bearable_nodes)) return nullptr;
  grid           = part_of(whole, low, high);
  ranks->columns = columns;
  ranks->node    = Array<PetscInt>(space, nlocal, unset);
  for_each_row(space, n, WriteIds{ids, id.data()});
  columns->update(id);
  FindNode body{lattice, grid, {}, {0, plane ? 2 : 1, plane ? 1 : 2}, id.data(), ranks->node.data()};
  for (int d = 0; d < 3; d++) body.begin[d] = whole.begin[d] - static_cast<PetscInt>(low[d]);
  for_each_row(space, nlocal, body);
  return ranks;
}

template <class T> void RankBoxes::update(Array<T> &on_grid, bool coupled) const
{
  const Space     space = on_grid.space();
  Array<PetscInt> value(space, columns->nlocal(), unset);

  for_each_row(space, columns->n(), bound<take_from_grid<T>>(node.data(), on_grid.data(), coupled, value.data()));
  columns->update(value);
  for_each_row(space, columns->nghost(), bound<put_on_grid<T, PetscInt>>(node.data() + columns->n(), value.data() + columns->n(), on_grid.data()));
}

template void RankBoxes::update(Array<Bits27> &, bool) const;
template void RankBoxes::update(Array<Bits8> &, bool) const;

Array<PetscScalar> RankBoxes::with_ghosts(const Array<PetscScalar> &given) const
{
  Array<PetscScalar> all(given.space(), columns->nlocal(), unset);

  if (given.size()) all.copy_from(given.data(), given.size());
  columns->update(all);
  return all;
}

Array<PetscScalar> RankBoxes::on_grid(const BoxGrid &grid, const Array<PetscScalar> &given) const
{
  Array<PetscScalar> there(given.space(), grid.size());

  there.zero();
  for_each_row(given.space(), static_cast<PetscInt>(given.size()), bound<put_on_grid<PetscScalar, PetscScalar>>(node.data(), given.data(), there.data()));
  return there;
}

CdsStencil places_for_values(const BoxGrid &grid, Array<PetscScalar> &values)
{
  const std::int64_t nodes = grid.size();
  const bool         plane = grid.nodes[1] == 1; // of nine places
  CdsStencil         to{nullptr, {}};

  if (!values.size()) values = Array<PetscScalar>(values.space(), (plane ? 9 : 27) * nodes, unset);
  to.val = values.data();
  for (int bit = 0; bit < 27; bit++) to.start[bit] = (plane ? bit / 9 * 3 + bit % 3 : bit) * nodes;
  return to;
}

static CdsStencil place_rows(const Csr &A, const BoxGrid &grid, RankBoxes &ranks, Bits27 *stencil)
{
  const bool       made = ranks.values.size() > 0;
  const CdsStencil to   = places_for_values(grid, ranks.values);

  if (made) return to;
  PlaceRow body{grid, to, {}, A.ptr, A.col, A.val, ranks.node.data(), ranks.values.data(), stencil};

  for (int bit = 0; bit < 27; bit++) body.step[bit] = grid.neighbour(0, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1);
  for_each_csr_row(A, 1, body);
  return to;
}

void find_places(const Csr &A, const BoxGrid &grid, RankBoxes &ranks, const Measure &measure, Array<Bits27> &stencil, Array<Bits27> &strong)
{
  for_each_row(A.space, grid.size(), OfOthers{stencil.data()});
  const CdsStencil values = place_rows(A, grid, ranks, stencil.data());

  for_each_row(A.space, grid.size(), bound<find_strong>(grid, values, measure, stencil.data(), strong.data()));
  ranks.update(strong, true);
}

CdsStencil values_by_place(const Csr &A, const BoxGrid &grid, RankBoxes &ranks) { return place_rows(A, grid, ranks, nullptr); }

CsrMatrix rows_kept(const Boxes &boxes, const CdsStencil &values)
{
  const RankBoxes &ranks = *boxes.ranks;
  const Space      space = boxes.kept.space();
  const PetscInt   n = ranks.columns->n(), nlocal = ranks.columns->nlocal();
  Array<PetscInt>  column(space, boxes.grid.size(), unset);
  CsrMatrix        rows(space, n, nlocal);

  rows.ptr = Array<PetscInt>(space, n + 1);
  for_each_row(space, n, bound<length_of_own_row<Bits27>>(boxes.kept.data(), ranks.node.data(), rows.ptr.data()));
  const PetscInt nnz = lengths_to_pointer(space, rows.ptr);

  rows.col = Array<PetscInt>(space, nnz, unset);
  rows.val = Array<PetscScalar>(space, nnz, unset);
  for_each_row(space, nlocal, bound<column_on_grid>(ranks.node.data(), column.data()));
  for_each_row(space, n, WriteKept{boxes.grid, values, boxes.kept.data(), ranks.node.data(), column.data(), rows.ptr.data(), rows.col.data(), rows.val.data()});
  return rows;
}

/* Messages of 8 for each row that is sent. */
static std::vector<PetscInt> begins_of_places(const std::vector<HaloMessage> &messages)
{
  std::vector<PetscInt> begin = row_begins(messages);

  for (PetscInt &b : begin) b *= 8;
  return begin;
}

/* Those around the ghosts, of which a rank may have no node: rows of P that are smoothed twice reach them. of_box: global numbers. */
static void tell_of_boxes_beside(const Boxes &boxes, Array<PetscInt> &of_box)
{
  const RankBoxes &ranks   = *boxes.ranks;
  const ColumnMap &columns = *ranks.columns;
  const Space      space   = columns.space();
  Array<PetscInt>  out(space, 8 * static_cast<std::size_t>(columns.nsend()), unset), in(space, 8 * static_cast<std::size_t>(columns.nghost()), unset);

  for_each_row(space, columns.nsend(), PackBoxes{boxes.grid, columns.send_index().data(), ranks.node.data(), of_box.data(), out.data()});
  columns.send_runs(false, static_cast<const PetscInt *>(out.data()), begins_of_places(columns.sends()), in.data(), begins_of_places(columns.receives()));
  for_each_row(space, columns.nghost(), bound<unpack_boxes>(boxes.grid, ranks.node.data() + columns.n(), in.data(), of_box.data()));
}

CsrAggregates aggregates_of_ranks(Boxes &boxes, NodeIds ids, PetscInt least)
{
  RankBoxes       &ranks   = *boxes.ranks;
  const ColumnMap &columns = *ranks.columns;
  const Space      space   = columns.space();
  const PetscInt   n = columns.n(), nlocal = columns.nlocal(), nboxes = boxes.grid.all_boxes();
  Array<PetscInt>  number(space, n + 1, unset), of_node(space, nlocal, unset), name(space, n, unset), of_box(space, nboxes, unset);
  const TellBoxes  tell{boxes.grid, ranks.node.data(), of_node.data(), of_box.data()};
  const AskBoxes   ask{boxes.grid, boxes.stencil.data(), ranks.node.data(), of_box.data(), of_node.data()};

  for_each_row(space, n, IsRootOfBox{boxes.grid, ranks.node.data(), number.data()});
  const LocalColumns roots(columns.comm(), lengths_to_pointer(space, number), space);

  for_each_row(space, n, NumberBoxRoots{{boxes.grid, ranks.node.data(), number.data()}, roots.start(), ids, of_node.data(), name.data()});
  columns.update(of_node);
  fill(space, nboxes, -1, of_box.data());
  for (int pass = 0; pass < (boxes.stars ? 4 : 2); pass++) { // a node is next to its root, or to one that is, or of stars to one further on (CheckBoxes)
    for_each_row(space, nlocal, tell);
    for_each_row(space, n, ask);
    columns.update(of_node);
  }
  for_each_row(space, nlocal, tell);
  if (boxes.stars) tell_of_boxes_beside(boxes, of_box);
  const LocalColumns owners(columns.comm(), aggregates_owned(columns, roots.nglobal(), roots.n(), least), space);
  Array<PetscInt>    all(space, static_cast<std::size_t>(nlocal) + nboxes, unset);

  if (nlocal) all.copy_from(of_node.data(), nlocal);
  if (nboxes) copy_values(space, of_box.data(), nboxes, all.data() + nlocal);
  ranks.aggregates = std::make_shared<ColumnMap>(owners, ghosts_among(owners, all.data(), nlocal + nboxes));
  ranks.number     = Array<PetscInt>(space, nboxes, unset);
  put_numbers(space, nlocal, LocalNumber(*ranks.aggregates), of_node.data(), of_node.data());
  put_numbers(space, nboxes, LocalNumber(*ranks.aggregates), of_box.data(), ranks.number.data());
  return {owners.n(), ranks.aggregates, std::move(of_node), std::move(name), boxes.coarse};
}

static NumberedPlaces places_of(const Boxes &boxes) { return {boxes.grid, boxes.reach.data(), boxes.ranks->node.data(), boxes.ranks->number.data()}; }

CsrMatrix own_rows_of(const Boxes &boxes, const CsrMatrix &on_grid, MapPtr &columns)
{
  const RankBoxes &ranks = *boxes.ranks;
  const Space      space = on_grid.space();
  const PetscInt   n     = ranks.columns->n();
  CsrMatrix        P(space, n, ranks.aggregates->nlocal());

  P.ptr = Array<PetscInt>(space, n + 1);
  for_each_row(space, n, bound<length_of_own_row<Bits8>>(boxes.reach.data(), ranks.node.data(), P.ptr.data()));
  const PetscInt nnz = lengths_to_pointer(space, P.ptr);

  P.col = Array<PetscInt>(space, nnz, unset);
  P.val = Array<PetscScalar>(space, nnz, unset);
  for_each_row(space, n, bound<own_row_of_p>(places_of(boxes), on_grid.ptr.data(), on_grid.val.data(), P.ptr.data(), P.col.data(), P.val.data()));
  columns = drop_unused_ghosts(LocalColumns(*ranks.aggregates, {}), ranks.aggregates->ghosts(), P);
  return P;
}

CsrMatrix rows_on_grid(Boxes &boxes, const CsrMatrix &P)
{
  const ColumnMap     &columns = *boxes.ranks->columns;
  const Space          space   = P.space();
  const NumberedPlaces places  = places_of(boxes);
  const PetscInt       nodes   = boxes.grid.size();
  Array<PetscScalar>   out(space, 8 * static_cast<std::size_t>(columns.nsend()), unset), in(space, 8 * static_cast<std::size_t>(columns.nghost()), unset);
  CsrMatrix            placed(space, nodes, boxes.grid.all_boxes());

  placed.ptr = Array<PetscInt>(space, nodes + 1);
  for_each_row(space, nodes, bound<length_by_bits<Bits8>>(boxes.reach.data(), placed.ptr.data()));
  point_to_rows(placed.ptr, &boxes.entries);
  placed.val = Array<PetscScalar>(space, boxes.entries, unset);
  for_each_row(space, P.nrows, bound<row_on_grid>(places, P.ptr.data(), P.val.data(), placed.ptr.data(), placed.val.data()));
  for_each_row(space, columns.nsend(),
               bound<pack_places>(places, GlobalNumber(*boxes.ranks->aggregates), columns.send_index().data(), P.ptr.data(), P.val.data(), out.data(),
                                  nullptr));
  columns.send_runs(false, static_cast<const PetscScalar *>(out.data()), begins_of_places(columns.sends()), in.data(), begins_of_places(columns.receives()));
  for_each_row(space, columns.nghost(), bound<unpack_values>(boxes.reach.data(), places.node + columns.n(), placed.ptr.data(), in.data(), placed.val.data()));
  return placed;
}

/* The numbers of all boxes, those that only the ghosts' rows reach among them. */
static void find_reached(Boxes &boxes)
{
  RankBoxes         &ranks   = *boxes.ranks;
  const ColumnMap   &columns = *ranks.columns;
  const Space        space   = columns.space();
  const PetscInt     nboxes  = boxes.grid.all_boxes();
  NumberedPlaces     places  = places_of(boxes);
  const GlobalNumber global(*ranks.aggregates);
  Array<PetscInt>    out(space, 8 * static_cast<std::size_t>(columns.nsend()), unset), in(space, 8 * static_cast<std::size_t>(columns.nghost()), unset);

  ranks.column = Array<PetscInt>(space, nboxes, unset);
  put_numbers(space, nboxes, global, ranks.number.data(), ranks.column.data());
  for_each_row(space, columns.nsend(), bound<pack_places>(places, global, columns.send_index().data(), nullptr, nullptr, nullptr, out.data()));
  columns.send_runs(false, static_cast<const PetscInt *>(out.data()), begins_of_places(columns.sends()), in.data(), begins_of_places(columns.receives()));
  places.node += columns.n();
  for_each_row(space, columns.nghost(), bound<unpack_numbers>(places, in.data(), ranks.column.data()));
  ranks.reached = std::make_unique<LocalColumns>(*ranks.aggregates, ghosts_among(*ranks.aggregates, ranks.column.data(), nboxes));
  put_numbers(space, nboxes, LocalNumber(*ranks.reached), ranks.column.data(), ranks.column.data());
}

CsrMatrix parts_of_product(Boxes &boxes, const ColumnMap &rows, std::int64_t ld, const PetscScalar *val)
{
  RankBoxes      &ranks = *boxes.ranks;
  const Space     space = rows.space();
  const PetscInt  n     = rows.nlocal();
  Array<PetscInt> box(space, n, unset);

  if (!ranks.reached) find_reached(boxes);
  CsrMatrix parts(space, n, ranks.reached->nlocal());

  fill(space, n, -1, box.data());
  for_each_row(space, boxes.grid.all_boxes(), bound<box_of_part>(GlobalNumber(*ranks.aggregates), LocalNumber(rows), ranks.number.data(), box.data()));
  parts.ptr = Array<PetscInt>(space, n + 1);
  for_each_row(space, n, bound<length_of_part>(box.data(), boxes.coarse_stencil.data(), parts.ptr.data()));
  point_to_rows(parts.ptr, &boxes.coarse_entries);
  parts.col = Array<PetscInt>(space, boxes.coarse_entries, unset);
  parts.val = Array<PetscScalar>(space, boxes.coarse_entries, unset);
  for_each_row_by_lanes(space, n,
                        WritePart{boxes.grid, box.data(), ranks.column.data(), boxes.coarse_stencil.data(), ld, val, parts.ptr.data(), parts.col.data(),
                                  parts.val.data()});
  return parts;
}

} // namespace goza::saamg
