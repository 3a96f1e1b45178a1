#include "curve.hpp"
#include "core/launch/joined_rows.hpp"

namespace goza::assembly {
namespace {

struct Greatest {
  template <class V> HD static V nothing() { return PETSC_MIN_REAL; }
  template <class V> HD static V join(V a, V b) { return a > b ? a : b; }
};

/* Of a hexahedron the means of parallel edges count: that moved nodes do not make it seem larger. */
struct Extent {
  int      corners;
  PetscInt step; // one in so many counts
  MeshView mesh;

  HD void operator()(PetscInt k, PetscReal *extent) const
  {
    for (int c = 0; c < 3; c++) extent[c] += along(k, c);
  }

private:
  HD PetscReal along(PetscInt k, int c) const
  {
    const PetscInt *corner  = mesh.conn + static_cast<std::int64_t>(k) * step * corners;
    PetscReal       largest = 0;

    if (corners == 8) {
      for (int i = 0; i < 3; i++) {
        PetscReal edge = 0;

        for (int b = 0; b < 8; b++) edge += (b >> i & 1 ? 1 : -1) * mesh.x[corner[b]][c];
        largest = PetscAbsReal(edge) / 4 > largest ? PetscAbsReal(edge) / 4 : largest;
      }
    } else {
      for (int b = 1; b < corners; b++) {
        for (int a = 0; a < b; a++)
          largest = PetscAbsReal(mesh.x[corner[b]][c] - mesh.x[corner[a]][c]) > largest ? PetscAbsReal(mesh.x[corner[b]][c] - mesh.x[corner[a]][c]) : largest;
      }
    }
    return largest;
  }
};

/* The largest of x, y, z, -x, -y and -z. */
struct Box {
  const PetscReal (*x)[3];

  HD void operator()(PetscInt i, PetscReal *most) const
  {
    for (int c = 0; c < 3; c++) {
      most[c]     = Greatest::join(most[c], x[i][c]);
      most[c + 3] = Greatest::join(most[c + 3], -x[i][c]);
    }
  }
};

struct MortonKey {
  Cells cells;
  const PetscReal (*x)[3];
  PetscInt *key;

  HD static PetscInt spread(PetscInt v) // bit k to bit 3 k
  {
    PetscInt s = 0;

    for (int k = 0; k < 10; k++) s |= (v >> k & 1) << (3 * k);
    return s;
  }
  HD void operator()(PetscInt i) const { key[i] = spread(cells.at(x[i][0], 0)) | spread(cells.at(x[i][1], 1)) << 1 | spread(cells.at(x[i][2], 2)) << 2; }
};

} // namespace

Cells find_cells(const Mesh &mesh)
{
  const Space    space = mesh.space();
  const PetscInt step = mesh.nelem > (1 << 20) ? 7 : 1, sample = (mesh.nelem + step - 1) / step; // of elements that come in turns of six, 7 sees all kinds
  const auto     most = joined_rows<Greatest, 6, PetscReal>(space, mesh.owned, Box{mesh.view().x});
  const auto     sum  = joined_rows<Plus, 3, PetscReal>(space, sample, Extent{mesh.corners(), step, mesh.view()});
  Cells          cells;

  for (int c = 0; c < 3; c++) {
    const PetscReal h = std::max(sum[c] / sample, (most[c] + most[c + 3]) / 1023);

    cells.low[c]   = -most[c + 3];
    cells.scale[c] = h > 0 ? 1 / h : 0;
  }
  return cells;
}

Array<PetscInt> along_curve(const Mesh &mesh, const Cells &cells)
{
  Array<PetscInt> key(mesh.space(), mesh.owned);

  for_each_row(mesh.space(), mesh.owned, MortonKey{cells, mesh.view().x, key.data()});
  return order_by(mesh.space(), key.data(), mesh.owned);
}

} // namespace goza::assembly
