/* A product, or a Jacobi step, and the dot products with its result: in one pass, the same in every run, the same as apart, in every format and space. */
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

namespace {

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

  /* The neighbours of a grid's nodes: all 26, or the 6 across a face. */
  Band(PetscInt nx, PetscInt ny, PetscInt nz, bool corners) : n(nx * ny * nz)
  {
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt s = 0; s < 27; s++) {
        const PetscInt dx = s % 3 - 1, dy = s / 3 % 3 - 1, dz = s / 9 - 1, x = i % nx + dx, y = i / nx % ny + dy, z = i / (nx * ny) + dz;

        if (x < 0 || x >= nx || y < 0 || y >= ny || z < 0 || z >= nz || (!corners && std::abs(dx) + std::abs(dy) + std::abs(dz) > 1)) continue;
        const PetscInt j = (z * ny + y) * nx + x;

        col.push_back(j);
        val.push_back(1 + std::min(i, j) % 5 + std::max(i, j) % 3);
      }
      ptr.push_back(static_cast<PetscInt>(col.size()));
    }
  }

  std::vector<PetscScalar> diagonal() const
  {
    std::vector<PetscScalar> d(n);

    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) {
        if (col[k] == i) d[i] = val[k];
      }
    }
    return d;
  }
};

/* y and w'y, y'y are those of what is wanted. */
template <class V> void check_sums(const std::vector<V> &w, const std::vector<V> &want, const Array<V> &y, const Array<PetscScalar> &sum)
{
  PetscScalar wy = 0, yy = 0;

  for (std::size_t i = 0; i < w.size(); i++) {
    wy += static_cast<PetscScalar>(w[i]) * want[i];
    yy += static_cast<PetscScalar>(want[i]) * want[i];
  }
  BOOST_TEST(y.to_host() == want, boost::test_tools::per_element());
  BOOST_TEST(sum.to_host()[0] == wy, space_name(y.space()) << ": " << sum.to_host()[0] << " instead of " << wy);
  BOOST_TEST(sum.to_host()[1] == yy, space_name(y.space()) << ": " << sum.to_host()[1] << " instead of " << yy);
}

template <class V> void check(const Band &A, const std::function<std::unique_ptr<Format<V>>(Space)> &make)
{
  std::vector<V> x(A.n), w(A.n), Ax(A.n);

  for (PetscInt i = 0; i < A.n; i++) { /* small integers: all sums are exact */
    x[i] = 1 + i % 7;
    w[i] = 2 - i % 4;
  }
  for (PetscInt i = 0; i < A.n; i++)
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) Ax[i] += static_cast<V>(A.val[k]) * x[A.col[k]];
  for (Space space : spaces()) {
    const Array<PetscInt>    ptr(space, A.ptr.data(), A.ptr.size()), col(space, A.col.data(), A.col.size());
    const Array<PetscScalar> val(space, A.val.data(), A.val.size());
    const Array<V>           xs(space, x.data(), x.size()), ws(space, w.data(), w.size());
    Array<V>                 y(space, A.n);
    Array<PetscScalar>       sum(space, 2);
    FusedSums                sums(space);
    const auto               f = make(space);

    f->build({space, A.n, A.n, ptr.data(), col.data(), val.data()});
    if (const V *diagonal = f->main_diagonal()) {
      const std::vector<PetscScalar> wanted = A.diagonal();
      Array<V>                       there(space, A.n);

      there.copy_from(diagonal, A.n);
      BOOST_TEST(there.to_host() == std::vector<V>(wanted.begin(), wanted.end()), boost::test_tools::per_element());
    }
    for (int again = 0; again < 3; again++) {
      f->apply_dots(xs.data(), {ws.data(), y.data(), true, &sums});
      add_up(space, sums, sum.data(), sum.data() + 1);
      check_sums(w, Ax, y, sum);
    }
  }
}

template <template <class, class> class F, class Options> void check_format(const Band &A, const Options &options = {})
{
  for (Precision p : {Precision::Double, Precision::Half}) {
    check<PetscScalar>(A, [&](Space space) { return make_format<F, PetscScalar>(p, space, options); });
#if !PetscDefined(USE_REAL_SINGLE)
    check<float>(A, [&](Space space) -> std::unique_ptr<Format<float>> {
      if (p == Precision::Double) return std::make_unique<F<float, float>>(space, options);
      return std::make_unique<Narrow<F<Half, float>, float>>(space, options);
    });
#endif
  }
}

} // namespace

BOOST_AUTO_TEST_CASE(cds)
{
  CdsOptions blocks;

  blocks.bs = 3;
  check_format<Cds, CdsOptions>(Band(700, 1, 2, 0));
  check_format<Cds>(Band(300, 3, 1, 0), blocks);
  check_format<Cds, CdsOptions>(Band(150, 1, 1, 50));   /* with a remainder */
  check_format<Cds, CdsOptions>(Band(128, 4, 3, true)); /* four rows a thread, on a device */
  check_format<Cds, CdsOptions>(Band(32, 4, 3, false));
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
  FusedSums                   sums;
  const auto                  f = make_format<SlicedEll, PetscScalar>(Precision::Double, Space::Host, SlicedEllOptions());

  f->build({Space::Host, 0, 0, ptr.data(), nullptr, nullptr});
  f->apply_dots(nullptr, {nullptr, nullptr, false, &sums});
  add_up(Space::Host, sums, &dot, nullptr);
  BOOST_TEST(dot == 0);
}
