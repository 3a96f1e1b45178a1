/* A matrix that is nothing but its diagonals: type "owncds", what MATCDS becomes with -mat_cds_keep_aij no.

   A type of its own and not one derived from AIJ: PETSc reads AIJ's arrays through accessors that ask nobody, so that a matrix whose AIJ part is to be made on demand could show old
   values; this one has no such part, and what PETSc does not find in its table of operations it refuses or converts, by MatConvert(), and the matrix counts that.

   On several ranks the diagonals are those of a rank's own columns, and the entries in columns of other ranks, a surface of the grid's part, are an MPIAIJ (`rest`) whose diagonal
   block holds no values: ghosts, scatters and what is done to values there are PETSc's, products are ParOperator's.

   The values are where the products are. Where somebody sets or reads single entries and that is a device, they come to the host, and go back when the assembly ends. */
#pragma once
#include "diagonal_ops.hpp"
#include "mat/cds/cds.hpp"
#include "mat/common/par_operator.hpp"
#include "petsc/errors.hpp"
#include "petsc/vec_access.hpp"
#include <petsc/private/matimpl.h>

namespace goza::mat
{

constexpr char own_cds_type[] = "owncds";

extern PetscLogEvent own_to_aij, own_to_rows; // AIJ is made of such a matrix; rows of a rank's own columns, where the values are

using PlainCds = Cds<PetscScalar, PetscScalar>;

/* Where the entries of a COO assembly go: each to a place in the values, or, where several go to one, those of the sorted list from start[k] to start[k + 1] to place k. */
struct CooPlaces {
  bool                known = false, doubles = false;
  PetscCount          n = 0;
  Array<PetscInt>     narrow; // [n] -1: nowhere
  Array<std::int64_t> wide;   // the same where PetscInt cannot say it; of doubles [places]
  Array<std::int64_t> order, start;
};

/* Set for a row or a column of another rank: it waits for the end of the assembly. */
struct OtherEntry {
  PetscInt    row, col;
  PetscScalar value;
};

/* What a matrix of several ranks has beside its diagonals. */
struct OwnOthers {
  Mat                     rest = NULL;
  std::vector<OtherEntry> waiting;
  InsertMode              mode    = NOT_SET_VALUES; // of those
  bool                    ignored = false;          // rows of other ranks: MAT_IGNORE_OFF_PROC_ENTRIES
  PetscObjectState        seen    = -1;             // the matrix's, when the operator got this part last
  Array<std::int64_t>     picked;                   // which of the entries of a COO assembly are these
  CooPlaces               received;                 // where those that other ranks give to the diagonals go; from rest's diagonal block
};

struct OwnCds {
  CdsOptions                                options; // storage, max_fill
  bool                                      shaped = false;
  PetscInt                                  bs     = 1;
  std::vector<PetscInt>                     offset; // of both signs, in nodes
  Space                                     space = Space::Host;
  std::shared_ptr<ParOperator<PetscScalar>> op;                // none before there is a value other than 0; a preconditioner may hold it, too
  PlainCds                                 *cds     = nullptr; // in it
  bool                                      current = true, host_current = false; // which of the two have the matrix's values
  Array<PetscScalar>                        host;                                 // where the space is a device
  DiagonalValues                            open;                                 // for one who sets entries one by one
  bool                                      is_open      = false;
  bool                                      fixed        = false; // a new diagonal is an error
  bool                                      row_oriented = true;
  CooPlaces                                 coo;
  OwnOthers                                 others;
  Stage                                     staged_x, staged_y, staged_z;
  Mat                                       blocks = NULL; // those on the main diagonal, which MatInvertBlockDiagonal() lends inverted
  std::vector<PetscInt>                     row_col;       // what MatGetRow() lends
  std::vector<PetscScalar>                  row_val;
  PetscInt                                  rows_lent  = 0;
  PetscInt                                  made       = 0; // how often AIJ was
  PetscLogDouble                            made_bytes = 0;
};

PetscErrorCode MatGetOwnCds(Mat A, OwnCds **own); // NULL when A is not one

PetscErrorCode MatCreate_OwnCds(Mat A);
PetscErrorCode OwnCdsNew(Mat A, const OwnCds *like, bool transposed, Mat *B); // as A, or its transpose, in sizes, blocks, maps and vectors, with like's settings; no values

/* own_values.cxx. OwnShape: node size and space are what they will be. OwnSettle: and the space what it now is to be: every operation begins so. OwnRead, OwnWrite: the values, laid out,
   in own->space or on the host; after OwnWrite() they are nowhere else. keep: those that are there count. */
PetscErrorCode OwnShape(Mat A, OwnCds *own);
PetscErrorCode OwnSettle(Mat A, OwnCds *own);
PetscErrorCode OwnRead(Mat A, OwnCds *own, Space space, DiagonalValues *values);
PetscErrorCode OwnWrite(Mat A, OwnCds *own, Space space, bool keep, DiagonalValues *values);
PetscErrorCode OwnAddOffsets(Mat A, OwnCds *own, const std::vector<PetscInt> &offset); // the diagonals that are not there
PetscErrorCode OwnMakeFull(Mat A, OwnCds *own);
PetscErrorCode OwnForget(Mat A, OwnCds *own);                                        // all values are 0
PetscErrorCode OwnGetOperator(Mat A, std::shared_ptr<ParOperator<PetscScalar>> *op); // composed as "GozaMatGetOperator_C"
std::int64_t   OwnEntries(const OwnCds &own, PetscInt nodes, PetscInt columns);      // places inside the matrix

/* own_rest.cxx, all collective. OwnRest: NULL on one rank. OwnNewRest: without a pattern; OwnTakeRest: in place of the one that there is, unless it failed to get a pattern. OwnSetRest: of
   rows of global columns, ascending, of which none is this rank's. OwnAddPlaces: in rest, where there are none yet, with zeros. OwnDeliver: what waits goes to its owners, and into their values.
   OwnAgreeOnPattern: a pattern that is new on one rank is new on all. */
PetscErrorCode OwnRest(Mat A, OwnCds *own, Mat *rest);
PetscErrorCode OwnNewRest(Mat A, Mat *rest);
PetscErrorCode OwnTakeRest(Mat A, OwnCds *own, Mat rest, PetscErrorCode failed);
PetscErrorCode OwnSetRest(Mat A, OwnCds *own, const PetscInt *ptr, const PetscInt *col, const PetscScalar *val);
PetscErrorCode OwnAddPlaces(Mat A, OwnCds *own, std::vector<OtherEntry> &places);
PetscErrorCode OwnDeliver(Mat A, OwnCds *own);
PetscErrorCode OwnAgreeOnPattern(Mat A);

/* own_convert.cxx. This rank's rows in its own columns, where the values are; and the block of those in others' with their numbers, NULL on one rank. Collective. */
PetscErrorCode OwnCompressedRows(Mat A, CsrMatrix *rows, Mat *others, const PetscInt **garray);

/* own_rows.cxx, own_ops.cxx, own_convert.cxx, own_coo.cxx, own_grid.cxx */
void           OwnCdsSetRowOps(Mat A);
void           OwnCdsSetValueOps(Mat A);
void           OwnCdsSetConvertOps(Mat A);
void           OwnCdsSetBlockOps(Mat A); // own_blocks.cxx
PetscErrorCode OwnCdsComposeCOO(Mat A, bool attach);
/* Of a DMDA's stencil; none where there is no DMDA. others: the places in columns of other ranks. */
PetscErrorCode OwnPlacesOfGrid(Mat A, const OwnCds &own, std::vector<PetscInt> *offset, std::vector<OtherEntry> *others);
/* own_rows.cxx: an entry of this rank's row, into the diagonals or to those that wait. */
PetscErrorCode OwnSetEntry(Mat A, OwnCds *own, const OtherEntry &entry, InsertMode mode);

} // namespace goza::mat
