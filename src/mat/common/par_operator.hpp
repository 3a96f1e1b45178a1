/* y = A x over the ranks, with any fused output: A's diagonal block in a format of choice, its off-diagonal block in the rows that have entries,
   and the halo between. It shadows a SeqAIJ- or MPIAIJ-based Mat: update() looks at the states of A's blocks and builds, refills or does nothing. */
#pragma once
#include "parallel/halo.hpp"
#include "mat/slicedell/slicedell.hpp"
#include "parallel/column_map.hpp"
#include <functional>

namespace goza::mat {

/* What a CSR matrix that is no Mat is known by: every new pattern and every new set of values gets a number of its own. */
struct Stamp {
  PetscObjectState pattern = 0, values = 0;

  void new_pattern() { pattern = values = next(); }
  void new_values() { values = next(); }

private:
  static PetscObjectState next();
};

template <class V> using FormatFactory = std::function<std::unique_ptr<Format<V>>(Space)>;

template <class V> class ParOperator {
public:
  struct Seen { // what of a block the shadow was made from
    PetscObjectId    id           = 0;
    PetscObjectState state        = -1;
    PetscObjectState nonzerostate = -1;
    PetscInt         ncols        = -1; // an off-diagonal block is compacted in place

    Seen() = default;
    Seen(PetscObjectId id, PetscObjectState state, PetscObjectState nonzerostate, PetscInt ncols) :
      id(id), state(state), nonzerostate(nonzerostate), ncols(ncols)
    {
    }
    explicit Seen(Mat block) : Seen(id_of(block), state_of(block), nonzero_state_of(block), local_columns(block)) { }
    bool same_pattern(const Seen &then) const { return id == then.id && nonzerostate == then.nonzerostate && ncols == then.ncols; }
    bool same(const Seen &then) const { return same_pattern(then) && state == then.state; }
  };

  /* Collective on A. Arrays in `space` afterwards shadow A's present values. failed: an error that this rank brings along; where A's state has moved an error
     on one rank is an error on all. */
  PetscErrorCode update(Mat A, Space space, const FormatFactory<V> &factory, PetscErrorCode failed = PETSC_SUCCESS);
  /* No Mat: a rank's rows, columns by the map's local numbers. A is lent for as long as this takes. Collective. */
  PetscErrorCode update(const Csr &A, const MapPtr &columns, const Stamp &stamp, const FormatFactory<V> &factory);
  /* For one who writes A's values into the diagonal block's format himself: whose values these are is nobody's knowledge until written() says that they are A's
     present ones. start_from(): in a new operator, a format that has a layout and no values yet. */
  Format<V> &overwrite()
  {
    forget_pattern();
    return *diag_;
  }
  void start_from(std::unique_ptr<Format<V>> diagonal);
  // the other part is the off-diagonal block of an MPIAIJ, whose diagonal block does not count. Collective; failed: as in update()
  PetscErrorCode update_beside(Mat rest, PetscErrorCode failed);
  bool           fits(Mat A) const { return diag_ && Seen(A).same_pattern(diag_seen_); } // built, for the pattern that A has
  void           written(Mat A, PetscLogDouble nnz)
  {
    nnz_       = nnz;
    diag_seen_ = parent_seen_ = Seen(A);
  }
  bool behind(Mat A) const { return diag_ && !Seen(A).same(parent_seen_); }  // A's state moved since the last update(): the same answer on every rank
  void forget_pattern() { parent_seen_ = diag_seen_ = offd_seen_ = Seen(); } // the next update() builds anew

  /* x: the local part, in this space. Collective. */
  PetscErrorCode apply(const V *x, const RowOut<V> &out);
  /* The output's rest() with what the other ranks' part of x gives. Collective. */
  PetscErrorCode apply_others(const V *x, const RowOut<V> &out);
  /* Instead of apply(), on a rank that has failed before it: those that wait for its part of x get an error. */
  PetscErrorCode decline();
  void           break_off() // the same amid several
  {
    if (halo_) halo_->break_off();
  }
  bool has_others() const { return halo_ != nullptr; }
  bool recordable() const { return !halo_ || halo_->recordable(); } // see Exchange
  /* The other ranks' part of x alone, by the numbers of the off-diagonal block's columns, until the next exchange. Between the two x may change where no other
     rank reads it. Collective, where has_others(). */
  PetscErrorCode begin_others(const V *x) { return halo_->begin(x); }
  PetscErrorCode end_others(const V **ghost)
  {
    PetscFunctionBegin;
    PetscCall(halo_->end());
    *ghost = halo_->ghost();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Space            space() const { return space_; }
  bool             built() const { return diag_ != nullptr; }
  const Format<V> &diagonal_block() const { return *diag_; }
  void             settle_for_csr(bool yes) { diag_->settle_for_csr(yes); }
  void             took(double seconds) { diag_->took(seconds); }
  std::size_t      bytes() const;
  PetscLogDouble   nnz() const { return nnz_; } // local
  PetscInt         builds() const { return builds_; }
  std::string      describe_halo() const { return halo_ ? halo_->describe() : ""; } // the same on every rank; empty where there is none

private:
  PetscErrorCode update_block(Mat block, Format<V> &format, bool pattern);
  PetscErrorCode update_others(Mat A, Mat Ao, const PetscInt *garray, bool moved, PetscErrorCode failed, bool *built);
  PetscErrorCode renew(Space space, bool others, const FormatFactory<V> &factory);
  void           begin_with_others();

  Space                            space_ = Space::Host;
  std::unique_ptr<Format<V>>       diag_;
  std::unique_ptr<SlicedEll<V, V>> offd_;
  std::unique_ptr<Halo<V>>         halo_;
  Seen                             parent_seen_, diag_seen_, offd_seen_; // parent: A itself
  PetscLogDouble                   nnz_    = 0;
  PetscInt                         builds_ = 0;
};

} // namespace goza::mat
