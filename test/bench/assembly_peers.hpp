/* What others do with the same element kernel: PETSc's COO on the device, and element by element MatSetValues() on the host. */
#pragma once
#include "assembly_ways.hpp"

namespace goza_bench {

/* --- COO, element matrices by steps 1 and 3 */

struct ToCOO { // the values of one block in the order of the coordinates: element, row, column
  const PetscScalar *matrix;
  PetscScalar       *v;

  HD void operator()(PetscInt t) const
  {
    const PetscInt k = t / 576, row = t % 576 / 24, column = t % 24, ab = row / 3 * 8 + column / 3, c = row % 3 * 3 + column % 3;

    v[t] = matrix[(static_cast<std::int64_t>(k) * 9 + c) * 64 + ab];
  }
};

/* A matrix with the places of all entries of all element matrices; symbolic: the seconds that PETSc took. */
inline PetscErrorCode PreallocateCOO(const Bench &bench, const Mesh &mesh, Mat *A, PetscLogDouble *symbolic)
{
  PetscLogDouble begin, end;

  PetscFunctionBeginUser;
  const std::vector<PetscInt> conn    = mesh.conn.to_host();
  const std::size_t           entries = static_cast<std::size_t>(mesh.nelem) * 576;
  std::vector<PetscInt>       i(entries), j(entries);

  for (std::size_t t = 0; t < entries; t++) {
    i[t] = 3 * conn[t / 576 * 8 + t % 576 / 24 / 3] + static_cast<PetscInt>(t % 576 / 24 % 3);
    j[t] = 3 * conn[t / 576 * 8 + t % 24 / 3] + static_cast<PetscInt>(t % 24 % 3);
  }
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, 3 * mesh.owned, 3 * mesh.owned, 3 * mesh.owned, 3 * mesh.owned));
  PetscCall(MatSetType(*A, bench.space == Space::Cuda ? "aijcusparse" : MATAIJ));
  PetscCall(PetscTime(&begin));
  PetscCall(MatSetPreallocationCOO(*A, static_cast<PetscCount>(entries), i.data(), j.data()));
  PetscCall(Wait(bench));
  PetscCall(PetscTime(&end));
  *symbolic = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its values. */
class COOValues {
public:
  COOValues(Space space, const Mesh &mesh) :
    space_(space),
    mesh_(mesh),
    gradients_(space, static_cast<std::size_t>(192) * mesh.nelem),
    matrix_(space, static_cast<std::size_t>(576) * mesh.nelem),
    v_(space, matrix_.size())
  {
  }

