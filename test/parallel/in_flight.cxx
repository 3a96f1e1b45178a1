/* Whatever a matrix or a solver does: nothing of PETSc's begins while an exchange of Goza's is open, but what moves values itself. PETSc's products may wait
   for the whole device, whose kernels would wait for another rank, whose host may wait for this one. Seen by PETSc's events, which a test's main program
   switches on. */
#include "parallel/halo.hpp"
#include "petsc/errors.hpp"
#include "petsc/plugin.hpp"

#include "../support/gallery.hpp" /* after the library: each gives 3.18 its PETSC_SUCCESS, this one only where there is none */
#include "../support/pc_case.hpp"

#include <petscgoza.h>
#include <petsclog.h>

#include <map>
#include <set>
#include <string>

using namespace goza_test;

namespace {

struct Seen {
  std::map<std::string, int> begun; /* how often each event */
  std::set<std::string>      while_open;
};
Seen *seen = nullptr; /* null: nobody looks */

std::string name_of(PetscLogEvent event)
{
#if PETSC_VERSION_LT(3, 20, 0)
  PetscStageLog stages;
  PETSC_OK(PetscLogGetStageLog(&stages));
  return stages->eventLog->eventInfo[event].name;
#else
  const char *name;
  PETSC_OK(PetscLogEventGetName(event, &name));
  return name;
#endif
}

/* PetscSF's events are the exchange's own where it is one of PetscSF's; Goza's are of what is done meanwhile. */
void look(PetscLogEvent event)
{
  if (!seen) return;
  const std::string name  = name_of(event);
  bool              petsc = true;
  for (const char *other : {"SF", "Goza", "SAAMG"}) petsc = petsc && name.rfind(other, 0) != 0;
  seen->begun[name]++;
  if (goza::parallel::OpenExchanges::number() && petsc) seen->while_open.insert(name);
}

#if PETSC_VERSION_LT(3, 20, 0)
PetscErrorCode (*log_begin)(PetscLogEvent, int, PetscObject, PetscObject, PetscObject, PetscObject) = nullptr;

PetscErrorCode begins(PetscLogEvent event, int t, PetscObject a, PetscObject b, PetscObject c, PetscObject d)
{
  look(event);
  return log_begin(event, t, a, b, c, d);
}
#else
PetscErrorCode begins(PetscLogEvent event, int, PetscObject, PetscObject, PetscObject, PetscObject)
{
  look(event);
  return PETSC_SUCCESS;
}
PetscErrorCode ends(PetscLogEvent, int, PetscObject, PetscObject, PetscObject, PetscObject) { return PETSC_SUCCESS; }
#endif

/* What begins while it lives. */
class Looking {
public:
  Looking()
  {
#if PETSC_VERSION_LT(3, 20, 0)
    if (!log_begin) log_begin = PetscLogPLB;
    PetscLogPLB = begins;
#else
    static bool there = false;
    if (!there) PETSC_OK(PetscLogLegacyCallbacksBegin(begins, ends, nullptr, nullptr));
    there = true;
#endif
    seen = &here;
  }
  ~Looking()
  {
    seen = nullptr;
#if PETSC_VERSION_LT(3, 20, 0)
    PetscLogPLB = log_begin;
#endif
  }
  Looking(const Looking &)            = delete;
  Looking &operator=(const Looking &) = delete;

  void nothing_while_open(const std::string &what)
  {
    std::string names;
    for (const std::string &name : here.while_open) names += " " + name;
    BOOST_TEST(here.while_open.empty(), what << ": begun while an exchange is open:" << names);
  }
  void has_begun(const std::string &name) /* on any rank: of ranks that share a GPU one works there for all */
  {
    int most = here.begun[name];
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
    BOOST_TEST(most > 0, name << " has not been seen");
  }

