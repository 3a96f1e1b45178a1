/* A product and the dot product with its result: in one pass, the same in every run, the same as apart, in every format and space. */
#include "mat/cds/cds.hpp"
#include "mat/common/narrow.hpp"
#include "mat/fold/fold.hpp"
#include "mat/slicedell/slicedell.hpp"

#include "../support/check.hpp"
#include "../support/spaces.hpp"

#include <cmath>
#include <vector>

using namespace goza;
using goza_test::spaces;

namespace
{

/* Neighbours up to `reach` nodes away, in full blocks; one row in `every` (0: none) also has all columns. */
struct Band {
  std::vector<PetscInt>    ptr{0}, col;
  std::vector<PetscScalar> val;
  PetscInt                 n;

  Band(PetscInt nodes, PetscInt bs, PetscInt reach, PetscInt every) : n(nodes * bs)
  {
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt j = 0; j < n; j++) {
        if (std::abs(i / bs - j / bs) > reach && !(every && i % every == 1)) continue;
        col.push_back(j);
        val.push_back(1 + std::min(i, j) % 5 + std::max(i, j) % 3);
      }
      ptr.push_back(static_cast<PetscInt>(col.size()));
    }
  }
};

void check(const Band &A, const std::function<std::unique_ptr<Format<PetscScalar>>(Space)> &make)
{
  std::vector<PetscScalar> x(A.n), w(A.n), want(A.n);
  PetscScalar              want_dot = 0;

  for (PetscInt i = 0; i < A.n; i++) { /* small integers: all sums are exact */
    x[i] = 1 + i % 7;
    w[i] = 2 - i % 4;
  }
  for (PetscInt i = 0; i < A.n; i++) {
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) want[i] += A.val[k] * x[A.col[k]];
    want_dot += w[i] * want[i];
  }
  for (Space space : spaces()) {
    const Array<PetscInt>    ptr(space, A.ptr.data(), A.ptr.size()), col(space, A.col.data(), A.col.size());
    const Array<PetscScalar> val(space, A.val.data(), A.val.size()), xs(space, x.data(), x.size()), ws(space, w.data(), w.size());
    Array<PetscScalar>       y(space, A.n), dot(space, 1);
    const auto               f = make(space);

    f->build({space, A.n, A.n, ptr.data(), col.data(), val.data()});
    for (int again = 0; again < 3; again++) {
      f->apply_dot(xs.data(), ws.data(), y.data(), dot.data());
      BOOST_TEST(y.to_host() == want, boost::test_tools::per_element());
      BOOST_TEST(dot.to_host()[0] == want_dot, space_name(space) << ": " << dot.to_host()[0] << " instead of " << want_dot);
    }
  }
}

template <template <class, class> class F, class Options> void check_format(const Band &A, const Options &options = {})
{
  for (Precision p : {Precision::Double, Precision::Half}) check(A, [&](Space space) { return make_format<F, PetscScalar>(p, space, options); });
}

} // namespace

BOOST_AUTO_TEST_CASE(cds)
{
  CdsOptions blocks;

  blocks.bs = 3;
  check_format<Cds, CdsOptions>(Band(700, 1, 2, 0));
  check_format<Cds>(Band(300, 3, 1, 0), blocks);
  check_format<Cds, CdsOptions>(Band(150, 1, 1, 50)); /* with a remainder */
}

BOOST_AUTO_TEST_CASE(slicedell)
{
  SlicedEllOptions blocks, narrow;

  blocks.bs           = 6;
  narrow.slice_height = 8;
  check_format<SlicedEll, SlicedEllOptions>(Band(700, 1, 2, 0));
  check_format<SlicedEll>(Band(700, 1, 2, 90), narrow);
  check_format<SlicedEll>(Band(80, 6, 1, 0), blocks);
}

BOOST_AUTO_TEST_CASE(fold)
{
  FoldOptions narrow;

  narrow.width = 4;
  check_format<Fold, FoldOptions>(Band(700, 1, 2, 0));
  check_format<Fold>(Band(300, 1, 1, 100), narrow); /* rows of more than 32 lines */
}

BOOST_AUTO_TEST_CASE(empty)
{
  const std::vector<PetscInt> ptr{0};
  PetscScalar                 dot = 7;
  const auto                  f   = make_format<SlicedEll, PetscScalar>(Precision::Double, Space::Host, SlicedEllOptions());

  f->build({Space::Host, 0, 0, ptr.data(), nullptr, nullptr});
  f->apply_dot(nullptr, nullptr, nullptr, &dot);
  BOOST_TEST(dot == 0);
}
