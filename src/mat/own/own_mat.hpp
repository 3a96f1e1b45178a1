/* A matrix that is nothing but its format: types "owncds", "ownslicedell" and "ownfold", what MATCDS, MATSLICEDELL and MATFOLD become with
   -mat_<format>_keep_aij no. What is of one format alone is its OwnStorage (own_cds.cxx; own_by_rows.cxx for the others); this is what they have in common.

   A type of its own and not one derived from AIJ: PETSc reads AIJ's arrays through accessors that ask nobody, so that a matrix whose AIJ part is to be made on
   demand could show old values; this one has no such part, and what PETSc does not find in its table of operations it refuses or converts, by MatConvert(), and
   the matrix counts that.

   On several ranks the format holds a rank's own columns, and the entries in columns of other ranks, a surface of its part, are an MPIAIJ (`rest`) whose
   diagonal block holds no values: ghosts, scatters and what is done to values there are PETSc's, products are ParOperator's.

   The values are where the products are. Where somebody sets or reads single entries and that is a device, they come to the host, and go back when the assembly
   ends. */
#pragma once
#include "own_storage.hpp"
#include "petsc/vec_access.hpp"
#include <list>
#include <petsc/private/matimpl.h>

namespace goza::mat {

class GroupMat;

const OwnKind &OwnCdsKind();
const OwnKind &OwnSlicedEllKind();
const OwnKind &OwnFoldKind();
inline constexpr const OwnKind &(*own_kinds[])() = {OwnCdsKind, OwnSlicedEllKind, OwnFoldKind};

extern PetscLogEvent own_to_aij, own_to_rows; // AIJ is made of such a matrix; rows of a rank's own columns, where the values are

/* Of the entries of a COO assembly, as they were given: places come and go with the layout, these stay. */
struct Coordinates {
  std::vector<PetscInt>     i, j;
  std::vector<std::int64_t> of_rest; // which of them are not for this rank's rows and columns
};

/* Where they go in the present layout: each to a place in the values, or, where several go to one, those of the sorted list from start[k] to start[k + 1] to
   place k. On the host until values come from a device. */
struct CooPlaces {
  bool                known = false, doubles = false;
  PetscCount          n     = 0;
  Space               space = Space::Host;
  Array<PetscInt>     narrow; // [n] -1: nowhere
  Array<std::int64_t> wide;   // the same where PetscInt cannot say it; of doubles [places]
  Array<std::int64_t> order, start;

