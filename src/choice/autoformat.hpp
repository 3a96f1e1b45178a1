/* The format that the model of src/locality/cost.hpp finds fastest for a matrix: one of Goza's, held as its own type would hold it, or CSR, which is
   PETSc's. */
#pragma once
#include "core/sparse/format.hpp"
#include "in_turn.hpp"
#include "in_use.hpp"
#include "locality/cost.hpp"
#include <memory>

namespace goza::choice {

/* PETSc's product, made ready; on a host also what it is made with, which stays as long. */
struct CsrProduct {
  Products           products;
  const PetscScalar *x = nullptr;
  PetscScalar       *y = nullptr;
};

struct AutoFormatOptions {
  unsigned                         candidates = all_formats;
  PetscInt                         bs         = 1;     // unknowns of a node, for CDS
  bool                             csr        = false; // PETSc's product can be had, in this space
  bool                             together   = false; // but only if other ranks want it, too: an answer for the case that they do not is kept ready
  bool                             symmetric  = false; // the matrix is known to be: CDS may take one of two mirrored entries for both
  int                              trials     = 1;     // the model's best so many are built and measured; 1: the model is believed
  std::function<CsrProduct(Space)> csr_products;
};

class AutoFormat final : public Format<PetscScalar> {
public:
  AutoFormat(Space space, const AutoFormatOptions &options) : Format<PetscScalar>(space), options_(options) { }

  void               build(const Csr &A) override; // decides
  void               refill(const Csr &A) override;
  bool               refill_reads_columns() const override { return format_ && format_->refill_reads_columns(); }
  void               apply(const PetscScalar *x, const RowOut<PetscScalar> &out) const override; // not when PETSc's product was settled on
  void               apply_dots(const PetscScalar *x, const WithDots<PetscScalar> &out) const override { format_->apply_dots(x, out); }
  const PetscScalar *main_diagonal() const override { return format_ ? format_->main_diagonal() : nullptr; }
  std::size_t        bytes() const override { return format_ ? format_->bytes() : 0; }
  std::string        describe() const override;

  bool                       wants_csr() const override { return !undecided() && choice_.choice.layout == Layout::Csr; }
  void                       settle_for_csr(bool yes) override;
  bool                       undecided() const override { return in_use_.undecided(); }
  bool                       csr_is_next() const override { return in_use_.second_is_next(); }
  void                       took(double seconds) override;
  void                       lent_at_once() override { lent_ = true; }
  const FormatChoice        &choice() const { return settled_ ? choice_.choice : held_.choice; } // in use
  const Format<PetscScalar> *held() const { return format_.get(); }                              // nullptr: PETSc's product

private:
  class TrialVectors;
  struct Built {
    const Candidate                     *candidate;
    double                               seconds, seen; // of the device; by a program that calls for one after the other
    std::unique_ptr<Format<PetscScalar>> format;
    bool                                 timed = true; // or what the model expects
  };

  void               pick(const Csr &A); // of the candidates
  std::vector<Built> build_best(const Csr &A, const Decision &wanted, const TrialTime &time, double csr, TrialVectors &vectors, int *tried) const;
  bool               may_try(const Candidate &c, int tried, double expected, double last, const TrialTime &time) const;
  void               hold(Built &built, const Decision &wanted);
  const Candidate   *csr_to_try(double best) const; // best: seconds of the best of ours; nullptr: not
  double             try_again(std::vector<Built> &best, const Products &csr, TrialVectors &vectors) const;

  AutoFormatOptions                    options_;
  Decision                             choice_, held_; // held_: what format_ is; differs where CSR is wanted and not had
  bool                                 settled_ = false;
  InUse                                in_use_; // first: format_, second: PETSc's product
  int                                  tried_ = 0;
  bool                                 lent_  = false;
  std::unique_ptr<Format<PetscScalar>> format_;
};

} // namespace goza::choice
