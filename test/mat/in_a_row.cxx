/* Products one after the other, each of the result of the one before: on a device a kernel may be placed while the one before it is still at work. */
#include "mat/cds/cds.hpp"
#include "mat/fold/fold.hpp"
#include "mat/slicedell/slicedell.hpp"

#include "../support/check.hpp"
#include "../support/spaces.hpp"

#include <memory>
#include <numeric>
#include <string>
#include <vector>

using goza::Array;
using goza::Format;
using goza::Space;

namespace {

/* y_i = x_(i + n / 2), around the end, so often that each element has been everywhere. */
void in_a_row(Format<PetscScalar> &format, PetscInt n, const std::string &what)
{
  constexpr PetscInt       pairs = 60;
  std::vector<PetscInt>    ptr(n + 1), col(n);
  std::vector<PetscScalar> val(n, 1), start(n), expected(n);
  const auto               moved = [n](PetscInt i, PetscInt times) { return static_cast<PetscInt>((i + times * (std::int64_t)(n / 2)) % n); };

  std::iota(ptr.begin(), ptr.end(), 0);
  for (PetscInt i = 0; i < n; i++) {
    col[i]      = moved(i, 1);
    start[i]    = (PetscReal)i;
    expected[i] = (PetscReal)moved(i, 2 * pairs);
  }
  const Space              space = format.space();
  const Array<PetscInt>    p(space, ptr.data(), ptr.size()), c(space, col.data(), col.size());
  const Array<PetscScalar> v(space, val.data(), val.size());
  Array<PetscScalar>       x(space, start.data(), start.size()), y(space, n);

  format.build({space, n, n, p.data(), c.data(), v.data(), n});
  for (PetscInt k = 0; k < pairs; k++) {
    format.apply(x.data(), goza::Assign<PetscScalar>{y.data()});
    format.apply(y.data(), goza::Assign<PetscScalar>{x.data()});
  }
  BOOST_TEST((x.to_host() == expected), what);
}

} // namespace

BOOST_AUTO_TEST_CASE(each_product_reads_what_the_one_before_wrote)
{
  for (const Space space : goza_test::spaces()) {
    for (const PetscInt n : {1000, 70001, 500009}) {
      const std::string                         what = std::to_string(n) + (space == Space::Host ? " rows on the host" : " rows on a device");
      goza::Cds<PetscScalar, PetscScalar>       cds(space);
      goza::Fold<PetscScalar, PetscScalar>      fold(space);
      goza::SlicedEll<PetscScalar, PetscScalar> ell(space);

      in_a_row(cds, n, "cds, " + what);
      in_a_row(fold, n, "fold, " + what);
      in_a_row(ell, n, "slicedell, " + what);
    }
  }
}
