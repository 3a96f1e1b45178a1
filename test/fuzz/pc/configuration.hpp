/* A random matrix and random options of saamg: what a seed of fuzz_pc stands for. */
#pragma once

#include "../../support/gallery.hpp"
#include "../rng.hpp"

#include <string>
#include <utility>

namespace goza_fuzz {

enum Property : unsigned {
  SYMMETRIC     = 1,
  DEFINITE      = 2, /* positive; with SINGULAR: semidefinite */
  SINGULAR      = 4,
  CONSTANT_NULL = 8, /* the constants, attached as the null space */
};

struct MatrixKind {
  const char *name;
  unsigned    properties;
};
const std::vector<MatrixKind> &matrix_kinds();

struct Configuration {
  std::uint64_t                                    seed  = 0;
  long                                             kind  = 0; /* of matrix_kinds() */
  long                                             nodes = 0, bs = 1, layout = 0;
  std::uint64_t                                    values = 0; /* seed of the matrix */
  std::vector<std::pair<std::string, std::string>> options;

  bool        has(unsigned p) const { return (matrix_kinds()[kind].properties & p) == p; }
  std::string option(const std::string &name) const; /* its value, or nothing */
};

Configuration    random_configuration(std::uint64_t seed, int ranks);
Configuration    read_configuration(std::istream &);
std::ostream    &operator<<(std::ostream &, const Configuration &);
goza_test::Entry entry_of(const Configuration &);

} // namespace goza_fuzz
