/* One rank's part of a mesh: every element that touches an owned node. Nodes 0 .. owned-1 are this rank's, in the order of the matrix; the others ("ghosts")
   follow in ascending global order, so that a row's columns in this numbering are those of the diagonal block, then those of the off-diagonal block. */
#pragma once
#include "core/util/algorithm.hpp"

namespace goza::assembly {

enum class ElementKind { Hex8, Tet4 };
enum class EquationKind { Diffusion, Elasticity, Mass };

struct MeshView {
  PetscInt        nelem, nodes, owned;
  const PetscInt *conn;             // [nelem][corners]
  const PetscReal (*x)[3];          // [nodes]
  const PetscScalar (*material)[2]; // [nelem] k | lambda, mu | rho
  const unsigned char *fixed;       // [nodes] bit r: unknown r of the node is given (Dirichlet); or null
};

/* The places of an element's corners. */
template <class Element> HD void corners_of(const MeshView &mesh, PetscInt e, PetscReal (*X)[3])
{
  for (int b = 0; b < Element::nodes; b++)
    for (int d = 0; d < 3; d++) X[b][d] = mesh.x[mesh.conn[static_cast<std::int64_t>(e) * Element::nodes + b]][d];
}

struct Mesh {
  ElementKind          kind  = ElementKind::Hex8;
  PetscInt             nelem = 0, nodes = 0, owned = 0;
  Array<PetscInt>      conn;
  Array<PetscReal>     x;
  Array<PetscScalar>   material;
  Array<unsigned char> fixed;
  Array<PetscInt>      given; // the owned nodes with a given unknown

  void give(Array<unsigned char> bits) // as in `fixed`; or none
  {
    given = bits.size() ? flagged(space(), reinterpret_cast<const char *>(bits.data()), owned) : Array<PetscInt>(space());
    fixed = std::move(bits);
  }

  Space    space() const { return conn.space(); }
  int      corners() const { return kind == ElementKind::Hex8 ? 8 : 4; }
  MeshView view() const
  {
    return {nelem,
            nodes,
            owned,
            conn.data(),
            reinterpret_cast<const PetscReal(*)[3]>(x.data()),
            reinterpret_cast<const PetscScalar(*)[2]>(material.data()),
            fixed.size() ? fixed.data() : nullptr};
  }
};

/* The elements with a corner that is no node, ascending: nothing else may look at such a mesh. */
Array<PetscInt> elements_outside(const Mesh &mesh);

/* The elements whose Jacobian is not positive at every integration point, ascending: flat, inverted, or with a coordinate that is no number. */
Array<PetscInt> bad_elements(const Mesh &mesh);

} // namespace goza::assembly
