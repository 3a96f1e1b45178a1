#include "twins.hpp"

#include <cmath>
#include <cstdarg>
#include <limits>
#include <sstream>

namespace goza_fuzz {
namespace {

const std::map<std::string, PetscReal> roundings{{"double", 0}, {"single", 0x1p-24}, {"half", 0x1p-11}};

bool begins(const std::string &text, const std::string &with) { return text.rfind(with, 0) == 0; }

/* f(i, j, |value|) for every entry of this rank's rows of an AIJ matrix; by its blocks, since MatGetRow() of PETSc's MPIAIJ reads beyond what an m x 0 matrix
   has */
template <class F> void each_entry(Mat A, F f)
{
  const PetscInt *garray    = nullptr;
  Mat             blocks[2] = {A, nullptr};
  PetscBool       parallel;
  PetscInt        first = 0;
  PETSC_OK(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
  if (parallel) PETSC_OK(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], &garray));
  PETSC_OK(MatGetOwnershipRangeColumn(A, &first, nullptr));
  for (Mat block : blocks) {
    PetscInt m = 0;
    if (block) PETSC_OK(MatGetLocalSize(block, &m, nullptr));
    for (PetscInt i = 0; i < m; i++) {
      const PetscInt    *cols;
      const PetscScalar *vals;
      PetscInt           n;
      PETSC_OK(MatGetRow(block, i, &n, &cols, &vals));
      for (PetscInt k = 0; k < n; k++) f(i, block == blocks[0] ? first + cols[k] : garray[cols[k]], PetscAbsScalar(vals[k]));
      PETSC_OK(MatRestoreRow(block, i, &n, &cols, &vals));
    }
  }
}

std::vector<PetscInt> ranges_of(Mat A, bool columns)
{
  const PetscInt *ranges;
  PetscMPIInt     ranks;
  MPI_Comm        comm;
  PETSC_OK(PetscObjectGetComm((PetscObject)A, &comm));
  MPI_Comm_size(comm, &ranks);
  PETSC_OK(columns ? MatGetOwnershipRangesColumn(A, &ranges) : MatGetOwnershipRanges(A, &ranges));
  return {ranges, ranges + ranks + 1};
}

} // namespace

Twins::Twins(const Case &c, bool tell_it) : whole(c.whole), type(c.type), tell(tell_it)
{
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  for (const auto &o : c.options)
    if (o.first.find("precision") != std::string::npos) narrow = roundings.at(o.second);
}

bool Twins::destroy()
{
  bool all = true;
  for (auto &s : slot)
    for (auto &m : s.mat) {
      all = (!m || MatDestroy(&m) == PETSC_SUCCESS) && all;
      m   = nullptr;
    }
  for (auto &v : vectors) all = VecDestroy(&v.second) == PETSC_SUCCESS && all;
  vectors.clear();
  return all;
}

std::string Twins::petscs_type() const { return begins(type, "mpiaij") ? MATMPIAIJ : begins(type, "seqaij") ? MATSEQAIJ : MATAIJ; }

int Twins::pick(long which, const std::function<bool(const Slot &)> &fits) const
{
  std::vector<int> candidates;
  for (int s = 0; s < slots; s++)
    if (slot[s].live() && fits(slot[s])) candidates.push_back(s);
  return candidates.empty() ? -1 : candidates[which % candidates.size()];
}

bool Twins::is(const Slot &s, const char *petscs) const
{
  PetscBool yes;
  PETSC_OK(PetscObjectBaseTypeCompare((PetscObject)s.mat[PETSCS], petscs, &yes));
  return yes;
}

bool Twins::is_aij(const Slot &s) const { return is(s, MATSEQAIJ) || is(s, MATMPIAIJ); }

bool Twins::is_plain(const Slot &s) const
{
  PetscBool yes;
  PETSC_OK(PetscObjectTypeCompareAny((PetscObject)s.mat[PETSCS], &yes, MATSEQAIJ, MATMPIAIJ, ""));
  return yes;
}

bool Twins::has_mirrored_pattern(const Slot &s) const
{
  const std::size_t          n = s.m();
  std::vector<unsigned char> entry(n * n);
  PetscBool                  assembled;
  PETSC_OK(MatAssembled(s.mat[PETSCS], &assembled));
  if (!assembled) return false;
  each_entry(s.mat[PETSCS], [&](PetscInt i, PetscInt j, PetscReal) { entry[(s.rows[rank] + i) * n + j] = 1; });
  MPI_Allreduce(MPI_IN_PLACE, entry.data(), (int)entry.size(), MPI_UNSIGNED_CHAR, MPI_MAX, PETSC_COMM_WORLD);
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = 0; j < i; j++)
      if (entry[i * n + j] != entry[j * n + i]) return false;
  return true;
}

