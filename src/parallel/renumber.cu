#include "renumber.hpp"
#include "core/util/algorithm.hpp"

namespace goza::parallel {

static HD void is_outside(PetscInt p, PetscInt start, PetscInt n, const PetscInt *col, char *flag)
{
  flag[p] = col[p] >= 0 && (col[p] < start || col[p] >= start + n);
}

/* used: [ghosts] */
static HD void mark_used(PetscInt p, PetscInt n, const PetscInt *col, char *used)
{
  if (col[p] >= n) used[col[p] - n] = 1;
}

std::vector<PetscInt> ghosts_among(const LocalColumns &owners, const PetscInt *col, PetscInt n)
{
  const Space     space = owners.space();
  Array<char>     flag(space, n);
  Array<PetscInt> outside(space, n);

  if (!n) return {};
  for_each_row(space, n, bound<is_outside>(owners.start(), owners.n(), col, flag.data()));
  const PetscInt found = keep_flagged(space, col, flag.data(), n, outside.data());

  return Array<PetscInt>(space, outside.data(), sort_unique(space, outside.data(), found)).to_host();
}

std::vector<PetscInt> used_ghosts(Space space, PetscInt nowned, const std::vector<PetscInt> &ghosts, const PetscInt *col, PetscInt n)
{
  Array<char>           used(space, ghosts.size());
  std::vector<PetscInt> kept;

  if (ghosts.empty()) return kept;
  used.zero();
  for_each_row(space, n, bound<mark_used>(nowned, col, used.data()));
  const std::vector<char> flag = used.to_host();
  for (std::size_t g = 0; g < ghosts.size(); g++)
    if (flag[g]) kept.push_back(ghosts[g]);
  return kept;
}

} // namespace goza::parallel
