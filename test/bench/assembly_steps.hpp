/* The steps and variants of paper P4 (Nakajima 2016): (1) Jacobian and gradients, (2) address search in the block CRS, (3) element matrix, (4) add. Elements
   k < count of a block; element(k) is its number. Arrays between steps are [..][capacity]. */
#pragma once
#include "assembly/kernels/element.hpp"
#include "assembly/kernels/equation.hpp"
#include "assembly/kernels/element_bodies.hpp"
#include "assembly_tools.hpp"
#include "core/util/search.hpp"

namespace goza_bench
{

struct Block {
  MeshView        mesh;
  const PetscInt *order, *ptr, *col; // order: elements by colour, or null
  PetscInt        begin, count, capacity;
  PetscScalar    *gradients, *matrix; // [points][corners][3][capacity], [corners][corners][9][capacity]
  PetscInt       *address;            // [corners][corners][capacity]
  PetscScalar    *val;                // [pairs][9]
  bool            atomic;

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
};

HD inline PetscInt search(const PetscInt *ptr, const PetscInt *col, PetscInt i, PetscInt j)
{
  return lower_bound(col, ptr[i], ptr[i + 1] - 1, j);
}

template <class Element> struct Step1 : Block {
  static constexpr int n = Element::nodes;

  HD void operator()(PetscInt t) const
  {
    const PetscInt k = t % this->count, q = t / this->count;
    PetscScalar    X[n][3], g[n][3];

    corners_of<Element>(this->mesh, this->element(k), X);
    rooted_gradients<Element>(X, static_cast<int>(q), g);
    for (int b = 0; b < n; b++) {
      for (int d = 0; d < 3; d++) this->gradients[static_cast<std::int64_t>((q * n + b) * 3 + d) * this->capacity + k] = g[b][d];
    }
  }
};

template <class Element> struct Step2 : Block {
  static constexpr int n = Element::nodes;

  HD void operator()(PetscInt t) const
  {
    const PetscInt  k = t % this->count, ab = t / this->count;
    const PetscInt *c = this->mesh.conn + static_cast<std::int64_t>(this->element(k)) * n;

    this->address[static_cast<std::int64_t>(ab) * this->capacity + k] = search(this->ptr, this->col, c[ab / n], c[ab % n]);
  }
};

template <class Element> struct Step3 : Block {
  static constexpr int n = Element::nodes;

  HD void operator()(PetscInt t) const
  {
    const PetscInt k = t % this->count, ab = t / this->count, e = this->element(k);
    PetscScalar    S[9] = {}, K[9];

    for (int q = 0; q < Element::points; q++) {
      const PetscScalar *g = this->gradients + static_cast<std::int64_t>(q * n * 3) * this->capacity + k;
      PetscScalar        a[3], b[3];

      for (int d = 0; d < 3; d++) {
        a[d] = g[static_cast<std::int64_t>(ab / n * 3 + d) * this->capacity];
        b[d] = g[static_cast<std::int64_t>(ab % n * 3 + d) * this->capacity];
      }
      Elasticity::add(a, b, PetscScalar(0), S);
    }
    Elasticity::block(S, static_cast<PetscScalar>(this->mesh.material[e][0]), static_cast<PetscScalar>(this->mesh.material[e][1]), K);
    for (int c = 0; c < 9; c++) this->matrix[static_cast<std::int64_t>(ab * 9 + c) * this->capacity + k] = K[c];
  }
};

struct Step4 : Block {
  HD void operator()(PetscInt t) const // the nine values of a block are neighbours: the paper's order for coalesced writing
  {
    const PetscInt c = t % 9, k = t / 9 % count, ab = t / 9 / count;

    add(address[static_cast<std::int64_t>(ab) * capacity + k], static_cast<int>(c), matrix[static_cast<std::int64_t>(ab * 9 + c) * capacity + k]);
  }
};

/* Steps in one: a thread a row of an element matrix. */
template <class Element, bool searches, bool adds> struct Fused : Block {
  static constexpr int n = Element::nodes;

  HD void operator()(PetscInt t) const
  {
    const PetscInt  k = t % this->count, a = t / this->count, e = this->element(k);
    const PetscInt *c = this->mesh.conn + static_cast<std::int64_t>(e) * n;
    PetscScalar     X[n][3], g[n][3], S[n][9] = {};

    corners_of<Element>(this->mesh, e, X);
    for (int q = 0; q < Element::points; q++) {
      PetscScalar ga[3] = {};

      rooted_gradients<Element>(X, q, g);
      for (int b = 0; b < n; b++) {
        for (int d = 0; d < 3; d++) ga[d] = a == b ? g[b][d] : ga[d];
      }
      for (int b = 0; b < n; b++) Elasticity::add(ga, g[b], PetscScalar(0), S[b]);
    }
    for (int b = 0; b < n; b++) {
      PetscScalar K[9];
      const PetscInt ab = a * n + b, pair = adds ? (searches ? search(this->ptr, this->col, c[a], c[b]) : this->address[static_cast<std::int64_t>(ab) * this->capacity + k]) : 0;

      Elasticity::block(S[b], static_cast<PetscScalar>(this->mesh.material[e][0]), static_cast<PetscScalar>(this->mesh.material[e][1]), K);
      for (int d = 0; d < 9; d++) {
        if (adds) this->add(pair, d, K[d]);
        else this->matrix[static_cast<std::int64_t>(ab * 9 + d) * this->capacity + k] = K[d];
      }
    }
  }
};

/* Which elements are added at a time: those of one colour after the other, or, where they add atomically, all of them. */
struct Order {
  Array<PetscInt>       elements; // none: as they come
  std::vector<PetscInt> parts;

