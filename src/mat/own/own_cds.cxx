/* The type owncds: diagonals that are a whole matrix. */
#include "own_cds.hpp"
#include "mat/cds/cds_mat.hpp"
#include "mat/cds/cds_shape.hpp"

namespace goza::mat {
namespace {

class OwnedCds final : public OwnStorage {
public:
  CdsOptions            options; // storage, max_fill
  std::vector<PetscInt> offset;  // of both signs, in nodes
  PetscInt              nodes = 0, node_columns = 0, bs = 1;

  OwnedCds() { options.bs = 0; /* the matrix's own */ }

  std::unique_ptr<OwnStorage> clone() const override { return std::make_unique<OwnedCds>(*this); }
  std::unique_ptr<OwnStorage> settings() const override
  {
    auto other = std::make_unique<OwnedCds>();

    other->options = options;
    return other;
  }
  PetscErrorCode set_from_options(Mat A, OwnMat *own, GozaOptionItems items) override;
  PetscErrorCode compose(Mat A, bool attach) const override;
  PetscInt       begin(Mat A) override;
  bool           by_rows() const override { return false; }
  PetscLogDouble places(Mat, const OwnMat &) const override { return places_on(offset); }

  PetscErrorCode             first(Mat A, const OwnMat &own, std::unique_ptr<OwnFormat> *f) override;
  std::unique_ptr<OwnFormat> like(const OwnFormat &f, Space space) const override;
  std::unique_ptr<OwnFormat> moved(Mat A, OwnFormat &f, Space space) override;
  OwnValues                  values(OwnFormat &f) const override;

  PetscErrorCode put(Mat A, OwnMat *own, const EntryList *lists, int n, bool anew) override;
  PetscErrorCode put_grid(Mat A, OwnMat *own, const GridPlaces &grid) override { return add(A, own, grid.offset); }
  PetscErrorCode put_like(Mat A, OwnMat *own, Mat X, OwnMat *x) override;
  PetscErrorCode put_diagonal(Mat A, OwnMat *own, const Array<PetscInt> *) override { return add(A, own, {0}); }
  PetscErrorCode new_entry(Mat A, OwnMat *own, PetscInt row, PetscInt col, PetscScalar value, bool *waits) override;
  PetscErrorCode full(Mat A, OwnMat *own) override;
  PetscErrorCode before_values(Mat A, OwnMat *own) override;

  Space          rows_space(const OwnMat &own) const override { return own.space; }
  PetscErrorCode suits(Mat A, OwnMat *own, const Csr &rows, bool *yes) override;
  PetscErrorCode take_rows(Mat A, OwnMat *own, const Csr &rows) override;
  PetscErrorCode take_transposed(Mat T, OwnMat *own, Mat A, OwnMat *of) override;

