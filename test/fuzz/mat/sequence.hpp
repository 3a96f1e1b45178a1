/* A sequence of matrix operations as text: what a seed stands for, what a driver shrinks. Every operation says what it wants by numbers that mean something
   for any state (a slot is taken modulo the slots that fit), so that a sequence with operations left out is a sequence too. */
#pragma once

#include "../rng.hpp"

#include <cstdint>
#include <iosfwd>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace goza_fuzz {

struct Op {
  std::string   name;
  long          slot[3] = {0, 0, 0};
  long          p[3]    = {0, 0, 0};
  std::uint64_t seed    = 0;
};

struct Case {
  std::uint64_t                                    seed = 0;
  std::string                                      type;         /* what MatSetType() is given: cds, mpiaijcds, ... */
  std::vector<std::pair<std::string, std::string>> options;      /* of that type */
  bool                                             whole = true; /* all values are integers, so that both matrices agree to the last bit */
  std::vector<Op>                                  ops;
  std::set<std::string>                            without; /* names of operations that are left out */
};

Case          random_case(std::uint64_t seed, int ranks, bool owning); /* of a type that owns its values, or of one that is AIJ */
std::ostream &operator<<(std::ostream &, const Case &);
Case          read_case(std::istream &);

} // namespace goza_fuzz