  PetscErrorCode set(Mat A)
  {
    using Layout = PointFastest<Hex8>;
    const Block b{mesh_.view(), nullptr, nullptr, nullptr, 0, mesh_.nelem, mesh_.nelem, gradients_.data(), matrix_.data(), nullptr, nullptr, false};

    PetscFunctionBeginUser;
    for_each_element(space_, Step1<Hex8, Layout>{b});
    for_each_element(space_, Step3<Hex8, Layout>{b});
    for_each_row(space_, static_cast<PetscInt>(v_.size()), ToCOO{matrix_.data(), v_.data()});
    PetscCall(MatSetValuesCOO(A, v_.data(), INSERT_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  Space              space_;
  const Mesh        &mesh_;
  Array<PetscScalar> gradients_, matrix_, v_;
};

inline PetscErrorCode COO(const Bench &bench, PetscInt n)
{
  const Space    space = bench.space;
  PetscLogDouble symbolic, numeric;
  PetscErrorCode failed = PETSC_SUCCESS;
  char           text[512];
  Mat            A;

  PetscFunctionBeginUser;
  const Mesh mesh = make_cube(space, n, false, bench.general);
  PetscCall(PreallocateCOO(bench, mesh, &A, &symbolic));
  COOValues values(space, mesh);
  PetscCall(Median(
    bench,
    [&] {
      if (!failed) failed = values.set(A);
    },
    &numeric));
  PetscCall(failed);
  std::snprintf(text, sizeof(text), "\"element\": \"hex\", \"n\": %d, \"way\": \"coo\", \"into\": \"%s\", \"seconds\": %.6g, \"symbolic_s\": %.6g",
                static_cast<int>(n), space == Space::Cuda ? "aijcusparse" : "aij", numeric, symbolic);
  PetscCall(Line(bench, text));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- on the host: element by element through MatSetValues(), and GozaAssembly's numeric phase */

inline PetscErrorCode HostPeer(const Bench &given, PetscInt n)
{
  Bench          bench = given;
  const Problem  problem{EquationKind::Elasticity, 3};
  PetscLogDouble petsc, ours;
  char           text[512];
  Mat            A;
  PetscErrorCode failed = PETSC_SUCCESS;

  PetscFunctionBeginUser;
  bench.space                = Space::Host;
  const Mesh            mesh = make_cube(Space::Host, n, false);
  const AssemblyMap     map  = make_assembly_map(mesh);
  Array<PetscInt>       row(Space::Host, 3 * static_cast<std::size_t>(mesh.owned) + 1);
  std::vector<PetscInt> columns;
  Array<PetscScalar>    val(Space::Host, static_cast<std::size_t>(map.pairs()) * 9);
  Target                target{};

  for_each_row(Space::Host, mesh.owned + 1, RowPointers{map.ptr.data(), mesh.owned, row.data()});
  for (PetscInt r = 0; r < 3 * mesh.owned; r++) {
    for (PetscInt k = map.ptr.data()[r / 3]; k < map.ptr.data()[r / 3 + 1]; k++) {
      for (PetscInt c = 0; c < 3; c++) columns.push_back(3 * map.col.data()[k] + c);
    }
  }
  target.layout = Layout::Csr;
  target.bs     = 3;
  target.owned  = mesh.owned;
  target.val    = val.data();
  target.ptr    = row.data();
  PetscCall(Median(
    bench, [&] { assemble_matrix(problem, mesh, map, target); }, &ours));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 3 * mesh.owned, 3 * mesh.owned, 0, NULL, &A));
  PetscCall(MatSeqAIJSetPreallocationCSR(A, row.data(), columns.data(), NULL));
  PetscCall(Median(
    bench,
    [&] {
      if (failed) return;
      failed = [&]() -> PetscErrorCode {
        PetscFunctionBeginUser;
        PetscCall(MatZeroEntries(A));
        for (PetscInt e = 0; e < mesh.nelem; e++) {
          PetscScalar X[8][3], g[8][3], S[8][8][9] = {}, K[24][24];
          PetscInt    rows[24];

          corners_of<Hex8>(mesh.view(), e, X);
          for (int q = 0; q < 8; q++) {
            rooted_gradients<Hex8>(X, q, g);
            for (int ab = 0; ab < 64; ab++) Elasticity::add(g[ab / 8], g[ab % 8], PetscScalar(0), S[ab / 8][ab % 8]);
          }
          for (int ab = 0; ab < 64; ab++) {
            PetscScalar block[9];

            Elasticity::block(S[ab / 8][ab % 8], static_cast<PetscScalar>(mesh.view().material[e][0]), static_cast<PetscScalar>(mesh.view().material[e][1]),
                              block);
            for (int c = 0; c < 9; c++) K[ab / 8 * 3 + c / 3][ab % 8 * 3 + c % 3] = block[c];
          }
          for (int r = 0; r < 24; r++) rows[r] = 3 * mesh.view().conn[static_cast<std::size_t>(e) * 8 + r / 3] + r % 3;
          PetscCall(MatSetValues(A, 24, rows, 24, rows, &K[0][0], ADD_VALUES));
        }
        PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
        PetscFunctionReturn(PETSC_SUCCESS);
      }();
    },
    &petsc));
  PetscCall(failed);
  PetscCall(MatDestroy(&A));
  std::snprintf(text, sizeof(text), "\"element\": \"hex\", \"n\": %d, \"way\": \"host\", \"seconds\": %.6g, \"matsetvalues_s\": %.6g, \"ratio\": %.3g",
                static_cast<int>(n), ours, petsc, petsc / ours);
  PetscCall(Line(bench, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza_bench
