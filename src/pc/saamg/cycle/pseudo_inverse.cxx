/* The inverse of the coarsest operator on the host, by LAPACK. It is taken in a scale where rounding is what it is to 1: an operator that is scaled to a
   diagonal of its own shows no more which of its entries are differences of large numbers. */
#include "pseudo_inverse.hpp"
#include "pc/saamg/setup/galerkin.hpp"
#include "petsc/errors.hpp"
#include <optional>
#include <petscblaslapack.h>

namespace goza::saamg {
namespace {

PetscReal frobenius_norm(const std::vector<PetscScalar> &M)
{
  PetscReal sum = 0;

  for (const PetscScalar &m : M) sum += PetscRealPart(m * PetscConj(m));
  return PetscSqrtReal(sum);
}

struct Scaled {
  PetscInt                 n;
  std::vector<PetscReal>   left, right; // M[i][j] = S[i][j] / (left[i] * right[j])
  std::vector<PetscScalar> S;
  bool                     hermitian, symmetric = false; // but for rounding; symmetric: and not Hermitian

  Scaled(PetscInt n_, const std::vector<PetscScalar> &M, const std::vector<PetscReal> &magnitude) : n(n_), left(n_, 1), S(M)
  {
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal m = magnitude[i] != 0 ? magnitude[i] : PetscAbsScalar(M[i * n + i]);

      if (m > 0) left[i] = 1 / PetscSqrtReal(m);
    }
    right = left;
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = 0; j < n; j++) S[i * n + j] *= left[i] * right[j];
    for (PetscInt i = 0; i < n; i++) S[i * n + i] += of_nothing(i) ? 1 : 0;
    hermitian = equals_mirror([](PetscScalar a) { return PetscConj(a); });
    if (PetscDefined(USE_COMPLEX)) symmetric = !hermitian && equals_mirror([](PetscScalar a) { return a; });
    // entries that are rounding would balance a symmetric one, and make its inverse another
    for (int sweep = 0; sweep < 10 && !hermitian && !symmetric && balance(); sweep++) { }
  }

  /* From the inverse of S to that of M. */
  void unscale(std::vector<PetscScalar> &inverse) const
  {
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = 0; j < n; j++) inverse[i * n + j] *= right[i] * left[j];
  }

private:
  /* Whether row i or column i has no entry. With 1 on its diagonal no solver converges without what it asks for in vain (SplitDiagonal of vector_ops.cu). */
  bool of_nothing(PetscInt i) const
  {
    bool row = false, column = false;

    for (PetscInt j = 0; j < n; j++) {
      row    = row || S[i * n + j] != PetscScalar(0);
      column = column || S[j * n + i] != PetscScalar(0);
    }
    return !row || !column;
  }

  /* The image of an entry behind the diagonal is the one before it. */
  template <class Image> bool equals_mirror(const Image &image) const
  {
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt j = 0; j <= i; j++)
        if (!(PetscAbsScalar(S[i * n + j] - image(S[j * n + i])) <= rounding_of_products)) return false;
    }
    return true;
  }

  /* Of what is not symmetric, as where given values stand in a row and not in its column, rows and columns become alike in size (Osborne 1960), by powers of
     two; the diagonal stays. False: they are. */
  bool balance()
  {
    bool changed = false;

    for (PetscInt i = 0; i < n; i++) {
      PetscReal row = 0, column = 0;

      for (PetscInt j = 0; j < n; j++) {
        if (j == i) continue;
        row += PetscAbsScalar(S[i * n + j]);
        column += PetscAbsScalar(S[j * n + i]);
      }
      if (column == 0) column = 1 / PetscMax(row, 1); // the one that there is is only to be no larger than the diagonal
      if (row == 0) row = 1 / PetscMax(column, 1);
      const PetscReal f = std::exp2(std::round(std::log2(row / column) / 2));

      if (f == 1 || !(f > 0) || PetscIsInfReal(f)) continue;
      for (PetscInt j = 0; j < n; j++) {
        S[i * n + j] /= f;
        S[j * n + i] *= f;
      }
      left[i] /= f;
      right[i] *= f;
      changed = true;
    }
    return changed;
  }
};

} // namespace

/* Whether an inverse is made of more than rounding, where norm is that of the matrix. */
static bool counts(PetscReal norm, const std::vector<PetscScalar> &inverse) { return norm * frobenius_norm(inverse) <= most_condition; }

