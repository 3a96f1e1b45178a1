#!/usr/bin/env python3
"""Runs a fuzzer over many seeds: goes on after a crash or a hang, groups what it finds, and makes one case of each group short.

  fuzz.py PROGRAM [--ranks 1] [--first 1] [--count 1000] [--seconds 0] [--out FOLDER] [--short 0] [--wait 60] [-- OPTIONS...]

PROGRAM is fuzz_mat or fuzz_pc. --seconds ends it early; --short: so many groups are made short; --wait: seconds without progress that count as a hang.
Prints counts, the groups with their seeds, and writes FOLDER/GROUP.case (run it with PROGRAM -fuzz_case) and, of fuzz_mat, FOLDER/GROUP.c."""
import argparse, os, re, signal, subprocess, sys, time

ap = argparse.ArgumentParser()
ap.add_argument("program")
ap.add_argument("--ranks", type=int, default=1)
ap.add_argument("--first", type=int, default=1)
ap.add_argument("--count", type=int, default=1000)
ap.add_argument("--seconds", type=float, default=0)
ap.add_argument("--out", default="fuzz-out")
ap.add_argument("--short", type=int, default=0)
ap.add_argument("--wait", type=float, default=60)
split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
args = ap.parse_args(sys.argv[1:split])
args.options = sys.argv[split + 1:]
program = os.path.abspath(args.program)
mpiexec = os.environ.get("MPIEXEC", "mpiexec").split()
os.makedirs(args.out, exist_ok=True)
work = os.path.join(args.out, f"work-{args.ranks}-{os.getpid()}")
os.makedirs(work, exist_ok=True)
work = os.path.abspath(work)
progress = os.path.join(work, "progress")
sides = {0: "AIJ", 1: "ours", 2: "comparison"}
environment = dict(os.environ, OMPI_MCA_pml="ob1", OMPI_MCA_btl="self,vader", OMPI_MCA_hwloc_base_binding_policy="none",
                   OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMP_NUM_THREADS="1")


def where():
    """seed, step, side, operations and refusals so far"""
    try:
        return [int(w) for w in open(progress).read(128).split("\0")[0].split()]
    except (OSError, ValueError):
        return None


def one_rank_failed():
    """what some rank of several has failed with while others wait for it"""
    try:
        text = open(progress, errors="replace").read()
    except OSError:
        return ""
    said = [text[256 * (1 + r):256 * (2 + r)].split("\0")[0].strip() for r in range(args.ranks)]
    return next((s for s in said if s), "")


def stopped(name, at, status):
    """the group of a crash or a hang"""
    said = one_rank_failed() if status == "hang" else ""
    return f"{'hang' if status == 'hang' else 'crash'} in {name} of {sides.get(at[2], at[2])}" + (f", one rank's error is not the others': {group_of(said)}" if said else "")


def run(options, wait, until=None):
    """(exit status or 'hang' or 'time', output)"""
    if os.path.exists(progress):
        os.remove(progress)
    log = os.path.join(work, "log")
    command = ([] if args.ranks == 1 else mpiexec + ["-n", str(args.ranks)]) + [program, "-fuzz_progress", progress, "-no_signal_handler"] + options + args.options
    with open(log, "w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=work, env=environment, start_new_session=True)
        last, since, status, pause = None, time.time(), None, 0.005
        while status is None:
            try:
                status = process.wait(pause)
            except subprocess.TimeoutExpired:
                pause = min(0.5, pause * 1.5)
                now = where()
                if now != last:
                    last, since = now, time.time()
                over = until and time.time() > until
                if over or time.time() - since > wait:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    status = "time" if over else "hang"
    return status, open(log, errors="replace").read()


def case_text(seed):
    _, out = run(["-fuzz_show", str(seed)], 60)
    return "".join(l + "\n" for l in out.splitlines() if l.split(" ")[0] in words)


words = {"seed", "type", "whole", "option", "op", "matrix", "rows", "set", "check"}


def group_of(text):
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "#", text)[:160]


