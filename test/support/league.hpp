/* The league: problems that people have, each at four sizes, for saamg and its peers to solve with no option set. */
#pragma once

#include "simplex_elements.hpp"

#include <string>

namespace goza_test {

/* How fieldsplit preconditions the second field's Schur complement. */
enum class Schur {
  mass,  /* by the matrix given */
  selfp, /* by A11 - A10 A00^-1 A01 with the diagonal of A00 */
  bfbt   /* by products with A10 A01, which stand between two solutions with it */
};

/* Two fields, for fieldsplit: the first `velocities` unknowns, and pressures. */
struct Fields {
  PetscInt velocities = 0; /* 0: there is one field */
  Schur    schur      = Schur::mass;
  Sparse   mass;

  std::vector<std::vector<PetscReal>> modes; /* near-null vectors of the velocities, which are at no nodes */
};

struct LeagueMatrix {
  Sparse                 A;
  PetscInt               bs = 1; /* of two fields that of the first */
  std::vector<PetscReal> places; /* dim coordinates of each node, for rigid-body modes; or none */
  PetscInt               dim      = 0;
  bool                   constant = false; /* constant vectors, of two fields those of the second one, are its null space */
  bool                   marked   = true;  /* PETSc is told of it */
  Fields                 fields;
};

enum class Family {
  tuned,   /* defaults may be chosen by what these take */
  reported /* they are not looked at while defaults are chosen */
};

enum class Kind {
  solved,
  refused, /* a saddle point, which no method for one field is to take for another matrix */
  given    /* of a file, at one size */
};

struct LeagueProblem {
  std::string                           group, name, ksp; /* ksp: cg, gmres, bcgs, minres; fgmres of two fields */
  Family                                family;
  std::function<LeagueMatrix(int size)> make; /* size 0, 1, 2: each has about three times as many rows as the one before; 3: seven times */
  Kind                                  kind = Kind::solved;
};

const std::vector<LeagueProblem> &league();

} // namespace goza_test
