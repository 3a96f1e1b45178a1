/* The steps and variants of paper P4 (Nakajima 2016): (1) Jacobian and gradients, (2) address search in the block CRS, (3) element matrix, (4) add.

   A body does what falls to one member of the team that has an element: `HD void operator()(int phase, PetscInt k, int member, PetscScalar *chip)` for element
   k < count of a block of elements, whose number is element(k). Members of a team are neighbouring threads; what one leaves on chip in a phase the others read
   in the next. A body without `chip` has one phase.

   Arrays between steps, the last index fastest, are [capacity][corners * corners] addresses and [capacity][9][corners * corners] entries of element matrices.
   Gradients are [points][corners][3][capacity] where a thread has an element (the paper's OpenACC version, G), [3][capacity][corners][points] where it has a
   point (its CUDA version, G_cuda). */
#pragma once
#include "assembly/kernels/element.hpp"
#include "assembly/kernels/equation.hpp"
#include "assembly/kernels/element_bodies.hpp"
#include "assembly_tools.hpp"
#include "core/util/search.hpp"

namespace goza_bench {

struct Block {
  MeshView        mesh;
  const PetscInt *order, *ptr, *col; // order: elements by colour, or null
  PetscInt        begin, count, capacity;
  PetscScalar    *gradients, *matrix;
  PetscInt       *address;
  PetscScalar    *val; // [pairs][9]
  bool            atomic;
  PetscScalar     never = PETSC_MAX_REAL;

