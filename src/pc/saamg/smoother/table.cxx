/* The one list of smoothers. Adding one: a header like jacobi.hpp and a line in each of the two tables. */
#include "chebyshev.hpp"
#include "l1_jacobi.hpp"
#include "multicolor_gs.hpp"

namespace goza::saamg {

const char *const smoother_names[] = {"jacobi", "chebyshev", "mcgs", "l1jacobi", "auto", NULL};

PetscInt smoother_named(const char *name)
{
  PetscInt which = 0;

  while (strcmp(smoother_names[which], name)) which++;
  return which;
}

template <class V> const SmootherEntry<V> *smoother_table()
{
  static const SmootherEntry<V> table[] = {
    // a set-up takes another in its place
    {"jacobi", JacobiSmoother<V>::create},
    {"chebyshev", ChebyshevSmoother<V>::create},
    {"mcgs", MulticolorGaussSeidel<V>::create},
    {"l1jacobi", L1JacobiSmoother<V>::create},
    {"auto", nullptr},
  };
  static_assert(PETSC_STATIC_ARRAY_LENGTH(table) == PETSC_STATIC_ARRAY_LENGTH(smoother_names) - 1, "a smoother is missing from one of the tables");
  return table;
}

#define INSTANTIATE_TABLE(Entry, V) template const Entry<V> *smoother_table();
FOR_EACH_VECTOR(INSTANTIATE_TABLE, SmootherEntry)

} // namespace goza::saamg
