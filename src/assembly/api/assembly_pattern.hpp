/* Between the pattern of a mesh and those of PETSc's matrices. bs: unknowns of a node that are rows of their own; 1 of all that are blocks. */
#pragma once
#include "assembly.hpp"
#include <petsc/private/matimpl.h>

namespace goza::assembly {

/* One block of the matrix, its row pointer and columns on the host. */
struct Rows {
  Mat             A      = NULL;
  PetscBool       blocks = PETSC_FALSE;
  PetscInt        n      = 0;
  const PetscInt *ptr = NULL, *col = NULL;

  Rows()                        = default;
  Rows(const Rows &)            = delete;
  Rows &operator=(const Rows &) = delete;
  ~Rows() { (void)close(); }

  /* of_blocks: of a BAIJ, of whose blocks these are the rows and columns */
  PetscErrorCode open(Mat block, PetscBool of_blocks = PETSC_FALSE)
  {
    PetscBool done;

    PetscFunctionBegin;
    A      = block;
    blocks = of_blocks;
    if (A) {
      PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, blocks, &n, &ptr, &col, &done));
      PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "Matrix type %s gives no row pointers", ((PetscObject)A)->type_name);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode close()
  {
    PetscBool done;

    PetscFunctionBegin;
    if (A) PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, blocks, &n, &ptr, &col, &done));
    A = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* A matrix and the patterns of its blocks, by which what was found for them is known again. */
struct PatternStamp {
  PetscObjectId    id       = 0;
  PetscObjectState state[2] = {-1, -1};

  void take(Mat A, Mat Ad, Mat Ao)
  {
    id       = id_of(A);
    state[0] = nonzero_state_of(Ad);
    if (Ao) state[1] = nonzero_state_of(Ao);
  }
  bool is_of(GozaAssembly a) const { return id == a->mat_id && state[0] == a->mat_pattern[0] && state[1] == a->mat_pattern[1]; }
  void keep(GozaAssembly a) const
  {
    a->mat_id = id;
    std::copy_n(state, 2, a->mat_pattern);
  }
};

/* Where in the matrix's rows the pairs of the map stand; `exact`: the rows are the pairs and nothing else. */
PetscErrorCode FindPlaces(GozaAssembly a, PetscInt bs, const Rows &diag, const Rows &other, const PetscInt *garray, std::vector<PetscInt> &from, bool *exact);

/* The rows of the matrix with global columns, ascending. start: the first owned node. */
void GlobalPattern(GozaAssembly a, PetscInt bs, PetscInt start, std::vector<PetscInt> &ptr, std::vector<PetscInt> &col);

} // namespace goza::assembly