  Seen here;
};

MatHandle taken(Mat A)
{
  MatHandle handle;
  *handle.put() = A;
  return handle;
}

/* Each with a product before and after, so that exchanges alternate with what is PETSc's. */
void products(const std::string &type)
{
  Looking         log;
  const MatHandle A = assemble(stencil27(5, 4, 6), type.c_str());
  VecHandle       x = vector_like(A, false, VECSTANDARD, 1), y = vector_like(A, true, VECSTANDARD, 2), z = vector_like(A, true, VECSTANDARD, 3);
  const auto      product = [&](Mat B) { PETSC_OK(MatMult(B, x, y)); };
  Mat             B;

  product(A);
  MatHandle squared, galerkin, mirrored;
  PETSC_OK(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, squared.put()));
  product(squared);
  PETSC_OK(MatPtAP(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, galerkin.put()));
  product(galerkin);
  PETSC_OK(MatTransposeMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, mirrored.put()));
  product(mirrored);
  for (int again = 0; again < 2; again++) {
    product(A);
    PETSC_OK(MatScale(A, 0.5));
    B = squared;
    PETSC_OK(MatMatMult(A, A, MAT_REUSE_MATRIX, PETSC_DEFAULT, &B));
    B = galerkin;
    product(A);
    PETSC_OK(MatPtAP(A, A, MAT_REUSE_MATRIX, PETSC_DEFAULT, &B));
    product(galerkin);
  }
  PETSC_OK(MatMultAdd(A, x, z, y));
  PETSC_OK(MatMultTranspose(A, y, z));
  PETSC_OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &B));
  const MatHandle aij = taken(B);
  product(A);
  PETSC_OK(MatAXPY(A, 2, aij, SAME_NONZERO_PATTERN));
  product(A);
  log.has_begun("MatMatMultSym");
  log.has_begun("MatPtAPNumeric");
  log.nothing_while_open(type);
}

void solves(const std::string &smoother, const std::string &ksp_type)
{
  Looking         log;
  const Option    choice("-pc_saamg_smoother", smoother), limit("-pc_saamg_coarse_limit", "10"), gather("-pc_saamg_gather_limit", "5");
  const MatHandle A = assemble(stencil7(7, 6, 8), MATSLICEDELL);
  KSPHandle       ksp;
  PC              pc;
  VecHandle       b = right_hand_side(A, 1), x = right_hand_side(A, 2);

  PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
  PETSC_OK(KSPSetType(ksp, ksp_type.c_str()));
  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(PCSetType(pc, PCSAAMG));
  for (int again = 0; again < 2; again++) {
    PETSC_OK(KSPSetOperators(ksp, A, A));
    PETSC_OK(KSPSolve(ksp, b, x));
    PETSC_OK(PCApplyTranspose(pc, b, x));
    PETSC_OK(MatScale(A, 2));
  }
  log.has_begun("SAAMGGalerkin");
  log.nothing_while_open(smoother + " behind " + ksp_type);
}

/* The test would see it: a product amid an exchange. */
void is_seen()
{
  Looking                            log;
  const MatHandle                    A = assemble(stencil5(6, 5), MATAIJ);
  VecHandle                          x = vector_like(A, false, VECSTANDARD, 1), y = vector_like(A, true, VECSTANDARD, 1);
  goza::parallel::Halo<PetscScalar> *halo = new goza::parallel::Halo<PetscScalar>;
  const PetscScalar                 *values;
  PetscInt                           begin, end, N;
  PetscLayout                        columns;
  PetscMPIInt                        size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  PETSC_OK(MatGetSize(A, nullptr, &N));
  PETSC_OK(MatGetOwnershipRangeColumn(A, &begin, &end));
  PETSC_OK(MatGetLayouts(A, nullptr, &columns));
  const PetscInt ghost = end < N ? end : 0;
  PETSC_OK(halo->setup(PetscObjectComm((PetscObject)(Mat)A), columns, size > 1, &ghost, goza::Space::Host));
  PETSC_OK(VecGetArrayRead(x, &values));
  PETSC_OK(halo->begin(values));
  BOOST_TEST(goza::parallel::OpenExchanges::number() == 1);
  {
    MatHandle B;
    PETSC_OK(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, B.put()));
  }
  PETSC_OK(halo->end());
  BOOST_TEST(goza::parallel::OpenExchanges::number() == 0);
  PETSC_OK(VecRestoreArrayRead(x, &values));
  delete halo;
  BOOST_TEST(log.here.while_open.count("MatMatMultSym") == 1);
}

const AddTests add([] {
  for (const char *halo : {"auto", "host", "peer"}) {
    auto      *suite = suite_named(nullptr, halo);
    const auto with  = [suite, halo](const std::string &name, const std::function<void()> &body) {
      add_test(suite, name, [=] {
        const Option way("-goza_halo", halo);
        const bool   there = halo != std::string("peer") || goza::default_space() == goza::Space::Cuda;
        if (there) body();
      });
    };
    for (const std::string type : {MATCDS, MATFOLD, MATSLICEDELL, MATAUTOFORMAT}) with(type, [=] { products(type); });
    for (const std::string smoother : {"chebyshev", "mcgs", "l1jacobi"}) with("saamg_" + smoother, [=] { solves(smoother, KSPCG); });
    with("fusedcg", [] { solves("chebyshev", KSPFUSEDCG); });
    with("fusedbcgs", [] { solves("mcgs", KSPFUSEDBCGS); });
  }
  add_test(suite_named(nullptr, "test"), "is_seen", is_seen);
});

} // namespace
