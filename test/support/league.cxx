#include "league_groups.hpp"

namespace goza_test {

const std::vector<LeagueProblem> &league()
{
  static const Problems all = [] {
    Problems list;

    for (auto add : {add_simplices, add_grids, add_bricks, add_solids, add_flows, add_graphs, add_systems, add_stokes, add_files}) add(list);
    return list;
  }();

  return all;
}

} // namespace goza_test
