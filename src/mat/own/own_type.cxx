/* Owning matrices: which matrices are such, and what those find who take them for AIJ. */
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include <numeric>

namespace goza::mat {

static PetscErrorCode RefuseArrays(Mat A)
{
  const OwnMat *own = find_own(A);

  PetscFunctionBegin;
  PetscCheck(own, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Not a matrix that owns its values");
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
          "A matrix of type %s has no arrays of AIJ (MatSeqAIJGetArray() and its like): MatConvert() makes MATAIJ of it, or let it keep AIJ (%s yes)",
          own->kind->type, own->kind->keep_aij);
}

AijRefused::AijRefused() { std::fill(std::begin(table_), std::end(table_), RefuseArrays); }

/* A type that the one names in its error, and sizes that the other has one for. */
PetscErrorCode AijRefused::say_block(const char *type)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &diagonal_block_));
  for (PetscLayout map : {diagonal_block_->rmap, diagonal_block_->cmap}) {
    map->n = 2;
    map->N = 1;
  }
  PetscCall(PetscObjectChangeTypeName((PetscObject)diagonal_block_, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where it looks for that it says itself, of numbers that count where they stand. */
PetscErrorCode AijRefused::say_longest_row(Mat A, PetscInt length)
{
  constexpr std::size_t words = sizeof(AijRefused) / sizeof(PetscInt);
  static PetscInt       place = -1;

  PetscFunctionBegin;
  if (place < 0) {
    PetscInt numbers[words];

    std::iota(std::begin(numbers), std::end(numbers), 0);
    void *const          data   = std::exchange(A->data, numbers);
    const PetscErrorCode failed = MatSeqAIJGetMaxRowNonzeros(A, &place);
    A->data                     = data;
    PetscCall(failed);
    PetscCheck(place >= 0 && place < (PetscInt)words, PETSC_COMM_SELF, PETSC_ERR_PLIB, "MatSeqAIJGetMaxRowNonzeros() reads something else");
  }
  std::memcpy(reinterpret_cast<char *>(this) + place * sizeof(PetscInt), &length, sizeof(length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnCheckAlone(Mat A, const OwnMat *own, const char *refused)
{
  PetscFunctionBegin;
  PetscCheck(!refused, comm_of(A), PETSC_ERR_SUP,
             "-mat_%s_%s: a matrix of type %s has its values in these %s alone, in full precision and in its own order; let it keep AIJ (%s yes)",
             own->kind->format().root, refused, own->kind->type, own->kind->what, own->kind->keep_aij);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The format's options ask for nothing that AIJ must be there for. */
static PetscErrorCode MayBeAlone(Mat A, const OwnKind &kind, bool *may)
{
  std::unique_ptr<FormatConfig> config;

  PetscFunctionBegin;
  PetscCall(Together(comm_of(A), "read its options", [&] { config = kind.format().config(); }));
  PetscOptionsBegin(comm_of(A), ((PetscObject)A)->prefix, "Options of a format", "Mat");
  PetscOptionsObject->options = ((PetscObject)A)->options;
  PetscCall(kind.format().from_options(A, *config, PetscOptionsObject));
  PetscOptionsEnd();
  *may = !config->not_alone();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_FormatOrOwn(Mat A, const OwnKind &kind, bool mpi)
{
  static const char *const words[] = {"auto", "yes", "no"};
  PetscInt                 keep    = 0;
  bool                     own     = false;

  PetscFunctionBegin;
  PetscOptionsBegin(comm_of(A), ((PetscObject)A)->prefix, "Options of a format's matrix at its creation", "Mat");
  for (const auto &each : own_kinds) { /* -help says this once a prefix, whatever types come */
    PetscInt ignored = 0, *said = &each() == &kind ? &keep : &ignored;

    if (said == &keep || PetscOptionsObject->printhelp)
      PetscCall(PetscOptionsEList(each().keep_aij, "Whether a matrix holds AIJ beside its format", each().page, words, 3, words[0], said, NULL));
  }
  PetscOptionsEnd();
  own = keep == 2;
  if (keep == 0 && OwnWhereOpen::now == &kind) PetscCall(MayBeAlone(A, kind, &own));
  if (own) PetscCall(MatCreate_Own(A, kind));
  else PetscCall(MatCreate_Format(A, kind.format(), mpi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatRegister_Own()
{
  PetscFunctionBegin;
  PetscCall(MatRegister(OwnCdsKind().type, [](Mat A) { return MatCreate_Own(A, OwnCdsKind()); }));
  PetscCall(MatRegister(OwnSlicedEllKind().type, [](Mat A) { return MatCreate_Own(A, OwnSlicedEllKind()); }));
  PetscCall(MatRegister(OwnFoldKind().type, [](Mat A) { return MatCreate_Own(A, OwnFoldKind()); }));
  PetscCall(OwnRegisterFactors());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
