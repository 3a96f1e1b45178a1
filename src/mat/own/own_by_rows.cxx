#include "own_mat.hpp"
#include "core/sparse/csr_ops.hpp"
#include "mat/fold/fold.hpp"
#include "mat/fold/fold_mat.hpp"
#include "mat/slicedell/slicedell_mat.hpp"
#include <numeric>

namespace goza::mat {

/* A storage of rows: its places are those that were asked for, as in AIJ, zeros among them. */
class OwnedRows : public OwnStorage {
public:
  PetscErrorCode set_from_options(Mat A, OwnMat *own, GozaOptionItems items) override;
  PetscInt       begin(Mat) override { return 1; }
  bool           by_rows() const override { return true; }

  PetscErrorCode             first(Mat A, const OwnMat &own, std::unique_ptr<OwnFormat> *f) override;
  std::unique_ptr<OwnFormat> moved(Mat A, OwnFormat &f, Space space) override;

  PetscErrorCode put(Mat A, OwnMat *own, const EntryList *lists, int n, bool anew) override;
  PetscErrorCode put_grid(Mat A, OwnMat *own, const GridPlaces &grid) override;
  PetscErrorCode put_like(Mat A, OwnMat *own, Mat X, OwnMat *x) override;
  PetscErrorCode put_diagonal(Mat A, OwnMat *own, const Array<PetscInt> *rows) override;
  PetscErrorCode new_entry(Mat A, OwnMat *own, PetscInt row, PetscInt col, PetscScalar value, bool *waits) override;

  Space          rows_space(const OwnMat &own) const override { return own.space; }
  PetscErrorCode take_rows(Mat A, OwnMat *own, const Csr &rows) override;
  PetscErrorCode take_transposed(Mat T, OwnMat *own, Mat A, OwnMat *of) override;

protected:
  explicit OwnedRows(std::unique_ptr<FormatConfig> config) : config_(std::move(config)) { }
  OwnedRows(const OwnedRows &other) : config_(other.config_->clone()) { }

private:
  std::unique_ptr<OwnFormat> built(Mat A, const Csr &rows) const;
  std::unique_ptr<OwnFormat> zeros(Mat A, Space space, const std::vector<PetscInt> &ptr, const std::vector<PetscInt> &col) const;
  PetscErrorCode             lay_out(Mat A, OwnMat *own, const std::vector<PetscInt> &ptr, const std::vector<PetscInt> &col, bool keep);

