/* A Matrix Market file, plain or compressed by gzip (coordinate; real, integer or pattern; general, symmetric or skew-symmetric). A file that ends early or is
   something else is a PETSc error. */
#pragma once
#include "host_csr.hpp"

namespace goza_test {

bool           is_matrix_market(const char *file); // by its first line
PetscErrorCode read_matrix_market(const char *file, HostCsr *A);

} // namespace goza_test
