/* What a format must answer so that a matrix can be nothing but its values in it. The operator of the products holds the format, and that the values; a
   storage, one a matrix, has the settings, knows the layout, and gives places to entries. Everything else that an owning matrix does goes by entries
   (entry_ops.hpp) or by rows. */
#pragma once
#include "entry_ops.hpp"
#include "mat/common/format_kind.hpp"

namespace goza::mat {

struct OwnMat;
class OwnStorage;
using OwnFormat = Format<PetscScalar>;

struct OwnKind {
  const char *type, *what, *page; // "owncds", "diagonals", "MATCDS"
  const FormatKind &(*format)();
  const char *keep_aij; // the option that asks for it
  std::unique_ptr<OwnStorage> (*storage)();
};

/* Entries by coordinates, of which those in the rows and columns of a rank are inside. */
struct EntryList {
  std::int64_t    n;
  const PetscInt *i, *j;
  PetscInt        first_row, first_col, rows, cols;

  bool     counts(std::int64_t k) const { return i[k] >= 0 && j[k] >= 0; }
  bool     inside(std::int64_t k) const { return i[k] >= first_row && j[k] >= first_col && row(k) < rows && col(k) < cols; }
  PetscInt row(std::int64_t k) const { return i[k] - first_row; }
  PetscInt col(std::int64_t k) const { return j[k] - first_col; }
};

/* The places of a DMDA's stencil: as offsets between nodes, or as rows. */
struct GridPlaces {
  bool                  known = false;
  std::vector<PetscInt> offset, ptr, col;
};

class OwnStorage {
public:
  virtual ~OwnStorage() = default;

  virtual std::unique_ptr<OwnStorage> clone() const = 0;
  virtual std::unique_ptr<OwnStorage> settings() const { return clone(); } // for a matrix of other sizes
  virtual PetscErrorCode              set_from_options(Mat A, OwnMat *own, GozaOptionItems items) = 0;
  virtual PetscErrorCode              compose(Mat, bool) const { return PETSC_SUCCESS; } // functions of this storage alone
  virtual PetscInt                    begin(Mat A)                           = 0;        // sizes and block sizes are known; the unknowns of a node
  virtual bool                        by_rows() const                        = 0;        // has a layout only where places were asked for, of zeros, too
  virtual PetscLogDouble              places(Mat A, const OwnMat &own) const = 0;        // inside the matrix

  /* Layouts. first(): of what is known now; like(): zeros where f has values; moved(): f's values there. */
  virtual PetscErrorCode             first(Mat A, const OwnMat &own, std::unique_ptr<OwnFormat> *f) = 0;
  virtual std::unique_ptr<OwnFormat> like(const OwnFormat &f, Space space) const                    = 0;
  virtual std::unique_ptr<OwnFormat> moved(Mat A, OwnFormat &f, Space space)                        = 0;
  virtual OwnValues                  values(OwnFormat &f) const                                     = 0;

  /* Places, to which present values are taken along. put(): for all of these entries, in place of those before where the storage keeps zeros; put_grid(): the
     same of a grid; put_like(): for all of X; put_diagonal(): the main one, of the rows listed where the values are, or of all. new_entry(): for one of this
     rank's; waits: at the end of the assembly, from a list. full(): entries and their mirror images are to differ. */
  virtual PetscErrorCode put(Mat A, OwnMat *own, const EntryList *lists, int n, bool anew)                         = 0;
  virtual PetscErrorCode put_grid(Mat A, OwnMat *own, const GridPlaces &grid)                                      = 0;
  virtual PetscErrorCode put_like(Mat A, OwnMat *own, Mat X, OwnMat *x)                                            = 0;
  virtual PetscErrorCode put_diagonal(Mat A, OwnMat *own, const Array<PetscInt> *rows)                             = 0;
  virtual PetscErrorCode new_entry(Mat A, OwnMat *own, PetscInt row, PetscInt col, PetscScalar value, bool *waits) = 0;
  virtual PetscErrorCode full(Mat, OwnMat *) { return PETSC_SUCCESS; }
  virtual PetscErrorCode before_values(Mat, OwnMat *) { return PETSC_SUCCESS; } // some are to be set

  /* Whole matrices: rows in rows_space(), and A's transpose, whose storage this is. */
  virtual Space          rows_space(const OwnMat &own) const = 0;
  virtual PetscErrorCode suits(Mat, OwnMat *, const Csr &, bool *yes) // take_rows() may take them
  {
    *yes = true;
    return PETSC_SUCCESS;
  }
  virtual PetscErrorCode take_rows(Mat A, OwnMat *own, const Csr &rows)         = 0;
  virtual PetscErrorCode take_transposed(Mat T, OwnMat *own, Mat A, OwnMat *of) = 0;
};

} // namespace goza::mat
