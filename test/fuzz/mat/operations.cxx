#include "operations.hpp"

#include <stdexcept>

namespace goza_fuzz {

const std::vector<Operation> &operations()
{
  static const std::vector<Operation> all = [] {
    std::vector<Operation> list = creating();
    for (auto table : {changing(), copying(), multiplying(), reading()}) list.insert(list.end(), table.begin(), table.end());
    return list;
  }();
  return all;
}

const Operation &operation(const std::string &name)
{
  for (const auto &op : operations())
    if (name == op.name) return op;
  throw std::out_of_range("no operation " + name);
}

PetscErrorCode assemble_plain(Mat A)
{
  PetscBool plain;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &plain, MATSEQAIJ, MATMPIAIJ, ""));
  if (!plain) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza_fuzz
