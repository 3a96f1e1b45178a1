/* Matrices in compressed diagonals, beside AIJ and without: neither is ever older than the other. */
#include "../support/mesh_case.hpp"

using namespace goza_test;

namespace {

constexpr PetscReal rounding = 2000 * PETSC_MACHINE_EPSILON;

/* Beside AIJ, into which it is assembled. What else changes the matrix is seen as ever. */
void beside_aij(const EquationName &eq, const std::string &storage)
{
  const Option             option("-mat_cds_storage", storage), keep("-mat_cds_keep_aij", "yes");
  MeshCase                 c({"da_hex", false, false}, eq, {9, 8, 8}, (PetscReal)0.2);
  const Elements           m(c.assembly);
  MatHandle                A, B;
  std::vector<PetscScalar> scaled(c.first);

  PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, MATCDS, A.put()));
  const auto product_is = [&](PetscReal factor) { BOOST_TEST(products_differ(A, B, factor) <= rounding); };

  B = textbook_assembly(c.dm, m, eq.equation, eq.bs, c.first, c.second);
  PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
  product_is(1);
  for (PetscReal factor = 2; factor < 10; factor *= 2) {
    MatHandle copy;

    for (std::size_t e = 0; e < scaled.size(); e++) scaled[e] = factor * c.first[e];
    PETSC_OK(GozaAssemblySetMaterial(c.assembly, scaled.data(), c.second.data()));
    PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
    product_is(factor);
    PETSC_OK(MatDuplicate(B, MAT_COPY_VALUES, copy.put()));
    PETSC_OK(MatScale(copy, factor));
    BOOST_TEST(relative_difference(A, copy) <= rounding);
  }
  PETSC_OK(MatScale(A, 2));
  product_is(16);
  PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
  product_is(8);
}

/* A preconditioner that shares the matrix's product keeps the values that it was set up with. */
void shared_product(const std::string &keep_aij)
{
  const Option             keep("-mat_cds_keep_aij", keep_aij);
  const EquationName       eq{"diffusion", GOZA_DIFFUSION, 1};
  MeshCase                 c({"da_hex", false, false}, eq, {9, 8, 8}, 0);
  MatHandle                A;
  VecHandle                x, before, after;
  PCHandle                 pc;
  std::vector<PetscScalar> scaled(c.first);
  const Elements           m(c.assembly);
  Flags                    given(m.nnodes);

  for (PetscInt k = 0; k < m.nnodes; k++) given[k] = (PetscBool)(m.x[3 * k] < 1e-6);
  PETSC_OK(GozaAssemblySetDirichlet(c.assembly, given.data(), nullptr));
  PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, MATCDS, A.put()));
  PETSC_OK(MatCreateVecs(A, x.put(), before.put()));
  PETSC_OK(VecDuplicate(before, after.put()));
  PETSC_OK(VecSetRandom(x, nullptr));
  PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
  PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
  PETSC_OK(PCSetType(pc, PCSAAMG));
  PETSC_OK(PCSetOperators(pc, A, A));
  PETSC_OK(PCSetUp(pc));
  PETSC_OK(PCApply(pc, x, before));
  PETSC_OK(PCSetReusePreconditioner(pc, PETSC_TRUE));
  for (PetscScalar &value : scaled) value *= 1000;
  PETSC_OK(GozaAssemblySetMaterial(c.assembly, scaled.data(), nullptr));
  PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
  PETSC_OK(PCApply(pc, x, after));
  BOOST_TEST(largest_gap(before, after) == 0);
  PETSC_OK(PCSetReusePreconditioner(pc, PETSC_FALSE));
  PETSC_OK(PCApply(pc, x, after));
  PetscReal norm;
  PETSC_OK(VecNorm(before, NORM_INFINITY, &norm));
  PETSC_OK(VecScale(after, 1000));
  BOOST_TEST(largest_gap(before, after) <= (PetscReal)0.1 * norm); /* other bits, perhaps other aggregates */
}

/* A matrix that is nothing but its format, from the assembly or from the DM: assembled there, and AIJ is made when it is asked for. */
void owned(const MeshName &mesh, const EquationName &eq, const std::string &type, const std::string &option, const std::string &value, bool of_dm)
{
  const Option             way(option, value), keep("-mat_" + type + "_keep_aij", "no");
  MeshCase                 c(mesh, eq, {mesh.plex ? 3 : 9, mesh.plex ? 4 : 8, mesh.plex ? 3 : 8}, (PetscReal)0.2);
  const Elements           m(c.assembly);
  MatHandle                A, B;
  std::vector<PetscScalar> doubled(c.first);
  PetscBool                own;

  if (of_dm) {
    PETSC_OK(DMSetMatType(c.dm, type.c_str()));
    PETSC_OK(DMCreateMatrix(c.dm, A.put()));
  } else PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, type.c_str(), A.put()));
  PETSC_OK(PetscObjectTypeCompare((PetscObject)(Mat)A, ("own" + type).c_str(), &own));
  BOOST_TEST(own);
  const auto is = [&](const std::vector<PetscScalar> &first) {
    MatHandle aij;
    const int before = event_count("GozaMatToAIJ");

    PETSC_OK(GozaAssemblySetMaterial(c.assembly, first.data(), c.second.data()));
    PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
    BOOST_TEST(event_count("GozaMatToAIJ") == before);
    B = textbook_assembly(c.dm, m, eq.equation, eq.bs, first, c.second);
    PETSC_OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, aij.put()));
    BOOST_TEST(relative_difference(aij, B) <= rounding);
  };

  is(c.first);
  for (PetscScalar &value : doubled) value *= 2;
  is(doubled);
  PETSC_OK(MatShift(A, 7)); /* what else was done to it is over with the next assembly */
  is(c.first);

  Flags     given((std::size_t)m.nnodes * eq.bs);
  MatHandle aij;
  for (std::size_t k = 0; k < given.size(); k++) given[k] = (PetscBool)(m.x[3 * (k / eq.bs) + 2] < 1e-6 && k % 4); /* across the ranks */
  PETSC_OK(GozaAssemblySetDirichlet(c.assembly, given.data(), nullptr));
  PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, MATAIJ, B.put()));
  PETSC_OK(GozaAssemblyMatrix(c.assembly, B));
  PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
  PETSC_OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, aij.put()));
  BOOST_TEST(relative_difference(aij, B) <= rounding);
}

