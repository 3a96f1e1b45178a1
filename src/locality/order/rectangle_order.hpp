/* The order in which paper P3's Fold reads x: rows are cut into lines of one width, the last line of each is filled up with zeros, and the rectangle of all
   lines is stored transposed, so that the 32 lanes of a warp read the k-th entries of 32 lines together. The lines that rows begin with come first, then the
   second ones of those that have them, and so on: the paper does not say it, but only so does padding lengthen runs, as its figure 4 shows. Padding reads
   x[0]. */
#pragma once
#include "core/launch/tuning.hpp"
#include "core/sparse/csr.hpp"
#include <vector>

namespace goza::locality {

struct RectangleOrder {
  PetscInt        nrows;
  const PetscInt *ptr, *col; // [nrows + 1], [ptr[nrows]]
  PetscInt        width;

  /* Places that the lines take. */
  std::int64_t places() const
  {
    std::int64_t lines = 0;

    for (PetscInt i = 0; i < nrows; i++) lines += (ptr[i + 1] - ptr[i] + width - 1) / width;
    return lines * width;
  }

  template <class Visit> void operator()(const Visit &visit) const
  {
    std::vector<PetscInt> first, end; // of the lines of a warp
    PetscInt              folds = 0;

    for (std::vector<PetscInt> rows = all(), longer; !rows.empty(); rows.swap(longer)) {
      const PetscInt fold = folds++;

      longer.clear();
      for (PetscInt i : rows) {
        const PetscInt k = ptr[i] + fold * width;

        first.push_back(k);
        end.push_back(k + width < ptr[i + 1] ? k + width : ptr[i + 1]);
        if (k + width < ptr[i + 1]) longer.push_back(i);
        if (first.size() == warp_lanes) read(first, end, visit);
      }
    }
    read(first, end, visit);
  }

private:
  /* Rows that have a line */
  std::vector<PetscInt> all() const
  {
    std::vector<PetscInt> rows;

    for (PetscInt i = 0; i < nrows; i++)
      if (ptr[i + 1] > ptr[i]) rows.push_back(i);
    return rows;
  }

  template <class Visit> void read(std::vector<PetscInt> &first, std::vector<PetscInt> &end, const Visit &visit) const
  {
    for (PetscInt k = 0; k < width; k++) {
      for (std::size_t l = 0; l < first.size(); l++) {
        const bool padding = first[l] + k >= end[l];

        visit(padding ? 0 : col[first[l] + k], padding);
      }
    }
    first.clear();
    end.clear();
  }
};

} // namespace goza::locality
