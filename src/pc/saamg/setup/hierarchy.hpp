/* The levels of smoothed aggregation: what the set-up makes and the cycle is made from. They are each rank's CSR rows in the space of the cycle, with the map
   of their columns, and the set-up runs there. */
#pragma once
#include "eigen.hpp"
#include "galerkin.hpp"
#include "prolong.hpp"
#include "local_rows.hpp"
#include "value_sketch.hpp"
#include "mat/common/par_operator.hpp"
#include <functional>
#include <limits>
#include <memory>
#include <petscmat.h>

namespace goza::saamg {

/* What update() keeps; see PCSAAMGReuse */
enum class Keep { Nothing, Aggregates, Interpolation };

constexpr PetscInt few_for_lanczos           = 2000;
constexpr PetscInt most_interpolation_degree = 10; // rows of an interpolation grow with it to the power of the space's dimension

/* Near-null vectors for each unknown of a node from which on roots of the first set are enough. Where the components of a vector are at places of their own, as
   on a staggered grid, a root and its neighbours are nine rows or so, and three near-null vectors of each such aggregate make the second level denser than the
   first, so that there is no room for a third. */
constexpr PetscInt many_modes = 3;

/* What a set-up may find in the matrix. */
struct FoundOptions {
  PetscReal    threshold         = 0;     // of strength, relative to the diagonals
  PetscReal    threshold_growth  = 0.5;   // from level to level
  PetscReal    diagonal_sign     = 0;     // of entries that are no couplings
  PetscReal    strong_share      = 0;     // of a row's largest coupling, below which others are weak
  bool         by_heaviest       = false; // aggregates follow each row's largest coupling
  bool         weak_by_direction = true;  // as across layers: else whole coarse operators smooth
  bool         bends             = false; // of fourth order on a lattice: aggregates are its boxes, whatever the signs and sizes of entries
  SmoothedWith smoothed_with     = SmoothedWith::Matrix;
  bool         adjoint           = false; // the test functions of the restriction are smoothed with the transpose of what interpolation is smoothed with
};

struct HierarchyOptions : FoundOptions {
  PetscInt  max_levels                  = 10;
  PetscInt  coarse_limit                = 200;           // rows at which coarsening may stop
  PetscInt  gather_limit                = 1000;          // rows a rank below which a level goes to fewer ranks; SAAMG() takes more on a device
  PetscInt  aggressive_levels           = 0;             // finest levels whose aggregates are aggregated once more
  PetscInt  coarse_interpolation_degree = 1;             // of the polynomial that smooths the interpolation of the levels below the finest
  PetscInt  esteig_iterations           = PETSC_DECIDE;  // of the largest eigenvalue's estimate: see lanczos_steps()
  bool      alternating                 = false;         // the smoother leaves vectors that alternate between nodes of two colours to the coarse space
  PetscReal max_complexity              = 2.5;           // entries of all levels over those of the finest
  bool      further                     = true;          // and once more, or to a higher degree, where rows have few entries
  bool      balanced                    = true;          // a row that outweighs its diagonal is relaxed less
  bool      smoothed_alone              = false;         // a level whose spectrum the smoother covers is the coarsest
  bool      conjugated                  = true;          // restriction is P^H; else P^T, as of a complex matrix that is symmetric and not Hermitian
  PetscInt  solved_rows                 = 0;             // rows up to which the cycle solves a coarsest level
  bool      rows_lent                   = false;         // the cycle reads P as it is and no P^T, where P lends its rows
  Keep      keep                        = Keep::Nothing; // for an update() to come
  bool      stays                       = false;         // in this update() interpolations do that are there by rows: values have hardly changed
  bool      looks                       = false;         // at coarse operators' values, too, whether interpolations stay
  bool      sparing                     = false;         // of products nothing is kept until there has been an update()
  bool      stars                       = true;          // 7 points come in boxes of 27 nodes, of which a sweep of Jacobi leaves too much
  bool      by_place                    = true;          // boxes of a lattice are made by place; else as other aggregates are, which makes the same
  bool      weak_by_place               = true;          // and so where entries are weak

  bool        half_pairs = false;         // a device's cycle is to have interpolations from boxes in half precision
  std::size_t rough_from = no_rough_rows; // bytes of a level's diagonals from which its eigenvalue's estimate multiplies with a copy in half precision