  void move_to(Space other) // all of it or, where memory ends, nothing
  {
    if (other != space) *this = {known, doubles, n, other, narrow.copied(other), wide.copied(other), order.copied(other), start.copied(other)};
  }
  std::size_t bytes() const { return narrow.bytes() + wide.bytes() + order.bytes() + start.bytes(); }
};

/* Set for a row or a column of another rank: it waits for the end of the assembly. */
struct OtherEntry {
  PetscInt    row, col;
  PetscScalar value;
};

/* A row for whoever called MatGetRow(), until MatRestoreRow(). */
struct LentRow {
  PetscInt                 row  = -1;
  bool                     lent = false;
  std::vector<PetscInt>    col;
  std::vector<PetscScalar> val;
};

/* What a matrix has beside its format: on several ranks, and while it is assembled. */
struct OwnOthers {
  Mat                     rest = NULL;
  std::vector<OtherEntry> waiting;
  std::size_t             joined  = 1 << 16; // of those, when entries at one place were added up last; there may be twice as many
  InsertMode              mode    = NOT_SET_VALUES;
  bool                    ignored = false; // rows of other ranks: MAT_IGNORE_OFF_PROC_ENTRIES
  PetscObjectState        seen    = -1;    // the matrix's, when the operator got this part last
  Array<std::int64_t>     picked;          // Coordinates::of_rest, where values came from last
  CooPlaces               received;        // where those that other ranks give to this one's columns go; from rest's diagonal block
};

/* AIJ of the matrix while somebody has borrowed it, and, where it is kept, until the nonzero pattern moves. */
struct OwnImage {
  Mat              aij   = NULL;
  PetscObjectState state = -1, pattern = -1; // the matrix's, whose values it has, and its nonzero state
  std::uint64_t    hash     = 0;             // of the places of its entries
  int              borrowed = 0;
  bool             kept     = false;
};

/* PETSc's accessors of AIJ's arrays look at no type: they take A->data for a Mat_SeqAIJ, which is private, and call the functions that stand in it, if any.
   Wherever they look, one stands here that refuses. The length of the longest row is read as it stands there. */
class AijRefused {
public:
  AijRefused();
  AijRefused(const AijRefused &)            = delete;
  AijRefused &operator=(const AijRefused &) = delete;
  ~AijRefused() { (void)MatDestroy(&diagonal_block_); }
  PetscErrorCode say_block(const char *type); // for MatCreateKAIJ() and MatCreateMAIJ(), which take A->data for a Mat_MPIAIJ and its first word for a matrix
  PetscErrorCode say_longest_row(Mat A, PetscInt length); // for MatSeqAIJGetMaxRowNonzeros(): what no row has more than

private:
  Mat diagonal_block_ = NULL;         // first
  PetscErrorCode (*table_[255])(Mat); // with it more words than Mat_SeqAIJ has
};

struct OwnMat {
  AijRefused                                aij; // first
  const OwnKind                            *kind;
  std::unique_ptr<OwnStorage>               storage;
  bool                                      shaped = false;
  PetscInt                                  bs     = 1; // unknowns of a node
  Space                                     space  = Space::Host;
  std::shared_ptr<ParOperator<PetscScalar>> op;                                   // none before there is a layout; a preconditioner may hold it, too
  OwnFormat                                *held    = nullptr;                    // in it
  bool                                      current = true, host_current = false; // which of the two have the matrix's values
  std::unique_ptr<OwnFormat>                host;                                 // where the space is a device
  OwnValues                                 open;                                 // for one who sets entries one by one
  bool                                      is_open      = false;
  bool                                      fixed        = false; // a new place is an error
  bool                                      closed       = false; // an entry that has no place is ignored
  bool                                      row_oriented = true;
  bool                                      zero         = true; // no value has been set since all were 0
  PetscInt                                  said_at      = 0;    // the assembly, counted from 0, of whose values it was said that they are symmetric
  std::shared_ptr<const Coordinates>        coordinates;
  CooPlaces                                 coo; // theirs, and others.received; not known in a layout until they are asked for
  OwnOthers                                 others;
  ProductStages                             staged;
  Mat                                       stored = NULL;  // by MatStoreValues()
  Mat                                       blocks = NULL;  // those on the main diagonal, which MatInvertBlockDiagonal() lends inverted
  std::list<LentRow>                        rows;           // what MatGetRow() lends, several at a time
  OwnImage                                  images[2];      // of the entries, and of all places where these are more
  PetscInt                                  made       = 0; // how often AIJ was
  PetscLogDouble                            made_bytes = 0;
  PetscErrorCode (*dm_view)(Mat, PetscViewer)          = nullptr; // a DM's, which it puts in place of ours on several ranks
};

inline OwnMat *own_of(Mat A) // which is one
{
  return static_cast<OwnMat *>(A->data);
}
OwnMat *find_own(Mat A); // nullptr when A is not one, or none

/* own_type.cxx */
PetscErrorCode MatRegister_Own();
PetscErrorCode MatCreate_Own(Mat A, const OwnKind &kind);
/* While it lives, a matrix of this kind's format that is created has no AIJ, where its options leave that open: who creates it assembles it without. NULL: of
   no kind */
class OwnWhereOpen {
public:
  explicit OwnWhereOpen(const OwnKind *kind) : before_(std::exchange(now, kind)) { }
  OwnWhereOpen(const OwnWhereOpen &)            = delete;
  OwnWhereOpen &operator=(const OwnWhereOpen &) = delete;
  ~OwnWhereOpen() { now = before_; }

