/* The warps that make element matrices: each has two columns of a block's elements and goes through the rows and the planes. For two rows at a time its lanes
   have an element and one of its corners each, and the Gauss point nearest to it: the lanes of an element find the derivatives of its coordinates direction
   after direction, and each leaves the gradients at its point, of which the warp makes the matrices. */
#pragma once
#include "grid_elastic_ring.hpp"

namespace goza::assembly::grid_elasticity {

#if defined(__CUDACC__)

class Producer {
  static constexpr int columns = 2, rows = Ring::together; // lanes: point, row, column

public:
  static constexpr int warps = (GridRegion::most + columns) / columns;

  __device__ static int busy_warps(const GridRegion &region) { return (region.columns() + columns - 1) / columns; }

  /* plane: of elements, the first */
  __device__ Producer(const View &view, const GridRegion &region, const NodeGrid &grid, PetscInt plane, int warp, int lane) :
    view_(view), region_(region), grid_(grid), column_(warp * columns), lane_(lane), row_(lane >> 3 & 1), plane_(plane)
  {
    fetch();
  }

  __device__ void run(int steps, const Ring &ring)
  {
    for (int step = 0; step < steps; step += rows) {
      for (int k = 0; k < rows; k++) ring.wait_empty(step + k);
      leave_gradients(column_ + (lane_ >> 4) < region_.columns() ? ring.row(step + (lane_ >> 3 & 1)) + (column_ + (lane_ >> 4)) * pitch : nullptr);
      next();
      fetch();
      __syncwarp();
  #pragma unroll 1
      for (int k = 0; k < rows; k++) {
        PetscScalar *const first = ring.row(step + k) + column_ * pitch;

        if (column_ + 1 < region_.columns()) multiply_elements<2>(first, {first[pitch - 1], first[2 * pitch - 1]}, lane_);
        else multiply_elements<1>(first, {first[pitch - 1]}, lane_);
        ring.is_full(step + k);
      }
    }
  }

private:
  __device__ void next()
  {
    row_ += rows;
    if (row_ >= region_.rows()) {
      row_ -= region_.rows();
      plane_++;
    }
  }

  /* The lane's corner of its element, and the material. */
  __device__ void fetch()
  {
    const PetscInt x = static_cast<PetscInt>(blockIdx.x) * region_.n[0] - 1 + column_ + (lane_ >> 4),
                   y = static_cast<PetscInt>(blockIdx.y) * region_.n[1] - 1 + row_;

    inside_ = x >= 0 && x + 1 < grid_.n[0] && y >= 0 && y + 1 < grid_.n[1] && plane_ + 1 < grid_.n[2];
    if (!inside_) return;
    const PetscReal *corner   = view_.x[grid_.node(x + (lane_ & 1), y + (lane_ >> 1 & 1), plane_ + (lane_ >> 2 & 1))],
                    *material = view_.material[grid_.element(x, y, plane_)];

  #pragma unroll
    for (int d = 0; d < 3; d++) x_[d] = cached_load(corner + d);
  #pragma unroll
    for (int k = 0; k < 2; k++) material_[k] = cached_load(material + k);
  }

  /* Gradients at the lane's point, times the roots of its weight and of mu; zero for what is no element; and lambda / mu in the word behind a matrix. A
     difference is that of the lane's side and the other one, so that it has the sign of the side, and corners are counted from the lane's own: then shape
     functions are the same for all lanes. */
  __device__ void leave_gradients(PetscScalar *own) const
  {
    constexpr PetscScalar near = Hex8::near_value<PetscScalar>(), far = 1 - near;
    PetscScalar           J[3][3], C[3][3];
    const auto            other   = [](PetscScalar value, int bit) { return __shfl_xor_sync(0xffffffffu, value, bit); };
    const auto            between = [&](PetscScalar value, PetscScalar there) { return near * value + far * there; };

  #pragma unroll
    for (int d = 0; d < 3; d++) {
      const PetscScalar at2 = other(x_[d], 4), own2 = between(x_[d], at2), slope2 = x_[d] - at2, at1 = other(own2, 2), own1 = between(own2, at1),
                        slope1 = own2 - at1, slope21 = between(slope2, other(slope2, 2));

      J[0][d] = own1 - other(own1, 1);
      J[1][d] = between(slope1, other(slope1, 1));
      J[2][d] = between(slope21, other(slope21, 1));
    }
    if (!own) return;
    cross(J[1], J[2], C[0]);
    cross(J[2], J[0], C[1]);
    cross(J[0], J[1], C[2]);
    const PetscScalar det = J[0][0] * C[0][0] + J[0][1] * C[0][1] + J[0][2] * C[0][2], mu = material_[1];
    const bool        plus = (lane_ ^ lane_ >> 1 ^ lane_ >> 2) & 1; // the sides' signs, multiplied
    const PetscScalar root = inside_ ? mu * rsqrt(8 * mu * (plus ? det : -det)) : 0, signed_root = plus ? root : -root;

    if (lane_ % 8 == 0) own[pitch - 1] = inside_ ? material_[0] / mu : 0;
  #pragma unroll
    for (int d = 0; d < 3; d++) {
      PetscScalar of[3][3]; // direction; far sides of the two others

  #pragma unroll
      for (int i = 0; i < 3; i++) {
        const PetscScalar c = signed_root * C[i][d];

        of[i][0] = c * (near * near);
        of[i][1] = c * (near * far);
        of[i][2] = c * (far * far);
      }
  #pragma unroll
      for (int b = 0; b < 8; b++) {
        const int         b0 = b & 1, b1 = b >> 1 & 1, b2 = b >> 2;
        const PetscScalar g0 = of[0][b1 + b2], g1 = of[1][b0 + b2], g2 = of[2][b0 + b1];

        own[gradient_at(d, b ^ lane_ % 8, lane_ >> 2 & 1, lane_ % 4)] = (b0 ? -g0 : g0) + (b1 ? -g1 : g1) + (b2 ? -g2 : g2);
      }
    }
  }

  const View       &view_;
  const GridRegion &region_;
  const NodeGrid   &grid_;
  const int         column_, lane_;
  int               row_; // of the lane's element, and its plane
  PetscInt          plane_;
  bool              inside_;
  PetscScalar       x_[3] = {}, material_[2] = {};
};

#endif

} // namespace goza::assembly::grid_elasticity
