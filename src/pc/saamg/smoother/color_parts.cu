#include "color_parts.hpp"
#include "core/util/algorithm.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::saamg
{

namespace
{

struct Reads {
  const PetscInt *ptr; // of what is on other ranks
  PetscInt        bs;
  char           *edge;

  HD void operator()(PetscInt i) const { edge[i] = ptr[(i + 1) * bs] > ptr[i * bs]; }
};

struct IsRead {
  const PetscInt *index;
  PetscInt        bs;
  char           *edge;

  HD void operator()(PetscInt k) const { edge[index[k] / bs] = 1; }
};

struct Flags {
  const PetscInt *list;
  const char     *edge;
  char           *inner_flag, *edge_flag;

  HD void operator()(PetscInt k) const
  {
    edge_flag[k]  = edge[list[k]];
    inner_flag[k] = !edge_flag[k];
  }
};

struct RowOfNode {
  const PetscInt *nodes;
  PetscInt        bs, *rows;

  HD void operator()(PetscInt k) const { rows[k] = nodes[k / bs] * bs + k % bs; }
};

Array<PetscInt> kept(Space space, const PetscInt *list, const Array<char> &flag)
{
  Array<PetscInt> all(space, flag.size());
  const PetscInt  n = keep_flagged(space, list, flag.data(), static_cast<PetscInt>(flag.size()), all.data());
  Array<PetscInt> result(space, n);

  if (n) result.copy_from(all.data(), n);
  return result;
}

} // namespace

std::vector<ColorParts> split_colors(const Coloring &coloring, const Csr &others, const ColumnMap &columns, PetscInt bs)
{
  const Space               space   = columns.space();
  const PetscInt            ncolors = coloring.ncolors();
  Array<char>               edge(space, columns.n() / bs);
  std::vector<ColorParts>   parts;
  std::vector<std::int64_t> edges(ncolors, 0);

  for_each_row(space, columns.n() / bs, Reads{others.ptr, bs, edge.data()});
  for_each_row(space, columns.nsend(), IsRead{columns.send_index().data(), bs, edge.data()});
  for (PetscInt c = 0; c < ncolors; c++) {
    const PetscInt  n    = coloring.begin[c + 1] - coloring.begin[c];
    const PetscInt *list = coloring.rows.data() + coloring.begin[c];
    Array<char>     inner_flag(space, n), edge_flag(space, n);

    for_each_row(space, n, Flags{list, edge.data(), inner_flag.data(), edge_flag.data()});
    parts.push_back({kept(space, list, inner_flag), kept(space, list, edge_flag), false});
    edges[c] = static_cast<std::int64_t>(parts[c].edge.size());
  }
  columns.sum(edges.data(), static_cast<int>(ncolors));
  for (PetscInt c = 0; c < ncolors; c++) parts[c].edge_anywhere = edges[c] > 0;
  return parts;
}

Array<PetscInt> rows_of_nodes(const Array<PetscInt> &nodes, PetscInt bs)
{
  Array<PetscInt> rows(nodes.space(), nodes.size() * bs);

  for_each_row(nodes.space(), static_cast<PetscInt>(rows.size()), RowOfNode{nodes.data(), bs, rows.data()});
  return rows;
}

} // namespace goza::saamg