  PetscErrorCode add(Mat A, OwnMat *own, const std::vector<PetscInt> &more);
  PetscErrorCode add_anew(Mat A, OwnMat *own, const std::vector<PetscInt> &more);

private:
  PetscLogDouble            places_on(const std::vector<PetscInt> &on) const;
  bool                      full_enough(PetscLogDouble stored, const Csr &rows) const { return stored <= options.max_fill * entries(rows) + 4096 + rows.nrows; }
  std::unique_ptr<PlainCds> zeros(Space space, const std::vector<PetscInt> &on, bool half) const;
  PetscErrorCode            wants_half(Mat A, bool *half) const;
  PetscErrorCode            lay_out_anew(Mat A, OwnMat *own, const std::vector<PetscInt> &on, bool half);
};

OwnedCds *storage_of(const OwnMat &own) { return static_cast<OwnedCds *>(own.storage.get()); }

PetscInt OwnedCds::begin(Mat A)
{
  bs = compiled_block(options.bs ? options.bs : MatNodeSize(A));
  if (A->rmap->n % bs || A->cmap->n % bs) bs = 1;
  nodes        = A->rmap->n / bs;
  node_columns = A->cmap->n / bs;
  if (nodes == node_columns && offset.empty()) offset.assign(1, 0);
  return bs;
}

PetscLogDouble OwnedCds::places_on(const std::vector<PetscInt> &on) const
{
  std::int64_t n = 0;

  for (PetscInt o : on) n += static_cast<std::int64_t>(bs) * bs * std::max<PetscInt>(0, std::min(nodes, node_columns - o) - std::max<PetscInt>(0, -o));
  return static_cast<PetscLogDouble>(n);
}

/* Half where it is asked for or the matrix is said to be symmetric. */
PetscErrorCode OwnedCds::wants_half(Mat A, bool *half) const
{
  PetscBool known, symmetric;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  *half = A->rmap->n == A->cmap->n && (options.storage == CdsStorage::Half || (!PetscDefined(USE_COMPLEX) && options.storage == CdsStorage::Hermitian) ||
                                       (options.storage == CdsStorage::Auto && known && symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::unique_ptr<PlainCds> OwnedCds::zeros(Space space, const std::vector<PetscInt> &on, bool half) const
{
  auto cds = std::make_unique<PlainCds>(space, options);

  cds->lay_out_zeros(nodes, node_columns, bs, on, half);
  return cds;
}

PetscErrorCode OwnedCds::first(Mat A, const OwnMat &own, std::unique_ptr<OwnFormat> *f)
{
  bool half = false;

  PetscFunctionBegin;
  PetscCall(wants_half(A, &half));
  PetscCall(Guarded([&] { *f = zeros(own.space, offset, half); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::unique_ptr<OwnFormat> OwnedCds::like(const OwnFormat &f, Space space) const { return zeros(space, offset, static_cast<const PlainCds &>(f).half()); }

std::unique_ptr<OwnFormat> OwnedCds::moved(Mat, OwnFormat &f, Space space)
{
  auto            there = like(f, space);
  const OwnValues from  = values(f);

  device::copy(array_of(values(*there)), array_of(from), places_in(from) * sizeof(PetscScalar));
  return there;
}

OwnValues OwnedCds::values(OwnFormat &f) const
{
  auto &cds = static_cast<PlainCds &>(f);

  return entries_in(cds.view(), static_cast<int>(cds.block_size()), cds.half(), cds.values_to_write());
}

/* The same values on these diagonals, of which those that there are are some. */
PetscErrorCode OwnedCds::lay_out_anew(Mat A, OwnMat *own, const std::vector<PetscInt> &on, bool half)
{
  OwnValues                 now;
  std::unique_ptr<PlainCds> cds;

  PetscFunctionBegin;
  PetscCall(OwnRead(A, own, own->space, &now));
  PetscCall(Guarded([&] {
    cds = zeros(own->space, on, half);
    combine(own->space, values(*cds), now, 1, false);
    offset = on;
  }));
  PetscCall(OwnTake(A, own, std::move(cds)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ascending; mirrored: more's of the other sign, too. */
std::vector<PetscInt> with_offsets(std::vector<PetscInt> offset, const std::vector<PetscInt> &more, bool mirrored)
{
  for (PetscInt o : more) {
    offset.push_back(o);
    if (mirrored) offset.push_back(-o);
  }
  std::sort(offset.begin(), offset.end());
  offset.erase(std::unique(offset.begin(), offset.end()), offset.end());
  return offset;
}

PetscErrorCode OwnedCds::add(Mat A, OwnMat *own, const std::vector<PetscInt> &more)
{
  std::vector<PetscInt> all;
  bool                  half = false;

  PetscFunctionBegin;
  PetscCall(OwnShape(A, own));
  PetscCall(wants_half(A, &half));
  if (own->op) half = OwnDiagonals(*own)->half();
  PetscCall(Guarded([&] { all = with_offsets(offset, more, half); }));
  if (all == offset) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!own->fixed, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The matrix has no diagonal at distance %" PetscInt_FMT " for a new entry, and MAT_NEW_NONZERO_LOCATION_ERR is set", more.front());
  PetscCheck(all.size() <= (std::size_t)max_diagonals, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A matrix of type %s has at most %d diagonals, and its entries lie on more: it is not one of a grid; let it keep AIJ (-mat_cds_keep_aij yes)",
             own->kind->type, max_diagonals);
  const PetscInt64 rows = PetscMax(nodes, node_columns), reach = PetscMax(static_cast<PetscInt64>(all.back()), -static_cast<PetscInt64>(all.front()));
  PetscCheck(rows + reach <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A diagonal at distance %" PetscInt64_FMT " among %" PetscInt64_FMT
             " rows or columns: their sum is more than this PETSc's integers can count: use 64-bit indices or more ranks",
             reach, rows);
  A->nonzerostate++;
  if (own->op) PetscCall(lay_out_anew(A, own, all, half));
  else offset.swap(all);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a pattern that is asked for as a whole, which no option forbids. */
PetscErrorCode OwnedCds::add_anew(Mat A, OwnMat *own, const std::vector<PetscInt> &more)
{
  const bool           fixed = std::exchange(own->fixed, false);
  const PetscErrorCode added = add(A, own, more);

  PetscFunctionBegin;
  own->fixed = fixed;
  PetscCall(added);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedCds::full(Mat A, OwnMat *own)
{
  std::vector<PetscInt> both;
  OwnValues             now;

  PetscFunctionBegin;
  PetscCall(OwnRead(A, own, own->space, &now)); /* lays it out */
  if (!OwnDiagonals(*own)->half()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(options.storage != CdsStorage::Half, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "-mat_cds_storage half, but the matrix is not symmetric any more");
  PetscCall(Guarded([&] { both = with_offsets(offset, offset, true); }));
  PetscCheck(both.size() <= (std::size_t)max_diagonals, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s has at most %d diagonals", own->kind->type,
             max_diagonals);
  PetscCall(lay_out_anew(A, own, both, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MAT_SYMMETRIC is of the values that the next assembly ends with, unless it is eternal: of those after them nobody has said so. */
PetscErrorCode OwnedCds::before_values(Mat A, OwnMat *own)
{
  const bool said = A->symmetry_eternal || A->num_ass == own->said_at;
  bool       half = false;

  PetscFunctionBegin;
  PetscCall(wants_half(A, &half));
  if (own->op && (!half || (options.storage == CdsStorage::Auto && !said))) PetscCall(full(A, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The offsets of entries that come one after another; more than there may be are found by add(). */
struct FoundOffsets {
  std::vector<PetscInt> all;
  std::size_t           d = 0;

  bool take(PetscInt o)
  {
    if (d + 1 < all.size() && all[d + 1] == o) d++; /* mostly: rows come one after another */
    if (d < all.size() && all[d] == o) return true;
    const auto at = std::lower_bound(all.begin(), all.end(), o);

    d = static_cast<std::size_t>(at - all.begin());
    if (at == all.end() || *at != o) all.insert(at, o);
    return all.size() <= static_cast<std::size_t>(max_diagonals);
  }
};

/* A new preallocation leaves the diagonals that there are. */
PetscErrorCode OwnedCds::put(Mat A, OwnMat *own, const EntryList *lists, int n, bool anew)
{
  FoundOffsets found;

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    for (const EntryList *e = lists; e < lists + n; e++) {
      for (std::int64_t k = 0; k < e->n; k++)
        if (e->inside(k) && !found.take(e->col(k) / own->bs - e->row(k) / own->bs)) return;
    }
  }));
  PetscCall(anew ? add_anew(A, own, found.all) : add(A, own, found.all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedCds::put_like(Mat A, OwnMat *own, Mat, OwnMat *x)
{
  PetscFunctionBegin;
  PetscCall(add_anew(A, own, storage_of(*x)->offset)); /* MatAXPY(), MatCopy() */
  if (!OwnDiagonals(*x)->half()) PetscCall(full(A, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedCds::new_entry(Mat A, OwnMat *own, PetscInt row, PetscInt col, PetscScalar value, bool *waits)
{
  std::vector<PetscInt> one;

  PetscFunctionBegin;
  *waits = false;
  if (value == PetscScalar(0)) PetscFunctionReturn(PETSC_SUCCESS); /* it needs no place */
  PetscCall(Guarded([&] { one.assign(1, col / bs - row / bs); }));
  PetscCall(add(A, own, one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedCds::suits(Mat A, OwnMat *own, const Csr &rows, bool *yes)
{
  std::vector<PetscInt> on;
  OwnValues             now;

  PetscFunctionBegin;
  PetscCall(OwnShape(A, own));
  if (own->op) PetscCall(OwnRead(A, own, rows.space, &now));
  PetscCall(Guarded([&] {
    Csr pattern = rows;

    pattern.val = nullptr;
    *yes        = own->op && !write_rows(std::get<DiagonalValues>(now), pattern);
    if (*yes) return;
    on                  = offsets_of(rows, static_cast<int>(bs), max_diagonals);
    const double inside = places_on(on), stored = static_cast<double>(on.size()) * static_cast<double>(rows.nrows) * bs;
    *yes = on.size() <= static_cast<std::size_t>(max_diagonals) && full_enough(inside, rows) && stored <= options.max_fill * inside + 4096; /* as Cds has it */
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In full storage of a matrix that seems symmetric, too: nobody has promised that. */
PetscErrorCode OwnedCds::take_rows(Mat A, OwnMat *own, const Csr &rows)
{
  OwnValues             values;
  std::vector<PetscInt> found;
  std::int64_t          missing = 0;
  const auto            write   = [&] { missing = write_rows(std::get<DiagonalValues>(values), rows); };

  PetscFunctionBegin;
  PetscCall(OwnShape(A, own));
  if (own->op) {
    PetscCall(OwnWrite(A, own, rows.space, false, &values));
    PetscCall(Guarded(write));
    if (!missing) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Guarded([&] { found = offsets_of(rows, static_cast<int>(bs), max_diagonals); }));
  PetscCall(add(A, own, found));
  const double stored = places(A, *own);
  PetscCheck(full_enough(stored, rows), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "%d diagonals would store %.3g values for %.3g nonzeros; -mat_cds_max_fill allows %.2f for one: let the matrix keep AIJ (-mat_cds_keep_aij yes)",
             (int)offset.size(), stored, static_cast<double>(entries(rows)), options.max_fill);
  PetscCall(OwnWrite(A, own, rows.space, false, &values));
  PetscCall(Guarded(write));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedCds::take_transposed(Mat T, OwnMat *own, Mat A, OwnMat *of)
{
  const OwnedCds &source = *storage_of(*of);
  OwnValues       v, t;

  PetscFunctionBegin;
  PetscCall(OwnRead(A, of, of->space, &v));
  const CdsOptions kept = source.options;
  options.bs            = source.bs;
  options.storage       = OwnDiagonals(*of)->half() ? CdsStorage::Half : CdsStorage::Full;
  PetscCall(OwnShape(T, own));
  offset.clear();
  for (std::size_t d = source.offset.size(); d-- > 0;) PetscCall(Guarded([&] { offset.push_back(-source.offset[d]); }));
  PetscCall(OwnWrite(T, own, own->space, false, &t));
  options = kept;
  PetscCall(Guarded([&] { transpose_into(own->space, std::get<DiagonalValues>(t), std::get<DiagonalValues>(v)); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedCds::set_from_options(Mat A, OwnMat *own, GozaOptionItems items)
{
  CdsOptions  read = options;
  const char *refused;

  PetscFunctionBegin;
  PetscCall(CdsAloneFromOptions(A, items, &read, &refused));
  PetscCall(OwnCheckAlone(A, own, refused));
  PetscCheck(!own->op || options.storage == read.storage, comm_of(A), PETSC_ERR_ARG_WRONGSTATE, "-mat_cds_storage comes too late: the matrix has values");
  options = read;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnedCds::compose(Mat A, bool attach) const { return OwnComposeCds(A, attach); }

} // namespace

bool OwnsDiagonals(const OwnMat &own) { return own.kind == &OwnCdsKind(); }

PlainCds *OwnDiagonals(const OwnMat &own) { return OwnsDiagonals(own) ? static_cast<PlainCds *>(own.held) : nullptr; }

PetscErrorCode OwnAddOffsets(Mat A, OwnMat *own, const std::vector<PetscInt> &offset) { return storage_of(*own)->add(A, own, offset); }

const OwnKind &OwnCdsKind()
{
  static const OwnKind kind{MATOWNCDS, "diagonals",         "MATCDS",
                            CdsKind,   "-mat_cds_keep_aij", []() -> std::unique_ptr<OwnStorage> { return std::make_unique<OwnedCds>(); }};

  return kind;
}

} // namespace goza::mat
