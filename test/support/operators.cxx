#include "operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>

namespace goza_test {
namespace {

std::array<PetscReal, 3> wind_at(Wind wind, PetscReal x, PetscReal y)
{
  if (wind == Wind::constant) return {1, 0.5, 0.25};
  return {2 * y - 1, 1 - 2 * x, 0.25};
}

} // namespace

Entry convection(PetscInt nx, PetscInt ny, PetscInt nz, PetscReal eps, Wind wind, Scheme scheme)
{
  const std::array<PetscInt, 3> n{nx, ny, nz};

  return {"convection", nx * ny * nz, nx * ny * nz, square | full_diagonal | no_zero_pivots | nonempty, [=](PetscInt i, Row &r) {
            const std::array<PetscInt, 3>  at{i % nx, i / nx % ny, i / nx / ny}, step{1, nx, nx * ny};
            const std::array<PetscReal, 3> b        = wind_at(wind, (PetscReal)(at[0] + 1) / (nx + 1), (PetscReal)(at[1] + 1) / (ny + 1));
            const PetscReal                h0       = (PetscReal)1 / (nx + 1);
            PetscReal                      diagonal = 0;

            for (int d = 0; d < (nz > 1 ? 3 : 2); d++) {
              const PetscReal h = (PetscReal)1 / (n[d] + 1), diffusion = eps * h0 * h0 / (h * h), flow = b[d] * h0 * h0 / h;
              const PetscReal before = diffusion + (scheme == Scheme::upwind ? std::max<PetscReal>(flow, 0) : flow / 2);
              const PetscReal behind = diffusion - (scheme == Scheme::upwind ? std::min<PetscReal>(flow, 0) : flow / 2);

              diagonal += before + behind;
              if (at[d] > 0) r.add(i - step[d], -before);
              if (at[d] + 1 < n[d]) r.add(i + step[d], -behind);
            }
            r.add(i, diagonal);
          }};
}

Entry hubs(PetscInt n, PetscInt m)
{
  auto                  links = std::make_shared<std::vector<std::vector<PetscInt>>>(n);
  std::vector<PetscInt> ends, to;
  std::mt19937_64       random(7);

  for (PetscInt t = 0; t < m; t++) to.push_back(t);
  for (PetscInt v = m; v < n; v++) {
    for (PetscInt t : to) {
      (*links)[t].push_back(v);
      (*links)[v].push_back(t);
      ends.push_back(t);
      ends.push_back(v);
    }
    for (to.clear(); (PetscInt)to.size() < m;) {
      const PetscInt t = ends[random() % ends.size()];

      if (std::find(to.begin(), to.end(), t) == to.end()) to.push_back(t);
    }
  }
  return {"hubs", n, n, square | symmetric | spd, [links](PetscInt i, Row &r) {
            r.add(i, (PetscReal)(*links)[i].size() + 0.1);
            for (PetscInt j : (*links)[i]) r.add(j, -1);
          }};
}

Entry stretched7(PetscInt nx, PetscInt ny, PetscInt nz, PetscReal ratio)
{
  const std::array<PetscInt, 3> n{nx, ny, nz};

  return {"stretched7", nx * ny * nz, nx * ny * nz, square | symmetric | spd | full_diagonal | no_zero_pivots | nonempty, [=](PetscInt i, Row &r) {
            const std::array<PetscInt, 3> at{i % nx, i / nx % ny, i / nx / ny}, step{1, nx, nx * ny};
            const auto                    width    = [&](PetscInt k) { return std::pow(ratio, (PetscReal)std::min<PetscInt>(std::max<PetscInt>(k, 0), 60)); };
            PetscReal                     diagonal = 0;

            for (int d = 0; d < 3; d++) {
              const PetscReal area = width(at[(d + 1) % 3]) * width(at[(d + 2) % 3]);

              for (PetscInt side : {-1, 1}) {
                const PetscInt  there = at[d] + side;
                const PetscReal a     = 2 * area / (width(at[d]) + width(there));

                diagonal += a;
                if (there >= 0 && there < n[d]) r.add(i + side * step[d], -a);
              }
            }
            r.add(i, diagonal);
          }};
}

} // namespace goza_test
