/* More entries, and more places for them, than a PetscInt of 32 bits counts: a matrix of diagonals has no index that would have to. Each case has a line of its
   own in tests.list, and is skipped where the machine has not the memory. */
#include "core/device/device.hpp"
#include "petsc/plugin.hpp"
#include "../support/check.hpp"
#include "../support/memory.hpp"

#include <algorithm>
#include <petscdmda.h>
#include <vector>

using namespace goza_test;

namespace {

constexpr PetscInt64 many            = PetscInt64(1) << 31;
constexpr PetscInt   looked_at_first = 1000, looked_at = 499;

bool on_host() { return goza::default_space() == goza::Space::Host; }

/* The diagonals of an owning matrix, as a program whose own kernels write them has them. */
struct Diagonals {
  MatHandle                A;
  PetscInt                 n = 0;
  const PetscInt          *offset;
  PetscInt64               ld;
  PetscScalar             *values;
  PetscMemType             where;
  std::vector<PetscScalar> line; // one of them, on its way to the device

  PetscErrorCode set(PetscInt rows, const std::vector<PetscInt> &offsets, bool symmetric)
  {
    PetscErrorCode (*set)(Mat, PetscInt, const PetscInt[]);

    PETSC_OK(MatCreate(PETSC_COMM_SELF, A.put()));
    PETSC_OK(MatSetSizes(A, rows, rows, rows, rows));
    PETSC_OK(MatSetType(A, "owncds"));
    PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, symmetric ? PETSC_TRUE : PETSC_FALSE));
    PETSC_OK(PetscObjectQueryFunction((PetscObject)A.operator Mat(), "MatCDSSetDiagonals_C", &set));
    return set(A, static_cast<PetscInt>(offsets.size()), offsets.data());
  }

  /* false: there is not the memory */
  bool open()
  {
    PetscErrorCode (*get)(Mat, PetscInt *, const PetscInt *[], PetscInt64 *, PetscScalar *[], PetscMemType *);

    PETSC_OK(PetscObjectQueryFunction((PetscObject)A.operator Mat(), "MatCDSGetDiagonals_C", &get));
    const Outcome o = attempt([&] { return get(A, &n, &offset, &ld, &values, &where); });

    if (o.code == PETSC_ERR_MEM) return false;
    BOOST_TEST_REQUIRE(!o.failed, o.message);
    if (where != PETSC_MEMTYPE_HOST) line.resize(ld);
    return true;
  }

  /* fill(place of row 0) for diagonal d */
  template <class Fill> void write(PetscInt d, const Fill &fill)
  {
    fill(line.empty() ? values + d * ld : line.data());
    if (!line.empty()) goza::device::copy(values + d * ld, line.data(), ld * sizeof(PetscScalar));
  }

  void assemble()
  {
    PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
};

/* A row's sum, and by how much it may be off. */
struct Sum {
  PetscScalar sum   = 0;
  PetscReal   sizes = 0;

  void add(PetscScalar a, PetscScalar x)
  {
    sum += a * x;
    sizes += PetscAbsScalar(a * x);
  }
};

enum class Field { Constant, Linear };

PetscScalar at(Field f, PetscInt i) { return f == Field::Constant ? PetscScalar(1) : PetscScalar(static_cast<PetscReal>(i)); }

/* row(i, add): calls add(entry, column) for the entries of a row. The first rows, every so many-th, and the last ones are looked at. */
template <class Row> void check_product(Mat A, Field f, const Row &row)
{
  VecHandle          x, y;
  PetscInt           n;
  PetscScalar       *to;
  const PetscScalar *got;

  PETSC_OK(MatCreateVecs(A, x.put(), y.put()));
  PETSC_OK(VecGetLocalSize(x, &n));
  PETSC_OK(VecGetArrayWrite(x, &to));
  for (PetscInt i = 0; i < n; i++) to[i] = at(f, i);
  PETSC_OK(VecRestoreArrayWrite(x, &to));
  PETSC_OK(MatMult(A, x, y));
  PETSC_OK(VecGetArrayRead(y, &got));
  PetscInt wrong = 0, first = -1;
  for (PetscInt i = 0; i < n; i += i < looked_at_first || i >= n - looked_at_first ? 1 : looked_at) {
    Sum s;

    row(i, [&](PetscScalar a, PetscInt j) { s.add(a, at(f, j)); });
    if (PetscAbsScalar(got[i] - s.sum) <= 200 * PETSC_MACHINE_EPSILON * s.sizes) continue;
    if (!wrong++) first = i;
  }
  PETSC_OK(VecRestoreArrayRead(y, &got));
  BOOST_TEST(wrong == 0, wrong << " rows differ, the first is " << first);
}

