/* A storage of rows: its places are those that were asked for, as in AIJ, zeros among them. */
#pragma once
#include "own_mat.hpp"

namespace goza::mat {

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
  PetscErrorCode put_diagonal(Mat A, OwnMat *own) override;
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

} // namespace goza::mat
