/* The kinds of settings: what they allow, what they say, and how their options are read. */
#include "setting.hpp"
#include <cstdlib>

namespace goza {

static std::string number(PetscReal value)
{
  char text[40];

  std::snprintf(text, sizeof(text), "%g", static_cast<double>(value));
  return text;
}

static ShortText number_or_auto(PetscInt value) { return value ? ShortText("%" PetscInt_FMT, value) : ShortText("auto"); }

std::string RealRange::print(PetscReal value) const { return number(value); }

std::string RealRange::refusal(const std::string &option, PetscReal value) const
{
  return option + " " + number(value) +
         (or_zero     ? " is neither 0 nor in "
          : or_decide ? " is neither -1 (by the matrix) nor in "
                      : " is not in ") +
         (above ? "(" : "[") + number(low) + ", " + number(high) + (below ? ")" : "]");
}

PetscErrorCode OptionsReal(GozaOptionItems PetscOptionsObject, const OptionText &o, PetscReal now, PetscReal *value, PetscBool *given)
{
  PetscReal typed;
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(PetscOptionsObject->options, PetscOptionsObject->prefix, o.option, &typed, &found));
  if (found && PetscIsInfOrNanReal(typed)) {
    *value = typed;
    if (given) *given = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscOptionsReal(o.option, o.text, o.function, now, value, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RealRange::from_options(GozaOptionItems items, const OptionText &text, PetscReal now, PetscReal *value, PetscBool *given) const
{
  return OptionsReal(items, text, now, value, given);
}

std::string IntRange::print(PetscInt value) const { return zero_is_auto ? number_or_auto(value).c_str() : std::to_string(value); }

std::string IntRange::refusal(const std::string &option, PetscInt value) const
{
  const std::string begin = option + " " + std::to_string(value) + " is not " + (zero_is_auto ? "0 (auto) or " : or_decide ? "-1 (by the matrix) or " : "");

  if (high == std::numeric_limits<PetscInt>::max()) return begin + "at least " + std::to_string(low);
  return begin + "in " + std::to_string(low) + " ... " + std::to_string(high);
}

PetscErrorCode IntRange::from_options(GozaOptionItems PetscOptionsObject, const OptionText &o, PetscInt now, PetscInt *value, PetscBool *given) const
{
  char      text[64], *end = text;
  PetscBool automatic;

  PetscFunctionBegin;
  if (!zero_is_auto) {
    PetscCall(PetscOptionsInt(o.option, o.text, o.function, now, value, given));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscStrncpy(text, number_or_auto(now).c_str(), sizeof(text)));
  PetscCall(PetscOptionsString(o.option, o.text, o.function, text, text, sizeof(text), given));
  if (!*given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrcmp(text, "auto", &automatic));
  const long long read = automatic ? 0 : std::strtoll(text, &end, 10);
  PetscCheck(automatic || (end != text && !*end && read >= low && read <= high), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%s %s is not auto or a number from %" PetscInt_FMT " to %" PetscInt_FMT, o.option, text, low, high);
  *value = static_cast<PetscInt>(read);
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool IntList::allows(PetscInt value) const
{
  for (int k = 0; k < count; k++)
    if (values[k] == value) return true;
  return false;
}

std::string IntList::print(PetscInt value) const { return number_or_auto(value).c_str(); }

std::string IntList::refusal(const std::string &option, PetscInt value) const
{
  std::string text = option + " " + std::to_string(value) + " is not ";

  for (int k = 0; k < count; k++) text += (k == 0 ? "" : k + 1 < count ? ", " : " or ") + std::to_string(values[k]) + (values[k] ? "" : " (auto)");
  return text;
}

PetscErrorCode IntList::from_options(GozaOptionItems PetscOptionsObject, const OptionText &o, PetscInt now, PetscInt *value, PetscBool *given) const
{
  ShortText   texts[most];
  const char *words[most];
  PetscInt    which = 0;

  PetscFunctionBegin;
  for (int k = 0; k < count; k++) {
    texts[k] = number_or_auto(values[k]);
    words[k] = texts[k].c_str();
  }
  PetscCall(PetscOptionsEList(o.option, o.text, o.function, words, count, number_or_auto(now).c_str(), &which, given));
  if (*given) *value = values[which];
  PetscFunctionReturn(PETSC_SUCCESS);
}

int WordList::count() const
{
  int n = 0;

  while (words[n]) n++;
  return n - 2;
}

std::string WordList::refusal(const std::string &option, int value) const { return option + ": " + std::to_string(value) + " is not a " + words[count()]; }

PetscErrorCode WordList::from_options(GozaOptionItems PetscOptionsObject, const OptionText &o, int now, int *value, PetscBool *given) const
{
  PetscInt which = now;

  PetscFunctionBegin; /* not PetscOptionsEnum(): a PetscEnum holds 0 and 1 only, and the sanitizers say so */
  PetscCall(PetscOptionsEList(o.option, o.text, o.function, words, count(), words[now], &which, given));
  *value = static_cast<int>(which);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int NameList::find(const char *name) const
{
  PetscBool same;

  for (int k = 0; names[k]; k++)
    if (PetscStrcasecmp(name, names[k], &same) == PETSC_SUCCESS && same) return k;
  return -1;
}

std::string NameList::refusal(const std::string &option, const char *name) const
{
  std::string text = option + ": " + (name ? name : "NULL") + " is none of ";

  for (int k = 0; names[k]; k++) text += std::string(k ? ", " : "") + names[k];
  return text;
}

PetscErrorCode NameList::from_options(GozaOptionItems PetscOptionsObject, const OptionText &o, const char *now, const char **value, PetscBool *given) const
{
  PetscInt n = 0, which = 0;

  PetscFunctionBegin;
  while (names[n]) n++;
  PetscCall(PetscOptionsEList(o.option, o.text, o.function, names, n, now, &which, given));
  if (*given) *value = names[which];
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
