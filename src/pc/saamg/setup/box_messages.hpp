/* What ranks tell one another of the boxes at 8 places, and of rows of P there. */
#pragma once
#include "box_ranks_rows.hpp"

namespace goza::saamg {

/* The boxes of a node's 8 places: what is known of them on the rank that has the node; -1: nothing. */
struct PackBoxes {
  BoxGrid         grid;
  const PetscInt *list, *node, *of_box;
  PetscInt       *numbers; // [wanted][8]

  HD static PetscInt box_at(const BoxGrid &grid, const BoxNode &n, int place) // -1: there is none
  {
    PetscInt box[3];
    bool     there = n.inside;

    for (int d = 0; d < 3; d++) {
      box[d] = n.box[d] + lower_box(n.o[d]) + (place >> d & 1);
      there  = there && box[d] >= 0 && box[d] < grid.boxes[d];
    }
    return there ? grid.number(box) : -1;
  }
  HD void operator()(PetscInt w) const
  {
    const BoxNode n = grid.place(node[list[w]]);

    for (int place = 0; place < 8; place++) {
      const PetscInt box = box_at(grid, n, place);

      numbers[8 * static_cast<std::size_t>(w) + place] = box < 0 ? -1 : of_box[box];
    }
  }
};

HD inline void unpack_boxes(PetscInt g, const BoxGrid &grid, const PetscInt *node, const PetscInt *numbers, PetscInt *of_box)
{
  if (node[g] < 0) return;
  const BoxNode n = grid.place(node[g]);

  for (int place = 0; place < 8; place++) {
    const PetscInt box = PackBoxes::box_at(grid, n, place), number = numbers[8 * static_cast<std::size_t>(g) + place];

    if (box >= 0 && number >= 0) of_box[box] = number;
  }
}

/* Rows of P that others want, by their 8 places: values and global numbers [wanted][8], either of them null where it is not asked for. */
HD inline void pack_places(PetscInt w, const NumberedPlaces &places, const GlobalNumber &global, const PetscInt *list, const PetscInt *ptr,
                           const PetscScalar *val, PetscScalar *values, PetscInt *numbers)
{
  const PetscInt i = list[w];

  places.for_each(places.node[i], [&](int place, PetscInt k, PetscInt number) {
    if (values) values[8 * static_cast<std::size_t>(w) + place] = val[ptr[i] + k];
    if (numbers) numbers[8 * static_cast<std::size_t>(w) + place] = global(number);
  });
}

/* node: of the ghosts */
HD inline void unpack_values(PetscInt g, const Bits8 *reach, const PetscInt *node, const PetscInt *ptr, const PetscScalar *values, PetscScalar *val)
{
  const PetscInt here = node[g];

  if (here < 0) return;
  for (int place = 0; place < 8; place++)
    if (reach[here] >> place & 1) val[ptr[here] + entries_below(reach[here], place)] = values[8 * static_cast<std::size_t>(g) + place];
}

/* places.node: of the ghosts */
HD inline void unpack_numbers(PetscInt g, const NumberedPlaces &places, const PetscInt *numbers, PetscInt *of_box)
{
  const PetscInt here = places.node[g];

  if (here < 0) return;
  const BoxNode n = places.grid.place(here);

  for (int place = 0; place < 8; place++)
    if (places.reach[here] >> place & 1) of_box[places.box(n, place)] = numbers[8 * static_cast<std::size_t>(g) + place];
}

} // namespace goza::saamg
