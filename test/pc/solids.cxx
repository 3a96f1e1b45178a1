/* Elasticity: where nodes have several unknowns, interpolations are smoothed with more than 4/3 over the largest eigenvalue. */
#include "../support/pc_case.hpp"

using namespace goza_test;

namespace
{

const AddTests add([] {
  auto *suite = suite_named(nullptr, "few_iterations");

  for (const Problem &p : {Problem{"cube", elasticity(12, 12, 12), Kernel::rigid_body, 7}, Problem{"thin", elasticity(30, 30, 3), Kernel::rigid_body, 10}})
    add_test(suite, p.name, [p] {
      const MatHandle A = system_matrix(p);
      const Solve     s = solve(make_cg(A), A);

      BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
      BOOST_TEST(s.iterations <= p.ceiling, s.iterations << " iterations");
    });
});

} // namespace