  Order(Space space, const Mesh &mesh, bool atomic);
};

/* Greedy, on the host. */
inline void colour_elements(const Mesh &mesh, std::vector<PetscInt> &order, std::vector<PetscInt> &ptr)
{
  const std::vector<PetscInt>        conn = mesh.conn.to_host();
  std::vector<unsigned long long>    seen(mesh.nodes, 0);
  std::vector<std::vector<PetscInt>> by_colour;
  const int                          n = mesh.corners();

  for (PetscInt e = 0; e < mesh.nelem; e++) {
    unsigned long long mask = 0;
    std::size_t        c    = 0;

    for (int b = 0; b < n; b++) mask |= seen[conn[static_cast<std::size_t>(e) * n + b]];
    while (c < 63 && mask >> c & 1) c++;
    for (int b = 0; b < n; b++) seen[conn[static_cast<std::size_t>(e) * n + b]] |= 1ull << c;
    if (by_colour.size() <= c) by_colour.resize(c + 1);
    by_colour[c].push_back(e);
  }
  ptr.assign(1, 0);
  for (const auto &c : by_colour) {
    order.insert(order.end(), c.begin(), c.end());
    ptr.push_back(static_cast<PetscInt>(order.size()));
  }
}

inline Order::Order(Space space, const Mesh &mesh, bool atomic) : parts{0, mesh.nelem}
{
  std::vector<PetscInt> order;

  if (!atomic) colour_elements(mesh, order, parts);
  elements = Array<PetscInt>(space, order.data(), order.size());
}

struct FormatChoice {
  const char *name;
  char        letter;
};
constexpr FormatChoice paper_ways[] = {{"original", 'o'}, {"a", 'a'}, {"b", 'b'}, {"g", 'g'}};

/* The arrays between the steps of blocks of so many elements. */
template <class Element> class Between {
  static constexpr std::size_t n = Element::nodes;

public:
  Between(Space space, char way, PetscInt blksiz) :
    capacity_(way == 'o' ? 0 : blksiz), gradients_(space, way == 'g' ? Element::points * n * 3 * capacity_ : 0), matrix_(space, way == 'a' || way == 'g' ? n * n * 9 * capacity_ : 0), address_(space, n * n * capacity_)
  {
  }

  /* val: [pairs][9] of the map's pattern */
  Block block(const Mesh &mesh, const AssemblyMap &map, const Order &order, PetscScalar *val)
  {
    const bool atomic = !order.elements.size();

    return {mesh.view(),
            order.elements.data(),
            map.ptr.data(),
            map.col.data(),
            0,
            0,
            static_cast<PetscInt>(capacity_),
            gradients_.data(),
            matrix_.data(),
            address_.data(),
            val,
            atomic};
  }

private:
  std::size_t        capacity_;
  Array<PetscScalar> gradients_, matrix_;
  Array<PetscInt>    address_;
};

template <class Element> PetscErrorCode RunBlocks(const Bench &bench, char way, Block b, const std::vector<PetscInt> &parts, PetscInt blksiz, bool wait)
{
  constexpr PetscInt n   = Element::nodes;
  const auto         run = [&](int step, PetscInt threads, const auto &body) -> PetscErrorCode {
    PetscFunctionBeginUser;
    if (wait) PetscCall(PetscLogEventBegin(bench.step[step], 0, 0, 0, 0));
    for_each_row(bench.space, threads, body);
    if (wait) {
      PetscCall(Wait(bench));
      PetscCall(PetscLogEventEnd(bench.step[step], 0, 0, 0, 0));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  };

  PetscFunctionBeginUser;
  for (std::size_t p = 0; p + 1 < parts.size(); p++) {
    for (b.begin = parts[p]; b.begin < parts[p + 1]; b.begin += blksiz) {
      b.count = std::min(blksiz, parts[p + 1] - b.begin);
      if (way == 'o') PetscCall(run(3, n * b.count, Fused<Element, true, true>{b}));
      if (way == 'a' || way == 'b' || way == 'g') PetscCall(run(1, n * n * b.count, Step2<Element>{b}));
      if (way == 'b') PetscCall(run(3, n * b.count, Fused<Element, false, true>{b}));
      if (way == 'a') PetscCall(run(2, n * b.count, Fused<Element, false, false>{b}));
      if (way == 'g') PetscCall(run(0, Element::points * b.count, Step1<Element>{b}));
      if (way == 'g') PetscCall(run(2, n * n * b.count, Step3<Element>{b}));
      if (way == 'a' || way == 'g') PetscCall(run(3, 9 * n * n * b.count, Step4{b}));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza_bench