  std::unique_ptr<FormatConfig> config_;
};

/* F: a format with layout_like(), entry_view() and nonzeros(). */
template <class F> class OwnedRowsOf final : public OwnedRows {
public:
  explicit OwnedRowsOf(const FormatKind &kind) : OwnedRows(kind.config()) { }

  std::unique_ptr<OwnStorage> clone() const override { return std::make_unique<OwnedRowsOf>(*this); }
  PetscLogDouble places(Mat, const OwnMat &own) const override { return own.held ? static_cast<PetscLogDouble>(static_cast<F *>(own.held)->nonzeros()) : 0; }
  std::unique_ptr<OwnFormat> like(const OwnFormat &f, Space space) const override
  {
    auto there = std::make_unique<F>(space);

    there->layout_like(static_cast<const F &>(f));
    return there;
  }
  OwnValues values(OwnFormat &f) const override { return static_cast<F &>(f).entry_view(); }
};

/* rows.val null: of zeros */
std::unique_ptr<OwnFormat> OwnedRows::built(Mat A, const Csr &rows) const
{
  auto f = config_->alone(A, rows.space);

  f->build(rows);
  return f;
}

std::unique_ptr<OwnFormat> OwnedRows::zeros(Mat A, Space space, const std::vector<PetscInt> &ptr, const std::vector<PetscInt> &col) const
{
  const Array<PetscInt> p(space, ptr.data(), ptr.size()), c(space, col.data(), col.size());

  return built(A, {space, A->rmap->n, A->cmap->n, p.data(), c.data(), nullptr, static_cast<PetscInt>(col.size())});
}

PetscErrorCode OwnedRows::first(Mat A, const OwnMat &own, std::unique_ptr<OwnFormat> *f)
{
  return Guarded([&] { *f = zeros(A, own.space, std::vector<PetscInt>(A->rmap->n + 1), {}); });
}

std::unique_ptr<OwnFormat> OwnedRows::moved(Mat A, OwnFormat &f, Space space)
{
  const CsrMatrix rows = compressed_rows(f.space(), values(f));

  return built(A, space == f.space() ? rows.view() : rows.copied(space).view());
}

/* Rows of local columns, ascending: of the entries inside, and of the rows that are there already. */
static GridPlaces pattern_of(PetscInt nrows, const EntryList *lists, int n, const OwnValues *present)
{
  GridPlaces            all;
  std::vector<PetscInt> next(nrows);
  const auto            for_each = [&](const auto &f) {
    for (const EntryList *e = lists; e < lists + n; e++) {
      for (std::int64_t k = 0; k < e->n; k++)
        if (e->inside(k)) f(e->row(k), e->col(k));
    }
    if (!present) return;
    std::visit(
      [&](const auto &v) {
        for (PetscInt row = 0; row < nrows; row++) v.for_each_of_row(row, [&](PetscInt col, const PetscScalar *) { f(row, col); });
      },
      *present);
  };
  std::int64_t given = 0;

  for_each([&](PetscInt row, PetscInt) { next[row]++, given++; });
  if (given > PETSC_MAX_INT) throw std::length_error("a PetscInt of this PETSc cannot count the entries that are given");
  all.ptr.resize(nrows + 1);
  std::partial_sum(next.begin(), next.end(), all.ptr.begin() + 1);
  std::copy_n(all.ptr.begin(), nrows, next.begin());
  all.col.resize(given);
  for_each([&](PetscInt row, PetscInt col) { all.col[next[row]++] = col; });
  PetscInt to = 0;
  for (PetscInt row = 0; row < nrows; row++) {
    const auto begin = all.col.begin() + all.ptr[row], end = all.col.begin() + all.ptr[row + 1];

    std::sort(begin, end);
    all.ptr[row] = to;
    to           = static_cast<PetscInt>(std::copy(begin, std::unique(begin, end), all.col.begin() + to) - all.col.begin());
  }
  all.ptr[nrows] = to;
  all.col.resize(to);
  return all;
}

/* keep: the values that are there, for all of which there are places. */
PetscErrorCode OwnedRows::lay_out(Mat A, OwnMat *own, const std::vector<PetscInt> &ptr, const std::vector<PetscInt> &col, bool keep)
{
  std::unique_ptr<OwnFormat> f;
  OwnValues                  now;

  PetscFunctionBegin;
  keep = keep && own->op;
  if (keep) PetscCall(OwnRead(A, own, own->space, &now));
  PetscCall(Guarded([&] {
    f = zeros(A, own->space, ptr, col);
    if (keep) combine(own->space, values(*f), now, 1, false);
  }));
  A->nonzerostate++;
  PetscCall(OwnTake(A, own, std::move(f)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedRows::put(Mat A, OwnMat *own, const EntryList *lists, int n, bool anew)
{
  OwnValues  now;
  GridPlaces pattern;
  const bool more = !anew && own->op;

  PetscFunctionBegin;
  if (more) PetscCall(OwnRead(A, own, Space::Host, &now));
  PetscCall(Guarded([&] { pattern = pattern_of(A->rmap->n, lists, n, more ? &now : nullptr); }));
  PetscCall(lay_out(A, own, pattern.ptr, pattern.col, !anew));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedRows::put_grid(Mat A, OwnMat *own, const GridPlaces &grid) { return lay_out(A, own, grid.ptr, grid.col, false); }

PetscErrorCode OwnedRows::put_like(Mat A, OwnMat *own, Mat X, OwnMat *x)
{
  std::unique_ptr<OwnFormat> f;
  OwnValues                  mine, its;
  std::int64_t               missing = 0;
  std::vector<PetscInt>      i, j;

  PetscFunctionBegin;
  PetscCall(OwnRead(X, x, x->space, &its));
  if (!own->op) {
    PetscCall(Guarded([&] { f = like(*x->held, own->space); }));
    PetscCall(OwnTake(A, own, std::move(f)));
    A->nonzerostate++;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(OwnRead(A, own, own->space, &mine));
  PetscCall(Guarded([&] { missing = missing_places(own->space, mine, its); }));
  if (!missing) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    const CsrMatrix rows = compressed_rows(x->space, its).copied(Space::Host);

    j.assign(rows.col.data(), rows.col.data() + rows.nnz());
    for (PetscInt row = 0; row < rows.nrows; row++) i.insert(i.end(), rows.ptr.data()[row + 1] - rows.ptr.data()[row], row);
  }));
  const EntryList list{static_cast<std::int64_t>(i.size()), i.data(), j.data(), 0, 0, A->rmap->n, A->cmap->n};
  PetscCall(put(A, own, &list, 1, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedRows::put_diagonal(Mat A, OwnMat *own, const Array<PetscInt> *rows)
{
  OwnValues             now;
  std::vector<PetscInt> all;
  PetscInt              missing = 0;

  PetscFunctionBegin;
  PetscCall(OwnRead(A, own, own->space, &now));
  PetscCall(Guarded([&] { missing = missing_diagonals(own->space, now, rows); }));
  if (!missing) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    if (rows) all = rows->to_host();
    else {
      all.resize(PetscMin(A->rmap->n, A->cmap->n));
      std::iota(all.begin(), all.end(), PetscInt(0));
    }
  }));
  const EntryList list{static_cast<std::int64_t>(all.size()), all.data(), all.data(), 0, 0, A->rmap->n, A->cmap->n};
  PetscCall(put(A, own, &list, 1, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedRows::new_entry(Mat A, OwnMat *own, PetscInt row, PetscInt col, PetscScalar, bool *waits)
{
  PetscFunctionBegin;
  PetscCheck(!own->fixed, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The matrix has no place for a new entry (%" PetscInt_FMT ", %" PetscInt_FMT "), and MAT_NEW_NONZERO_LOCATION_ERR is set", row + A->rmap->rstart,
             col + A->cmap->rstart);
  *waits = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedRows::take_rows(Mat A, OwnMat *own, const Csr &rows)
{
  std::unique_ptr<OwnFormat> f;

  PetscFunctionBegin;
  PetscCall(OwnShape(A, own));
  PetscCall(Guarded([&] {
    if (columns_ascend(rows)) f = built(A, rows);
    else f = built(A, transpose(transpose(rows).view()).view());
  }));
  A->nonzerostate++;
  PetscCall(OwnTake(A, own, std::move(f)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedRows::take_transposed(Mat T, OwnMat *own, Mat A, OwnMat *of)
{
  OwnValues v;
  CsrMatrix rows;

  PetscFunctionBegin;
  PetscCall(OwnRead(A, of, of->space, &v));
  PetscCall(Guarded([&] { rows = transpose(compressed_rows(of->space, v).view()); }));
  PetscCall(take_rows(T, own, rows.view()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A layout that is there becomes what the options say. */
PetscErrorCode OwnedRows::set_from_options(Mat A, OwnMat *own, GozaOptionItems items)
{
  std::unique_ptr<FormatConfig> before;
  std::unique_ptr<OwnFormat>    f;
  OwnValues                     now;

  PetscFunctionBegin;
  PetscCall(Guarded([&] { before = config_->clone(); }));
  PetscErrorCode    failed  = own->kind->format().from_options(A, *config_, items);
  const char *const refused = config_->not_alone();
  if (failed || refused) config_ = std::move(before);
  PetscCall(failed);
  PetscCall(OwnCheckAlone(A, own, refused));
  own->others.seen = -1; /* on all ranks: some may get another layout, others not */
  if (!own->op) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OwnRead(A, own, own->space, &now));
  PetscCall(Guarded([&] {
    f = moved(A, *own->held, own->space);
    if (f->describe() == own->held->describe()) f.reset();
  }));
  if (f) PetscCall(OwnTake(A, own, std::move(f)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the formats */

template <class F> static std::unique_ptr<OwnStorage> rows_of(const FormatKind &(*format)()) { return std::make_unique<OwnedRowsOf<F>>(format()); }

const OwnKind &OwnSlicedEllKind()
{
  static const OwnKind kind{MATOWNSLICEDELL, "slices", "MATSLICEDELL", SlicedEllKind, "-mat_slicedell_keep_aij", [] {
                              return rows_of<SlicedEll<PetscScalar, PetscScalar>>(SlicedEllKind);
                            }};

  return kind;
}

const OwnKind &OwnFoldKind()
{
  static const OwnKind kind{MATOWNFOLD, "lines", "MATFOLD", FoldKind, "-mat_fold_keep_aij", [] { return rows_of<Fold<PetscScalar, PetscScalar>>(FoldKind); }};

  return kind;
}

} // namespace goza::mat