def finding(text, status, out, name):
    """the group of what went wrong in a run, or None"""
    found = re.search(r"FAILED seed (\d+): (.*)", out)
    if found:
        return group_of(re.sub(r"^op \d+ ", "", found.group(2)))
    if status == 0 or status == "time":
        return None
    at = where()
    if not at:
        return f"start: {status}"
    return stopped(name(text, at[1]), at, status)


def op_name(text, step):
    ops = [l.split()[1] for l in text.splitlines() if l.startswith("op ")]
    return ops[step] if 0 <= step < len(ops) else "the end"


def run_case(lines):
    file = os.path.join(work, "case")
    with open(file, "w") as f:
        f.write("\n".join(lines) + "\n")
    status, out = run(["-fuzz_case", file], min(20, args.wait))
    return finding("\n".join(lines), status, out, op_name)


def ends_with_aij_alone(seed):
    """whether a sequence crashes or hangs where no matrix is ours, too: which side a crash is on says nothing of who has written over its memory"""
    lines = case_text(seed).splitlines()
    return any(l.startswith("type ") for l in lines) and run_case(["type aij" if l.startswith("type ") else l for l in lines]) is not None


def shorten(text, group):
    """the same group with fewer lines and smaller numbers"""
    lines = text.splitlines()
    same = lambda candidate: run_case(candidate) == group
    if not same(lines):
        return lines, False
    removable = lambda l: l.startswith(("op ", "option ", "set "))
    chunk, deadline = max(1, len(lines) // 2), time.time() + 60
    while chunk >= 1:
        k = 0
        while k < len(lines):
            candidate = [l for i, l in enumerate(lines) if not (k <= i < k + chunk and removable(l))]
            if len(candidate) < len(lines) and same(candidate):
                lines = candidate
            else:
                k += chunk
        chunk //= 2
        if time.time() > deadline:
            break
    for k, line in enumerate(lines):
        parts = line.split()
        if time.time() > deadline:
            break
        if parts[0] not in ("op", "matrix"):
            continue
        for p in range(2, len(parts)):
            if not re.fullmatch(r"\d+", parts[p]):
                continue
            tried = [0, 1, 2, 3, int(parts[p]) // 2, int(parts[p]) - 1] if p != len(parts) - 1 else []
            for value in tried:
                if value >= int(parts[p]) or value < 0:
                    continue
                candidate = list(lines)
                candidate[k] = " ".join(parts[:p] + [str(value)] + parts[p + 1:])
                if same(candidate):
                    lines, parts = candidate, candidate[k].split()
                    break
    return lines, True


PREAMBLE = """/* Made by fuzz.py: %s
   mpicc this.c `pkg-config --cflags --libs PETSc`; run it with -dll_append libgoza.so -type aij and with -type %s, on %d rank(s), %s
   what it prints must be the same. */
#include <petscmat.h>
static PetscErrorCode vector(PetscInt n, const PetscScalar *a, Vec *v)
{
  PetscScalar *x;
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, n, PETSC_DETERMINE, v));
  PetscCall(VecGetArray(*v, &x));
  for (PetscInt i = 0; i < n; i++) x[i] = a[i];
  PetscCall(VecRestoreArray(*v, &x));
  return 0;
}
static PetscErrorCode multiply(Mat A)
{
  Vec x, y;
  if (!A) return 0;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecView(y, PETSC_VIEWER_STDOUT_(PetscObjectComm((PetscObject)A))));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  return 0;
}
static Vec duplicate(Vec v)
{
  Vec w;
  (void)!VecDuplicate(v, &w);
  (void)!VecCopy(v, w);
  return w;
}
static char type[64] = "aij";
static Mat A[4], made, block, one, dense, *subs, local, factor;
static Vec v, w, left, right;
static PetscInt row, n;
static PetscReal norm, norms[100];
static PetscScalar *array;
static PetscBool yes, goza;
static IS rows, cols;
static PetscViewer viewer;
static MatInfo info;
static MatFactorInfo how;
"""


def program_of(lines, group, file):
    """the PETSc calls of all ranks as one C program"""
    run_file = os.path.join(work, "case")
    with open(run_file, "w") as f:
        f.write("\n".join(lines) + "\n")
    calls = os.path.join(work, "calls")
    run(["-fuzz_case", run_file, "-fuzz_calls", calls], 20)
    if not os.path.exists(calls + ".0"):
        return
    settings = dict(l.split(" ", 1) for l in lines if l.startswith(("type ",)))
    options = " ".join(l.split(" ", 1)[1] for l in lines if l.startswith("option "))
    with open(file, "w") as out:
        out.write(PREAMBLE % (group.replace("*/", "* /"), settings.get("type", "?"), args.ranks, options))
        for r in range(args.ranks):
            body = re.sub(r"^  v = vector\((.*)\);$", r"  PetscCall(vector(\1, &v));", open(f"{calls}.{r}").read(), flags=re.M)
            body = re.sub(r"\bw\)\);$", "v));", body, flags=re.M)
            out.write(f"static PetscErrorCode rank{r}(void)\n{{\n{body}  return 0;\n}}\n")
        out.write("int main(int argc, char **argv)\n{\n  PetscMPIInt rank;\n  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));\n"
                  "  PetscCall(PetscOptionsGetString(NULL, NULL, \"-type\", type, sizeof(type), NULL));\n  PetscCall(PetscStrcmp(type, \"aij\", &goza));\n  goza = goza ? PETSC_FALSE : PETSC_TRUE;\n"
                  "  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);\n")
        for r in range(args.ranks):
            out.write(f"  if (rank == {r}) PetscCall(rank{r}());\n")
        out.write("  for (int s = 0; s < 4; s++) PetscCall(MatDestroy(&A[s]));\n  PetscCall(PetscFinalize());\n  return 0;\n}\n")


def main():
    start, groups, refused, operations, done = time.time(), {}, 0, 0, 0
    until = start + args.seconds if args.seconds else None
    seed, last = args.first, args.first + args.count
    while seed < last and not (until and time.time() > until):
        count = min(2000, last - seed)
        status, out = run(["-fuzz_first", str(seed), "-fuzz_count", str(count)], args.wait, until)
        for s, text in re.findall(r"FAILED seed (\d+): (.*)", out):
            groups.setdefault(group_of(re.sub(r"^op \d+ ", "", text)), []).append(int(s))
        end = "differ" in out
        at = where()
        if at:
            operations += at[3]
            refused += at[4]
        if status in (0, 1, 201) and end:
            done += count
            seed += count
        elif status == "time":
            done += at[0] - seed if at else 0
            break
        elif at:
            s = at[0]
            group = stopped("#", at, status)
            group = group.replace("#", op_name(case_text(s), at[1]), 1)
            alone, _ = run(["-fuzz_first", str(s), "-fuzz_count", "1"], args.wait)
            if alone not in ("hang", status):
                group += " (after others, not alone)"
            elif ends_with_aij_alone(s):
                group = "PETSc's own " + group
            groups.setdefault(group, []).append(s)
            done += s - seed + (not group.startswith("PETSc's own"))  # what PETSc's own matrix does not come through is no sequence
            seed = s + 1
        else:
            print(out[-2000:])
            sys.exit(f"{program} did not start: {status}")
    for k, (group, seeds) in enumerate(sorted(groups.items(), key=lambda g: -len(g[1]))):
        print(f"{len(seeds):6d} {group}   seeds {' '.join(map(str, seeds[:4]))}")
        if k < args.short:
            lines, again = shorten(case_text(seeds[0]), group.removeprefix("PETSc's own "))
            file = os.path.join(args.out, f"{args.ranks}-{seeds[0]}")
            with open(file + ".case", "w") as f:
                f.write("\n".join(lines) + "\n")
            if "op " in "\n".join(lines):
                program_of(lines, group, file + ".c")
            print("       " + "\n       ".join(lines) + ("" if again else "\n       (does not fail alone)"))
    theirs = sum(len(s) for g, s in groups.items() if g.startswith("PETSc's own"))
    wrong = sum(len(s) for s in groups.values()) - theirs
    print(f"{os.path.basename(program)} on {args.ranks} rank(s): {done} seeds from {args.first}, {operations} operations, {wrong} seeds fail, {theirs} more end in a crash or hang of PETSc's own matrix, "
          f"{refused} end where AIJ refuses ({time.time() - start:.0f} s)")
    return 1 if wrong else 0


sys.exit(main())
