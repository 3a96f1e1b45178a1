/* The text of the error that was raised last on this rank, as PETSc keeps it. */
#pragma once
#include "compat.hpp"

namespace goza {

/* PetscErrorMessage()'s last argument is a pointer to char * in PETSc 3.18 and to const char * in 3.26. */
template <class Char> const char *AskErrorText(PetscErrorCode (*message)(PetscErrorCode, const char *[], Char **), PetscErrorCode code)
{
  Char *text = nullptr;

  (void)message(code, nullptr, &text);
  return text ? text : "";
}

inline const char *LastErrorText(PetscErrorCode code) { return AskErrorText(PetscErrorMessage, code); }

} // namespace goza
