/* Memory that one rank lacks: every request of Goza's is refused in turn, alone or with all that follow. All ranks get an error or none does, none waits for
   another, and the same call then works. With -every each of the later requests, and each rank. */
#include "../support/alloc_sweep.hpp"
#include "../support/mesh_case.hpp"
#include "../support/pc_case.hpp"

#include <petscdm.h>
#include <petscgoza.h>

#include <array>
#include <memory>
#include <tuple>

using namespace goza_test;

namespace {

/* --- products */

struct Product {
  MatHandle A, R;
  VecHandle x, y, want;

  Product(const Entry &e, const std::string &type, bool changed) : A(assemble(e, type.c_str())), R(assemble(e, MATAIJ))
  {
    PETSC_OK(MatCreateVecs(R, x.put(), y.put()));
    PETSC_OK(VecDuplicate(y, want.put()));
    PETSC_OK(VecSetRandom(x, nullptr));
    if (!changed) return;
    PETSC_OK(MatMult(A, x, y));
    PETSC_OK(MatScale(A, 3));
    PETSC_OK(MatScale(R, 3));
  }
  void check()
  {
    PetscReal size;

    PETSC_OK(MatMult(R, x, want));
    PETSC_OK(VecNorm(want, NORM_2, &size));
    PETSC_OK(MatMult(A, x, y));
    PETSC_OK(VecAXPY(y, -1, want));
    BOOST_TEST(norm(y) <= 100 * PETSC_MACHINE_EPSILON * size);
  }
};

void product(const std::string &type, const char *halo, bool changed, How how)
{
  const Option way("-goza_halo", halo), trials("-mat_autoformat_trials", "2");
  const Entry  e = stencil7(4, 3, 5);

  sweep(
    !changed, how, [&] { return std::make_unique<Product>(e, type, changed); }, [](Product &p) { return MatMult(p.A, p.x, p.y); },
    [](Product &p) { p.check(); });
}

/* --- matrices that are nothing but their format */

struct Owned {
  Option                   keep;
  Entry                    e = stencil7(4, 3, 5);
  MatHandle                A, R, copy, made;
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;
  VecHandle                x, y, want;
  PCHandle                 pc;

