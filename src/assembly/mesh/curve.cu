#include "curve.hpp"
#include "core/util/algorithm.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::assembly
{

namespace
{

/* Of a hexahedron the means of parallel edges count: that moved nodes do not make it seem larger. */
struct Extent {
  int        corners, c;
  PetscInt   step; // one in so many counts
  MeshView   mesh;
  PetscReal *extent;

  HD void operator()(PetscInt k) const
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
    extent[k] = largest;
  }
};

struct Component {
  int       c;
  PetscReal sign;
  const PetscReal (*x)[3];
  PetscReal *value;

  HD void operator()(PetscInt i) const { value[i] = sign * x[i][c]; }
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
  const Space      space = mesh.space();
  const PetscInt   step = mesh.nelem > (1 << 20) ? 7 : 1, sample = (mesh.nelem + step - 1) / step; // of elements that come in turns of six, 7 sees all kinds
  Array<PetscReal> value(space, mesh.owned), extent(space, sample);
  Array<PetscReal> mean(space, 1);
  Cells            cells;

  for (int c = 0; c < 3; c++) {
    PetscReal high, h;

    for_each_row(space, mesh.owned, Component{c, 1, mesh.view().x, value.data()});
    high = largest(space, value.data(), mesh.owned);
    for_each_row(space, mesh.owned, Component{c, -1, mesh.view().x, value.data()});
    cells.low[c] = -largest(space, value.data(), mesh.owned);
    for_each_row(space, sample, Extent{mesh.corners(), c, step, mesh.view(), extent.data()});
    sum_into(space, extent.data(), sample, mean.data());
    h              = read_value(space, mean.data()) / sample;
    h              = (high - cells.low[c]) / 1023 > h ? (high - cells.low[c]) / 1023 : h;
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
