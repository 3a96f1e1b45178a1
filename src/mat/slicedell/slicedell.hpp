/* The sliced-ELL format: layout in slicedell_view.hpp. Store is the type of the stored values, V that of the vectors. */
#pragma once
#include "core/sparse/format.hpp"
#include "core/sparse/full_blocks.hpp"
#include "long_rows.hpp"
#include "slicedell_view.hpp"

namespace goza::mat {

template <class Store> struct EllEntries;

struct SlicedEllOptions {
  PetscInt slice_height = 0;     // a power of two; 0: 4 on the host; on the device 32, fewer where there are few rows
  PetscInt sort_window  = -1;    // rows are sorted by length inside windows of this many; 0: never; -1: sort_window, where worth_sorting()
  bool     gaps         = true;  // columns shared by slices that are alike, or in 16 bits where they fit
  PetscInt bs           = 1;     // unknowns of a node: 3 or 6 where the pattern consists of full blocks of them, which then share a column index
  PetscInt column_bs    = 0;     // unknowns of a node of the columns, 3 or 6 as well; 0: bs
  bool     drop_empty   = false; // hold only the rows that have entries (the off-diagonal block of a parallel matrix)

  BlockPatternPtr blocks{}; // of what build() is first called with, where they are known
};

/* Nodes whose blocks can share a column index. */
constexpr bool ell_holds_blocks(PetscInt bs) { return bs == 3 || bs == 6; }

/* Entries beyond which a row is not held in slices. */
inline PetscInt longest_in_slices(PetscInt nrows, std::int64_t nnz)
{
  return static_cast<PetscInt>(std::max<std::int64_t>(long_row_least, nrows ? long_row_means * nnz / nrows : 0));
}

/* The slice height that is taken where none is given; of blocks: block rows and blocks. */
PetscInt sliced_ell_height(Space space, PetscInt nrows, std::int64_t nnz);
PetscInt block_ell_height(Space space, PetscInt nrows, std::int64_t nblocks);

template <class Store, class V> class SlicedEll final : public Format<V> {
public:
  using Stored = Store;

  explicit SlicedEll(Space space, const SlicedEllOptions &options = {});

  void build(const Csr &A) override;
  void build(const Csr &A, const PetscInt *rows, PetscInt n); // of A's rows only these, in A's space; a product leaves out's others alone
  // of A's nodes only these, for relax_nodes(); blocks: full_blocks() of A, of size 2, 3 or 6
  void        build_nodes(const Csr &A, const Csr &blocks, const PetscInt *nodes, PetscInt n);
  void        refill(const Csr &A) override;
  void        apply(const V *x, const RowOut<V> &out) const override;
  void        apply_dots(const V *x, const WithDots<V> &out) const override;
  void        apply_as(const V *x, const ScaledOut<V> &out) const;
  void        relax(const V *b, const V *dinv, V *x) const;          // x_i += dinv_i (b - A x)_i for the rows held, no two of which are coupled
  void        relax_nodes(const V *b, const V *inverse, V *x) const; // the same with inverses of diagonal blocks [nodes][bs][bs] for the nodes held
  std::size_t bytes() const override;
  std::string describe() const override;

  /* For one who owns the values: build() of a pattern without values makes zeros; layout_like() where another has values, which may be in another space.
     entry_view(): of all rows. */
  void              layout_like(const SlicedEll &other);
  EllEntries<Store> entry_view();
  std::int64_t      nonzeros() const { return nnz_; }

  EllView<Store>            view() const;
  std::int64_t              stored() const { return static_cast<std::int64_t>(val_.size()); }
  const LongRows<Store, V> &long_rows() const { return long_; } // which are not in view()
  PetscInt                  block_size() const { return br_; }  // rows of the blocks that share a column index; 1: none

private:
  void                      lay_out_and_fill(const Csr &A);
  void                      lay_out_all(const Csr &pattern, PetscInt nrows, std::int64_t nnz); // of A, or of A's blocks
  template <class Out> void launch(const V *x, const Out &out) const;
  template <class Out> void launch_single(const V *x, const Out &out) const;
  std::vector<std::int64_t> lay_out(const Csr &A, PetscInt window, PetscInt most);
  void                      set_apart(const Csr &A, PetscInt most);
  void                      place_columns(const Csr &A, std::int64_t stored);
  bool                      share_columns(const Csr &A, std::int64_t stored);
  void                      fill_columns(const Csr &pattern, const PetscInt *like = nullptr);
  void                      fill(const Csr &A, bool columns);                                                    // no values: zeros
  PetscInt                  team() const { return team_space_ == Space::Cuda && shift_ < 5 ? 32 >> shift_ : 1; } // threads that share a row in a product
  const std::int64_t       *columns_at() const { return (col_ptr_.size() ? col_ptr_ : slice_ptr_).data(); }      // of slices that share none
  std::int64_t              in_slices() const { return static_cast<std::int64_t>(val_.size()) - long_.entries(); }

  SlicedEllOptions     options_;
  int                  shift_ = 0;
  PetscInt             br_ = 1, bc_ = 1; // rows and columns of a block
  bool                 listed_  = false; // not all rows are held
  bool                 named_   = false; // row_ names those in slices
  PetscInt             nplaces_ = 0, window_ = 0;
  std::int64_t         nnz_     = 0;
  std::int64_t         in_gaps_ = 0;         // stored columns that take 16 bits
  bool                 spread_  = false;     // as distances from the slices' least columns
  Array<std::int64_t>  slice_ptr_, col_ptr_; // col_ptr_: empty where columns are as values
  Array<PetscInt>      row_, length_;
  Array<LocalColumn>   col_, first_;
  Array<EllHead>       head_;
  Array<std::uint16_t> gap_;
  Array<Store>         val_; // of the slices, and behind them those of long rows
  LongRows<Store, V>   long_;
  Array<PetscInt>      place_of_;   // see EllEntries; made when they are asked for
  Space                team_space_; // whose products the layout is for
};

} // namespace goza::mat
