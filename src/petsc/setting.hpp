/* A setting of a matrix or preconditioner: one line names its option and its Set function, says what it may be and where it is held. SetFromOptions(), the Set
   and Get functions, their errors and the view all read that line, so that they cannot disagree. */
#pragma once
#include "short_text.hpp"
#include "errors.hpp"
#include <string_view>

namespace goza {

/* --- What a setting may be. Each kind tells whether it allows a value, the sentence that refuses it, a value as the option spells it, and reads the option.
   Value is what the Set function takes. */

/* How an option appears in -help. */
struct OptionText {
  const char *option, *text, *function;
};

/* PetscOptionsReal(), but what is not finite is handed on, so that it is refused by a sentence that names the option, which PETSc 3.26's own does not. */
PetscErrorCode OptionsReal(GozaOptionItems, const OptionText &, PetscReal now, PetscReal *value, PetscBool *given);

struct RealRange {
  using Value = PetscReal;

  PetscReal low, high;
  bool      above = false, below = false;       // low and high themselves are left out
  bool      or_zero = false, or_decide = false; // or PETSC_DECIDE: by the matrix

  bool allows(PetscReal value) const
  {
    return (or_zero && value == 0) || (or_decide && value == PETSC_DECIDE) || ((above ? value > low : value >= low) && (below ? value < high : value <= high));
  }
  std::string    refusal(const std::string &option, PetscReal value) const;
  std::string    print(PetscReal value) const;
  PetscErrorCode from_options(GozaOptionItems, const OptionText &, PetscReal now, PetscReal *value, PetscBool *given) const;
};

struct IntRange {
  using Value = PetscInt;

  PetscInt low, high = std::numeric_limits<PetscInt>::max();
  bool     zero_is_auto = false, or_decide = false; // the latter: or PETSC_DECIDE, by the matrix

  bool           allows(PetscInt value) const { return (zero_is_auto && !value) || (or_decide && value == PETSC_DECIDE) || (value >= low && value <= high); }
  std::string    refusal(const std::string &option, PetscInt value) const;
  std::string    print(PetscInt value) const;
  PetscErrorCode from_options(GozaOptionItems, const OptionText &, PetscInt now, PetscInt *value, PetscBool *given) const;
};

/* One of a few numbers; 0 is spelled auto. */
struct IntList {
  using Value = PetscInt;

  const PetscInt *values;
  int             count;

  static constexpr int most = 16;

  template <int n> constexpr IntList(const PetscInt (&list)[n]) : values(list), count(n) { static_assert(n <= most); }

  bool           allows(PetscInt value) const;
  std::string    refusal(const std::string &option, PetscInt value) const;
  std::string    print(PetscInt value) const;
  PetscErrorCode from_options(GozaOptionItems, const OptionText &, PetscInt now, PetscInt *value, PetscBool *given) const;
};

/* An enum: its words as PETSc lists them, with the names of the type and of the prefix at the end. */
struct WordList {
  const char *const *words;

  int            count() const; // of the enum's values
  bool           allows(int value) const { return value >= 0 && value < count(); }
  std::string    refusal(const std::string &option, int value) const;
  PetscErrorCode from_options(GozaOptionItems, const OptionText &, int now, int *value, PetscBool *given) const;
};

template <class Enum> struct Words {
  using Value = Enum;

  WordList list;

  constexpr Words(const char *const *words) : list{words} { }

  bool           allows(Enum value) const { return list.allows(static_cast<int>(value)); }
  std::string    refusal(const std::string &option, Enum value) const { return list.refusal(option, static_cast<int>(value)); }
  std::string    print(Enum value) const { return list.words[static_cast<int>(value)]; }
  PetscErrorCode from_options(GozaOptionItems items, const OptionText &text, Enum now, Enum *value, PetscBool *given) const
  {
    int which = static_cast<int>(now);

    PetscFunctionBegin;
    PetscCall(list.from_options(items, text, which, &which, given));
    *value = static_cast<Enum>(which);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* A name of a list that ends with NULL; held as its index. */
struct NameList {
  using Value = const char *;

  const char *const *names;

  int            find(const char *name) const; // -1: none
  bool           allows(const char *name) const { return find(name) >= 0; }
  std::string    refusal(const std::string &option, const char *name) const;
  std::string    print(const char *name) const { return name; }
  PetscErrorCode from_options(GozaOptionItems, const OptionText &, const char *now, const char **value, PetscBool *given) const;
};

/* --- The line itself */

/* Where it is held: held<&SAAMG::hierarchy_options, &HierarchyOptions::threshold>(mg) is mg.hierarchy_options.threshold. */
template <class Member> struct MemberOf;
template <class Class, class Type> struct MemberOf<Type Class::*> {
  using Owner = Class;
};
template <auto member, auto... rest> auto &held(typename MemberOf<decltype(member)>::Owner &owner)
{
  if constexpr (sizeof...(rest)) return held<rest...>(owner.*member);
  else return owner.*member;
}

template <class Allowed, class Owner, class Held> struct Setting {
  using Value = typename Allowed::Value;

  const char *option, *function, *text; // "-mat_cds_share", "MatCDSSetShare", what -help says
  Held &(*in)(Owner &);
  Allowed allowed;
  int     apart = -1; // where an object has several owners by number: the one that a value for all leaves as it is

  Value get(Owner &owner) const
  {
    if constexpr (std::is_same_v<Allowed, NameList>) return allowed.names[in(owner)];
    else return static_cast<Value>(in(owner));
  }
  void put(Owner &owner, Value value) const
  {
    if constexpr (std::is_same_v<Allowed, NameList>) in(owner) = allowed.find(value);
    else in(owner) = static_cast<Held>(value);
  }
};
template <class Allowed, class Owner, class Held>
Setting(const char *, const char *, const char *, Held &(*)(Owner &), Allowed, int = -1) -> Setting<Allowed, Owner, Held>;

template <class Allowed> PetscErrorCode CheckAllowed(MPI_Comm comm, const Allowed &allowed, const char *option, typename Allowed::Value value)
{
  std::string refusal;

  PetscFunctionBegin;
  if (allowed.allows(value)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] { refusal = allowed.refusal(option, value); }));
  SETERRQ(comm, PETSC_ERR_ARG_OUTOFRANGE, "%s", refusal.c_str());
}

/* What PetscTryMethod() finds of a setting: under "MatCDSSetShare_C" the function that sets it, and under the same with Get that which gets it; attach: or no
   longer. */
template <class Set, class Get> PetscErrorCode ComposeSetGet(PetscObject object, const char *function, bool attach, Set *set, Get *get)
{
  const int       before = static_cast<int>(std::string_view(function).find("Set"));
  const ShortText set_name("%s_C", function), get_name("%.*sGet%s_C", before, function, function + before + 3);

  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction(object, set_name.c_str(), attach ? set : NULL));
  PetscCall(PetscObjectComposeFunction(object, get_name.c_str(), attach ? get : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PetscValidLogicalCollectiveXXX() for the argument of a Set function. A name is compared where it is looked up. */
template <class Value> PetscErrorCode ValidLogicalCollective(PetscObject object, Value value, int argument)
{
  PetscFunctionBegin;
  (void)argument;
  if constexpr (std::is_enum_v<Value>) PetscValidLogicalCollectiveEnum(object, value, argument);
  else if constexpr (std::is_same_v<Value, PetscInt>) PetscValidLogicalCollectiveInt(object, value, argument);
  else if constexpr (std::is_same_v<Value, PetscReal>) PetscValidLogicalCollectiveReal(object, value, argument);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
