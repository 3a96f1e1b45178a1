/* The pattern of a matrix in PETSc's binary format. What is not the pattern of a matrix, a file that ends early or something else, is a PETSc error. */
#pragma once
#include "host_csr.hpp"

namespace goza_test {

PetscErrorCode read_petsc_binary(const char *file, HostCsr *A); // columns ascend

} // namespace goza_test
