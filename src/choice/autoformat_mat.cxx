/* The Mat type autoformat: settings and names; the decision is src/locality/cost.hpp's, everything else the glue of mat/common. */
#include "autoformat.hpp"
#include "autoformat_mat.hpp"
#include "petsc/plugin.hpp"
#include "parallel/agree.hpp"
#include "mat/cds/cds_shape.hpp"
#include "mat/common/format_mat.hpp"
#include "petscgoza.h"
#include <petsc/private/matimpl.h>

namespace goza::choice {
namespace {

constexpr struct {
  const char *name;
  unsigned    formats;
} candidate_names[] = {{"csr", format_csr}, {"slicedell", format_sliced_ell}, {"fold", format_fold}, {"cds", format_cds}};

/* "csr,fold": 0 where a word is none of the names, or there is no word */
unsigned parse_candidates(const std::string &text)
{
  unsigned all = 0;

  for (std::size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
    const std::string word = text.substr(begin, (end = std::min(text.find(',', begin), text.size())) - begin);
    unsigned          one  = word == "all" ? unsigned(all_formats) : 0;

    for (const auto &known : candidate_names) one |= word == known.name ? known.formats : 0U;
    if (!one) return 0;
    all |= one;
  }
  return all;
}

std::string print_candidates(unsigned formats)
{
  std::string text;

  if (formats == all_formats) return "all";
  for (const auto &known : candidate_names)
    if (formats & known.formats) text += (text.empty() ? "" : ",") + std::string(known.name);
  return text;
}

/* PETSc's product with A's diagonal block, between vectors of its own. */
class PetscsProduct {
public:
  explicit PetscsProduct(Mat A) : A_(A) { }
  PetscsProduct(const PetscsProduct &)            = delete;
  PetscsProduct &operator=(const PetscsProduct &) = delete;
  ~PetscsProduct()
  {
    (void)VecDestroy(&x_);
    (void)VecDestroy(&y_);
  }

