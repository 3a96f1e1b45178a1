/* A format around another, which gets a square matrix with its unknowns numbered breadth first, as Cuthill and McKee: of a mesh that was numbered at random the
   neighbours are far apart in x, and each entry costs a 32-byte sector. Gathering x first and putting y back costs two such sectors a row. */
#pragma once
#include "core/sparse/format.hpp"

namespace goza::mat {

enum class FoldOrder {
  Auto, // breadth first where it brings enough entries near, natural otherwise
  Natural,
  BreadthFirst
};

class Renumbered final : public Format<PetscScalar> {
public:
  Renumbered(Space space, FoldOrder wanted, std::unique_ptr<Format<PetscScalar>> inner) : Format<PetscScalar>(space), wanted_(wanted), inner_(std::move(inner))
  {
  }

  void        build(const Csr &A) override;
  void        refill(const Csr &A) override;
  void        apply(const PetscScalar *x, const RowOut<PetscScalar> &out) const override;
  void        apply_dots(const PetscScalar *x, const WithDots<PetscScalar> &out) const override;
  std::size_t bytes() const override;
  std::string describe() const override;
  bool        refill_reads_columns() const override { return taken_ || inner_->refill_reads_columns(); }
  double      rounding() const override { return inner_->rounding(); }

  bool                       taken() const { return taken_; }
  const Format<PetscScalar> &inner() const { return *inner_; }

private:
  bool choose(const Csr &A);

  template <class Call> void with_numbered(const Csr &A, const Call &call) const;

  FoldOrder                            wanted_;
  bool                                 taken_ = false;
  std::unique_ptr<Format<PetscScalar>> inner_;
  double                               before_ = 0, after_ = 0; // far sectors and far entries of a row
  Array<PetscInt>                      from_, number_;          // unknown of a number, number of an unknown
  Array<PetscInt>                      ptr_;                    // the rows' pointer in the new order
  mutable Array<PetscScalar>           x_, y_;                  // in the new order
};

} // namespace goza::mat
