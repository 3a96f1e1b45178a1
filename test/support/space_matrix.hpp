/* Small matrices of whole numbers in either space, and a format's product with them by hand. */
#pragma once

#include "check.hpp"
#include "spaces.hpp"
#include "core/sparse/csr.hpp"
#include "core/sparse/format.hpp"

#include <vector>

namespace goza_test {

using namespace goza;

/* A matrix in either space, from the columns of its rows. */
class Matrix {
public:
  Matrix(Space space, const std::vector<std::vector<PetscInt>> &rows, PetscInt ncols) : space_(space), nrows_(static_cast<PetscInt>(rows.size())), ncols_(ncols)
  {
    for (const auto &row : rows) {
      for (PetscInt c : row) {
        hcol.push_back(c);
        hval.push_back(static_cast<PetscReal>(1 + (hval.size() * 5) % 8));
      }
      hptr.push_back(static_cast<PetscInt>(hcol.size()));
    }
    ptr_ = Array<PetscInt>(space, hptr.data(), hptr.size());
    col_ = Array<PetscInt>(space, hcol.data(), hcol.size());
    set_values();
  }

  void scale(PetscScalar by)
  {
    for (PetscScalar &v : hval) v *= by;
    set_values();
  }

  Csr csr() const { return {space_, nrows_, ncols_, ptr_.data(), col_.data(), val_.data()}; }

  std::vector<PetscScalar> times(const std::vector<PetscScalar> &x) const
  {
    std::vector<PetscScalar> y(nrows_);
    for (PetscInt i = 0; i < nrows_; i++)
      for (PetscInt k = hptr[i]; k < hptr[i + 1]; k++) y[i] += hval[k] * x[hcol[k]];
    return y;
  }

  std::vector<PetscInt>    hptr{0}, hcol;
  std::vector<PetscScalar> hval;

private:
  void set_values() { val_ = Array<PetscScalar>(space_, hval.data(), hval.size()); }

  Space              space_;
  PetscInt           nrows_, ncols_;
  Array<PetscInt>    ptr_, col_;
  Array<PetscScalar> val_;
};

inline void check_product(const Format<PetscScalar> &f, const Matrix &A, Space space, const std::string &what)
{
  const PetscInt           n = f.nrows(), m = f.ncols();
  std::vector<PetscScalar> x(m), b(n);

  for (PetscInt j = 0; j < m; j++) x[j] = 1 + j % 16; /* small integers: exact in any order */
  for (PetscInt i = 0; i < n; i++) b[i] = i % 3;
  const auto               Ax = A.times(x);
  const Array<PetscScalar> xs(space, x.data(), m), bs(space, b.data(), n);
  Array<PetscScalar>       y(space, n), dot(space, 1);
  FusedSums                sums(space);

  f.apply(xs.data(), Residual<PetscScalar>{bs.data(), y.data()});
  auto want = b;
  for (PetscInt i = 0; i < n; i++) want[i] -= Ax[i];
  BOOST_TEST(y.to_host() == want, what << ": residual");
  f.apply_dots(xs.data(), {bs.data(), y.data(), false, &sums});
  add_up(space, sums, dot.data(), nullptr);
  BOOST_TEST(y.to_host() == Ax, what << ": product");
  PetscScalar sum = 0;
  for (PetscInt i = 0; i < n; i++) sum += b[i] * Ax[i];
  BOOST_TEST(dot.to_host()[0] == sum, what << ": dot product");
}

} // namespace goza_test
