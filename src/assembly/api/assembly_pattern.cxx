/* The pattern of a mesh in PETSc's matrices: where its pairs of nodes stand, and their global columns. */
#include "assembly_pattern.hpp"

namespace goza::assembly {

PetscErrorCode HostPattern(GozaAssembly a)
{
  PetscFunctionBegin;
  if (!a->host_ptr.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    a->host_col = a->map.col.to_host();
    a->host_ptr = a->map.ptr.to_host(); // the last: where it is there, both are
  }));
  if (a->space == Space::Cuda) PetscCall(PetscLogGpuToCpu((PetscLogDouble)(a->map.ptr.bytes() + a->map.col.bytes())));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindPlaces(GozaAssembly a, PetscInt bs, const Rows &diag, const Rows &other, const PetscInt *garray, std::vector<PetscInt> &from, bool *exact)
{
  const PetscInt        nother = other.A ? other.A->cmap->n / (a->bs / bs) : 0;
  std::vector<PetscInt> compact; // the ghosts' first columns in the off-diagonal block

  PetscFunctionBegin;
  *exact = true;
  PetscCall(HostPattern(a));
  PetscCall(Guarded([&] {
    compact.resize(a->ghosts.size());
    from.resize(a->host_col.size());
  }));
  for (std::size_t g = 0; g < a->ghosts.size(); g++) {
    const PetscInt *at = std::lower_bound(garray, garray + nother, a->ghosts[g] * bs);

    PetscCheck(at + bs <= garray + nother && *at == a->ghosts[g] * bs, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "The matrix has no column for node %" PetscInt_FMT " of another rank: use GozaAssemblyCreateMatrix()", a->ghosts[g]);
    compact[g] = (PetscInt)(at - garray);
  }
  for (PetscInt i = 0; i < a->nowned; i++) {
    PetscInt mine[2] = {0, 0};

    for (PetscInt k = a->host_ptr[i]; k < a->host_ptr[i + 1]; k++) {
      const PetscInt j    = a->host_col[k];
      const bool     own  = j < a->nowned;
      const Rows    &rows = own ? diag : other;
      const PetscInt want = own ? j * bs : compact[j - a->nowned];

      for (PetscInt r = 0; r < bs; r++) {
        const PetscInt *begin = rows.col + rows.ptr[i * bs + r], *end = rows.col + rows.ptr[i * bs + r + 1], *next = begin + mine[own ? 0 : 1] * bs; // mostly
        const PetscInt *at    = next < end && *next == want ? next : std::lower_bound(begin, end, want);
        const PetscInt  place = (PetscInt)(at - begin);

        PetscCheck(at + bs <= end && *at == want && at[bs - 1] == want + bs - 1 && (r == 0 || place == from[k]), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
                   "The matrix has no place for the %" PetscInt_FMT " x %" PetscInt_FMT " block of nodes %" PetscInt_FMT " and %" PetscInt_FMT
                   " of this rank: create it with GozaAssemblyCreateMatrix() or DMCreateMatrix()",
                   a->bs, a->bs, i, j);
        from[k] = place;
      }
      *exact = *exact && from[k] == mine[own ? 0 : 1] * bs;
      mine[own ? 0 : 1]++;
    }
    for (PetscInt r = 0; r < bs; r++) {
      *exact = *exact && diag.ptr[i * bs + r + 1] - diag.ptr[i * bs + r] == mine[0] * bs;
      if (other.A) *exact = *exact && other.ptr[i * bs + r + 1] - other.ptr[i * bs + r] == mine[1] * bs;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void GlobalPattern(GozaAssembly a, PetscInt bs, PetscInt start, std::vector<PetscInt> &ptr, std::vector<PetscInt> &col)
{
  ptr.assign(1, 0);
  ptr.reserve((std::size_t)a->nowned * bs + 1);
  col.reserve(a->host_col.size() * bs * bs + 1); // PETSc takes a null pointer for "not given"
  for (PetscInt i = 0; i < a->nowned; i++) {
    const PetscInt *first = a->host_col.data() + a->host_ptr[i], *last = a->host_col.data() + a->host_ptr[i + 1];
    const PetscInt *ghost = std::lower_bound(first, last, a->nowned);
    const PetscInt *above = std::find_if(ghost, last, [&](PetscInt j) { return a->ghosts[j - a->nowned] >= start; }); // columns ascend over the ranks

    for (PetscInt r = 0; r < bs; r++) {
      for (const PetscInt *j = ghost; j < above; j++)
        for (PetscInt c = 0; c < bs; c++) col.push_back(a->ghosts[*j - a->nowned] * bs + c);
      for (const PetscInt *j = first; j < ghost; j++)
        for (PetscInt c = 0; c < bs; c++) col.push_back((start + *j) * bs + c);
      for (const PetscInt *j = above; j < last; j++)
        for (PetscInt c = 0; c < bs; c++) col.push_back(a->ghosts[*j - a->nowned] * bs + c);
      ptr.push_back((PetscInt)col.size());
    }
  }
}

} // namespace goza::assembly
