/* A sequence of matrix operations as text: what a seed stands for, what a driver shrinks. Every operation says what it wants by numbers that mean something
   for any state (a slot is taken modulo the slots that fit), so that a sequence with operations left out is a sequence too. */
#pragma once

#include <cstdint>
#include <iosfwd>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace goza_fuzz
{

/* The same on every rank and machine (splitmix64). */
class Rng {
public:
  explicit Rng(std::uint64_t seed) : state(seed * 0x9E3779B97F4A7C15u + 0x1234567) { }

  std::uint64_t bits();
  long          below(long n) { return n > 0 ? (long)(bits() % (std::uint64_t)n) : 0; }
  bool          chance(int percent) { return below(100) < percent; }
  double        unit() { return (double)(bits() >> 11) * 0x1p-53; }

private:
  std::uint64_t state;
};

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

Case          random_case(std::uint64_t seed, int ranks);
std::ostream &operator<<(std::ostream &, const Case &);
Case          read_case(std::istream &);

} // namespace goza_fuzz
