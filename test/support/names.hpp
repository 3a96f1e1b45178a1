/* The name tables that the laws loop over. A new Mat type, smoother, cycle, precision: one name here, and every law holds for it. */
#pragma once

#include "check.hpp"

#include <vector>

namespace goza_test {

struct MatName {
  std::string set;  /* what MatSetType is given */
  std::string is;   /* what MatGetType must answer from then on */
  bool        ours; /* has our kernel, so event GozaMatMult counts it */
};

/* On one rank also the mpi form of each. -test_mat_types puts another in their place: PETSc's aij must obey the same laws, and so must the types
   that own their values, ownslicedell and ownfold (owncds holds no matrix of any pattern). */
std::vector<MatName> mat_names();
MatName              mat_named(const std::string &set);

/* In what a Goza matrix stores its values: the option's value, and by how much of itself a value may be off. */
struct StorageName {
  std::string name;
  PetscReal   rounding;
};
std::vector<StorageName> storage_names();

/* standard, and cuda where PETSc and the machine have it. */
std::vector<std::string> vec_names();

/* -test_pc_type gamg puts PETSc's own in the place of saamg, for the laws that do not need options of saamg. */
std::string              pc_name();
std::vector<std::string> smoother_names();
std::vector<std::string> cycle_names();
std::vector<std::string> precision_names();
std::vector<std::string> halo_names();

} // namespace goza_test