/* Set and read, where it is 0. */
void check_single_entry(Mat A, PetscInt row, PetscInt col)
{
  const PetscScalar five = 5;
  PetscScalar       before, after;

  PETSC_OK(MatGetValues(A, 1, &row, 1, &col, &before));
  PETSC_OK(MatSetValues(A, 1, &row, 1, &col, &five, ADD_VALUES));
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatGetValues(A, 1, &row, 1, &col, &after));
  BOOST_TEST((before == PetscScalar(0) && after == five));
}

MatInfo info_of(Mat A)
{
  MatInfo info;

  PETSC_OK(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  return info;
}

} // namespace

/* Half storage of a band: twice as many entries as values. */
BOOST_AUTO_TEST_CASE(entries)
{
  constexpr PetscInt    upper = 63, n = 16910000; // rows of 127 entries
  constexpr PetscInt64  nnz    = PetscInt64(n) * (2 * upper + 1) - PetscInt64(upper) * (upper + 1);
  constexpr double      needed = 1.3 * (upper + 3) * n * sizeof(PetscScalar);
  const auto            entry  = [](PetscInt i, PetscInt d) { return PetscScalar(1 + (i + 3 * d) % 5); };
  std::vector<PetscInt> offsets;
  Diagonals             band;

  static_assert(nnz > many);
  for (PetscInt d = 0; d <= upper; d++) offsets.push_back(d);
  if (on_host() && !host_has(needed))
    return skip_case("half storage of 2^31 entries: the host has no " + std::to_string(static_cast<int>(needed / 1e9)) + " GB");
  PETSC_OK(band.set(n, offsets, true));
  if (!band.open()) return skip_case("half storage of 2^31 entries: too little memory of the device");
  for (PetscInt d = 0; d <= upper; d++) {
    band.write(d, [&](PetscScalar *a) {
      for (PetscInt i = 0; i < n - d; i++) a[i] = entry(i, d);
    });
  }
  band.assemble();
  for (Field f : {Field::Constant, Field::Linear})
    check_product(band.A, f, [&](PetscInt i, const auto &add) {
      for (PetscInt d = PetscMin(upper, i); d > 0; d--) add(entry(i - d, d), i - d);
      for (PetscInt d = 0; d <= PetscMin(upper, n - 1 - i); d++) add(entry(i, d), i + d);
    });
  const MatInfo info = info_of(band.A);
  BOOST_TEST(info.nz_used == static_cast<PetscLogDouble>(nnz));
  BOOST_TEST(info.nz_allocated == static_cast<PetscLogDouble>(nnz));
  if (sizeof(PetscInt) > 4) return;

  MatHandle aij; /* which cannot be */
  PCHandle  pc;
  Outcome   o = attempt([&] { return MatConvert(band.A, MATAIJ, MAT_INITIAL_MATRIX, aij.get()); });
  BOOST_TEST((o.code == PETSC_ERR_ARG_OUTOFRANGE && o.says(std::to_string(nnz) + " nonzeros, more than a PetscInt")), o.message);
  PETSC_OK(PCCreate(PETSC_COMM_SELF, pc.put()));
  PETSC_OK(PCSetType(pc, "saamg"));
  PETSC_OK(PCSetOperators(pc, band.A, band.A));
  o = attempt([&] { return PCSetUp(pc); });
  BOOST_TEST((o.failed && o.says("more entries than this PETSc's integers can count")), o.message);
}

namespace {

/* Values by coordinates at the lowest and at the highest diagonal of rows first, first + step, ...; two of them may go to one place. */
struct Coordinates {
  static constexpr PetscInt low = -64, high = 63;

  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> value;
  PetscInt                 rows = 0;

