/* Pairs of matrices that must be the same operator: one of PETSc's AIJ (side 0), one of a Goza type (side 1). */
#pragma once

#include "../../support/names.hpp"
#include "../../support/reference.hpp"
#include "sequence.hpp"

#include <array>
#include <map>

namespace goza_fuzz {

enum Side { PETSCS, OURS };

/* How a matrix came about, for the same again with MAT_REUSE_MATRIX: legal while neither the sources' patterns nor its own have moved. */
struct Made {
  std::string           by;
  long                  how = 0;
  std::array<int, 2>    from{-1, -1};
  std::array<long, 2>   from_id{};
  std::array<double, 3> patterns{}; /* of the sources, and its own once it is known (-1: not yet) */
};

struct Slot {
  Mat                   mat[2] = {nullptr, nullptr};
  long                  id     = 0; /* another one for each matrix that lay here */
  PetscReal             size   = 0; /* of the largest entry that it or what it was made from ever had */
  std::vector<PetscInt> rows, cols; /* ownership ranges */
  Made                  made;
  bool                  coo = false, stored = false;
  PetscCount            coo_n       = 0;
  double                coo_pattern = 0;
  double                pattern     = 0; /* a number that is another one after a change on any rank */

  bool     live() const { return mat[0]; }
  PetscInt m() const { return rows.back(); }
  PetscInt n() const { return cols.back(); }
  bool     square() const { return rows == cols; }
};

class Twins {
public:
  static constexpr int slots = 4;

  Twins(const Case &, bool tell);
  Twins(const Twins &) = delete;
  bool destroy(); /* all of it; whether that works */

  Slot              slot[slots];
  Side              side   = PETSCS;
  bool              broken = false; /* a call has failed */
  const bool        whole;
  const std::string type;       /* of ours */
  PetscReal         narrow = 0; /* what a stored value may be off, of itself */
  PetscMPIInt       rank = 0, ranks = 1;

  Mat        &operator()(int s) { return slot[s].mat[side]; }
  std::string petscs_type() const; /* that type's base */
  std::string type_here(const std::string &goza) const { return side == OURS ? goza : petscs_type(); }

  /* The slot that a number stands for among those that fit, or -1. */
  int pick(
    long which, const std::function<bool(const Slot &)> &fits = [](const Slot &) { return true; }) const;
  bool is_aij(const Slot &) const;
  bool is_plain(const Slot &) const;             /* exactly AIJ on PETSc's side */
  bool is(const Slot &, const char *type) const; /* PETSc's side, by the beginning of its name */
  bool has_mirrored_pattern(const Slot &) const; /* a square AIJ's; collective */
  /* Whether MAT_NO_OFF_PROC_ENTRIES is on: rows of other ranks are an error of the rank that sets them, and the others wait for it. PETSc's conversions and
     products leave it on, and MatDuplicate() copies it where MatConvert() to the same type does not. */
  bool takes_own_rows_only(const Slot &) const;

  /* A new matrix in slot s on this side, in the place of what is there. */
  PetscErrorCode put(int s, Mat made);
  void           learn(int s, PetscReal size, const Made &made = {}); /* after both sides have one */
  Made           made(const std::string &by, long how, int from, int also = -1) const;
  bool           may_reuse(int s) const;

  /* A value of an entry: by its place and a seed, the same on any rank. */
  PetscScalar value(PetscInt i, PetscInt j, std::uint64_t seed) const;
  PetscScalar factor(Rng &, PetscReal size) const; /* to scale by; of size 1 where the entries are large already */
  Vec         vector(const std::vector<PetscInt> &ranges, std::uint64_t seed, bool tell_it = true); /* kept by size and seed */

  /* A figure that both sides must agree on; relative to the slot's size where it is one of values. */
  /* of_products: of what is stored; divided: no whole number, by factors that a device solves with in another order */
  void        note(double figure, PetscReal size = 0, bool of_products = false, bool divided = false);
  std::string compare_notes();           /* empty: they agree */
  std::string compare(int s, long turn); /* products and what else an operator has; empty: they agree. On several ranks one of the rarer products in turn */
  bool        agree(bool wrong_here);    /* whether something is wrong on any rank; and all ranks know the slots' patterns and sizes again */

  /* The list of PETSc calls of this rank. */
  void        say(const char *format, ...);
  std::string listed(const char *type, const char *name, const PetscInt *, PetscInt n);
  std::string listed(const char *name, const PetscScalar *, PetscInt n);
  std::string name(int s) const { return "A[" + std::to_string(s) + "]"; }
  std::string calls;
  bool        telling() const { return tell && side == OURS; }

private:
  const bool                                                     tell;
  long                                                           made_so_far = 0, lists = 0;
  std::vector<std::pair<double, PetscReal>>                      notes[2];
  std::map<std::pair<std::vector<PetscInt>, std::uint64_t>, Vec> vectors;

  PetscReal              largest(Mat) const;
  std::string            compare_vectors(Vec got, Vec want, const std::vector<PetscReal> &bound, const char *what) const;
  std::string            compare_shape(int s) const;
  std::vector<PetscReal> bound(int s, bool transpose) const;
};

inline const char *mode_name(InsertMode mode) { return mode == ADD_VALUES ? "ADD_VALUES" : "INSERT_VALUES"; }

/* In a function that returns PetscErrorCode: the call, after it was listed as text. */
#define TOLD(t, call, ...) \
  do { \
    if ((t).telling()) (t).say(__VA_ARGS__); \
    PetscCall(call); \
  } while (0)

} // namespace goza_fuzz
