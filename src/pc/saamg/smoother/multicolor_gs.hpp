/* Gauss-Seidel over the colours of the rows, or of the nodes, whose unknowns are then relaxed together: forward before the coarse correction, backward after
   it, so that a symmetric preconditioner stays symmetric. The rows of a colour lie together in a sliced ELL of their own and are relaxed in one launch, in
   place; colours of few rows several in one launch (small_colors.hpp).

   The colours are those of the whole matrix, whatever ranks it lies on. Coupled globally, the ranks exchange their values before each colour that has rows at
   their borders, so that the sweep is that of one rank alone; the rows that no other rank has to do with are relaxed meanwhile. Coupled locally, a sweep sees
   the other ranks' values as they were when it began, and the l1 norms of what couples them stand in the diagonal, so that it converges on any number of ranks
   (Baker, Falgout, Kolev, Yang 2011): one exchange a sweep instead of one a colour, for more iterations.

   Of a matrix with convection all sweeps go one way, two in an application, four on the finest level where it dominates; those of the cycle of A^T go the other
   way. On a host the colours follow the flow. On a device, where each of these hundreds would be a launch, they are few and scattered, which takes as many
   iterations in space, and in a plane up to three times as many, each of a tenth of the steps. */
#pragma once
#include "colored_nodes.hpp"
#include "colored_rows.hpp"
#include "mat/cds/cds_shape.hpp"
#include "parallel/agree.hpp"
#include "parallel/exchange_log.hpp"
#include "pc/saamg/setup/hierarchy.hpp"
#include "petscgoza.h"
#include <cstdio>

namespace goza::saamg {

/* Rows: ColoredRows or ColoredNodes */
template <class V, class Rows = ColoredRows<V>> class MulticolorGaussSeidel final : public Smoother<V> {
public:
  MulticolorGaussSeidel(const SmootherInput<V> &input, Rows rows, const SmootherOptions &options) :
    A_(input.A),
    n_(input.D.n),
    rows_(std::move(rows)),
    flow_(options.mcgs_flow && std::is_same_v<Rows, ColoredRows<V>> && input.grid.bs == 1),
    sweeps_(flow_ ? options.mcgs_downstream * options.sweeps : options.sweeps),
    relax_(options.mcgs_relax),
    local_(input.A.has_others() && options.mcgs_coupling == PC_SAAMG_COUPLING_LOCAL),
    work_(input.A.space(), input.A.has_others() ? input.D.n : 0)
  {
  }

  static PetscErrorCode create(const SmootherInput<V> &input, const SmootherOptions &options, std::unique_ptr<Smoother<V>> &smoother)
  {
    const bool     local = input.A.has_others() && options.mcgs_coupling == PC_SAAMG_COUPLING_LOCAL;
    const PetscInt bs    = compiled_block(input.grid.bs); // unknowns that are relaxed together
    LevelRows      rows, original;                        // the cycle of A^T has the l1 norms of A's

    PetscFunctionBegin;
    PetscCall(rows.open(input.grid));
    const bool flow = options.mcgs_flow && bs == 1 && input.grid.bs == 1;
    if (local || flow) PetscCall(original.open(input.grid, true));
    const Csr *norms = local ? &original.off_diagonal_block() : nullptr;
    PetscCall(Together(rows.columns()->comm(), "colour its rows", [&] {
      if (bs > 1)
        smoother = std::make_unique<MulticolorGaussSeidel<V, ColoredNodes<V>>>(input,
                                                                               ColoredNodes<V>(input.D, rows, bs, norms, static_cast<V>(options.mcgs_relax)),
                                                                               options);
      else {
        const auto     along    = scatters(input.A.space()) ? color_scattered : color_downstream;
        const Coloring coloring = flow ? along(original.all(), original.columns(), original.ids(), input.grid.transposed)
                                       : color_rows(rows.all(), rows.columns(), rows.ids(), 1);

        smoother = std::make_unique<MulticolorGaussSeidel<V, ColoredRows<V>>>(input,
                                                                              ColoredRows<V>(input.D, rows, coloring, norms,
                                                                                             static_cast<V>(options.mcgs_relax)),
                                                                              options);
      }
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  bool   turns() const override { return !flow_; }
  int    steps(bool) const override { return 0; }
  double products(bool zero_guess) const override { return static_cast<double>(sweeps_) - (zero_guess ? rows_.first_share() : 0); }

  PetscErrorCode apply(const V *b, V *const places[2], int at, Pass pass, int *end) override
  {
    const PetscInt ncolors = rows_.ncolors();
    V             *x       = places[at];

    PetscFunctionBegin;
    for (PetscInt sweep = 0; sweep < sweeps_; sweep++) {
      const bool from_zero = sweep == 0 && pass == Pass::FromZero;
      const V   *rhs       = b;

      if (from_zero) PetscCall(Guarded([&] { rows_.start(b, x); }));
      else if (local_) {
        PetscCall(Guarded([&] { convert(A_.space(), n_, b, work_.data()); }));
        PetscCall(A_.apply_others(x, Residual<V>{b, work_.data()}));
        rhs = work_.data();
      }
      const bool back = pass == Pass::After && !flow_;

      for (PetscInt c = from_zero, n; c < ncolors; c += n) {
        const PetscInt color = back ? ncolors - 1 - c : c;
        const V       *ghost = nullptr;

        n = rows_.together(color, back);
        if (rows_.has_edge(color)) PetscCall(LoggedExchange(A_.space(), [&] { return A_.begin_others(x); }));
        PetscCall(Guarded([&] { rows_.relax(color, n, back, rhs, x); }));
        if (!rows_.has_edge(color)) continue;
        PetscCall(LoggedExchange(A_.space(), [&] { return A_.end_others(&ghost); }));
        PetscCall(Guarded([&] { rows_.relax_edge(color, b, ghost, work_.data(), x); }));
      }
    }
    *end = at;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string describe() const override
  {
    char text[120], relaxed[40] = "";

    if (relax_ != 1) std::snprintf(relaxed, sizeof(relaxed), ", relaxation %.3g", static_cast<double>(relax_));
    std::snprintf(text, sizeof(text), "mcgs, %d sweep(s), %d colours%s%s%s%s", static_cast<int>(sweeps_), static_cast<int>(rows_.ncolors()),
                  rows_.describe().c_str(),
                  !flow_                 ? ""
                  : scatters(A_.space()) ? " scattered"
                                         : " downstream",
                  relaxed, local_ ? ", Jacobi between ranks" : "");
    return text;
  }

  std::size_t bytes() const override { return rows_.bytes() + work_.bytes(); }

private:
  static bool scatters(Space space) { return space == Space::Cuda; } // a colour is a launch

  ParOperator<V> &A_;
  PetscInt        n_;
  Rows            rows_;
  bool            flow_;
  PetscInt        sweeps_; // in an application
  PetscReal       relax_;
  bool            local_;
  Array<V>        work_; // where other ranks take part
};

} // namespace goza::saamg
