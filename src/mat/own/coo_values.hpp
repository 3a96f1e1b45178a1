#pragma once
#include "own_mat.hpp"

namespace goza::mat {

/* Where several entries go to one place: `order` sums them up in the order in which they were given. */
void sort_places(Space space, CooPlaces &coo);

/* Each value is added where it belongs. The same in every run. */
void put_values(Space space, const CooPlaces &coo, const PetscScalar *from, PetscScalar *val);

} // namespace goza::mat
