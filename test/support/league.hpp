/* The league: problems that people have, each at four sizes, for saamg and its peers to solve with no option set. */
#pragma once

#include "simplex_elements.hpp"

#include <string>

namespace goza_test
{

struct LeagueMatrix {
  Sparse                 A;
  PetscInt               bs = 1;
  std::vector<PetscReal> places; /* dim coordinates of each node, for rigid-body modes; or none */
  PetscInt               dim      = 0;
  bool                   constant = false; /* constant vectors are its null space */
  bool                   marked   = true;  /* PETSc is told of it */
};

enum class Family {
  tuned,   /* defaults may be chosen by what these take */
  reported /* they are not looked at while defaults are chosen */
};

struct LeagueProblem {
  std::string                           group, name, ksp; /* ksp: cg, gmres, bcgs, minres */
  Family                                family;
  std::function<LeagueMatrix(int size)> make; /* size 0, 1, 2: each has about three times as many rows as the one before; 3: seven times */
};

const std::vector<LeagueProblem> &league();

} // namespace goza_test