/* inverse: S on entry. *exists: it is made of more than rounding. */
static PetscErrorCode Invert(PetscInt n, std::vector<PetscScalar> &inverse, bool *exists)
{
  PetscBLASInt              bn, info, lwork;
  std::vector<PetscBLASInt> pivot;
  std::vector<PetscScalar>  work;
  const PetscReal           norm = PetscMax(1, frobenius_norm(inverse));

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(64 * n, &lwork));
  PetscCall(Guarded([&] {
    pivot.resize(n);
    work.resize(lwork);
  }));
  PetscCallBLAS("LAPACKgetrf", LAPACKgetrf_(&bn, &bn, inverse.data(), &bn, pivot.data(), &info));
  if (info == 0) PetscCallBLAS("LAPACKgetri", LAPACKgetri_(&bn, inverse.data(), &bn, pivot.data(), work.data(), &lwork, &info));
  *exists = info == 0 && counts(norm, inverse);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As Invert(), where S is Hermitian, in half the operations. *exists: S is definite, too; where it is not, nothing is known of `inverse`. */
static PetscErrorCode InvertDefinite(PetscInt n, std::vector<PetscScalar> &inverse, bool *exists)
{
  PetscBLASInt    bn, info;
  const PetscReal norm = PetscMax(1, frobenius_norm(inverse));

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("L", &bn, inverse.data(), &bn, &info));
  if (info == 0) PetscCallBLAS("LAPACKpotri", LAPACKpotri_("L", &bn, inverse.data(), &bn, &info));
  if (info == 0) {
    for (PetscInt i = 0; i < n; i++) { // LAPACK's lower triangle is the upper one by rows
      for (PetscInt j = 0; j < i; j++) inverse[i * n + j] = PetscConj(inverse[j * n + i]);
    }
  }
  *exists = info == 0 && counts(norm, inverse);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The eigenvectors Z [count][n] of a Hermitian S whose eigenvalues are from -most to most. *found: LAPACK has them. */
static PetscErrorCode SmallEigenvectors(PetscInt n, std::vector<PetscScalar> S, PetscReal most, std::vector<PetscScalar> &Z, bool *found)
{
  PetscBLASInt              bn, info, lwork, m;
  const PetscBLASInt        none  = 0;
  const PetscReal           least = -most, exact = 0;
  std::vector<PetscReal>    lambda, rwork;
  std::vector<PetscScalar>  work;
  std::vector<PetscBLASInt> iwork, failed;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(34 * n, &lwork));
  PetscCall(Guarded([&] {
    lambda.resize(n);
    work.resize(lwork);
    iwork.resize(5 * static_cast<std::size_t>(n));
    failed.resize(n);
    Z.resize(S.size());
    if (PetscDefined(USE_COMPLEX)) rwork.resize(7 * static_cast<std::size_t>(n));
  }));
#if PetscDefined(USE_COMPLEX)
  PetscCallBLAS("LAPACKsyevx", LAPACKsyevx_("V", "V", "L", &bn, S.data(), &bn, &least, &most, &none, &none, &exact, &m, lambda.data(), Z.data(), &bn,
                                            work.data(), &lwork, rwork.data(), iwork.data(), failed.data(), &info));
#else
  PetscCallBLAS("LAPACKsyevx", LAPACKsyevx_("V", "V", "L", &bn, S.data(), &bn, &least, &most, &none, &none, &exact, &m, lambda.data(), Z.data(), &bn,
                                            work.data(), &lwork, iwork.data(), failed.data(), &info));
