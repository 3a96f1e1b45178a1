#include "numeric.hpp"
#include "core/launch/by_lanes.hpp"
#include "grid_numeric.hpp"
#include "element_matrix.hpp"
#include "with_kinds.hpp"
#if !PetscDefined(USE_COMPLEX)
  #include "tile_kernel.hpp"
#endif

namespace goza::assembly {
namespace {

/* Where diffusion is on a grid, the kernel leaves given unknowns out. All others write all rows alike, and these put zeros into the rows and columns of given
   unknowns, the diagonal left out: given unknowns are few, and to look them up for every value would keep the kernels of CSR from writing whole rows side by
   side. */

/* On diagonals a node's row and its column are zero on every one of them, whether the mesh has that pair or not: nothing need be read to find them. The nodes
   of a list that are side by side on the grid have their places side by side, too. */
struct ZeroOnDiagonals {
  const unsigned char *fixed;
  const PetscInt      *given;
  Target               target;

  HD void operator()(PetscInt k) const
  {
    const PetscInt i    = given[k];
    const unsigned bits = fixed[i];

    for (int d = 0; d < target.ndiag; d++) {
      const PetscInt above = i - target.offset[d]; // whose pair with node i is on this diagonal

      if (above == i) {
        zero(target.cds(i, d), bits, bits, true);
        continue;
      }
      zero(target.cds(i, d), bits, 0, false);
      if (above >= 0 && above < target.owned) zero(target.cds(above, d), 0, bits, false);
    }
  }

private:
  HD void zero(const PairBlock &block, unsigned rows, unsigned columns, bool main) const
  {
    for (int r = 0; r < target.bs; r++) {
      for (int c = 0; c < target.bs; c++)
        if (((rows >> r | columns >> c) & 1) && !(main && r == c)) *block.at(r * target.bs + c) = 0;
    }
  }
};

/* Elsewhere, pair by pair. */
struct ZeroGiven {
  const unsigned char *fixed;
  const PetscInt      *ptr, *col;
  Target               target;

  /* Pairs with owned nodes, of a node with a given unknown. */
  HD void with_owned(PetscInt i, int lane, int lanes) const
  {
    const PetscInt own = others_of(i);

    for (PetscInt k = ptr[i] + lane; k < own; k += lanes) {
      const PetscInt j = col[k];

      zero(i, k, own - ptr[i], fixed[i], j == i ? fixed[i] : 0);
      if (j != i) zero(j, lower_bound(col, ptr[j], ptr[j + 1], i), 0, 0, fixed[i]);
    }
  }

  /* Pairs with other ranks' nodes, of any. */
  HD void with_others(PetscInt i) const
  {
    const PetscInt own = others_of(i);

    for (PetscInt k = own; k < ptr[i + 1]; k++) zero(i, k, own - ptr[i], fixed[i], fixed[col[k]]);
  }

private:
  HD PetscInt others_of(PetscInt i) const // where the pairs with other ranks' nodes begin
  {
    PetscInt own = ptr[i + 1];

    while (own > ptr[i] && col[own - 1] >= target.owned) own--;
    return own;
  }

