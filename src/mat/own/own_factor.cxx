/* Factors of owning matrices: those of AIJ that PETSc's solver packages make, whose phases read an image of the matrix. */
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/attached.hpp"

namespace goza::mat {
namespace {

constexpr char factor_key[] = "GozaOwnFactorPhases", qr_symbolic[] = "MatQRFactorSymbolic_C", qr_numeric[] = "MatQRFactorNumeric_C";

/* The package's phases, for which those below stand in; those of QR are functions composed with the factor. pattern: of the matrix that the symbolic one saw,
   where that is one of these types. */
struct FactorPhases {
  struct _MatOps ops                                                 = {};
  PetscErrorCode (*qr_symbolic)(Mat, Mat, IS, const MatFactorInfo *) = nullptr;
  PetscErrorCode (*qr_numeric)(Mat, Mat, const MatFactorInfo *)      = nullptr;
  bool          known                                                = false;
  std::uint64_t pattern                                              = 0;
};

template <auto Op, bool symbolic> struct FactorThroughAij;
template <class... Args, PetscErrorCode (*_MatOps::*Op)(Mat, Mat, Args...), bool symbolic> struct FactorThroughAij<Op, symbolic> {
  static PetscErrorCode call(Mat F, Mat A, Args... args);
};

/* f(operation, function that stands in for it) */
template <class F> void for_each_phase(const F &f)
{
  f(&_MatOps::lufactorsymbolic, FactorThroughAij<&_MatOps::lufactorsymbolic, true>::call);
  f(&_MatOps::choleskyfactorsymbolic, FactorThroughAij<&_MatOps::choleskyfactorsymbolic, true>::call);
  f(&_MatOps::ilufactorsymbolic, FactorThroughAij<&_MatOps::ilufactorsymbolic, true>::call);
  f(&_MatOps::iccfactorsymbolic, FactorThroughAij<&_MatOps::iccfactorsymbolic, true>::call);
  f(&_MatOps::lufactornumeric, FactorThroughAij<&_MatOps::lufactornumeric, false>::call);
  f(&_MatOps::choleskyfactornumeric, FactorThroughAij<&_MatOps::choleskyfactornumeric, false>::call);
}

/* A symbolic phase says which numeric one is to come. */
void stand_in(Mat F, FactorPhases &phases)
{
  for_each_phase([&](auto op, auto *ours) {
    if (!(F->ops->*op) || F->ops->*op == ours) return;
    phases.ops.*op = F->ops->*op;
    F->ops->*op    = ours;
  });
}

void step_back(Mat F, const FactorPhases &phases)
{
  for_each_phase([&](auto op, auto *ours) {
    if (F->ops->*op == ours) F->ops->*op = phases.ops.*op;
  });
}

PetscErrorCode CheckPattern(Mat A, const OwnMat &own, bool symbolic, FactorPhases &phases)
{
  const std::uint64_t pattern = own.images[0].hash;

  PetscFunctionBegin;
  if (symbolic) {
    phases.known   = true;
    phases.pattern = pattern;
  }
  PetscCheck(!phases.known || phases.pattern == pattern, comm_of(A), PETSC_ERR_ARG_WRONGSTATE,
             "An entry has become 0, or is it no longer, since the symbolic phase: the matrix has another nonzero pattern, which needs a new one");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode QRSymbolic(Mat F, Mat A, IS columns, const MatFactorInfo *info);
PetscErrorCode QRNumeric(Mat F, Mat A, const MatFactorInfo *info);

template <class Phase> PetscErrorCode StandInForPhase(Mat F, const char *name, Phase *ours, Phase **theirs)
{
  Phase *now;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)F, name, &now));
  if (!now || now == ours) PetscFunctionReturn(PETSC_SUCCESS);
  *theirs = now;
  PetscCall(PetscObjectComposeFunction((PetscObject)F, name, ours));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StandInForQR(Mat F, FactorPhases &phases)
{
  PetscFunctionBegin;
  PetscCall(StandInForPhase(F, qr_symbolic, QRSymbolic, &phases.qr_symbolic));
  PetscCall(StandInForPhase(F, qr_numeric, QRNumeric, &phases.qr_numeric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* phase(the package's phases, an image of A) */
template <class Phase> PetscErrorCode RunPhase(Mat F, Mat A, bool symbolic, const Phase &phase)
{
  FactorPhases *phases = attached<FactorPhases>(F, factor_key);
  OwnMat       *own    = find_own(A);
  Mat           aij    = A;

  PetscFunctionBegin;
  if (own) PetscCall(OwnBorrowAij(A, false, &aij));
  PetscErrorCode failed = own ? CheckPattern(A, *own, symbolic, *phases) : PETSC_SUCCESS;
  step_back(F, *phases);
  if (!failed) failed = phase(*phases, aij);
  stand_in(F, *phases);
  if (!failed) failed = StandInForQR(F, *phases);
  if (own) PetscCall(OwnReturnAij(A, false));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class... Args, PetscErrorCode (*_MatOps::*Op)(Mat, Mat, Args...), bool symbolic>
PetscErrorCode FactorThroughAij<Op, symbolic>::call(Mat F, Mat A, Args... args)
{
  return RunPhase(F, A, symbolic, [&](const FactorPhases &, Mat aij) { return (F->ops->*Op)(F, aij, args...); });
}

PetscErrorCode QRSymbolic(Mat F, Mat A, IS columns, const MatFactorInfo *info)
{
  return RunPhase(F, A, true, [&](const FactorPhases &theirs, Mat aij) { return theirs.qr_symbolic(F, aij, columns, info); });
}

PetscErrorCode QRNumeric(Mat F, Mat A, const MatFactorInfo *info)
{
  return RunPhase(F, A, false, [&](const FactorPhases &theirs, Mat aij) { return theirs.qr_numeric(F, aij, info); });
}

constexpr const char *packages[] = {MATSOLVERPETSC,       MATSOLVERMUMPS,        MATSOLVERSUPERLU, MATSOLVERSUPERLU_DIST, MATSOLVERSTRUMPACK,
                                    MATSOLVERUMFPACK,     MATSOLVERCHOLMOD,      MATSOLVERKLU,     MATSOLVERSPQR,         MATSOLVERBAS,
                                    MATSOLVERMKL_PARDISO, MATSOLVERMKL_CPARDISO, MATSOLVERPASTIX};
constexpr std::size_t npackages  = std::size(packages);

/* PETSc itself factors on one rank alone; its list then names it before those that do so on several, which are asked for all the same. */
template <std::size_t package> PetscErrorCode GetFactor(Mat A, MatFactorType kind, Mat *F)
{
  std::unique_ptr<FactorPhases> phases;

  PetscFunctionBegin;
  PetscCall(Together(comm_of(A), "hold a factor", [&] { phases = std::make_unique<FactorPhases>(); }));
  PetscCall(OwnThroughAij(A, false, [&](Mat aij) { return MatGetFactor(aij, package || A->rmap->size == 1 ? packages[package] : NULL, kind, F); }));
  if (!*F) PetscFunctionReturn(PETSC_SUCCESS);
  stand_in(*F, *phases);
  PetscCall(StandInForQR(*F, *phases));
  PetscCall(Attach((PetscObject)*F, factor_key, std::move(phases)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For the kinds of factors that the package has of AIJ. */
PetscErrorCode RegisterPackage(const char *package, PetscErrorCode (*create)(Mat, MatFactorType, Mat *))
{
  PetscFunctionBegin;
  for (int kind = MAT_FACTOR_LU; kind < MAT_FACTOR_NUM_TYPES; kind++) {
    for (const char *aij : {MATSEQAIJ, MATMPIAIJ}) {
      PetscErrorCode (*theirs)(Mat, MatFactorType, Mat *) = nullptr;

      PetscCall(MatSolverTypeGet(package, aij, (MatFactorType)kind, NULL, NULL, &theirs));
      if (!theirs) continue;
      for (const auto &own : own_kinds) PetscCall(MatSolverTypeRegister(package, own().type, (MatFactorType)kind, create));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t... package> PetscErrorCode RegisterAll(std::index_sequence<package...>)
{
  PetscFunctionBegin;
  for (PetscErrorCode registered : {RegisterPackage(packages[package], GetFactor<package>)...}) PetscCall(registered);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode OwnRegisterFactors() { return RegisterAll(std::make_index_sequence<npackages>()); }

} // namespace goza::mat
