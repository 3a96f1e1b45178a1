/* The CDS format: layout in cds_view.hpp. Entries on diagonals that are too empty to be stored whole go to a sliced-ELL remainder, so that every
   matrix can be held. Store is the type of the stored values, V that of the vectors. */
#pragma once
#include "cds_view.hpp"
#include "mat/slicedell/slicedell.hpp"

namespace goza {

struct RowExponents;

} // namespace goza

namespace goza::mat {

struct Mirrored;

enum class CdsStorage {
  Auto, // half where the matrix proves symmetric, or was promised to be Hermitian and proves so
  Full,
  Half,
  Hermitian // half, by the rule of Hermitian matrices; of real scalars the same as Half
};

struct CdsOptions {
  CdsStorage storage   = CdsStorage::Auto;
  double     share     = diagonal_share; // of its places that a diagonal must fill to be stored whole
  double     max_fill  = 3;              // stored values per nonzero beyond which the matrix is refused
  PetscInt   bs        = 1;              // 1, 2, 3 or 6
  bool       symmetric = false;          // promised: entries may differ from their mirror images by rounding, and the upper one counts
  bool       hermitian = false;          // the same of their images' conjugates
};

/* Of entries and their mirror images, where they may differ by rounding; else 0. */
template <class Store> double mirror_tolerance(bool promised)
{
  const double rounding = 100 * PETSC_MACHINE_EPSILON, stored = 2 * static_cast<double>(std::numeric_limits<RealOf<Store>>::epsilon());

  return !promised ? 0 : stored > rounding ? stored : rounding;
}

template <class Store, class V> class Cds final : public Format<V> {
public:
  using Stored = Store;

  explicit Cds(Space space, const CdsOptions &options = {});

  void build(const Csr &A) override;
  void build(const Csr &A, const Diagonals &found); // where they are known already
  void refill(const Csr &A) override;
  // from one of the same matrix, which is read in half the time; false: it does not hold all that this one would. inverse: or null; factors of rows and columns
  bool        build_like(const Cds<PetscScalar, PetscScalar> &same, const PetscScalar *inverse = nullptr);
  bool        lay_out_like(const Cds<PetscScalar, PetscScalar> &same); // the same for one who writes all values, and zeros behind the last rows
  bool        refill_like(const Cds<PetscScalar, PetscScalar> &same, const PetscScalar *inverse = nullptr); // where this one has such a layout
  void        multiply_values(PetscScalar factor) { factor_ = factor; }                                     // in a build() or refill() to come
  bool        refill_reads_columns() const override { return true; }
  void        apply(const V *x, const RowOut<V> &out) const override;
  void        apply_dots(const V *x, const WithDots<V> &out) const override;
  void        apply_as(const V *x, const ScaledOut<V> &out) const; // where Store is not V
  const V    *main_diagonal() const override;
  std::size_t bytes() const override;
  std::string describe() const override;

  /* For one who knows the values and writes all of them where view() says: not where some are in a remainder, or scaled. */
  Store *values_to_write() { return in_remainder() || factor_ != PetscScalar(1) ? nullptr : val_.data(); }
  /* For one who has no CSR rows: zeros on these diagonals, ascending, of so many nodes' rows and columns. half: offset holds both signs, or those from 0 up
     alone. */
  void lay_out_zeros(PetscInt nodes, PetscInt node_columns, PetscInt bs, const std::vector<PetscInt> &offset, bool half);

  CdsView<Store> view() const;
  PetscInt       block_size() const { return bs_; }
  bool           half() const { return half_; }
  bool           hermitian_half() const { return half_ && hermitian_; } // an entry below the diagonal is the conjugate of its mirror image
  bool           unscaled() const { return factor_ == PetscScalar(1); }
  bool proves_symmetry() const { return half_ && !hermitian_ && !options_.symmetric && !in_remainder(); } // off the diagonal blocks equal their mirror images
  std::int64_t       in_remainder() const { return nnz_ - inside_; }
  const GridStrides &grid() const { return grid_; }

private:
  template <class, class> friend class Cds;

  bool wants_hermitian() const
  {
    return PetscDefined(USE_COMPLEX) &&
           (options_.storage == CdsStorage::Hermitian || (options_.storage == CdsStorage::Auto && options_.hermitian && !options_.symmetric));
  }
  bool     promised() const { return hermitian_ ? options_.hermitian : options_.symmetric; }
  bool     can_be_like(const Cds<PetscScalar, PetscScalar> &same) const;
  bool     half_of(const Cds<PetscScalar, PetscScalar> &same) const;
  void     copy(const Cds<PetscScalar, PetscScalar> &same, const PetscScalar *inverse);
  void     lay_out(const std::vector<PetscInt> &offset, bool half, bool zeros = true);
  bool     in_pairs() const;   // of diagonals above and below, as half storage needs them
  bool     fill(const Csr &A); // false: half, and the lower part is not the upper
  bool     is_mirrored(const Csr &A) const;
  Mirrored fill_on_host(const Csr &A); // the remainder's rows, too
  void     split_remainder(const Csr &A, bool pattern);
  void     take_remainder(const Csr &A, bool pattern);

  CdsOptions options_;
  PetscInt   bs_ = 1;
  // rounded_: on a device the lower part was the upper but for rounding, so that nobody asks again whether it is the same
  bool                  half_ = false, hermitian_ = false, rounded_ = false;
  PetscScalar           factor_ = 1;
  std::vector<PetscInt> all_, offset_; // all_: both signs; offset_: as stored
  std::vector<PetscInt> runs_;         // as Diagonals has them
  std::int64_t          ld_ = 0, nnz_ = 0, inside_ = 0;
  GridStrides           grid_;
  Array<Store>          val_;
  Array<PetscInt>       rem_ptr_, rem_col_; // the remainder's CSR pattern; empty where there is none
  Array<PetscScalar>    rem_val_;           // from fill_on_host() to split_remainder()
  SlicedEll<Store, V>   remainder_;
  mutable Array<V>      host_sums_; // cds_host.hpp; empty on the device
};

RowExponents row_exponents(const Cds<PetscScalar, PetscScalar> &A); // for a scaling of its values

} // namespace goza::mat