PetscErrorCode Twins::put(int s, Mat made)
{
  PetscFunctionBegin;
  if ((*this)(s) != made) TOLD(*this, MatDestroy(&(*this)(s)), "MatDestroy(&A[%d])", s);
  (*this)(s) = made;
  if (telling()) say("A[%d] = made", s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal Twins::largest(Mat A) const
{
  PetscReal mine = 0;
  each_entry(A, [&](PetscInt, PetscInt, PetscReal v) { mine = std::max(mine, v); });
  return mine;
}

/* Of a parallel matrix with its blocks': MatDiagonalSet() puts new entries into a block and does not tell the whole. */
PetscObjectState pattern_of(Mat A)
{
  Mat              blocks[2] = {};
  PetscBool        parallel;
  PetscObjectState all, state;
  PETSC_OK(MatGetNonzeroState(A, &all));
  PETSC_OK(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
  if (parallel) PETSC_OK(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], nullptr));
  for (Mat block : blocks) {
    if (!block) continue;
    PETSC_OK(MatGetNonzeroState(block, &state));
    all += state;
  }
  return all;
}

bool Twins::agree(bool wrong_here)
{
  double all[1 + 2 * slots] = {(double)wrong_here}, sum[1 + 2 * slots];
  for (int s = 0; s < slots; s++) {
    PetscBool assembled;
    if (!slot[s].live()) continue;
    PETSC_OK(MatAssembled(slot[s].mat[PETSCS], &assembled));
    all[1 + s]         = (double)pattern_of(slot[s].mat[PETSCS]);
    all[1 + slots + s] = assembled && is_aij(slot[s]) ? largest(slot[s].mat[PETSCS]) : 0;
  }
  MPI_Allreduce(all, sum, 1 + 2 * slots, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  for (int s = 0; s < slots; s++) {
    Slot &at   = slot[s];
    at.pattern = sum[1 + s];
    at.size    = std::max<PetscReal>(at.size, sum[1 + slots + s]);
    if (at.made.patterns[2] < 0) at.made.patterns[2] = at.pattern;
    if (at.coo_pattern < 0) at.coo_pattern = at.pattern;
  }
  return sum[0] > 0;
}

void Twins::learn(int s, PetscReal size, const Made &how)
{
  Slot &at = slot[s];

  at.id               = ++made_so_far;
  at.rows             = ranges_of(at.mat[PETSCS], false);
  at.cols             = ranges_of(at.mat[PETSCS], true);
  at.made             = how;
  at.made.patterns[2] = -1;
  at.coo = at.stored = false;
  at.size            = size;
}

Made Twins::made(const std::string &by, long how, int from, int also) const
{
  Made m;
  m.by   = by;
  m.how  = how;
  m.from = {from, also};
  for (int k = 0; k < 2; k++)
    if (m.from[k] >= 0) {
      m.from_id[k]  = slot[m.from[k]].id;
      m.patterns[k] = slot[m.from[k]].pattern;
    }
  m.patterns[2] = -1;
  return m;
}

bool Twins::may_reuse(int s) const
{
  const Made &m = slot[s].made;
  if (m.by.empty() || m.patterns[2] != slot[s].pattern) return false;
  for (int k = 0; k < 2; k++) {
    const int of = m.from[k];
    if (of >= 0 && (!slot[of].live() || slot[of].id != m.from_id[k] || slot[of].pattern != m.patterns[k])) return false;
  }
  return true;
}

PetscScalar Twins::value(PetscInt i, PetscInt j, std::uint64_t seed) const
{
  Rng rng(seed * 1000003 + (std::uint64_t)i * 8191 + (std::uint64_t)j);
  rng.bits();
  return whole ? (PetscScalar)(rng.below(9) - 4) : (PetscScalar)(2 * rng.unit() - 1);
}

PetscScalar Twins::factor(Rng &rng, PetscReal size) const
{
  static const double whole_ones[] = {-1, 2, 0, -3, 1, 1}, any[] = {-1, 2.5, 0, -0.3, 1, 1e-3};
  const long          which = size > 1e6 ? 4 * rng.below(2) : rng.below(6);
  return (PetscScalar)(whole ? whole_ones[which] : any[which]);
}

Vec Twins::vector(const std::vector<PetscInt> &ranges, std::uint64_t seed, bool tell_it)
{
  Vec &v = vectors[{ranges, seed}];
  if (!v) {
    PETSC_OK(VecCreate(PETSC_COMM_WORLD, &v));
    PETSC_OK(VecSetSizes(v, ranges[rank + 1] - ranges[rank], ranges.back()));
    PETSC_OK(VecSetType(v, goza_test::vec_names().back().c_str()));
    PetscScalar *a;
    PETSC_OK(VecGetArrayWrite(v, &a));
    for (PetscInt i = ranges[rank]; i < ranges[rank + 1]; i++) a[i - ranges[rank]] = value(i, 77, seed);
    PETSC_OK(VecRestoreArrayWrite(v, &a));
  }
  if (telling() && tell_it) {
    std::vector<PetscScalar> values;
    for (PetscInt i = ranges[rank]; i < ranges[rank + 1]; i++) values.push_back(value(i, 77, seed));
    const std::string list = listed("v", values.data(), (PetscInt)values.size());
    say("v = vector(%d, %s)", (int)values.size(), list.c_str());
  }
  return v;
}

void Twins::note(double figure, PetscReal size, bool of_products, bool divided)
{
  notes[side].emplace_back(figure, size * ((whole && !divided ? 0 : 1e-11) + (of_products ? narrow : 0)));
}

std::string Twins::compare_notes()
{
  std::ostringstream wrong;
  if (notes[0].size() != notes[1].size()) wrong << notes[OURS].size() << " figures instead of " << notes[PETSCS].size() << "; ";
  for (std::size_t k = 0; k < std::min(notes[0].size(), notes[1].size()); k++) {
    const double want = notes[PETSCS][k].first, got = notes[OURS][k].first;
    if (want == got || (std::isnan(want) && std::isnan(got)) || std::abs(want - got) <= notes[PETSCS][k].second) continue;
    wrong << "figure " << k << " is " << got << " instead of " << want << "; ";
    break;
  }
  for (auto &side_notes : notes) side_notes.clear();
  return wrong.str();
}

/* Of a product with vector(..., 1). */
std::vector<PetscReal> Twins::bound(int s, bool transpose) const
{
  const auto            &out = transpose ? slot[s].cols : slot[s].rows, &in = transpose ? slot[s].rows : slot[s].cols;
  std::vector<PetscReal> b(out[rank + 1] - out[rank], whole ? 0 : 64 * PETSC_MACHINE_EPSILON * slot[s].size * (4 * (PetscReal)in.back() + 1));
  if (!narrow || transpose || !is_aij(slot[s])) return b;

  std::vector<PetscReal> largest_of(b.size(), 0), terms(b.size(), 0);
  each_entry(slot[s].mat[PETSCS], [&](PetscInt i, PetscInt j, PetscReal v) {
    terms[i] += v * PetscAbsScalar(value(j, 77, 1));
    largest_of[i] = std::max(largest_of[i], v);
  });
  /* a stored value is off by so much of itself, or by the least of the type where the row holds much larger ones */
  for (std::size_t i = 0; i < b.size(); i++) b[i] += 1.01 * narrow * terms[i] + 0x1p-24 * largest_of[i] * 4 * in.back();
  return b;
}

std::string Twins::compare_vectors(Vec got, Vec want, const std::vector<PetscReal> &b, const char *what) const
{
  const PetscScalar *g, *w;
  std::ostringstream wrong;
  PETSC_OK(VecGetArrayRead(got, &g));
  PETSC_OK(VecGetArrayRead(want, &w));
  for (std::size_t i = 0; i < b.size(); i++)
    if (!(PetscAbsScalar(g[i] - w[i]) <= b[i]) && !(PetscIsNanScalar(g[i]) && PetscIsNanScalar(w[i]))) {
      wrong << what << ": local row " << i << " is " << PetscRealPart(g[i]) << " instead of " << PetscRealPart(w[i]) << " (allowed " << b[i] << "); ";
      break;
    }
  PETSC_OK(VecRestoreArrayRead(got, &g));
  PETSC_OK(VecRestoreArrayRead(want, &w));
  return wrong.str();
}

bool Twins::takes_own_rows_only(const Slot &s) const
{
  PetscBool only[2];
  for (int k : {PETSCS, OURS}) PETSC_OK(MatGetOption(s.mat[k], MAT_NO_OFF_PROC_ENTRIES, &only[k]));
  return only[PETSCS] || only[OURS];
}

std::string Twins::compare_shape(int s) const
{
  PetscBool          assembled[2];
  PetscInt           bs[2][2];
  std::ostringstream wrong;
  for (int k = 0; k < 2; k++) {
    PETSC_OK(MatAssembled(slot[s].mat[k], &assembled[k]));
    PETSC_OK(MatGetBlockSizes(slot[s].mat[k], &bs[k][0], &bs[k][1]));
  }
  if (assembled[0] != assembled[1]) wrong << (assembled[1] ? "assembled" : "not assembled") << "; ";
  if (ranges_of(slot[s].mat[OURS], false) != slot[s].rows || ranges_of(slot[s].mat[OURS], true) != slot[s].cols) wrong << "another layout; ";
  if (bs[0][0] != bs[1][0] || bs[0][1] != bs[1][1])
    wrong << "block sizes " << bs[1][0] << " " << bs[1][1] << " instead of " << bs[0][0] << " " << bs[0][1] << "; ";
  return wrong.str();
}

std::string Twins::compare(int s, long turn)
{
  const Slot &at    = slot[s];
  std::string wrong = compare_shape(s);
  PetscBool   assembled;

  PETSC_OK(MatAssembled(at.mat[PETSCS], &assembled));
  if (!wrong.empty() || !assembled) return wrong;
  const double nan  = std::numeric_limits<double>::quiet_NaN();
  const auto   both = [&](bool transpose, Vec add, const char *what) {
    const auto &in = transpose ? at.rows : at.cols, &out = transpose ? at.cols : at.rows;
    Vec         x = vector(in, 1, false), want = vector(out, 1000 + transpose, false), got = vector(out, 1002 + transpose, false);
    for (Side k : {PETSCS, OURS}) {
      Mat A = at.mat[k];
      Vec y = k == OURS ? got : want;
      PETSC_OK(add && transpose ? VecCopy(add, y) : VecSet(y, (PetscReal)nan)); /* in place and not, in turn */
      PetscErrorCode ierr = transpose ? (add ? MatMultTransposeAdd(A, x, y, y) : MatMultTranspose(A, x, y))
                                        : (add ? MatMultAdd(A, x, add, y) : MatMult(A, x, y));
      broken              = broken || ierr;
      if (ierr && k == PETSCS) return; /* PETSc's matrix of this type has no such product */
      if (ierr) wrong += std::string(what) + " fails; ";
    }
    if (wrong.empty()) wrong += compare_vectors(got, want, bound(s, transpose), what);
  };
  both(false, nullptr, "MatMult");
  if (ranks == 1 || turn % 3 == 0) both(true, nullptr, "MatMultTranspose");
  if (ranks == 1 || turn % 3 == 1) both(false, vector(at.rows, 2, false), "MatMultAdd");
  if (ranks == 1 || turn % 3 == 2) both(true, vector(at.cols, 2, false), "MatMultTransposeAdd");
  return wrong;
}

void Twins::say(const char *format, ...)
{
  char    text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  const std::string line(text);
  const bool        call = line.find('(') != std::string::npos && line.find('=') == std::string::npos && line[0] != '{' && line[0] != '/';
  calls += call ? "  PetscCall(" + line + ");\n" : "  " + line + (line.back() == '{' || line.back() == '}' || line.back() == '/' ? "\n" : ";\n");
}

std::string Twins::listed(const char *c_type, const char *name, const PetscInt *v, PetscInt n)
{
  const std::string  called = name + std::to_string(++lists);
  std::ostringstream out;
  out << "  const " << c_type << " " << called << "[] = {";
  for (PetscInt k = 0; k < n; k++) out << (k ? ", " : "") << v[k];
  out << (n ? "" : "0") << "};\n";
  calls += out.str();
  return called;
}

std::string Twins::listed(const char *name, const PetscScalar *v, PetscInt n)
{
  const std::string  called = name + std::to_string(++lists);
  std::ostringstream out;
  out.precision(17);
  out << "  const PetscScalar " << called << "[] = {";
  for (PetscInt k = 0; k < n; k++) out << (k ? ", " : "") << PetscRealPart(v[k]);
  out << (n ? "" : "0") << "};\n";
  calls += out.str();
  return called;
}

} // namespace goza_fuzz