  inline static const OwnKind *now = nullptr;

private:
  const OwnKind *before_;
};
/* refused: what its options ask for that there is not without AIJ (FormatConfig::not_alone()), which is an error. */
PetscErrorCode OwnCheckAlone(Mat A, const OwnMat *own, const char *refused);
/* For ->create of a format: as its option -mat_<format>_keep_aij says. It is asked for there and not in MatSetFromOptions(): a DM takes the type by its name
   and then sets the matrix up. */
PetscErrorCode MatCreate_FormatOrOwn(Mat A, const OwnKind &kind, bool mpi);
/* MakeFormatKind() of a format whose matrices may be nothing but it. */
template <class Config, const FormatKind &(*kind)(), const OwnKind &(*own)(), auto... settings>
FormatKind MakeFormatOrOwnKind(const char *root, const char *seq, const char *mpi)
{
  FormatKind made = MakeFormatKind<Config, kind, settings...>(root, seq, mpi);

  made.create_seq = [](Mat A) { return MatCreate_FormatOrOwn(A, own(), false); };
  made.create_mpi = [](Mat A) { return MatCreate_FormatOrOwn(A, own(), true); };
  return made;
}
// as A, or its transpose, in sizes, blocks, maps and vectors, with like's settings; no values
PetscErrorCode OwnNew(Mat A, const OwnKind &kind, const OwnMat *like, bool transposed, Mat *B);

/* own_values.cxx. OwnShape: node size and space are what they will be. OwnSettle: and the space what it now is to be: every operation begins so. OwnRead,
   OwnWrite: the values, laid out, in own->space or on the host; after OwnWrite() they are nowhere else. keep: those that are there count. OwnTake: this layout,
   with its values, is the matrix's from now on. */
PetscErrorCode OwnCheckLength(PetscLayout map, Vec v); // for operations whose vectors PETSc does not look at before: an error of this rank's
PetscErrorCode OwnShape(Mat A, OwnMat *own);
PetscErrorCode OwnSettle(Mat A, OwnMat *own);
PetscErrorCode OwnRead(Mat A, OwnMat *own, Space space, OwnValues *values);
PetscErrorCode OwnWrite(Mat A, OwnMat *own, Space space, bool keep, OwnValues *values);
PetscErrorCode OwnTake(Mat A, OwnMat *own, std::unique_ptr<OwnFormat> f);
PetscErrorCode OwnForget(Mat A, OwnMat *own);         // all values are 0
void OwnUnsay(Mat A, bool symmetric, bool hermitian); // MatSetOption() said it of values that are other ones now: what still holds; as an assembly does
PetscErrorCode OwnGetOperator(Mat A, std::shared_ptr<ParOperator<PetscScalar>> *op); // composed as "GozaMatGetOperator_C"

/* own_view.cxx. OwnKeepView: a DM's view, which says nothing of itself for PETSC_VIEWER_ASCII_INFO, is called for the others alone. */
PetscErrorCode MatView_Own(Mat A, PetscViewer viewer);
void           OwnKeepView(Mat A, OwnMat *own);

/* own_group.cxx: composed as GozaMatMakeGroup_C */
PetscErrorCode OwnMakeGroup(Mat A, const std::shared_ptr<RankGroup> &group, std::shared_ptr<GroupMat> *made);

/* own_new_rest.cxx and own_rest.cxx, all collective. OwnRest: NULL on one rank. OwnNewRest: without a pattern; OwnTakeRest: in place of the one that there is,
   unless it failed to get a pattern. OwnSetRest: of rows on the host, whose columns ascend and are garray's, other ranks' ones, ascending; without values these
   are 0. failed: to find this rank's rows. OwnAddPlaces: in rest, where there are none yet, with zeros. OwnDeliver: what waits goes to its owners, and into
   their values. */
PetscErrorCode OwnRest(Mat A, OwnMat *own, Mat *rest);
PetscErrorCode OwnNewRest(Mat A, Mat *rest);
PetscErrorCode OwnTakeRest(Mat A, OwnMat *own, Mat rest, PetscErrorCode failed);
PetscErrorCode OwnSetRest(Mat A, OwnMat *own, const Csr &rows, const PetscInt *garray, PetscErrorCode failed);
PetscErrorCode OwnCombineRest(Mat A, OwnMat *own, PetscScalar a, Mat other, bool add); // rest = a other, or rest += a other
PetscErrorCode OwnAddPlaces(Mat A, OwnMat *own, std::vector<OtherEntry> &places);
PetscErrorCode OwnDeliver(Mat A, OwnMat *own);

/* own_image.cxx, all collective. A SeqAIJ or MPIAIJ on the host, of the entries that are not 0 and the main diagonal, or of all places. OwnMakeAij: the
   caller's. OwnBorrowAij: up to date, until OwnReturnAij(); the same object for as long as somebody refers to it and the pattern is the same. OwnKeepAij: it is
   not given back. OwnTakeAij: it is the caller's from now on.
   OwnAgreeOnPattern: a pattern that is new on one rank is new on all. OwnLookForNewPattern: diagonals have no record of their entries; has one become 0, or is
   one no longer, since AIJ was made? Then the nonzero state moves. OwnPatternNow: the same where values have changed since then. */
PetscErrorCode OwnMakeAij(Mat A, bool places, Mat *aij);
PetscErrorCode OwnAijOfRows(Mat A, const PetscInt *ptr, const PetscInt *col, const PetscScalar *val, Mat *aij); // in A's sizes; of global columns
PetscErrorCode OwnBorrowAij(Mat A, bool places, Mat *aij);
PetscErrorCode OwnReturnAij(Mat A, bool places);
Mat            OwnTakeAij(Mat A, bool places);
void           OwnKeepAij(Mat A, bool places);
PetscErrorCode OwnAgreeOnPattern(Mat A);
PetscErrorCode OwnLookForNewPattern(Mat A);
PetscErrorCode OwnPatternNow(Mat A);

/* call(image) of what is borrowed, which is given back whatever comes of it. */
template <class Call> PetscErrorCode OwnThroughAij(Mat A, bool places, const Call &call)
{
  Mat aij;

  PetscFunctionBegin;
  PetscCall(OwnBorrowAij(A, places, &aij));
  const PetscErrorCode failed = call(aij);
  PetscCall(OwnReturnAij(A, places));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* own_convert.cxx. This rank's rows in its own columns, where the values are; and, on several ranks, the blocks of what is beside them. Collective. */
PetscErrorCode OwnCompressedRows(Mat A, CsrMatrix *rows, AijBlocks *rest);
PetscErrorCode OwnFrom(Mat X, Mat like, const OwnKind &kind, Mat *B); // of X's entries, through AIJ, in blocks and maps like another, which may be X
PetscErrorCode OwnReplace(Mat A, Mat made);                           // A becomes it, of another pattern

/* own_rows.cxx, own_ops.cxx, own_convert.cxx, own_coo.cxx */
void           OwnSetRowOps(Mat A);
void           OwnSetValueOps(Mat A);
void           OwnSetConvertOps(Mat A);
void           OwnSetBlockOps(Mat A);    // own_blocks.cxx
void           OwnSetColoringOps(Mat A); // own_coloring.cxx
PetscErrorCode OwnSetAijOps(Mat A);      // own_aij_ops.cxx: last, those that the others leave out
PetscErrorCode OwnComposeAijFunctions(Mat A, bool attach);
PetscErrorCode OwnComposeProducts(Mat A, bool attach);
PetscErrorCode OwnRegisterFactors();
PetscErrorCode OwnCopy(Mat Y, Mat X); // own_ops.cxx: Y gets X's values, of any type, and places for them
PetscErrorCode OwnComposeCOO(Mat A, bool attach);
PetscErrorCode OwnComposeValues(Mat A, bool attach); // own_values.cxx
/* own_csr.cxx: MatSeqAIJSetPreallocationCSR() on one rank and MatMPIAIJSetPreallocationCSR() on several; a program calls both. */
PetscErrorCode OwnComposeCSR(Mat A, bool attach);
PetscErrorCode OwnSetCSR(Mat A, const PetscInt ptr[], const PetscInt col[], const PetscScalar val[]);
/* own_grid.cxx: of a DMDA's stencil, as rows or as offsets; not known where there is no DMDA. others: the places in columns of other ranks. */
PetscErrorCode OwnPlacesOfGrid(Mat A, const OwnMat &own, bool rows, GridPlaces *places, std::vector<OtherEntry> *others);
/* own_rows.cxx: an entry of this rank's row, into its place or to those that wait; and those that wait for places in this rank's columns, at the end of an
   assembly. */
PetscErrorCode OwnSetEntry(Mat A, OwnMat *own, const OtherEntry &entry, InsertMode mode);
PetscErrorCode OwnSetWaiting(Mat A, OwnMat *own, InsertMode mode);
void           join_doubles(std::vector<OtherEntry> &entries, InsertMode mode); // own_rest.cxx: one entry a place, ascending: their sum, or the one set last

} // namespace goza::mat
