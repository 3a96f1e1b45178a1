/* What the Mat glue must know of a format. Adding a format: one of these, and one line in register.cxx. */
#pragma once
#include "par_operator.hpp"
#include "petsc/setting.hpp"
#include "petscgoza.h"

namespace goza::mat {

/* One matrix's settings of its format. */
class FormatConfig {
public:
  Precision precision = Precision::Double; // of the stored values

  virtual ~FormatConfig() = default;

  virtual FormatFactory<PetscScalar>    factory(Mat A) const = 0; // what A says of itself may count
  virtual std::unique_ptr<FormatConfig> clone() const        = 0;

  /* Of a matrix that is nothing but its format (mat/own): the format, and the end of the option's name whose setting it cannot have; nullptr: none. */
  virtual std::unique_ptr<Format<PetscScalar>> alone(Mat A, Space space) const { return factory(A)(space); }
  virtual const char                          *not_alone() const { return precision == Precision::Double ? nullptr : "precision"; }
};

struct FormatKind {
  const char *root, *seq, *mpi; // "slicedell", "seqaijslicedell", "mpiaijslicedell"
  std::unique_ptr<FormatConfig> (*config)();
  PetscErrorCode (*create_seq)(Mat), (*create_mpi)(Mat); // for MatRegister(): MatCreate_Format() with this kind
  PetscErrorCode (*from_options)(Mat, FormatConfig &, GozaOptionItems);
  PetscErrorCode (*compose)(Mat, bool attach); // the Set and Get functions, for PetscTryMethod(); or no longer
  bool chooses = false;                        // its formats may want CSR, as PETSc has it
};

PetscErrorCode MatRegister_Format(const FormatKind &kind);

/* Collective: what -mat_view ::ascii_info_detail adds. pattern: AIJ of A's places, which may be A itself; held: the diagonal block's format; NULL where it is
   not built yet. The room that knows the model sets it at load. */
using MatDetailView = PetscErrorCode (*)(Mat A, Mat pattern, Space space, const Format<PetscScalar> *held, PetscViewer viewer);
void           MatFormatSetDetailView(MatDetailView view);
MatDetailView  MatFormatDetailView();
PetscErrorCode MatFormatViewOptions(GozaOptionItems PetscOptionsObject);  // what it reads, for -help
PetscErrorCode FindFormatKind(const char *type, const FormatKind **kind); // by any of its three names; error when there is none

/* For ->create: make A, which has sizes but no type, a matrix of this kind. */
PetscErrorCode MatCreate_Format(Mat A, const FormatKind &kind, bool mpi);

/* The settings of A, to change; NULL when A is not of this kind. (Nothing is composed on A for it: a factor or duplicate of A would inherit that.) */
FormatConfig  *format_config(Mat A, const FormatKind &kind);
PetscInt       MatNodeSize(Mat A);      // unknowns of a node, of its rows and columns alike; else 1
PetscErrorCode MatFormatChanged(Mat A); // collective: the format is built anew at the next product

/* For a Set function: the options of A; NULL for another type, on which it does nothing, as is PETSc's custom. */
template <class Config, class Options> PetscErrorCode MatFormatFindOptions(Mat A, const FormatKind &kind, Options **options)
{
  PetscFunctionBegin;
  PetscCall(CheckObject(A, MAT_CLASSID, "Mat", 1));
  FormatConfig *config = format_config(A, kind);
  *options             = config ? &static_cast<Config *>(config)->options : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatCheckKind(Mat A, const FormatKind &kind); // for a Get function: an error when A is not of this kind

template <class Allowed, class Owner, class Held>
PetscErrorCode MatFormatSet(Mat A, const FormatKind &kind, const Setting<Allowed, Owner, Held> &setting, typename Allowed::Value value)
{
  PetscFunctionBegin;
  PetscCall(CheckObject(A, MAT_CLASSID, "Mat", 1));
  PetscCall(ValidLogicalCollective((PetscObject)A, value, 2));
  FormatConfig *config = format_config(A, kind);
  if (!config) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckAllowed(comm_of(A), setting.allowed, setting.option, value));
  PetscCall(MatFormatChanged(A));
  setting.put(static_cast<Owner &>(*config), value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Allowed, class Owner, class Held>
PetscErrorCode MatFormatGet(Mat A, const FormatKind &kind, const Setting<Allowed, Owner, Held> &setting, typename Allowed::Value *value)
{
  PetscFunctionBegin;
  PetscCall(MatFormatCheckKind(A, kind));
  PetscCall(CheckPointer(value, 2));
  *value = setting.get(static_cast<Owner &>(*format_config(A, kind)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Set and Get functions of one setting, behind the Set function's man page. */
#define MAT_FORMAT_SET_AND_GET(Set, Get, Value, kind, setting) \
  PetscErrorCode Set(Mat A, Value value) { return goza::MatFormatSet(A, kind, setting, value); } \
  PetscErrorCode Get(Mat A, Value *value) { return goza::MatFormatGet(A, kind, setting, value); }

template <class Allowed, class Owner, class Held>
PetscErrorCode MatFormatOption(Mat A, FormatConfig &config, GozaOptionItems items, const Setting<Allowed, Owner, Held> &setting)
{
  const auto              now = setting.get(static_cast<Owner &>(config));
  typename Allowed::Value value{};
  PetscBool               given;

  PetscFunctionBegin;
  PetscCall(setting.allowed.from_options(items, {setting.option, setting.text, setting.function}, now, &value, &given));
  if (!given || value == now) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckAllowed(comm_of(A), setting.allowed, setting.option, value));
  PetscCall(MatFormatChanged(A));
  setting.put(static_cast<Owner &>(config), value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <const FormatKind &(*kind)(), auto setting> PetscErrorCode MatFormatCompose(Mat A, bool attach)
{
  using Value = typename std::decay_t<decltype(*setting)>::Value;

  return ComposeSetGet((PetscObject)A, setting->function, attach, +[](Mat B, Value value) { return MatFormatSet(B, kind(), *setting, value); },
                       +[](Mat B, Value *value) { return MatFormatGet(B, kind(), *setting, value); });
}

template <auto... settings> PetscErrorCode MatFormatSettingsFromOptions(Mat A, FormatConfig &config, GozaOptionItems items)
{
  PetscErrorCode failed = PETSC_SUCCESS;

  PetscFunctionBegin;
  ((failed = failed ? failed : MatFormatOption(A, config, items, *settings)), ...);
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <const FormatKind &(*kind)(), auto... settings> PetscErrorCode MatFormatComposeSettings(Mat A, bool attach)
{
  PetscErrorCode failed = PETSC_SUCCESS;

  PetscFunctionBegin;
  ((failed = failed ? failed : MatFormatCompose<kind, settings>(A, attach)), ...);
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kind of a format from the class of its settings, a line for each of these, and its three names; kind() hands it out. */
template <class Config, const FormatKind &(*kind)(), auto... settings> FormatKind MakeFormatKind(const char *root, const char *seq, const char *mpi)
{
  return {root,
          seq,
          mpi,
          []() -> std::unique_ptr<FormatConfig> { return std::make_unique<Config>(); },
          [](Mat A) { return MatCreate_Format(A, kind(), false); },
          [](Mat A) { return MatCreate_Format(A, kind(), true); },
          MatFormatSettingsFromOptions<settings...>,
          MatFormatComposeSettings<kind, settings...>};
}

inline constexpr char precision_text[] = "Precision of the stored values; sums and vectors are PetscScalar";

/* The operator of a Goza matrix, up to date in its space; NULL when A is not one. For saamg, which then needs no second copy. */
PetscErrorCode MatFormatGetOperator(Mat A, std::shared_ptr<ParOperator<PetscScalar>> *op);

} // namespace goza::mat
