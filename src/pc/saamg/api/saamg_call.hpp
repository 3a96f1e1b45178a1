/* The inside of the Set and Get functions: they call what a PC of type saamg has composed under their name (saamg_settings.cxx). A Set function on another type
   does nothing, as is PETSc's custom; a Get function is an error. */
#pragma once
#include "petsc/setting.hpp"
#include "petscgoza.h"
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

template <class Value> PetscErrorCode CallSet(PC pc, const char *function, Value value)
{
  PetscFunctionBegin;
  PetscCall(CheckObject(pc, PC_CLASSID, "PC", 1));
  PetscCall(ValidLogicalCollective((PetscObject)pc, value, 2));
  PetscTryMethod(pc, function, (PC, Value), (pc, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Value> PetscErrorCode CallSet(PC pc, const char *function, PCSAAMGLevels levels, Value value)
{
  PetscFunctionBegin;
  PetscCall(CheckObject(pc, PC_CLASSID, "PC", 1));
  PetscCall(ValidLogicalCollective((PetscObject)pc, levels, 2));
  PetscCall(ValidLogicalCollective((PetscObject)pc, value, 3));
  PetscTryMethod(pc, function, (PC, PCSAAMGLevels, Value), (pc, levels, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class... Args> PetscErrorCode CallGet(PC pc, const char *function, Args... args)
{
  PetscErrorCode (*get)(PC, Args...) = nullptr;

  PetscFunctionBegin;
  PetscCall(CheckObject(pc, PC_CLASSID, "PC", 1));
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, function, &get));
  PetscCheck(get, comm_of(pc), PETSC_ERR_ARG_WRONG, "PC is of type %s, not saamg", ((PetscObject)pc)->type_name ? ((PetscObject)pc)->type_name : "(none)");
  PetscCall((*get)(pc, args...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg

/* The Set and Get functions of one setting, behind the Set function's man page. */
#define SAAMG_SET_AND_GET(Set, Get, Value) \
  PetscErrorCode Set(PC pc, Value value) { return goza::CallSet(pc, #Set "_C", value); } \
  PetscErrorCode Get(PC pc, Value *value) { return goza::CallGet(pc, #Get "_C", value); }

/* The same of a setting by level; of all levels the finest's is got. */
#define SAAMG_SET_AND_GET_ON_LEVELS(Set, Get, Value) \
  PetscErrorCode Set(PC pc, PCSAAMGLevels levels, Value value) { return goza::CallSet(pc, #Set "_C", levels, value); } \
  PetscErrorCode Get(PC pc, PCSAAMGLevels levels, Value *value) { return goza::CallGet(pc, #Get "_C", levels, value); }