  /* Pair k of node i: the rows `mine`, the columns `its`. nown: of the node's pairs, those with owned nodes; for a pair with another rank's */
  HD void zero(PetscInt i, PetscInt k, PetscInt nown, unsigned mine, unsigned its) const
  {
    const PetscInt  j     = col[k];
    const bool      csr   = target.layout == Layout::Csr || j >= target.owned;
    const PairBlock block = csr ? PairBlock() : target.ell(i, k - ptr[i]);

    if (!(mine | its)) return;
    for (int r = 0; r < target.bs; r++) {
      for (int c = 0; c < target.bs; c++)
        if (((mine >> r | its >> c) & 1) && (i != j || r != c)) *(csr ? target.csr(i, k, k - ptr[i], nown, j, r) + c : block.at(r * target.bs + c)) = 0;
    }
  }
};

HD void zero_of_given(PetscInt k, int lane, int lanes, const ZeroGiven &pairs, const PetscInt *given) { pairs.with_owned(given[k], lane, lanes); }

HD void zero_of_others(PetscInt i, const ZeroGiven &pairs) { pairs.with_others(i); }

/* Complex numbers go row by row; for real ones there are kernels of grids and of tiles. false: rows of given unknowns are like all others. */
template <class Element, class Equation> bool assemble_on_device(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const Target &target)
{
#if PetscDefined(USE_COMPLEX)
  (void)problem;
  for_each_row(mesh.space(), mesh.owned,
               RowAssembly<Element, Equation>{{mesh.view(), map.ptr.data(), map.col.data(), map.slot.data(), target}, map.owner_ptr.data(), map.owner.data()});
#elif defined(__CUDACC__)
  const bool     csr  = target.layout == Layout::Csr;
  const MeshView view = mesh.view();

  if (map.grid.is() ? !is_for_grids(problem.equation, target.layout) : (map.tiles.what == TilePairs::Rows) != csr)
    throw std::logic_error("the map was made for another layout");
  if (map.grid.is()) return assemble_on_grid(problem, view, map, target);
  if (csr) tile::launch<Element, Equation, TilePairs::Rows>(view, map, target);
  else tile::launch<Element, Equation, TilePairs::Upper>(view, map, target);
#else
  (void)problem, (void)mesh, (void)map, (void)target;
  throw DeviceError("this libgoza was built without CUDA");
#endif
  return false;
}

} // namespace

AssemblyMap make_assembly_map([[maybe_unused]] const Problem &problem, const Mesh &mesh, [[maybe_unused]] Layout layout)
{
#if !PetscDefined(USE_COMPLEX)
  if (mesh.space() == Space::Cuda) {
    AssemblyMap m;

    if (is_for_grids(problem.equation, layout)) {
      if (const NodeGrid grid = find_grid(mesh); grid.is()) return make_assembly_map(mesh, grid);
    }
    with_kinds(problem, mesh.kind, [&](auto element, auto equation) {
      using Element  = decltype(element);
      using Equation = decltype(equation);

      if (layout == Layout::Csr) m = make_assembly_map(mesh, TilePairs::Rows, tile::limits<Element, Equation, TilePairs::Rows>());
      else m = make_assembly_map(mesh, TilePairs::Upper, tile::limits<Element, Equation, TilePairs::Upper>());
    });
    return m;
  }
#endif
  return make_assembly_map(mesh);
}

bool writes_all(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const Target &target)
{
#if PetscDefined(USE_COMPLEX)
  (void)problem, (void)mesh, (void)map, (void)target;
  return false;
#else
  return mesh.space() == Space::Cuda && map.grid.is() && writes_all_on_grid(problem, map, target);
#endif
}

void assemble_matrix(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const Target &target)
{
  bool left_out = !mesh.fixed.size();

  if (!mesh.owned) return;
  with_kinds(problem, mesh.kind, [&](auto element, auto equation) {
    using Element  = decltype(element);
    using Equation = decltype(equation);

    if (mesh.space() == Space::Cuda) {
      if (assemble_on_device<Element, Equation>(problem, mesh, map, target)) left_out = true;
      return;
    }
    const HostAssembly<Element, Equation> body{{mesh.view(), map.ptr.data(), map.col.data(), map.slot.data(), target}};

    for (PetscInt i = 0; i < mesh.owned; i++) body.zero(i);
    for (PetscInt e = 0; e < mesh.nelem; e++) body(e);
  });
  if (left_out) return;
  const ZeroGiven pairs{mesh.fixed.data(), map.ptr.data(), map.col.data(), target};
  const PetscInt  given = static_cast<PetscInt>(mesh.given.size());

  if (target.layout == Layout::Cds) for_each_row(mesh.space(), given, ZeroOnDiagonals{mesh.fixed.data(), mesh.given.data(), target});
  else for_each_row_by_lanes(mesh.space(), given, bound<zero_of_given>(pairs, mesh.given.data()));
  if (mesh.nodes > mesh.owned) for_each_row(mesh.space(), mesh.owned, bound<zero_of_others>(pairs));
}

} // namespace goza::assembly
