#include "run.hpp"
#include "operations.hpp"

#include <memory>

namespace goza_fuzz {
namespace {

std::string &said()
{
  static std::string text;
  return text;
}

/* PETSc calls the handler for every frame; the first has the message. */
PetscErrorCode remember(MPI_Comm, int line, const char *function, const char *, PetscErrorCode code, PetscErrorType type, const char *message, void *)
{
  if (type == PETSC_ERROR_INITIAL) said() = std::string(function ? function : "?") + ":" + std::to_string(line) + ": " + (message ? message : "");
  return code;
}

struct Quiet {
  Quiet() { PETSC_OK(PetscPushErrorHandler(remember, nullptr)); }
  ~Quiet() { PETSC_OK(PetscPopErrorHandler()); }
};

/* What ends a sequence without being a fault: settings that a type refuses for some matrices, as its page says. */
struct Known {
  const char *message, *reason;
};
const Known known[] = {
  {"-mat_fold_order breadth_first needs a square matrix", "asked for by name, it is not left out silently"},
  {"-mat_cds_storage half, but the matrix is not symmetric", "the same"},
  {"-mat_cds_max_fill allows", "of a matrix that a conversion has made, which has read no options"},
};

bool is_known(const std::string &message)
{
  for (const Known &k : known)
    if (message.find(k.message) != std::string::npos) return true;
  return false;
}

/* Both sides of one step; what is wrong. ended: the sequence cannot go on. */
std::string run_step(Twins &t, const Op &op, Step &step, long turn, const Watch &watch, Verdict &v, bool *ended)
{
  std::string message[2];
  bool        failed[2];

  for (Side side : {PETSCS, OURS}) {
    t.side = side;
    watch.before(turn, side);
    said().clear();
    const PetscErrorCode ierr = step.run();
    watch.after(ierr ? said() : "");
    failed[side]  = goza_test::any_rank(ierr != PETSC_SUCCESS);
    message[side] = said();
  }
  t.side   = PETSCS;
  *ended   = failed[PETSCS] || failed[OURS];
  t.broken = t.broken || *ended;
  if (failed[PETSCS]) v.refused = op.name + ": " + message[PETSCS];
  if (failed[OURS] && !failed[PETSCS]) return is_known(message[OURS]) ? "" : "fails where AIJ does not: " + message[OURS];
  if (*ended) return "";
  step.after();
  std::string wrong = t.compare_notes();
  watch.before(turn, 2);
  for (int s : step.touched)
    if (t.slot[s].live()) {
      said().clear();
      std::string here = t.compare(s, turn);
      if (here.find("fails") != std::string::npos) {
        here += said();
        if (is_known(here)) *ended = true;
      }
      if (t.broken && here.empty()) { /* PETSc's own matrix has lost its way: its ghosts after new entries in MPIAIJ's empty blocks */
        v.refused = op.name + ", then a product: " + said();
        *ended    = true;
        break;
      }
      if (!here.empty() && !is_known(here)) wrong += t.name(s) + ": " + here;
    }
  return wrong;
}

/* The options of a case in PETSc's data base while it runs. */
struct Settings {
  std::vector<std::unique_ptr<goza_test::Option>> all;
  explicit Settings(const Case &c)
  {
    for (const auto &o : c.options) all.push_back(std::make_unique<goza_test::Option>(o.first, o.second));
  }
};

} // namespace

Verdict run_case(const Case &c, bool tell, const Watch &watch)
{
  Verdict        v;
  const Settings settings(c);
  const Quiet    quiet;
  Twins          t(c, tell);

  for (std::size_t k = 0; k < c.ops.size(); k++) {
    const Op &op = c.ops[k];
    if (c.without.count(op.name)) continue;
    Step step  = operation(op.name).plan(t, op);
    bool ended = false;
    if (!step) {
      v.skipped++;
      continue;
    }
    if (tell) t.say("/* %ld: %s */", (long)k, op.name.c_str());
    v.wrong = run_step(t, op, step, (long)k, watch, v, &ended);
    if (tell)
      for (int s : step.touched) t.say("multiply(A[%d])", s);
    v.done++;
    if (t.agree(!v.wrong.empty())) {
      if (v.wrong.empty()) v.wrong = "(on another rank)";
      v.wrong = "op " + std::to_string(k) + " " + op.name + ": " + v.wrong;
      break;
    }
    if (ended) break;
  }
  watch.before(-1, 2);
  v.program = t.calls;
  said().clear();
  if (!t.destroy() && v.wrong.empty() && !t.broken) v.wrong = "destroying: " + said(); /* what failed on the way may not come apart */
  return v;
}

} // namespace goza_fuzz
