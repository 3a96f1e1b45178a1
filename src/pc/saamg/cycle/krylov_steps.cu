#include "krylov_steps.hpp"
#include "core/launch/fused_elements.hpp"
#include "parallel/agree.hpp"
#include "petsc/errors.hpp"
#include <limits>
#include <petscsys.h>

namespace goza::saamg
{

namespace
{

/* Corrections c, v = A c, and u, which is c (conjugate gradients) or v (GCR): the first three sums are u1^H v1, u1^H b, the others u1^H v2, u2^H v2 and, b being what is left then, u2^H b. */
constexpr PetscInt first_sums = 2, second_sums = 3, all_sums = first_sums + second_sums;

/* Where sums tell of no step that is one, the first correction is taken as it is: of a right-hand side of zeros, a singular level, an indefinite one in conjugate gradients. */
struct Multiples {
  const PetscScalar *sums;
  PetscReal          rounding; // of the vectors

  HD bool        one() const { return PetscRealPart(sums[0]) > 0 && finite(sums[1] / PetscRealPart(sums[0])); }
  HD PetscScalar of_first() const { return one() ? sums[1] / PetscRealPart(sums[0]) : PetscScalar(1); }
  /* Of the second beside it, and of the first for that. */
  HD PetscScalar of_second() const
  {
    const PetscReal whole = PetscRealPart(sums[3]), beside = one() ? whole - PetscRealPart(PetscConj(sums[2]) * sums[2]) / PetscRealPart(sums[0]) : 0;
    const bool      two = beside > rounding * whole && finite(sums[4] / beside);

    return two ? sums[4] / beside : PetscScalar(0);
  }
  HD PetscScalar of_first_beside(PetscScalar second) const
  {
    return second != PetscScalar(0) ? of_first() - second * sums[2] / PetscRealPart(sums[0]) : of_first();
  }

private:
  HD static bool finite(PetscScalar a) { return a - a == PetscScalar(0); }
};

template <class V> struct KeepFirst {
  static constexpr int dots = first_sums;

  const V     *x, *v, *b;
  V           *c;
  bool         energy;
  PetscScalar *sums;

  struct Values {
    V x, v, b;
  };
  HD Values      load(PetscInt i) const { return {x[i], v[i], b[i]}; }
  HD void        store(PetscInt i, const Values &e) const { c[i] = e.x; }
  HD PetscScalar term(int d, const Values &e) const
  {
    return PetscConj(static_cast<PetscScalar>(energy ? e.x : e.v)) * static_cast<PetscScalar>(d ? e.b : e.v);
  }
  HD void finish(const PetscScalar *all) const
  {
    for (int d = 0; d < dots; d++) sums[d] = all[d];
  }
};

template <class V> struct TakeFirst {
  const V  *v;
  V        *b;
  Multiples multiples;
  V         multiple{};

  struct Values {
    V v, b;
  };
  HD void   begin() { multiple = static_cast<V>(multiples.of_first()); }
  HD Values load(PetscInt i) const { return {v[i], b[i]}; }
  HD void   store(PetscInt i, const Values &e) const { b[i] = e.b - multiple * e.v; }
};

template <class V> struct SeeSecond {
  static constexpr int dots = second_sums;

  const V     *x, *v, *b, *first; // first: u1
  bool         energy;
  PetscScalar *sums;

  struct Values {
    V x, v, b, first;
  };
  HD Values      load(PetscInt i) const { return {x[i], v[i], b[i], first[i]}; }
  HD PetscScalar term(int d, const Values &e) const
  {
    return PetscConj(static_cast<PetscScalar>(d == 0 ? e.first : energy ? e.x : e.v)) * static_cast<PetscScalar>(d == 2 ? e.b : e.v);
  }
  HD void finish(const PetscScalar *all) const
  {
    for (int d = 0; d < dots; d++) sums[first_sums + d] = all[d];
  }
};

template <class V> struct TakeBoth {
  const V  *c;
  V        *x;
  Multiples multiples;
  V         of_c{}, of_x{};

  struct Values {
    V c, x;
  };
  HD void begin()
  {
    const PetscScalar second = multiples.of_second();

    of_x = static_cast<V>(second);
    of_c = static_cast<V>(multiples.of_first_beside(second));
  }
  HD Values load(PetscInt i) const { return {c[i], x[i]}; }
  HD void   store(PetscInt i, const Values &e) const { x[i] = of_c * e.c + of_x * e.x; }
};

template <class V> Multiples multiples_of(const Array<PetscScalar> &sums)
{
  return {sums.data(), 100 * (sizeof(V) < sizeof(PetscScalar) ? static_cast<PetscReal>(std::numeric_limits<float>::epsilon()) : PETSC_MACHINE_EPSILON)};
}

} // namespace

template <class V> PetscErrorCode KrylovSteps<V>::setup(const LocalColumns &columns, Space space, bool energy)
{
  PetscMPIInt tag;
  std::string why;

  PetscFunctionBegin;
  comm_   = columns.comm();
  size_   = columns.size();
  n_      = columns.n();
  energy_ = energy;
  PetscCall(Together(comm_, "hold the vectors of a K-cycle", [&] {
    for (Array<V> *a : {&c_, &v_}) {
      if (a->space() != space || a->size() != static_cast<std::size_t>(n_)) *a = Array<V>(space, n_);
      a->zero();
    }
    sums_   = Array<PetscScalar>(space, all_sums);
    passes_ = FusedSums(space);
  }));
  devices_.reset();
  if (size_ == 1 || space == Space::Host) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCommGetNewTag(comm_, &tag));
  PetscCall(DeviceSums::Create(comm_, tag, PetscMax(first_sums, second_sums), &devices_, &why));
  if (!why.empty()) PetscCall(PetscInfo(NULL, "Sums of a K-cycle over the ranks go through the hosts: %s\n", why.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Over the ranks. */
template <class V> PetscErrorCode KrylovSteps<V>::sum(PetscInt begin, PetscInt n)
{
  PetscScalar *values = sums_.data() + begin;
  PetscScalar  host[all_sums];

  PetscFunctionBegin;
  if (size_ == 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (devices_) {
    PetscCall(Guarded([&] { devices_->sum_in_turn(values, n); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const bool there = sums_.space() == Space::Cuda;

  if (there) PetscCall(Guarded([&] { device::copy(host, values, n * sizeof(PetscScalar)); }));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, there ? host : values, (PetscMPIInt)n, MPIU_SCALAR, MPIU_SUM, comm_));
  if (there) PetscCall(Guarded([&] { device::copy(values, host, n * sizeof(PetscScalar)); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode KrylovSteps<V>::first(ParOperator<V> &A, const V *x, V *b)
{
  const Space space = sums_.space();

  PetscFunctionBegin;
  PetscCall(A.apply(x, Assign<V>{v_.data()}));
  PetscCall(Guarded([&] { fuse(space, n_, KeepFirst<V>{x, v_.data(), b, c_.data(), energy_, sums_.data()}, passes_); }));
  PetscCall(sum(0, first_sums));
  PetscCall(Guarded([&] { fuse(space, n_, TakeFirst<V>{v_.data(), b, multiples_of<V>(sums_)}, passes_); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode KrylovSteps<V>::second(ParOperator<V> &A, V *x, const V *b, V *work)
{
  const Space space = sums_.space();

  PetscFunctionBegin;
  PetscCall(A.apply(x, Assign<V>{work}));
  PetscCall(Guarded([&] { fuse(space, n_, SeeSecond<V>{x, work, b, energy_ ? c_.data() : v_.data(), energy_, sums_.data()}, passes_); }));
  PetscCall(sum(first_sums, second_sums));
  PetscCall(Guarded([&] { fuse(space, n_, TakeBoth<V>{c_.data(), x, multiples_of<V>(sums_)}, passes_); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template class KrylovSteps<PetscScalar>;
#if !PetscDefined(USE_REAL_SINGLE)
template class KrylovSteps<SingleScalar>;
#endif

} // namespace goza::saamg
