#include "color_parts.hpp"
#include "core/util/algorithm.hpp"

namespace goza::saamg {

/* ptr: of what is on other ranks */
static HD void reads_others(PetscInt i, const PetscInt *ptr, PetscInt bs, char *edge) { edge[i] = ptr[(i + 1) * bs] > ptr[i * bs]; }

static HD void is_read(PetscInt k, const PetscInt *index, PetscInt bs, char *edge) { edge[index[k] / bs] = 1; }

/* By place in the list. */
static HD void flag_at(PetscInt k, const PetscInt *list, const char *edge, char *inner_flag, char *edge_flag, PetscInt *edges)
{
  edge_flag[k]  = edge[list[k]];
  inner_flag[k] = !edge_flag[k];
  edges[k]      = edge_flag[k];
}

static HD void row_of_node(PetscInt k, const PetscInt *nodes, PetscInt bs, PetscInt *rows) { rows[k] = nodes[k / bs] * bs + k % bs; }

static Array<PetscInt> kept(Space space, const Array<PetscInt> &list, const Array<char> &flag)
{
  Array<PetscInt> all(space, list.size());
  const PetscInt  n = keep_flagged(space, list.data(), flag.data(), static_cast<PetscInt>(list.size()), all.data());

  return Array<PetscInt>(space, all.data(), n);
}

SplitColors split_colors(const Coloring &coloring, const Csr &others, const ColumnMap &columns, PetscInt bs)
{
  const Space     space = columns.space();
  const PetscInt  n = columns.n() / bs, ncolors = coloring.ncolors();
  Array<char>     edge(space, n), inner_flag(space, n), edge_flag(space, n);
  Array<PetscInt> edges(space, n + 1), place(space, coloring.begin.data(), coloring.begin.size()), before(space, coloring.begin.size());
  SplitColors     split;

  for_each_row(space, n, bound<reads_others>(others.ptr, bs, edge.data()));
  for_each_row(space, columns.nsend(), bound<is_read>(columns.send_index().data(), bs, edge.data()));
  for_each_row(space, n, bound<flag_at>(coloring.rows.data(), edge.data(), inner_flag.data(), edge_flag.data(), edges.data()));
  scan_lengths(space, edges.data(), edges);
  gather(space, ncolors + 1, place.data(), static_cast<const PetscInt *>(edges.data()), before.data());
  split.inner.rows  = kept(space, coloring.rows, inner_flag);
  split.edge.rows   = kept(space, coloring.rows, edge_flag);
  split.edge.begin  = before.to_host();
  split.inner.begin = coloring.begin;
  for (PetscInt c = 0; c <= ncolors; c++) split.inner.begin[c] -= split.edge.begin[c];
  for (PetscInt c = 0; c < ncolors; c++) split.edge_anywhere.push_back(split.edge.size(c));
  columns.sum(split.edge_anywhere.data(), static_cast<int>(ncolors));
  return split;
}

Array<PetscInt> rows_of_nodes(const Array<PetscInt> &nodes, PetscInt bs)
{
  Array<PetscInt> rows(nodes.space(), nodes.size() * bs);

  for_each_row(nodes.space(), static_cast<PetscInt>(rows.size()), bound<row_of_node>(nodes.data(), bs, rows.data()));
  return rows;
}

} // namespace goza::saamg