  static PetscScalar entry(PetscInt row, PetscInt o) { return PetscScalar(2 + 2 * (row % 7) + (o > 0 ? 1 : 0)); }
  static bool        has(PetscInt row, PetscInt n) { return row >= looked_at_first - looked_at && row < n - high && (row - looked_at_first) % looked_at == 0; }

  Coordinates(PetscInt n, bool doubles)
  {
    for (PetscInt row = looked_at_first - looked_at; has(row, n); row += looked_at, rows++) {
      for (PetscInt o : {low, high, high}) {
        if (!doubles && i.size() % 3 == 2) i.push_back(-1); /* ignored */
        else i.push_back(row);
        j.push_back(row + o);
        value.push_back(entry(row, o) / PetscScalar(doubles && o == high ? 2 : 1));
      }
    }
  }
};

} // namespace

/* Full storage, of which hardly anything is written. By coordinates, also where two go to one place; on a host single entries, too. */
BOOST_AUTO_TEST_CASE(places)
{
  constexpr PetscInt    diagonals = 128, n = 16779000;
  std::vector<PetscInt> offsets;

  static_assert(PetscInt64(n) * diagonals - 64 * 64 - 63 * 32 > many);
  for (PetscInt o = Coordinates::low; o <= Coordinates::high; o++) offsets.push_back(o);
  for (const bool doubles : {false, true}) {
    const Coordinates coo(n, doubles);
    Diagonals         full;

    if (on_host() && (!host_has(4e9) || !unwritten_memory_is_free()))
      return skip_case("places for 2^31 values: the host has no 4 GB, or gives memory that is only read");
    PETSC_OK(full.set(n, offsets, false));
    std::vector<PetscInt> i(coo.i), j(coo.j);
    const Outcome         o = attempt([&] { return MatSetPreallocationCOO(full.A, static_cast<PetscCount>(i.size()), i.data(), j.data()); });
    if (o.code == PETSC_ERR_MEM) return skip_case("places for 2^31 values: " + o.message);
    BOOST_TEST_REQUIRE(!o.failed, o.message);
    PETSC_OK(MatSetValuesCOO(full.A, coo.value.data(), ADD_VALUES));
    for (Field f : {Field::Constant, Field::Linear})
      check_product(full.A, f, [&](PetscInt row, const auto &add) {
        for (PetscInt d : {Coordinates::low, Coordinates::high}) {
          if (Coordinates::has(row, n)) add(Coordinates::entry(row, d), row + d);
        }
      });
    const MatInfo info = info_of(full.A);
    BOOST_TEST(info.nz_allocated == static_cast<PetscLogDouble>(PetscInt64(n) * diagonals - 64 * 65 / 2 - 63 * 64 / 2));
    BOOST_TEST(info.nz_used == n + 2. * coo.rows); /* the main diagonal counts */
    if (on_host()) check_single_entry(full.A, n - 1 - Coordinates::high, n - 1);
  }
}

/* What is done with 32 bits is refused before there is an array. */
BOOST_AUTO_TEST_CASE(refused)
{
  const Option          keep("-mat_slicedell_keep_aij", "no");
  constexpr PetscInt    side = 46, dof = 30;
  constexpr PetscInt64  pairs = PetscInt64(3 * side - 2) * (3 * side - 2) * (3 * side - 2);
  const DMBoundaryType  none  = DM_BOUNDARY_NONE;
  Handle<DM, DMDestroy> grid;
  MatHandle             slices;
  Diagonals             far;

  if (sizeof(PetscInt) > 4) return;
  Outcome o = attempt([&] { return far.set(1500000000, {0, 1000000000}, false); });
  BOOST_TEST((o.code == PETSC_ERR_ARG_OUTOFRANGE && o.says("distance 1000000000 among 1500000000 rows")), o.message);
  PETSC_OK(DMDACreate3d(PETSC_COMM_SELF, none, none, none, DMDA_STENCIL_BOX, side, side, side, 1, 1, 1, dof, 1, NULL, NULL, NULL, grid.put()));
  PETSC_OK(DMSetMatType(grid, "slicedell"));
  PETSC_OK(DMSetUp(grid));
  o = attempt([&] { return DMCreateMatrix(grid, slices.get()); });
  BOOST_TEST((o.failed && o.says(std::to_string(pairs * dof * dof) + " entries of the grid's rows")), o.message);
}
