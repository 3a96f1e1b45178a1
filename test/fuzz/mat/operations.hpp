/* The operations that a sequence draws from. */
#pragma once

#include "twins.hpp"

#include <vector>

namespace goza_fuzz {

/* What an operation will do to both matrices, all choices made: run() is called for one side and then for the other. Nothing to run: it does not fit the
   state. */
struct Step {
  std::function<PetscErrorCode()> run;
  std::vector<int>                touched;       /* slots whose products are compared afterwards */
  std::function<void()>           after = [] {}; /* after both sides: what is known about a slot */
  explicit                        operator bool() const { return (bool)run; }
};

struct Operation {
  const char *name;
  int         weight;
  Step (*plan)(Twins &, const Op &);
};

const std::vector<Operation> &operations();
const Operation              &operation(const std::string &name);

/* One table a file */
std::vector<Operation> creating(); /* the first of them creates a matrix */
std::vector<Operation> changing();
std::vector<Operation> copying();
std::vector<Operation> multiplying();
std::vector<Operation> reading();

/* An AIJ of PETSc's, whose state then says that it has changed. MatRetrieveValues() of 3.18 leaves it, so that a MatTranspose() that reuses takes the transpose
   for the one that it made, whatever was done to that. */
PetscErrorCode assemble_plain(Mat A);

} // namespace goza_fuzz
