/* Paper P4's ways of going through the steps: all in one kernel (original), some together (a, b), each by itself (g, g_cuda), in blocks of elements. */
#pragma once
#include "assembly_steps.hpp"
#include <array>

namespace goza_bench {

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

enum class Way {
  Original, // one kernel
  A,        // (2), (1 + 3), (4)
  B,        // (2), (1 + 3 + 4)
  G,        // four kernels, as the paper's OpenACC version lays its arrays out
  GCuda     // as its CUDA version does, step 4 through shared memory
};
struct NamedWay {
  const char *name;
  Way         way;
};
constexpr NamedWay paper_ways[] = {{"original", Way::Original}, {"a", Way::A}, {"b", Way::B}, {"g", Way::G}, {"g_cuda", Way::GCuda}};

/* The arrays between the steps of blocks of so many elements. */
template <class Element> class Between {
  static constexpr std::size_t n = Element::nodes;

public:
  Between(Space space, Way way, PetscInt blksiz) :
    capacity_(way == Way::Original ? 0 : blksiz),
    gradients_(space, way == Way::G || way == Way::GCuda ? Element::points * n * 3 * capacity_ : 0),
    matrix_(space, way == Way::B ? 0 : n * n * 9 * capacity_),
    address_(space, n * n * capacity_)
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

/* Runs kernels, and where it is asked to, adds up their seconds by steps, waiting after each. */
class StepTimes {
public:
  StepTimes(const Bench &bench, double *seconds) : bench_(bench), seconds_(seconds) { }

  /* Bodies of which each does what the one before does and one step more, whose number is given; the last is what is wanted, and without times it alone is
     run. */
  template <class... Bodies> PetscErrorCode run(const std::array<int, sizeof...(Bodies)> &step, const Bodies &...bodies)
  {
    double         before = 0;
    std::size_t    k      = 0;
    PetscErrorCode failed = PETSC_SUCCESS;
    const auto     one    = [&](const auto &body) {
      const bool wanted = k + 1 == sizeof...(Bodies);

      if (!failed && (seconds_ || wanted)) failed = time(body, step[k], &before);
      k++;
    };

    PetscFunctionBeginUser;
    (one(bodies), ...);
    PetscCall(failed);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  template <class Body> PetscErrorCode time(const Body &body, int step, double *before)
  {
    PetscLogDouble begin, end;

    PetscFunctionBeginUser;
    if (!seconds_) {
      for_each_element(bench_.space, body);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(Wait(bench_));
    PetscCall(PetscTime(&begin));
    for_each_element(bench_.space, body);
    PetscCall(Wait(bench_));
    PetscCall(PetscTime(&end));
    seconds_[step] += std::max(end - begin - *before, 0.);
    *before = end - begin;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const Bench &bench_;
  double      *seconds_;
};

template <class Element> PetscErrorCode RunBlock(StepTimes &times, Way way, const Block &b)
{
  using G     = ElementFastest<Element>;
  using GCuda = PointFastest<Element>;

  PetscFunctionBeginUser;
  switch (way) {
  case Way::Original:
    PetscCall(times.run({0, 2, 1, 3}, Fused<Element, 0>{b}, Fused<Element, multiplies>{b}, Fused<Element, multiplies | searches>{b},
                        Fused<Element, multiplies | searches | adds>{b}));
    break;
  case Way::A:
    PetscCall(times.run({1}, Step2<Element>{b}));
    PetscCall(times.run({0, 2}, Fused<Element, 0>{b}, Fused<Element, multiplies | keeps>{b}));
    PetscCall(times.run({3}, Step4<Element>{b}));
    break;
  case Way::B:
    PetscCall(times.run({1}, Step2<Element>{b}));
    PetscCall(times.run({0, 2, 3}, Fused<Element, 0>{b}, Fused<Element, multiplies>{b}, Fused<Element, multiplies | adds>{b}));
    break;
  case Way::G:
    PetscCall(times.run({0}, Step1<Element, G>{b}));
    PetscCall(times.run({1}, Step2<Element>{b}));
    PetscCall(times.run({2}, Step3<Element, G>{b}));
    PetscCall(times.run({3}, Step4<Element>{b}));
    break;
  case Way::GCuda:
    PetscCall(times.run({0}, Step1<Element, GCuda>{b}));
    PetscCall(times.run({1}, Step2<Element>{b}));
    PetscCall(times.run({2}, Step3<Element, GCuda>{b}));
    PetscCall(times.run({3}, Step4OnChip<Element>{b}));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All elements; steps: [4] seconds of each, or null, for a run that waits for nothing. */
template <class Element>
PetscErrorCode RunBlocks(const Bench &bench, Way way, Block b, const std::vector<PetscInt> &parts, PetscInt blksiz, double *steps = nullptr)
{
  StepTimes times(bench, steps);

  PetscFunctionBeginUser;
  for (std::size_t p = 0; p + 1 < parts.size(); p++) {
    for (b.begin = parts[p]; b.begin < parts[p + 1]; b.begin += blksiz) {
      b.count = std::min(blksiz, parts[p + 1] - b.begin);
      PetscCall(RunBlock<Element>(times, way, b));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza_bench
