/* A level of a cycle. */
#pragma once
#include "pc/saamg/setup/hierarchy.hpp"
#include "borrowed_rows.hpp"
#include "level_format.hpp"
#include "parallel/agree.hpp"
#include "pc/saamg/smoother/smoother.hpp"

namespace goza::saamg {

/* One grid in one precision: operator, smoother and vectors. The solution moves between x[0] and x[1]; `at` says where it is, and its residual takes the other
   place. */
template <class V> struct Level {
  PetscInt                        n = 0;
  std::shared_ptr<ParOperator<V>> A;    // the finest may be the matrix's own
  std::shared_ptr<SameRows>       same; // what the operator's format is made from
  std::unique_ptr<Smoother<V>>    smoother;
  Array<V>                        dinv, balanced, isolated, b, x0, x1; // balanced: or empty
  V                              *x[2]{};
  int                             at = 0;

  /* shared: an operator that is as good as one of its own; else same, where the rows are at hand by diagonals. */
  struct Given {
    std::shared_ptr<ParOperator<V>> shared{};
    const WideCds                  *same = nullptr;
    bool                            rows = false; // are lent, of one rank
  };

  PetscErrorCode setup(const Grid &grid, Space space, const Given &given, const SmootherChoice &choice, bool finest, bool bottom, bool half)
  {
    FormatFactory<V> format;
    SmootherOptions  one_pass = choice.options;

    PetscFunctionBegin;
    if (bottom) one_pass.sweeps = 1; /* the cycle counts them, to turn round after each */
    if (given.shared) A = given.shared;
    else {
      PetscCall(Together(grid.level->columns->comm(), "hold a level", [&] {
        if (!A || A.use_count() > 1) A = std::make_shared<ParOperator<V>>();
        if (!same) same = std::make_shared<SameRows>();
        format = [&](Space s) -> std::unique_ptr<Format<V>> {
          if constexpr (std::is_same_v<V, PetscScalar>) {
            if (given.rows && grid.level->columns->size() == 1) return std::make_unique<BorrowedRows>(s);
          }
          return std::make_unique<LevelFormat<V>>(s, grid.bs, half, same);
        };
        same->users     = finest;
        same->dominant  = grid.level->dominant;
        same->diagonal  = grid.level->diagonal;
        same->diagonals = given.same; /* last: these would stay */
        same->rough     = finest ? grid.level->rough.get() : nullptr;
        if (grid.level->columns->size() == 1) same->blocks = grid.level->blocks;
      }));
      const PetscErrorCode failed = A->update(grid.level->A, grid.level->columns, grid.level->stamp, format);

      same->diagonals = nullptr; /* lent for as long as this takes */
      same->blocks    = nullptr;
      same->rough     = nullptr;
      if (finest) grid.level->rough = nullptr;
      PetscCall(failed);
    }
    PetscCall(
      FailTogether(grid.level->columns->comm(), set_vectors(*grid.level, space, finest && std::is_same_v<V, PetscScalar>), "hold the vectors of a level"));
    const InverseDiagonal<V> D{n, dinv.data(), isolated.data()}, less{n, balanced.data(), isolated.data(), false};
    const PetscErrorCode     made = smoother_table<V>()[choice.which].create({grid, *A, D, balanced.size() ? less : D, grid.spectrum()}, one_pass, smoother);
    PetscCall(FailTogether(grid.level->columns->comm(), made, "make its smoother"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* What of the operator another setup() makes anew without a search, from a format of the same rows that has it all. */
  void spare()
  {
    const auto *format = A->built() && !A->has_others() ? dynamic_cast<const LevelFormat<V> *>(&A->diagonal_block()) : nullptr;

    if (format && format->may_be_spared()) static_cast<LevelFormat<V> &>(A->overwrite()).spare();
  }

  /* Of one that is solved, its vectors. */
  PetscErrorCode setup_solved(const CsrLevel &level, Space space)
  {
    PetscFunctionBegin;
    smoother.reset();
    A.reset();
    PetscCall(FailTogether(level.columns->comm(), set_vectors(level, space, false), "hold the vectors of its coarsest level"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* users: right-hand side and solution are those that a cycle is applied to */
  PetscErrorCode set_vectors(const CsrLevel &level, Space space, bool users)
  {
    PetscFunctionBegin;
    n = level.A.nrows;
    PetscCall(Guarded([&] {
      for (Array<V> *a : {&b, &x0, &x1}) {
        const PetscInt wanted = users && (a == &b || a == &x0) ? 0 : n;

        if (a->space() == space && a->size() == static_cast<std::size_t>(wanted)) continue;
        *a = Array<V>(space, wanted, unset);
        a->zero();
      }
      dinv     = Array<V>(space, n, unset);
      isolated = Array<V>(space, level.isolated.size(), unset);
      balanced = Array<V>(space, level.balanced.size(), unset);
      if (balanced.size()) split_diagonal(space, n, level.balanced.data(), level.isolated.data(), balanced.data(), isolated.data());
      split_diagonal(space, n, level.dinv.data(), level.isolated.data(), dinv.data(), isolated.data());
    }));
    x[0] = x0.data();
    x[1] = x1.data();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode smooth(const V *rhs, Pass pass) { return smoother->apply(rhs, x, at, pass, &at); }
  /* From zero, for what b is to be. */
  PetscErrorCode start(const PetscScalar *given)
  {
    FirstStep<V> step;
    const bool   of_elements = smoother->first_step(&step);

    PetscFunctionBegin;
    step.x = x[at];
    step.b = b.data();
    PetscCall(Guarded([&] {
      if (of_elements) take_first_step(A->space(), n, step, static_cast<const V *>(nullptr), given);
      else convert(A->space(), n, given, b.data());
    }));
    PetscCall(smooth(b.data(), of_elements ? Pass::Begun : Pass::FromZero));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  V             *r() const { return x[1 - at]; }
  PetscErrorCode residual(const V *rhs) { return A->apply(x[at], Residual<V>{rhs, r()}); }
  std::size_t    bytes() const
  {
    return (A.use_count() == 1 ? A->bytes() : 0) + (smoother ? smoother->bytes() : 0) + dinv.bytes() + balanced.bytes() + isolated.bytes() + b.bytes() +
           x0.bytes() + x1.bytes();
  }
};

} // namespace goza::saamg
