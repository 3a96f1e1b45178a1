#pragma once
#include "own_mat.hpp"

namespace goza::mat {

/* Where several entries go to one place: `order` sums them up in the order in which they were given. On the host. */
void sort_places(CooPlaces &coo);

/* Each value is added where it belongs. The same in every run. */
void put_values(Space space, const CooPlaces &coo, const PetscScalar *from, PetscScalar *val);

/* From the host to values on a device, a part at a time with its places: neither the values nor the places of all are ever there. Of coordinates without
   doubles. */
class CooParts {
public:
  CooParts() = default;
  explicit CooParts(const CooPlaces &coo);
  void put(const CooPlaces &coo, const PetscScalar *from, PetscScalar *val);

private:
  CooPlaces          part_;
  Array<PetscScalar> from_;
};

} // namespace goza::mat