#endif
  *found = info == 0;
  Z.resize(*found ? static_cast<std::size_t>(m) * n : 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M + factor Z Z^H */
static void add_projection(PetscInt n, PetscReal factor, const std::vector<PetscScalar> &Z, std::vector<PetscScalar> &M)
{
  for (std::size_t z = 0; z < Z.size(); z += n) {
    for (PetscInt j = 0; j < n; j++) {
      const PetscScalar scaled = factor * PetscConj(Z[z + j]);

      for (PetscInt i = 0; i < n; i++) M[j * n + i] += Z[z + i] * scaled;
    }
  }
}

/* A Hermitian S that has a small null space Z: S^+ = (S + Z Z^H)^-1 - Z Z^H, in a tenth of the operations of InvertOnRange(). *exists: it has, and the inverse
   is made of more than rounding. */
static PetscErrorCode InvertBesideNull(PetscInt n, const std::vector<PetscScalar> &S, std::vector<PetscScalar> &inverse, PetscInt *rank, bool *exists)
{
  std::vector<PetscScalar> Z;
  PetscReal                largest = 1; // no eigenvalue is larger
  bool                     found   = false;

  PetscFunctionBegin;
  *exists = false;
  for (PetscInt i = 0; i < n; i++) {
    PetscReal sum = 0;

    for (PetscInt j = 0; j < n; j++) sum += PetscAbsScalar(S[i * n + j]);
    largest = PetscMax(largest, sum);
  }
  PetscCall(SmallEigenvectors(n, S, rounding_of_products * largest, Z, &found));
  const auto count = static_cast<PetscInt>(Z.size() / n);
  if (!found || count == 0 || 4 * count > n) PetscFunctionReturn(PETSC_SUCCESS);
  for (const auto invert : {InvertDefinite, Invert}) {
    if (*exists) break;
    PetscCall(Guarded([&] { inverse = S; }));
    add_projection(n, 1, Z, inverse);
    PetscCall(invert(n, inverse, exists));
  }
  if (*exists) add_projection(n, -1, Z, inverse);
  if (*exists) *rank = n - count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* S^+ = sum v_s u_s^H / sigma_s. S is overwritten. */
static PetscErrorCode InvertOnRange(PetscInt n, std::vector<PetscScalar> &S, std::vector<PetscScalar> &inverse, PetscInt *rank)
{
  PetscBLASInt             bn, info, lwork;
  std::vector<PetscReal>   sigma, rwork;
  std::vector<PetscScalar> work, U, Vt;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(8 * n, &lwork));
  PetscCall(Guarded([&] {
    sigma.resize(n);
    work.resize(lwork);
    U.resize(S.size());
    Vt.resize(S.size());
    if (PetscDefined(USE_COMPLEX)) rwork.resize(5 * static_cast<std::size_t>(n));
  }));
#if PetscDefined(USE_COMPLEX)
  PetscCallBLAS("LAPACKgesvd",
                LAPACKgesvd_("A", "A", &bn, &bn, S.data(), &bn, sigma.data(), U.data(), &bn, Vt.data(), &bn, work.data(), &lwork, rwork.data(), &info));
#else
  PetscCallBLAS("LAPACKgesvd", LAPACKgesvd_("A", "A", &bn, &bn, S.data(), &bn, sigma.data(), U.data(), &bn, Vt.data(), &bn, work.data(), &lwork, &info));
#endif
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "Singular values of the coarsest operator: LAPACK gesvd() returned %d", (int)info);
  std::fill(inverse.begin(), inverse.end(), 0.0);
  for (*rank = 0; *rank < n && sigma[*rank] > rounding_of_products * PetscMax(1, sigma[0]); ++*rank) {
    const PetscInt s = *rank;

    for (PetscInt j = 0; j < n; j++) {
      const PetscScalar u = PetscConj(U[s * n + j]) / sigma[s];

      for (PetscInt i = 0; i < n; i++) inverse[j * n + i] += PetscConj(Vt[i * n + s]) * u;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InvertScaled(Scaled &scaled, std::vector<PetscScalar> &inverse, bool *singular)
{
  PetscInt rank   = scaled.n;
  bool     exists = false;

  PetscFunctionBegin;
  if (scaled.hermitian) {
    PetscCall(InvertDefinite(scaled.n, inverse, &exists));
    if (!exists) PetscCall(InvertBesideNull(scaled.n, scaled.S, inverse, &rank, &exists));
    if (!exists) PetscCall(Guarded([&] { inverse = scaled.S; }));
  }
  if (!exists) PetscCall(Invert(scaled.n, inverse, &exists));
  if (!exists) PetscCall(InvertOnRange(scaled.n, scaled.S, inverse, &rank));
  *singular = rank < scaled.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* LAPACK's inverse of a symmetric operator is symmetric only to rounding times the condition, or times its square where a null space is left out: the errors of
   its vectors on the left are not those on the right. CG wants a symmetric preconditioner. */
template <class Image> static void mirror(PetscInt n, std::vector<PetscScalar> &inverse, const Image &image)
{
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j <= i; j++) {
      const PetscScalar mean = (inverse[i * n + j] + image(inverse[j * n + i])) / PetscReal(2);

      inverse[i * n + j] = mean;
      inverse[j * n + i] = image(mean);
    }
  }
}

PetscErrorCode DensePseudoInverse(PetscInt n, std::vector<PetscScalar> &M, const std::vector<PetscReal> &magnitude, bool *singular)
{
  std::optional<Scaled> scaled;

  PetscFunctionBegin;
  *singular = false;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    scaled.emplace(n, M, magnitude);
    M = scaled->S;
  }));
  PetscCall(PetscFPTrapPush(PETSC_FP_TRAP_OFF));
  const PetscErrorCode failed = InvertScaled(*scaled, M, singular);
  PetscCall(PetscFPTrapPop());
  PetscCall(failed);
  if (scaled->hermitian) mirror(n, M, [](PetscScalar a) { return PetscConj(a); });
  if (scaled->symmetric) mirror(n, M, [](PetscScalar a) { return a; });
  scaled->unscale(M);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