/* The type of a new matrix of a type, with an option. */
std::string type_of(const MeshCase &c, const char *type, const std::string &option = "-unused", const std::string &value = "")
{
  const Option way(option, value);
  MatHandle    A;
  MatType      made;

  PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, type, A.put()));
  PETSC_OK(MatGetType(A, &made));
  return made;
}

/* A matrix that is assembled by these kernels holds no AIJ, unless an option or the name of its type asks for it, or its format could not hold it alone. */
void without_aij()
{
  const EquationName eq{"elasticity", GOZA_ELASTICITY, 3};
  const MeshCase     box({"da_hex", false, false}, eq, {9, 8, 8}, (PetscReal)0.2);
  PetscMPIInt        size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  const std::string aij = size > 1 ? "mpiaij" : "seqaij";
  for (const std::string type : {MATCDS, MATSLICEDELL}) {
    const std::string own = "own" + type, held = aij + type, option = "-mat_" + type;

    BOOST_TEST(type_of(box, type.c_str()) == own);
    BOOST_TEST(type_of(box, MATAIJ, "-mat_type", type) == own);
    BOOST_TEST(type_of(box, type.c_str(), option + "_keep_aij", "yes") == held);
    BOOST_TEST(type_of(box, type.c_str(), option + "_keep_aij", "no") == own);
    BOOST_TEST(type_of(box, type.c_str(), option + "_precision", "single") == held);
    BOOST_TEST(type_of(box, type.c_str(), "-mat_type", held) == held);
    BOOST_TEST(type_of(box, held.c_str()) == held);
  }
  BOOST_TEST(type_of(box, MATCDS, "-mat_cds_share", "0.9") == aij + MATCDS);
  BOOST_TEST(type_of(box, MATFOLD) == aij + MATFOLD);
  for (const MeshName &mesh : mesh_names()) { /* on any of them both are the same operator */
    const MeshCase c(mesh, eq, {5, 4, 4}, (PetscReal)0.2);

    for (const char *type : {MATCDS, MATSLICEDELL}) {
      MatHandle A, B;

      PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, type, A.put()));
      PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
      PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, MATAIJ, B.put()));
      PETSC_OK(GozaAssemblyMatrix(c.assembly, B));
      BOOST_TEST(relative_difference(A, B) <= rounding, mesh.name << ", " << type);
      PETSC_OK(MatSetType(A, type)); /* as MatSetFromOptions() may: by PETSc's rule nothing is left of it */
      PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
      BOOST_TEST(relative_difference(A, B) <= rounding, mesh.name << ", " << type << ", set again");
    }
  }
}

void add()
{
  for (const auto &eq : equation_names()) {
    for (const char *storage : {"auto", "full"}) add_test(suite_named(suite_named(nullptr, "beside_aij"), eq.name), storage, [=] { beside_aij(eq, storage); });
    for (const char *storage : {"auto", "full"}) {
      for (bool of_dm : {false, true})
        add_test(suite_named(suite_named(nullptr, "owned"), eq.name), std::string(storage) + (of_dm ? "_of_dm" : ""), [=] {
          owned({"da_hex", false, false}, eq, MATCDS, "-mat_cds_storage", storage, of_dm);
        });
    }
    for (const MeshName &mesh : mesh_names()) {
      for (const char *block : {"auto", "1"}) {
        for (bool of_dm : {false, true})
          add_test(suite_named(suite_named(nullptr, "owned"), eq.name), "slices_" + mesh.name + "_" + block + (of_dm ? "_of_dm" : ""),
                   [=] { owned(mesh, eq, MATSLICEDELL, "-mat_slicedell_block_size", block, of_dm); });
      }
      add_test(suite_named(suite_named(nullptr, "owned"), eq.name), "lines_" + mesh.name, [=] { owned(mesh, eq, MATFOLD, "-mat_fold_width", "8", true); });
    }
  }
  for (const char *keep : {"yes", "auto"}) add_test(suite_named(nullptr, "shared_product"), std::string("saamg_") + keep, [=] { shared_product(keep); });
  add_test(suite_named(nullptr, "without_aij"), "where_nobody_says", without_aij);
}
const AddTests tests(add);

} // namespace