  /* Where no row outweighs its diagonal no eigenvalue is beyond 2, whatever is found, and five find it as well as six; but see `alternating`, and where entries
     are weak an iteration may be lost. A small matrix may have its largest in one node alone, which six miss: a Chebyshev polynomial may be negative there. Of
     a large one the last vector then tells. */
  LanczosSteps lanczos_steps(const CsrFacts &facts, PetscInt rows = PETSC_MAX_INT) const
  {
    if (esteig_iterations != PETSC_DECIDE) return esteig_iterations;
    if (rows <= few_for_lanczos && !facts.dominant) return 12;
    return facts.dominant && balanced && !alternating && threshold == 0 ? LanczosSteps(5, 12) : LanczosSteps(6, 12);
  }
};

/* An operator of the same matrix whose products are as exact; nullptr: there is none. Collective. */
using OperatorSource = std::function<PetscErrorCode(ParOperator<PetscScalar> **)>;

/* Rows that were made for a set-up go, or are made again: what A then is, of which without rows nothing but the sizes is there. */
using RowsOnDemand = std::function<PetscErrorCode(bool wanted, Csr *A)>;

struct CsrLevel {
  Csr                  A{};       // own.view(), or, while a set-up lasts, the user's matrix
  CsrMatrix            own;       // empty on the finest level
  MapPtr               columns;   // of A
  PetscLogDouble       nnz = 0;   // of all ranks
  Stamp                stamp;     // of A
  Array<PetscScalar>   dinv;      // [rows] inverse diagonal
  Array<PetscScalar>   balanced;  // [rows] see balanced.hpp; or empty: it is dinv
  Array<PetscInt>      name;      // [nodes], or empty: see ids()
  Lattice              lattice;   // of the ids
  Array<unsigned char> isolated;  // [rows] 1 where a row is coupled to nothing (Dirichlet rows, diagonal matrices), or empty
  Array<PetscReal>     magnitude; // [rows] see rounding_of_products; of the coarsest level after a set-up
  bool                 squares_finite = true;
  bool                 dominant       = false; // as CsrFacts has it

  ValueSketch values; // of a coarse A whose interpolation is to stay, when that was made

  std::unique_ptr<Format<PetscScalar>> own_format; // of a coarse operator that was made by diagonals, while a set-up lasts

  BlockPatternPtr blocks; // of A's nodes, where they are known

  bool natural = false; // there is a node for each of the lattice's tiles, or on the finest level its points; one rank's are numbered as these are

  OperatorSource             exact;            // of the user's matrix, while a set-up lasts
  RowsOnDemand               on_demand;        // the same; null: they stay
  const Format<PetscScalar> *format = nullptr; // what it gave, or own_format
  std::shared_ptr<CsrFacts>  facts;            // of A, where they are known before measure()
  std::shared_ptr<RoughRows> rough;            // of A, dominant, with new values, for a cycle that has none any more
  RowExponents               diagonal{};       // of a dominant A, where they are known

  StoredRows rows() const { return {A, format}; }
  void       spare_diagonals() // of a coarse operator, which the cycle now has in a format of its own
  {
    if (own_format) format = nullptr;
    own_format.reset();
  }

  void spare_rows() // the same, where they can be made again
  {
    own = CsrMatrix(own.space(), own.nrows, own.ncols);
    A   = own.view();
  }

  /* What lambda_max, polynomial smoothers and interpolation go by. */
  const Array<PetscScalar> &relaxing() const { return balanced.size() ? balanced : dinv; }

  NodeIds ids(PetscInt bs) const { return {name.data(), columns->start() / bs, bs, lattice}; }
};

/* Where P comes from: aggregates, tentative values and, where weak entries are filtered, the strength graph. */

struct CsrTransfer : Interpolation {
  GalerkinProduct product; // while values may change
  Stamp           stamp;
  bool            lopsided = false; // it was to have test functions of its own, whose coarse operator would have been too large
  PetscInt        further  = 0;     // degree of the polynomial that smoothed P where that is more than asked for
  double          few      = 0;     // entries a row of what smoothed P a second time within its pattern; 0: it was not
  std::int64_t    alone    = 0;     // rows that are aggregates of their own: see lasting_rows.hpp
  bool            bounded  = false; // aggregates are larger than asked for, since the coarse operator would have been too large

  std::shared_ptr<Coarsening> coarsening; // while only aggregates are to be kept

  void forget_coarsening() // P stays as it is
  {
    if (by_place()) number_columns(*boxes, P);
    if (boxes) boxes->kept = Array<Bits27>(boxes->kept.space());
    coarsening.reset();
  }

