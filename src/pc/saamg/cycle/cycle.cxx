#include "cycle.hpp"
#include "coarse.hpp"
#include "cycle_level.hpp"
#include "cycle_log.hpp"
#include "petscgoza.h"
#include "recordings.hpp"
#include "transfer.hpp"

namespace goza::saamg {
namespace {

/* Of a coarsest level whose smoother covers all of its spectrum: one leaves an eighth of an error, or, where that reaches from a half to three halves, a
   hundredth. And of a level that is alone, where more leave the Krylov method nothing to do that it does in fewer products. */
constexpr PetscInt  few_sweeps     = 2;
constexpr PetscReal covered_by_one = 0.5;

/* Finest level in Fine, the others and the transfers in Coarse. With Fine double and Coarse float this is the mixed-precision cycle of P5: the
   residual is computed in double and restricted in single, the single correction is added to the double solution. */
template <class Fine, class Coarse> class CycleOf final : public Cycle {
public:
  PetscErrorCode setup(const std::vector<Grid> &grids, Space space, std::shared_ptr<ParOperator<PetscScalar>> fine, const CycleOptions &options,
                       const std::function<PetscErrorCode()> &restore) override
  {
    const MPI_Comm              comm = grids[0].level->columns->comm();
    typename Level<Fine>::Given given;
    std::vector<TransferRange>  ranges;

    PetscFunctionBegin;
    options_ = options;
    space_   = space;
    PetscCall(FailTogether(comm, log_.setup(grids.size(), space), "name its levels to the log"));
    recordings_.drop();
    new_version();
    recordable_ = false;
    given.rows  = options.lent;
    if constexpr (std::is_same_v<Fine, PetscScalar>) given.shared = fine;
    else if (fine && fine->space() == space) given.same = dynamic_cast<const WideCds *>(&fine->diagonal_block());
    PetscCall(Together(comm, "list its levels", [&] { /* what is there already is only refilled where the pattern is the same */
                                                      coarse_.resize(grids.size() - 1);
                                                      transfer_.resize(grids.size() - 1);
                                                      for (auto &level : coarse_)
                                                        if (!level) level = std::make_unique<Level<Coarse>>();
                                                      for (auto &t : transfer_)
                                                        if (!t) t = std::make_unique<Transfer<Coarse>>();
    }));
    bottom_rows_ = grids.back().rows();
    direct_      = bottom_rows_ <= options.direct_limit;
    most_sweeps_ = !grids.back().covered && grids.size() > 1 ? PETSC_MAX_INT : grids.back().least < covered_by_one ? few_sweeps : 1;
    PetscCall(find_interpolations(grids, options.half, restore, ranges));
    for (std::size_t l = 1; l < grids.size(); l++) {
      PetscCall(transfer_[l - 1]->setup(*grids[l - 1].transfer, ranges[l - 1], options.lent));
      grids[l - 1].transfer->spare_rows();
      if (options.spares) grids[l - 1].transfer->release_transpose();
      if (direct_ && l + 1 == grids.size()) PetscCall(coarse_[l - 1]->setup_solved(*grids[l].level, space));
      else
        PetscCall(coarse_[l - 1]->setup(grids[l], space, {{}, dynamic_cast<const WideCds *>(grids[l].level->own_format.get()), options.lent},
                                        options.smoother_of(l, grids.size()), false, l + 1 == grids.size(), options.half));
      grids[l].level->spare_diagonals();
      if (!options.lent) spare_operator(grids[l - 1], grids[l]);
    }
    /* last: memory that was spared before may be its */
    PetscCall(fine_.setup(grids[0], space, given, options.smoother_of(0, grids.size()), true, grids.size() == 1, options.half));
    if (direct_ && coarse_.empty()) PetscCall(fine_solver_.setup(grids.back(), space));
    if (direct_ && !coarse_.empty()) PetscCall(coarse_solver_.setup(grids.back(), space));
    if constexpr (!std::is_same_v<Fine, Coarse>) {
      PetscCall(Together(comm, "hold its finest residual", [&] { converted_ = Array<Coarse>(space, fine_.n); }));
    }
    recordable_ = space == Space::Cuda && nothing_waits();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* With vectors that it had before, as in CG or BiCGStab, the cycle's many small kernels are recorded and from then on launched as one. Each rank sees to its
     own: what the others get of it is the same. */
  PetscErrorCode apply(const PetscScalar *b, PetscScalar *x, bool narrow) override
  {
    PetscFunctionBegin;
    Recording *mine = recordable_ && !device_time_logged() && !device::recording() ? known_recording(b, x, narrow) : nullptr;

    if (!mine) {
      const PetscErrorCode failed = run(b, x, narrow);

      if (failed) fine_.A->break_off(); /* the others may be amid exchanges that this rank does not come to */
      PetscCall(failed);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (mine->graph) PetscCall(LogFlops(space_, mine->flops));
    else if (device::begin_recording()) {
      PetscLogDouble before, after;

      PetscCall(PetscGetFlops(&before));
      mine->exchanges.clear();
      const PetscErrorCode failed = noted(mine); /* which logs the flops of the first launch */

      mine->graph = device::end_recording();
      if (failed) mine->exchanges.break_off();
      PetscCall(failed);
      PetscCall(PetscGetFlops(&after));
      mine->flops = after - before;
    }
    recordable_ = mine->graph;
    if (recordable_) PetscCall(Guarded([&] { mine->exchanges.launch([&] { device::launch_recording(mine->graph); }); }));
    else PetscCall(run(b, x, narrow));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const SingleScalar *narrow_solution() const override
  {
    if constexpr (std::is_same_v<Fine, PetscScalar>) return nullptr;
    else return fine_.x[0];
  }

  bool recordable() const override { return recordable_; }

  void let_go_of_finest() override
  {
    recordings_.drop();
    new_version();
    recordable_ = false;
    for (auto &t : transfer_) t->spare();
    if (fine_.A.use_count() > 1) fine_.A.reset();
    else if (fine_.A) fine_.spare();
  }

  std::size_t bytes() const override
  {
    std::size_t sum = fine_.bytes() + fine_solver_.bytes() + coarse_solver_.bytes() + converted_.bytes();

    for (const auto &level : coarse_) sum += level->bytes();
    for (const auto &t : transfer_) sum += t->bytes();
    return sum;
  }

  std::string describe_level(std::size_t level) const override
  {
    if (level == coarse_.size() && direct_)
      return (coarse_.empty() ? fine_solver_.singular() : coarse_solver_.singular()) ? "dense pseudo-inverse (singular)" : "dense inverse";
    return (level == coarse_.size() ? std::to_string(bottom_sweeps()) + " times " : "") + (level == 0 ? describe(fine_) : describe(*coarse_[level - 1]));
  }

  std::string describe_halo() const override { return fine_.A->describe_halo(); }

private:
  /* Their rows, but where pairs of values in half precision serve, and are there. */
  static PetscErrorCode find_interpolations(const std::vector<Grid> &grids, bool half, const std::function<PetscErrorCode()> &restore,
                                            std::vector<TransferRange> &ranges)
  {
    const auto there = [&](bool narrow) {
      bool all = true;

      for (std::size_t l = 0; l + 1 < grids.size(); l++) all = all && is_there(*grids[l].transfer, narrow && (ranges.empty() || ranges[l].narrow));
      return all;
    };

    PetscFunctionBegin;
    if (!there(half)) PetscCall(restore());
    PetscCall(find_ranges<Coarse>(grids, half, ranges));
    if (!there(half)) PetscCall(restore());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  template <class V> std::string describe(const Level<V> &L) const
  {
    return L.smoother->describe() +
           (sizeof(V) == sizeof(PetscScalar)                           ? ""
            : options_.half && L.A->diagonal_block().rounding() > 1e-5 ? ", single precision, operator in half"
                                                                       : ", single precision") +
           "; " + L.A->diagonal_block().describe();
  }

  template <class V> static PetscLogDouble smooth_flops(const Level<V> &L, bool zero_guess)
  {
    return std::round(2 * L.A->nnz() * L.smoother->products(zero_guess));
  } // whole, so that sums are exact

  template <class V> PetscLogDouble bottom_flops(const Level<V> &L, bool zero_guess) const
  {
    if (direct_) return 2. * static_cast<PetscLogDouble>(L.n) * static_cast<PetscLogDouble>(bottom_rows_);
    return smooth_flops(L, zero_guess) + static_cast<PetscLogDouble>(bottom_sweeps() - 1) * smooth_flops(L, false);
  }

  /* The finest solution changes its place a known number of times: where it begins so that it ends in the user's vector, or in the first of its own. */
  void place_solution(PetscScalar *x)
  {
    fine_.at = changes_of_place() & 1;
    if constexpr (std::is_same_v<Fine, PetscScalar>) {
      fine_.x[0] = x;
      fine_.x[1] = fine_.x1.data();
    }
  }

  PetscErrorCode run(const PetscScalar *b, PetscScalar *x, bool narrow)
  {
    PetscFunctionBegin;
    place_solution(x);
    if constexpr (std::is_same_v<Fine, PetscScalar>) {
      PetscCall(descend(fine_, b, 0, Pass::FromZero));
      if (fine_.x[fine_.at] != x) PetscCall(Guarded([&] { convert(space_, fine_.n, fine_.x[fine_.at], x); }));
    } else {
      if (coarse_.empty()) PetscCall(Guarded([&] { convert(space_, fine_.n, b, fine_.b.data()); }));
      PetscCall(descend(fine_, fine_.b.data(), 0, Pass::FromZero, b));
      if (!narrow) PetscCall(Guarded([&] { convert(space_, fine_.n, fine_.x[fine_.at], x); }));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  int changes_of_place() const
  {
    if (coarse_.empty()) return direct_ ? 0 : fine_.smoother->steps(true) + (static_cast<int>(bottom_sweeps()) - 1) * fine_.smoother->steps(false);
    return fine_.smoother->steps(true) + fine_.smoother->steps(false);
  }

  /* One cycle on level l (0 is the finest) for A x = b. given: what b, the level's own, is to be, where it is not yet. */
  template <class V> PetscErrorCode descend(Level<V> &L, const V *b, std::size_t l, Pass begin, const PetscScalar *given = nullptr)
  {
    const bool zero_guess = begin != Pass::Before;

    PetscFunctionBegin;
    if (l == coarse_.size()) {
      PetscCall(log_.step(CycleStep::Coarse, l, bottom_flops(L, zero_guess), [&] { return bottom(L, b, zero_guess); }));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    Level<Coarse> &next  = *coarse_[l];
    const bool     twice = (options_.type == PC_SAAMG_CYCLE_W || options_.again == static_cast<PetscInt>(l)) && l + 1 < coarse_.size();

    PetscCall(log_.step(CycleStep::Smooth, l, smooth_flops(L, zero_guess), [&] { return given ? L.start(given) : L.smooth(b, begin); }));
    PetscCall(log_.step(CycleStep::Residual, l, 2 * L.A->nnz(), [&] { return L.residual(b); }));
    PetscCall(log_.step(CycleStep::Restrict, l, 2 * transfer_[l]->nnz(), [&] { return restrict_to(L, l); }));
    next.at = 0;
    PetscCall(descend(next, next.b.data(), l + 1, Pass::FromZero));
    if (twice) PetscCall(descend(next, next.b.data(), l + 1, Pass::Before));
    PetscCall(log_.step(CycleStep::Interpolate, l, 2 * transfer_[l]->nnz(), [&] { return correct(L, l); }));
    PetscCall(log_.step(CycleStep::Smooth, l, smooth_flops(L, false), [&] { return L.smooth(b, Pass::After); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  template <class V> PetscErrorCode bottom(Level<V> &L, const V *b, bool zero_guess)
  {
    PetscFunctionBegin;
    if (!direct_) {
      for (PetscInt sweep = 0; sweep < bottom_sweeps(); sweep++)
        PetscCall(L.smooth(b, zero_guess && sweep == 0 ? Pass::FromZero : sweep % 2 ? Pass::After : Pass::Before));
    } else if constexpr (std::is_same_v<V, Coarse>) {
      PetscCall((coarse_.empty() ? coarse_solver_of_fine() : coarse_solver_).apply(b, L.x[L.at]));
    } else PetscCall(fine_solver_.apply(b, L.x[L.at]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  CoarseSolver<Coarse> &coarse_solver_of_fine()
  {
    if constexpr (std::is_same_v<Fine, Coarse>) return fine_solver_;
    else return coarse_solver_;
  }

  template <class V> PetscErrorCode restrict_to(Level<V> &L, std::size_t l)
  {
    PetscFunctionBegin;
    if constexpr (std::is_same_v<V, Coarse>) PetscCall(transfer_[l]->to_coarse(L.r(), coarse_[l]->b.data()));
    else {
      PetscCall(Guarded([&] { convert(space_, L.n, L.r(), converted_.data()); }));
      PetscCall(transfer_[l]->to_coarse(converted_.data(), coarse_[l]->b.data()));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  template <class V> PetscErrorCode correct(Level<V> &L, std::size_t l)
  {
    Level<Coarse> &next = *coarse_[l];
    V             *x    = L.x[L.at];

    PetscFunctionBegin;
    if constexpr (std::is_same_v<V, Coarse>) PetscCall(transfer_[l]->to_fine(next.x[next.at], Add<Coarse>{x, x}));
    else {
      PetscCall(transfer_[l]->to_fine(next.x[next.at], Assign<Coarse>{converted_.data()}));
      PetscCall(Guarded([&] { add_converted(space_, L.n, converted_.data(), x); }));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The host waits for no device and no rank in a cycle. */
  bool nothing_waits() const
  {
    bool yes = fine_.A->recordable() && (!direct_ || (coarse_.empty() ? fine_solver_.isolated() : coarse_solver_.isolated()));

    for (const auto &level : coarse_) yes = yes && (!level->A || level->A->recordable());
    for (const auto &t : transfer_) yes = yes && t->recordable();
    return yes;
  }

  /* Of a smoother with a direction an even number, as many one way as the other: sweeps forward and backward in turn are then the transpose of themselves. */
  PetscInt bottom_sweeps() const
  {
    const PetscInt n     = PetscMin(options_.smoothers[PC_SAAMG_COARSEST].options.sweeps, most_sweeps_);
    const bool     turns = coarse_.empty() ? fine_.smoother->turns() : coarse_.back()->smoother->turns();

    return n + (turns && n % 2);
  }

  PetscErrorCode noted(Recording *mine)
  {
    const NotedIn now(&mine->exchanges);

    PetscFunctionBegin;
    PetscCall(run(mine->b, mine->x, mine->narrow));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* See Recordings. What a recording holds of the world outside is, beside the vectors, the arrays of an operator that is the matrix's own and may be laid out
     anew with its values. */
  Recording *known_recording(const PetscScalar *b, PetscScalar *x, bool narrow)
  {
    if (fine_.A->builds() != builds_ || fine_.A->bytes() != fine_bytes_) recordings_.drop();
    builds_     = fine_.A->builds();
    fine_bytes_ = fine_.A->bytes();
    return recordings_.known(b, x, narrow);
  }

  CycleOptions                                   options_;
  Space                                          space_       = Space::Host;
  bool                                           direct_      = true;
  PetscInt                                       bottom_rows_ = 0; // global
  PetscInt                                       most_sweeps_ = 0; // on a coarsest level that is not solved
  CycleLog                                       log_;
  Level<Fine>                                    fine_;
  std::vector<std::unique_ptr<Level<Coarse>>>    coarse_;
  std::vector<std::unique_ptr<Transfer<Coarse>>> transfer_;
  CoarseSolver<Fine>                             fine_solver_; // when there is but one level
  CoarseSolver<Coarse>                           coarse_solver_;
  Array<Coarse>                                  converted_; // [fine n] between the finest level and the others
  bool                                           recordable_ = false;
  Recordings                                     recordings_;
  PetscInt                                       builds_     = 0; /* of the finest operator, when they were made, */
  std::size_t                                    fine_bytes_ = 0; /* and what it then held */
};

} // namespace

void Cycle::new_version()
{
  static std::uint64_t latest = 0;

  version_ = ++latest;
}

std::unique_ptr<Cycle> make_cycle(int precision)
{
#if PetscDefined(USE_REAL_SINGLE)
  (void)precision;
  return std::make_unique<CycleOf<PetscScalar, PetscScalar>>();
#else
  if (precision == PC_SAAMG_MIXED) return std::make_unique<CycleOf<PetscScalar, SingleScalar>>();
  if (precision == PC_SAAMG_SINGLE || precision == PC_SAAMG_HALF) return std::make_unique<CycleOf<SingleScalar, SingleScalar>>();
  return std::make_unique<CycleOf<PetscScalar, PetscScalar>>();
#endif
}

} // namespace goza::saamg