  explicit Owned(const std::string &type) : keep("-mat_" + type + "_keep_aij", "no"), A(assemble(e, type.c_str())), R(assemble(e, MATAIJ))
  {
    PetscInt           start, end, n;
    const PetscInt    *cols;
    const PetscScalar *vals;

    PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, copy.put()));
    PETSC_OK(MatCreateVecs(R, x.put(), y.put()));
    PETSC_OK(VecDuplicate(y, want.put()));
    PETSC_OK(VecSetRandom(x, nullptr));
    PETSC_OK(MatGetOwnershipRange(R, &start, &end));
    for (PetscInt row = start; row < end; row++) {
      PETSC_OK(MatGetRow(R, row, &n, &cols, &vals));
      for (PetscInt k = 0; k < n; k++) {
        i.push_back(row);
        j.push_back(cols[k]);
        v.push_back(vals[k]);
      }
      PETSC_OK(MatRestoreRow(R, row, &n, &cols, &vals));
    }
  }
  PetscErrorCode by_coordinates()
  {
    std::vector<PetscInt> rows, cols;

    PetscFunctionBegin;
    {
      const WithMemory of_the_test;

      rows = i;
      cols = j;
    }
    PetscCall(MatSetPreallocationCOO(A, static_cast<PetscCount>(rows.size()), rows.data(), cols.data()));
    PetscCall(MatSetValuesCOO(A, v.data(), INSERT_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode set_up()
  {
    PetscFunctionBegin;
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetUp(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  void check_is(Mat B, bool transposed)
  {
    PetscReal size;

    PETSC_OK(transposed ? MatMultTranspose(R, x, want) : MatMult(R, x, want));
    PETSC_OK(VecNorm(want, NORM_2, &size));
    PETSC_OK(MatMult(B, x, y));
    PETSC_OK(VecAXPY(y, -1, want));
    BOOST_TEST(norm(y) <= 100 * PETSC_MACHINE_EPSILON * size);
  }
  void check(bool transposed)
  {
    check_is(A, false);
    if (made) check_is(made, transposed);
    if (!pc) return;
    PETSC_OK(set_up());
    PETSC_OK(PCApply(pc, x, y));
    BOOST_TEST(norm(y) > 0);
  }
};

void owned(const char *type, bool transposed, How how, const char *pc, const std::function<PetscErrorCode(Owned &)> &call)
{
  const auto make = [type, pc] {
    auto o = std::make_unique<Owned>(type);

    if (pc) PETSC_OK(PCCreate(PETSC_COMM_WORLD, o->pc.put()));
    if (pc) PETSC_OK(PCSetType(o->pc, pc));
    return o;
  };

  sweep(false, how, make, call, [=](Owned &o) { o.check(transposed); });
}

/* --- what there is before a set-up: types and options */

struct Made {
  MatHandle A;
  PCHandle  pc;
  KSPHandle ksp;

  Made()
  {
    PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
    PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
    PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
    PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 30, 30));
  }
};

void typed(How how, const std::function<PetscErrorCode(Made &)> &call)
{
  sweep(
    true, how, [] { return std::make_unique<Made>(); }, call, [](Made &) {});
}

template <class Object>
PetscErrorCode take_type(Object object, const char *type, PetscErrorCode (*set)(Object, const char *), PetscErrorCode (*options)(Object))
{
  PetscFunctionBegin;
  PetscCall(set(object, type));
  PetscCall(options(object));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- assembly */

struct Assembled {
  MeshCase  c;
  MatHandle A;
  VecHandle u, b;
  MatType   type;

  Assembled(const MeshName &mesh, MatType t) : c(mesh, {"elasticity", GOZA_ELASTICITY, 3}, {2, 2, 4}, (PetscReal)0.1), type(t) { }
  void create()
  {
    PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, type, A.put()));
    PETSC_OK(MatCreateVecs(A, u.put(), b.put()));
    PETSC_OK(VecSet(u, 1));
    PETSC_OK(VecSet(b, 0));
  }
  /* The matrix's and the residual's norm, which are those of an assembly that never failed. */
  void check(const std::array<PetscReal, 2> &want)
  {
    const std::array<PetscReal, 2> got = norms();

    for (int k : {0, 1}) BOOST_TEST(std::abs(got[k] - want[k]) <= 1000 * PETSC_MACHINE_EPSILON * want[0]);
  }
  std::array<PetscReal, 2> norms()
  {
    std::array<PetscReal, 2> norm;

    PETSC_OK(GozaAssemblySetMaterial(c.assembly, c.first.data(), c.second.data()));
    if (!A || !u) create();
    PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
    PETSC_OK(MatNorm(A, NORM_FROBENIUS, &norm[0]));
    PETSC_OK(GozaAssemblyResidual(c.assembly, u, b));
    PETSC_OK(VecNorm(b, NORM_2, &norm[1]));
    return norm;
  }
};

void assembly(const MeshName &mesh, MatType type, bool created, bool asks, How how, const std::function<PetscErrorCode(Assembled &)> &call)
{
  const auto make = [&] {
    auto made = std::make_unique<Assembled>(mesh, type);

    if (created) made->create();
    return made;
  };
  const std::array<PetscReal, 2> want = make()->norms();

  sweep(asks, how, make, call, [&](Assembled &a) { a.check(want); });
}

const AddTests tests([] {
  for (How how : {How::once, How::onwards, How::device}) {
    const std::string end  = how == How::once ? "_once" : how == How::onwards ? "_onwards" : "_device";
    auto             *mult = suite_named(nullptr, "product");

    for (const char *type : {MATSLICEDELL, MATCDS, MATFOLD, MATAUTOFORMAT}) {
      add_test(mult, std::string(type) + "_first" + end, [=] { product(type, "auto", false, how); });
      add_test(mult, std::string(type) + "_new_values" + end, [=] { product(type, "auto", true, how); });
    }
    auto *types = suite_named(nullptr, "types");

    for (const char *type : {MATSLICEDELL, MATCDS, MATFOLD, MATAUTOFORMAT, MATOWNCDS, MATOWNSLICEDELL, MATOWNFOLD})
      add_test(types, type + end, [=] { typed(how, [type](Made &m) { return take_type<Mat>(m.A, type, MatSetType, MatSetFromOptions); }); });
    for (const char *type : {KSPFUSEDCG, KSPFUSEDBCGS, KSPFUSEDGMRES})
      add_test(types, type + end, [=] { typed(how, [type](Made &m) { return take_type<KSP>(m.ksp, type, KSPSetType, KSPSetFromOptions); }); });
    add_test(types, PCSAAMG + end, [=] { typed(how, [](Made &m) { return take_type<PC>(m.pc, PCSAAMG, PCSetType, PCSetFromOptions); }); });
    const std::vector<std::pair<std::string, std::function<PetscErrorCode(Owned &)>>> owner{
      {"mult", [](Owned &o) { return MatMult(o.A, o.x, o.y); }},
      {"mult_transpose", [](Owned &o) { return MatMultTranspose(o.A, o.x, o.y); }},
      {"coordinates", [](Owned &o) { return o.by_coordinates(); }},
      {"options", [](Owned &o) { return MatSetFromOptions(o.A); }},
      {"duplicate", [](Owned &o) { return MatDuplicate(o.A, MAT_COPY_VALUES, o.made.put()); }},
      {"transpose", [](Owned &o) { return MatTranspose(o.A, MAT_INITIAL_MATRIX, o.made.put()); }},
      {"to_aij", [](Owned &o) { return MatConvert(o.A, MATAIJ, MAT_INITIAL_MATRIX, o.made.put()); }},
      {"zero_entries", [](Owned &o) { return MatZeroEntries(o.A) || MatAXPY(o.A, 1, o.copy, SAME_NONZERO_PATTERN) ? PETSC_ERR_MEM : PETSC_SUCCESS; }},
    };
    for (const char *type : {MATCDS, MATSLICEDELL, MATFOLD}) {
      auto *suite = suite_named(suite_named(nullptr, "owned"), type);

      for (const auto &[name, call] : owner)
        add_test(suite, name + end, [=, name = name, call = call] { owned(type, name == "transpose", how, nullptr, call); });
      for (const char *pc : {PCSAAMG, PCPBJACOBI}) add_test(suite, pc + end, [=] { owned(type, false, how, pc, [](Owned &o) { return o.set_up(); }); });
    }
    if (how == How::device) continue;

    const std::vector<std::tuple<std::string, bool, std::function<PetscErrorCode(Assembled &)>>> calls{
      {"set_dm", false, [](Assembled &a) { return GozaAssemblySetDM(a.c.assembly, a.c.dm); }},
      {"set_up", false, [](Assembled &a) { return GozaAssemblySetUp(a.c.assembly); }},
      {"create_matrix", false, [](Assembled &a) { return GozaAssemblyCreateMatrix(a.c.assembly, a.type, a.A.get()); }},
      {"matrix", true, [](Assembled &a) { return GozaAssemblyMatrix(a.c.assembly, a.A); }},
      {"rhs", true, [](Assembled &a) { return GozaAssemblyRHS(a.c.assembly, a.b); }},
      {"residual", true, [](Assembled &a) { return GozaAssemblyResidual(a.c.assembly, a.u, a.b); }},
    };
    for (const MeshName &mesh : mesh_names()) {
      if (mesh.name != "da_hex" && mesh.name != "plex_tet") continue;
      for (const auto &[name, created, call] : calls) {
        for (const std::string type : {MATBAIJ, "ownslicedell"}) {
          if (!mesh.plex && (name == "create_matrix" || name == "matrix"))
            add_test(suite_named(nullptr, "assembly"), name + "_of_" + type + end,
                     [=, created = created, call = call] { assembly(mesh, type.c_str(), created, false, how, call); });
        }
        if (mesh.plex && name != "set_dm") continue; /* the others do not ask where the mesh is from */
        add_test(suite_named(nullptr, "assembly"), name + "_" + mesh.name + end,
                 [=, name = name, created = created, call = call] { assembly(mesh, MATAIJ, created, name != "matrix" && name != "rhs", how, call); });
      }
    }
  }
});

} // namespace
