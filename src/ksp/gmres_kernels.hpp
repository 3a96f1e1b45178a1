/* The passes of GMRES over its basis: a few vectors of it at a time. */
#pragma once
#include "column_messages.hpp"
#include "core/launch/fused_elements.hpp"

namespace goza::ksp {

/* Vectors of a basis, in a list on the host. */
struct BasisVectors {
  const PetscScalar *const *v;
  PetscInt                  m;
};

/* h: in the space of the vectors, [m]. */
void gmres_products(Space space, PetscInt n, const BasisVectors &basis, const PetscScalar *w, PetscScalar *h, FusedSums &sums); // h_j = v_j^H w
/* w <- w + factor sum_j h_j v_j; *ww = w^H w of this rank, in the space, where it is not nullptr. */
void gmres_combine(Space space, PetscInt n, PetscScalar factor, const BasisVectors &basis, const PetscScalar *h, PetscScalar *w, PetscScalar *ww,
                   FusedSums &sums);
/* w <- w / sqrt(*ww), unless that is 0; and the host is told of a column that is complete by then. */
void gmres_normalize(Space space, PetscInt n, const PetscScalar *ww, PetscScalar *w, const ColumnMessage &column, FusedSums &sums);

} // namespace goza::ksp
