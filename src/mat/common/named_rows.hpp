/* The rows that MatZeroRows() is given. */
#pragma once
#include "core/rooms.hpp"
#include <petscmat.h>
#include <vector>

namespace goza::mat {

/* Collective. Each rank may name rows of any: mine are this rank's by their local numbers, without doubles, ascending. An error of one rank is an error of all;
   what: see FailTogether(). */
PetscErrorCode MatFindNamedRows(Mat A, PetscInt n, const PetscInt rows[], const char *what, std::vector<PetscInt> *mine);

} // namespace goza::mat