  HD PetscInt element(PetscInt k) const { return order ? order[begin + k] : begin + k; }
  HD void     add(PetscInt pair, int c, PetscScalar value) const
  {
#if defined(__CUDA_ARCH__)
    if (atomic) {
      atomicAdd(val + static_cast<std::int64_t>(pair) * 9 + c, value);
      return;
    }
#endif
    val[static_cast<std::int64_t>(pair) * 9 + c] += value;
  }
  /* What a part of the steps comes to, which nobody reads: without this the compiler would leave it out. */
  HD void pretend_to_use(PetscScalar value) const
  {
    if (value == never) val[0] = value;
  }
};

HD inline PetscInt search(const PetscInt *ptr, const PetscInt *col, PetscInt i, PetscInt j) { return lower_bound(col, ptr[i], ptr[i + 1] - 1, j); }

/* Where entry d of the gradient of corner b at point q of element k stands. */
template <class Element> struct ElementFastest {
  static constexpr int team = 1; // of step 1

  HD static std::int64_t at(int q, int b, int d, PetscInt k, PetscInt capacity)
  {
    return static_cast<std::int64_t>((q * Element::nodes + b) * 3 + d) * capacity + k;
  }
};
template <class Element> struct PointFastest {
  static constexpr int team = Element::points;

  HD static std::int64_t at(int q, int b, int d, PetscInt k, PetscInt capacity)
  {
    return ((static_cast<std::int64_t>(d) * capacity + k) * Element::nodes + b) * Element::points + q;
  }
};

template <class Element, class Layout> struct Step1 : Block {
  static constexpr int n = Element::nodes, team = Layout::team;

  HD void operator()(int, PetscInt k, int member, PetscScalar *) const
  {
    PetscScalar X[n][3], g[n][3];

    corners_of<Element>(this->mesh, this->element(k), X);
    for (int q = member; q < Element::points; q += team) {
      rooted_gradients<Element>(X, q, g);
      for (int b = 0; b < n; b++) {
        for (int d = 0; d < 3; d++) this->gradients[Layout::at(q, b, d, k, this->capacity)] = g[b][d];
      }
    }
  }
};

template <class Element> struct Step2 : Block {
  static constexpr int n = Element::nodes, team = n * n;

  HD void operator()(int, PetscInt k, int ab, PetscScalar *) const
  {
    const PetscInt *c = this->mesh.conn + static_cast<std::int64_t>(this->element(k)) * n;

    this->address[static_cast<std::int64_t>(k) * team + ab] = search(this->ptr, this->col, c[ab / n], c[ab % n]);
  }
};

template <class Element, class Layout> struct Step3 : Block {
  static constexpr int n = Element::nodes, team = n * n;

  HD void operator()(int, PetscInt k, int ab, PetscScalar *) const
  {
    const PetscInt e    = this->element(k);
    PetscScalar    S[9] = {}, K[9];

    for (int q = 0; q < Element::points; q++) {
      PetscScalar a[3], b[3];

      for (int d = 0; d < 3; d++) {
        a[d] = this->gradients[Layout::at(q, ab / n, d, k, this->capacity)];
        b[d] = this->gradients[Layout::at(q, ab % n, d, k, this->capacity)];
      }
      Elasticity::add(a, b, PetscScalar(0), S);
    }
    Elasticity::block(S, static_cast<PetscScalar>(this->mesh.material[e][0]), static_cast<PetscScalar>(this->mesh.material[e][1]), K);
    for (int c = 0; c < 9; c++) this->matrix[(static_cast<std::int64_t>(k) * 9 + c) * team + ab] = K[c];
  }
};

/* The nine values of a block are neighbours among the threads, so that they are written side by side. */
template <class Element> struct Step4 : Block {
  static constexpr int pairs = Element::nodes * Element::nodes, team = 9 * pairs;

  HD void operator()(int, PetscInt k, int t, PetscScalar *) const
  {
    const int c = t % 9, ab = t / 9;

    this->add(this->address[static_cast<std::int64_t>(k) * pairs + ab], c, this->matrix[(static_cast<std::int64_t>(k) * 9 + c) * pairs + ab]);
  }
};

/* Threads read side by side as step 3 has written, and write side by side what others have read: values change hands on chip. */
template <class Element> struct Step4OnChip : Block {
  static constexpr int pairs = Element::nodes * Element::nodes, team = pairs, phases = 2, chip = 9 * pairs;

  HD void operator()(int phase, PetscInt k, int member, PetscScalar *values) const
  {
    if (phase == 0) {
      for (int c = 0; c < 9; c++) values[9 * member + c] = this->matrix[(static_cast<std::int64_t>(k) * 9 + c) * pairs + member];
      return;
    }
    for (int t = member; t < chip; t += team) this->add(this->address[static_cast<std::int64_t>(k) * pairs + t / 9], t % 9, values[t]);
  }
};

/* What one kernel does of an element after its gradients; all of it but `adds` and `keeps` serves to time the steps apart. */
enum Parts : unsigned {
  multiplies = 1,
  searches   = 2,
  keeps      = 4, // the element matrix
  adds       = 8
};

/* Steps in one: a thread a row of an element matrix, from gradients that each point's thread has left on chip. */
template <class Element, unsigned parts> struct Fused : Block {
  static constexpr int n = Element::nodes, pairs = n * n, team = n, phases = 2, chip = Element::points * n * 3;

  HD void operator()(int phase, PetscInt k, int a, PetscScalar *g) const
  {
    const PetscInt e = this->element(k);

    if (phase == 0) leave_gradients(e, a, g);
    else if constexpr (parts & multiplies) multiply(e, k, a, g);
    else {
      PetscScalar sum = 0;

      for (int q = 0; q < Element::points; q++) sum += g[(q * n + a) * 3];
      this->pretend_to_use(sum);
    }
  }

private:
  HD void leave_gradients(PetscInt e, int q, PetscScalar *g) const
  {
    PetscScalar X[n][3], mine[n][3];

    if (q >= Element::points) return;
    corners_of<Element>(this->mesh, e, X);
    rooted_gradients<Element>(X, q, mine);
    for (int b = 0; b < n; b++) {
      for (int d = 0; d < 3; d++) g[(q * n + b) * 3 + d] = mine[b][d];
    }
  }

  HD void multiply(PetscInt e, PetscInt k, int a, const PetscScalar *g) const
  {
    const PetscInt *c       = this->mesh.conn + static_cast<std::int64_t>(e) * n;
    PetscScalar     S[n][9] = {}, used = 0;

    for (int q = 0; q < Element::points; q++) {
      for (int b = 0; b < n; b++) Elasticity::add(g + (q * n + a) * 3, g + (q * n + b) * 3, PetscScalar(0), S[b]);
    }
    for (int b = 0; b < n; b++) {
      const int      ab   = a * n + b;
      const PetscInt pair = parts & searches ? search(this->ptr, this->col, c[a], c[b])
                          : parts & adds     ? this->address[static_cast<std::int64_t>(k) * pairs + ab]
                                             : 0;
      PetscScalar    K[9];

      Elasticity::block(S[b], static_cast<PetscScalar>(this->mesh.material[e][0]), static_cast<PetscScalar>(this->mesh.material[e][1]), K);
      for (int d = 0; d < 9; d++) {
        if (parts & adds) this->add(pair, d, K[d]);
        else if (parts & keeps) this->matrix[(static_cast<std::int64_t>(k) * 9 + d) * pairs + ab] = K[d];
        else used += K[d];
      }
      used += static_cast<PetscScalar>(pair);
    }
    if (!(parts & (adds | keeps))) this->pretend_to_use(used);
  }
};

/* --- teams */

template <class Body, class = void> constexpr int chip_of                                          = 0;
template <class Body> constexpr int               chip_of<Body, std::void_t<decltype(Body::chip)>> = Body::chip;

template <class Body> struct MemberOf {
  Body body;

  HD void operator()(PetscInt t) const { body(0, t / Body::team, static_cast<int>(t % Body::team), nullptr); }
};

#if defined(__CUDACC__)
constexpr int team_threads = 128; // two hexahedra in the paper's CUDA version

template <class Body> __global__ void __launch_bounds__(team_threads) TeamKernel(PetscInt count, Body body)
{
  constexpr int          together = team_threads / Body::team;
  __shared__ PetscScalar chip[together * (Body::chip + 1)];
  const int              mine = threadIdx.x / Body::team, member = threadIdx.x % Body::team;
  const PetscInt         k = static_cast<PetscInt>(blockIdx.x) * together + mine;

  for (int phase = 0; phase < Body::phases; phase++) {
    if (k < count) body(phase, k, member, chip + mine * (Body::chip + 1));
    __syncthreads();
  }
}
#endif

template <class Body> void for_each_element(Space space, const Body &body)
{
  if constexpr (chip_of<Body> == 0) for_each_row(space, Body::team * body.count, MemberOf<Body>{body});
  else {
#if defined(__CUDACC__)
    if (space == Space::Cuda) {
      launch_kernel<TeamKernel<Body>>(blocks_for(body.count, team_threads / Body::team), team_threads, body.count, body);
      return;
    }
#endif
    std::vector<PetscScalar> chip(Body::chip);

    for (PetscInt k = 0; k < body.count; k++) {
      for (int phase = 0; phase < Body::phases; phase++) {
        for (int member = 0; member < Body::team; member++) body(phase, k, member, chip.data());
      }
    }
  }
}

} // namespace goza_bench