  /* A device's cycle has P on boxes by place. Its rows, more than all else that a level holds, and those of the operator below go where they can be made
     again: Hierarchy::restore(). */
  bool has_rows() const { return P.ptr.size() > 0; }
  bool made_again() const { return by_place() && coarsening; }
  void spare_rows()
  {
    if (made_again()) P = CsrMatrix(P.space(), P.nrows, P.ncols);
  }

  /* Where the cycle may read P as it is. Blocks have formats that pay. */
  bool lends_rows() const { return P.space() == Space::Host && coarse->size() == 1 && bs == 1 && k == 1; }
};

struct Grid {
  std::shared_ptr<CsrLevel>    level;
  std::shared_ptr<CsrTransfer> transfer;       // from the next coarser grid; none on the coarsest
  PetscReal                    lambda     = 1; // estimate, from below, of the largest eigenvalue of D^-1 A, D^-1 being relaxing()
  PetscReal                    bound      = std::numeric_limits<PetscReal>::infinity(); // of all of them, where one is known
  PetscReal                    least      = 0;                                          // none of them is smaller, as far as is known
  PetscInt                     bs         = 1;
  bool                         symmetric  = false; // what the estimate found; before it, what it found on the grid above
  bool                         covered    = false; // the coarsest, since its smoother leaves nothing to another
  bool                         transposed = false; // of the cycle of A^T: dinv, isolated rows and transfers are those of A

  PetscInt rows() const { return level->columns->nglobal(); } // of all ranks
  /* Up to where a smoother takes it to reach: the estimate lies below the truth, and beyond it a Chebyshev polynomial grows. */
  PetscReal spectrum() const { return PetscMin(static_cast<PetscReal>(1.1) * lambda, bound); }

  void spare_inverse() const // diagonal, and which rows are isolated, where they are found again: the cycle has both in its own precision
  {
    if (!transfer || transfer->has_rows()) return;
    level->dinv     = Array<PetscScalar>(level->dinv.space());
    level->isolated = Array<unsigned char>(level->dinv.space());
  }
};

/* Of an operator below which there is another, when the cycle has it; above: the grid whose interpolation it was made with. The coarsest is read where it is
   solved. */
inline void spare_operator(const Grid &above, const Grid &grid)
{
  if (above.transfer->made_again() && grid.transfer) grid.level->spare_rows();
}

/* What a hierarchy is made from. A, whose columns are by the map's local numbers, is borrowed until release(). */
struct FinestOperator {
  Csr                A;
  MapPtr             columns;
  PetscInt           bs = 1, k = 1; // unknowns of a node, near-null vectors
  Array<PetscScalar> B;             // [local rows][k] the near-null vectors, in A's space
  Array<PetscInt>    id{};          // [local rows / bs] the nodes' ids where their numbers depend on the ranks, else empty
  Lattice            lattice{};     // the grid that the ids are points of
  OperatorSource     exact{};

  std::shared_ptr<CsrFacts> facts{}; // of A, where they are known
  RowsOnDemand              on_demand{};
};

class Hierarchy {
public:
  /* finite: false (on all ranks) when A holds a NaN or Inf; then there are no grids. Collective, as update() is. */
  PetscErrorCode build(FinestOperator finest, const HierarchyOptions &options, bool *finite);
  /* Same pattern, new values: coarse operators, diagonals and eigenvalues anew, and the interpolation too where only aggregates were kept. */
  PetscErrorCode update(const Csr &A, const HierarchyOptions &options, bool *finite, const OperatorSource &exact = nullptr,
                        std::shared_ptr<CsrFacts> facts = nullptr, const RowsOnDemand &on_demand = nullptr);
  bool outgrown() const { return outgrown_; } // update() has found other values on a level, of which its aggregates were made: build() is to be called
  void reset() { grids_.clear(); }
  /* Until release(): the finest matrix again, as it was, for a cycle to be made anew. */
  void borrow(const Csr &A, const OperatorSource &exact)
  {
    grids_[0].level->A     = A;
    grids_[0].level->exact = exact;
  }
  /* The rows of interpolations and operators, and the inverse diagonals, that were spared, with the values that the finest matrix, which is lent, has now.
     Collective. */
  PetscErrorCode restore(const HierarchyOptions &options);
  bool           whole() const;    // none was
  bool           has_rows() const; // of an interpolation
  /* Whether transposed interpolations stay, for new values. */
  bool keeps_transposes(const HierarchyOptions &options) const { return keeps_products(options); }
  /* The finest matrix is the user's again. The transposed interpolations go, too, unless an update() will read them: whoever wants them makes them anew. */
  void        release(const HierarchyOptions &options);
  std::size_t bytes() const; // of this rank, without the user's matrix