  PetscErrorCode open()
  {
    PetscFunctionBegin;
    Ad_ = blocks_of(A_).diagonal();
    PetscCall(MatCreateVecs(Ad_, &x_, &y_));
    if (is_bound(A_)) {
      PetscCall(VecBindToCPU(x_, PETSC_TRUE));
      PetscCall(VecBindToCPU(y_, PETSC_TRUE));
    }
    PetscCall(VecSet(x_, 0));
    PetscCall(VecSet(y_, 0)); // its pages are found before anything is timed
    if (Ad_ == A_) format_ = format_of(A_);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* On the host; they stay where they are. */
  PetscErrorCode arrays(const PetscScalar **x, PetscScalar **y)
  {
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(x_, x));
    PetscCall(VecRestoreArrayRead(x_, NULL));
    PetscCall(VecGetArray(y_, y));
    PetscCall(VecRestoreArray(y_, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode multiply(int products)
  {
    PetscFunctionBegin;
    for (int k = 0; k < products; k++) {
      if (format_) PetscCall(MatMultBase(A_, format_, x_, NULL, y_));
      else PetscCall(MatMult(Ad_, x_, y_));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  Mat        A_, Ad_ = NULL;
  Vec        x_ = NULL, y_ = NULL;
  FormatMat *format_ = NULL;
};

class AutoFormatConfig final : public FormatConfig {
public:
  struct Options {
    unsigned    candidates = all_formats;
    std::string names      = "all"; // of the candidates
    PetscInt    trials     = 8;
  } options;

  FormatFactory<PetscScalar> factory(Mat A) const override
  {
    AutoFormatOptions o;
    PetscBool         known = PETSC_FALSE, symmetric = PETSC_FALSE;

    if (MatIsSymmetricKnown(A, &known, &symmetric) == PETSC_SUCCESS) o.symmetric = known && symmetric;
    o.candidates   = options.candidates;
    o.bs           = compiled_block(MatNodeSize(A));
    o.together     = ranks_of(A) > 1;
    o.trials       = static_cast<int>(options.trials);
    o.csr_products = [A](Space space) -> CsrProduct {
      const auto check = [](PetscErrorCode error) {
        if (error) throw std::runtime_error("PETSc's own product failed");
      };
      const auto product = std::make_shared<PetscsProduct>(A);

      check(product->open());
      CsrProduct made{[product, check](int products) { check(product->multiply(products)); }};
      if (space == Space::Host) check(product->arrays(&made.x, &made.y));
      return made;
    };
    return [o](Space space) mutable {
      o.csr = space == Space::Host || petsc_on_device(); /* PETSc's product is where our arrays would be */
      return std::make_unique<AutoFormat>(space, o);
    };
  }

  std::unique_ptr<FormatConfig> clone() const override { return std::make_unique<AutoFormatConfig>(*this); }
};

namespace setting {

constexpr Setting trials{"-mat_autoformat_trials", "MatAutoFormatSetTrials",
                         "Formats that are built and measured, of those the model expects most of (1: the model is believed)",
                         held<&AutoFormatConfig::options, &AutoFormatConfig::Options::trials>, IntRange{1, 16}};

} // namespace setting

PetscErrorCode Compose(Mat A, bool attach)
{
  PetscFunctionBegin;
  PetscCall((MatFormatComposeSettings<AutoFormatKind, &setting::trials>(A, attach)));
  PetscCall(ComposeSetGet((PetscObject)A, "MatAutoFormatSetCandidates", attach, MatAutoFormatSetCandidates, MatAutoFormatGetCandidates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FromOptions(Mat A, FormatConfig &config, GozaOptionItems PetscOptionsObject)
{
  char      text[256];
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(text, static_cast<AutoFormatConfig &>(config).options.names.c_str(), sizeof(text)));
  PetscCall(PetscOptionsString("-mat_autoformat_candidates", "Formats to choose from: all, or some of csr,slicedell,fold,cds", "MatAutoFormatSetCandidates",
                               text, text, sizeof(text), &given));
  if (given) PetscCall(MatAutoFormatSetCandidates(A, text));
  PetscCall(MatFormatSettingsFromOptions<&setting::trials>(A, config, PetscOptionsObject));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

const FormatKind &AutoFormatKind()
{
  static const FormatKind kind = [] {
    FormatKind made = MakeFormatKind<AutoFormatConfig, AutoFormatKind, &setting::trials>(MATAUTOFORMAT, MATSEQAIJAUTOFORMAT, MATMPIAIJAUTOFORMAT);

    made.from_options = FromOptions;
    made.compose      = Compose;
    made.chooses      = true;
    return made;
  }();

  return kind;
}

static PetscErrorCode FindOptions(Mat A, AutoFormatConfig::Options **options) { return MatFormatFindOptions<AutoFormatConfig>(A, AutoFormatKind(), options); }

} // namespace goza::choice

using goza::FindOptions;
using goza::MatFormatChanged;

/*@
  MatAutoFormatSetCandidates - Sets the formats that a `MATAUTOFORMAT` matrix chooses from

  Logically Collective

  Input Parameters:
+ A       - the matrix
- formats - "all", or a comma-separated list of csr, slicedell, fold and cds

  Options Database Key:
. -mat_autoformat_candidates (all|list) - the formats

  Level: intermediate

  Note:
  The choice is made anew at the next product. CSR is PETSc's own product; it cannot be had where the arrays are on a GPU and PETSc has no CUDA, and where
  nothing else is left sliced ELL is taken. Does nothing for other matrix types.

.seealso: `MATAUTOFORMAT`, `MatAutoFormatGetCandidates()`, `GozaInitializePackage()`
@*/
PetscErrorCode MatAutoFormatSetCandidates(Mat A, const char formats[])
{
  goza::AutoFormatConfig::Options *options = nullptr;
  unsigned                         chosen  = 0;
  std::string                      names;

  PetscFunctionBegin;
  PetscCall(FindOptions(A, &options));
  if (!options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(goza::CheckPointer(formats, 2));
  PetscCall(goza::Together(goza::comm_of(A), "read the list of formats", [&] {
    chosen = goza::parse_candidates(formats);
    names  = goza::print_candidates(chosen);
  }));
  PetscCheck(chosen, goza::comm_of(A), PETSC_ERR_ARG_UNKNOWN_TYPE, "-mat_autoformat_candidates %s is not all or a list of csr, slicedell, fold and cds",
             formats);
  PetscCall(MatFormatChanged(A));
  options->names      = std::move(names);
  options->candidates = chosen;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  MatAutoFormatGetCandidates - Gets what `MatAutoFormatSetCandidates()` sets; not to be freed, and valid until it is set again

  Not Collective

  Level: intermediate
@*/
PetscErrorCode MatAutoFormatGetCandidates(Mat A, const char *formats[])
{
  goza::AutoFormatConfig::Options *options = nullptr;

  PetscFunctionBegin;
  PetscCall(goza::FindOptions(A, &options));
  PetscCall(goza::MatFormatCheckKind(A, goza::AutoFormatKind()));
  PetscCall(goza::CheckPointer(formats, 2));
  *formats = options->names.c_str();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoFormatSetTrials - Sets how many formats a `MATAUTOFORMAT` matrix builds and measures before it takes the fastest

  Logically Collective

  Input Parameters:
+ A      - the matrix
- trials - from 1 to 16: so many of the formats that the model finds within a factor of two of the best (default 8); 1: the model's first is taken unmeasured

  Options Database Key:
. -mat_autoformat_trials trials - the number

  Level: intermediate

  Note:
  Measurements differ from run to run, and so may the choice between formats of nearly the same speed, and with it the rounding of a product. With 1 the
  choice depends on the pattern and the platform alone, and the first product is faster. PETSc's own CSR product is measured, too, where the model does not
  expect it to be far slower than the fastest of ours. On a device the device's time counts, as where a solver's cycle runs as a graph; of PETSc's product,
  and of a format that has a kernel more than another, what a program sees that calls for one product after the other. On a host PETSc's is measured first,
  and no further format is tried where trials would then cost more than six such products (or two milliseconds, where products are short). Where the model
  expects long products of a matrix on one rank, and the first format is all that this allows, or PETSc's is measured within half as much again of the fastest
  of ours, the first ten products are made by one and by the other in turn, which costs nothing (four, where one takes twice as long; up to forty, while the two
  are within a fifth of each other), and the faster is kept; PETSc's also where it is slower by less than five per cent. Does nothing for other matrix types.

.seealso: `MATAUTOFORMAT`, `MatAutoFormatGetTrials()`, `MatAutoFormatSetCandidates()`
@*/
MAT_FORMAT_SET_AND_GET(MatAutoFormatSetTrials, MatAutoFormatGetTrials, PetscInt, goza::AutoFormatKind(), goza::setting::trials)

/*MC
   MATAUTOFORMAT - MATAUTOFORMAT = "autoformat" - A sparse matrix held in the format in which a model expects its product to be fastest: compressed diagonals
   (`MATCDS`), folded rows (`MATFOLD`), sliced ELL (`MATSLICEDELL`), or CSR with PETSc's own product; "seqaijautoformat" on one MPI process and
   "mpiaijautoformat" on several.

   Options Database Keys:
+ -mat_type autoformat                  - sets the type during `MatSetFromOptions()`
. -mat_autoformat_candidates (all|list) - formats to choose from, of csr, slicedell, fold, cds
. -mat_autoformat_trials trials         - formats that are built and measured, of those that the model expects most of (8)
. -mat_locality_what_if                 - with `-mat_view ::ascii_info_detail`: the models' figures if lines were read whole, hits were more, or memory gathered
- -mat_locality_measure                 - with `-mat_view ::ascii_info_detail`, which shows what the model expects of every format, for any matrix type of
                                        Goza: measure the product, too

   Level: beginner

   Notes:
   The choice is made at the first product and again after the pattern has moved; new values change nothing. A model of the product's time, asked about a sample
   of the nonzero pattern, orders the formats, and the fastest of its first few is measured. On one rank of a host the first products may take turns
   between that and PETSc's, see `MatAutoFormatSetTrials()`.
   `-mat_view ::ascii_info` tells the choice and the reason.

   In parallel each rank chooses for its own diagonal block, because blocks may differ and Goza's formats share one exchange of ghost values. PETSc's own
   product has an exchange of its own: it is taken where every rank finds it best for its block, and where some do not, those that do take the second best.

   The model is that of paper P2 (Tanabe 2014), carried on: it knows launches, both caches, padding and imbalance.

.seealso: `MATCDS`, `MATFOLD`, `MATSLICEDELL`, `MATAIJ`, `MatAutoFormatSetCandidates()`, `MatAutoFormatSetTrials()`
M*/