  const std::vector<Grid> &grids() const { return grids_; }
  bool                     empty() const { return grids_.empty(); }
  bool                     stopped() const { return stopped_; } // by max_complexity
  bool wants_rows() const { return wants_rows_; } // the matrix is nothing but its diagonals, and that does not serve: build() is to be called again, with rows

private:
  struct Way { // in which a level is coarsened
    PetscReal    threshold;
    bool         aggressive;
    PetscInt     degree; // of the polynomial that smooths the interpolation
    SmoothedWith with;
    bool         adjoint;
    PetscInt     further = 0;     // a degree that is tried first
    bool         uneven  = false; // some rows are much longer than most
  };

  void           find_lasting(Coarsening &from, const Way &way, const HierarchyOptions &options) const;
  Strength       strength_of(const Way &way, const HierarchyOptions &options, bool slivers) const;
  void           link_slivers(Grid &grid, Coarsening &from, const Way &way, const HierarchyOptions &options) const;
  CsrGraph       graph_of(Grid &grid, const Strength &strength) const;
  bool           may_be_boxes(const Way &way, PetscInt k, bool filters, const HierarchyOptions &options) const;
  PetscErrorCode trim_lattice(Grid &finest);
  double         most_within(const Coarsening &from, const HierarchyOptions &options) const;
  PetscErrorCode find_further(const HierarchyOptions &options, Way &way);
  PetscErrorCode find_further_along_strong(const Coarsening &from, const CsrAggregates &aggregates, const HierarchyOptions &options, PetscInt *degree);
  PetscErrorCode compare_values(Grid &grid, const HierarchyOptions &options, bool *stay);
  PetscErrorCode measure(Grid &grid, const HierarchyOptions &o, bool *finite);
  PetscErrorCode interpolate(Grid &grid, const Coarsening &from, const HierarchyOptions &options, bool fresh = true);
  bool           keeps_products(const HierarchyOptions &options) const { return options.keep != Keep::Nothing && (updated_ || !options.sparing); }
  bool           spares_rows(const Grid &grid) const;
  bool           spares_rows(const Grid &grid, const Coarsening &from) const;
  PetscErrorCode have_rows(Grid &grid, bool wanted);
  PetscErrorCode project(Grid &grid, CsrLevel &next, const HierarchyOptions &options);
  PetscErrorCode restore_operator(const Grid &grid, CsrLevel &next, Array<PetscReal> &magnitude);
  PetscErrorCode aggregate_nodes(Coarsening &from, PetscInt k, bool aggressive, const HierarchyOptions &options, CsrAggregates &aggregates, bool *stop);
  PetscErrorCode interpolate_from(Coarsening &from, const CsrAggregates &aggregates, Array<PetscScalar> &B, const HierarchyOptions &options,
                                  Array<PetscScalar> &coarse_B, double *work);
  PetscErrorCode shorten_last(Coarsening &from, const CsrAggregates &aggregates, const Array<PetscScalar> &coarse_B, double *work);
  PetscErrorCode look_ahead(Coarsening &from, const CsrAggregates &aggregates, double *work);
  PetscErrorCode interpolate_bearably(Coarsening &from, const CsrAggregates &aggregates, PetscInt degree, Array<PetscScalar> &B,
                                      const HierarchyOptions &options, Array<PetscScalar> &coarse_B);
  PetscErrorCode coarsen_so(const Way &way, Array<PetscScalar> &B, PetscInt k, const HierarchyOptions &options, Grid &next, Array<PetscScalar> &coarse_B,
                            bool *stop);
  PetscErrorCode coarsen(Array<PetscScalar> &B, PetscInt k, PetscReal threshold, const HierarchyOptions &options, bool *stop);

  std::vector<Grid> grids_;
  bool              stopped_ = false, wants_rows_ = false, updated_ = false, outgrown_ = false;
};

/* The product of an operator that is not symmetric, made upwind: see make_upwind(). Collective. */
void stabilise(const CsrTransfer &t, CsrLevel &next, const HierarchyOptions &options);

} // namespace goza::saamg
