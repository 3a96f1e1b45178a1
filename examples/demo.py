#!/usr/bin/env python3
"""Solve two problems with Goza and with plain PETSc, and compare: `make demo`.

The problems are PETSc's own tutorial ksp/tutorials/ex45.c, unmodified (7-point Laplacian), and Goza's examples/poisson.cxx, an ordinary
PETSc program too (27-point finite elements, random coefficient). Goza is loaded from the command line, with PETSc's CG and with its own, fusedcg;
the plain methods are GAMG and, where this PETSc has them, hypre's BoomerAMG and ML, with PETSc's CG; where this PETSc works on the GPU they do,
and Jacobi is one of them. All stop when the true residual has fallen by 1e-7.

Run lines (from the top of the tree, after make):
  python3 examples/demo.py
  NP=2 python3 examples/demo.py --nodes 16 --refine 1
"""
import argparse
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

COLUMNS = "{:<14} {:<28} {:>9} {:>10} {:>9} {:>9} {:>13} {:>7}"
TIMEOUT = 300  # seconds for one solve


class Failed(Exception):
    """A run that gave no solution; the text says why, in one line."""


def run(command):
    """The output of a PETSc program, which must end well."""
    # A session of its own: a run that hangs is ended together with the ranks that mpiexec has started
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failed(f"no end within {TIMEOUT} s")
    if process.returncode:
        # PETSc writes the class of an error and then the error; a program that did not converge says DIVERGED_...
        messages = re.findall(r"PETSC ERROR: (?!---|See http|WARNING)(.+)", output)[:2] or re.findall(r"DIVERGED_\w+", output)[:1]
        raise Failed(": ".join(message.strip() for message in messages) or f"exit code {process.returncode}")
    return output


def flame_seconds(path, *events):
    """Seconds in the given outermost events. PCSetUp may solve and KSPSolve may set up: a flame graph keeps the two apart."""
    microseconds = 0
    with open(path) as file:
        for line in file:
            stack, _, own = line.rpartition(" ")
            frames = [frame for frame in stack.split(";") if frame not in ("Main Stage", "User time")]
            if frames and frames[0] in events:
                microseconds += int(own)
    return microseconds * 1e-6


def solve_ex45(launch, build, folder, refine, options):
    flame = os.path.join(folder, "flame")
    output = run([*launch, f"{build}/petsc/ksp_ksp_tutorials_ex45", "-da_refine", str(refine), "-ksp_rtol", "1e-7",
                  "-ksp_norm_type", "unpreconditioned", "-ksp_converged_reason", "-ksp_monitor", "-log_view", f":{flame}:ascii_flamegraph", *options])
    reason = re.search(r"due to (\w+) iterations (\d+)", output)
    if not reason or not reason[1].startswith("CONVERGED"):
        raise Failed(reason[1] if reason else "no converged reason in the output")
    b = re.search(r"^ *0 KSP residual norm +(\S+)", output, re.MULTILINE | re.IGNORECASE)  # the guess is zero: this is ||b||
    r = re.search(r"^Residual norm (\S+)", output, re.MULTILINE)  # ex45's own ||A x - b||
    return {"setup_s": flame_seconds(flame, "PCSetUp", "KSPSetUp"), "iterations": int(reason[2]), "first_solve_s": flame_seconds(flame, "KSPSolve"),
            "residual": float(r[1]) / float(b[1])}


def solve_poisson(launch, build, folder, nodes, options):
    path = os.path.join(folder, "poisson.json")
    if os.path.exists(path):
        os.remove(path)
    run([*launch, f"{build}/bin/poisson", "-n", str(nodes), "-coefficient", "random", "-ksp_norm_type", "unpreconditioned", "-solves", "3", "-json", path, *options])
    with open(path) as file:
        return json.load(file)


def goza_device(build, library):
    """What Goza itself says it runs on, or None for the host. A PETSc without CUDA may have it work on a GPU all the same."""
    where = re.search(r"runs on (.+?); vectors", run([f"{build}/bin/poisson", "-n", "4", "-dll_append", library, "-goza_info"]))
    return None if not where or where[1].startswith("host") else where[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nodes", type=int, help="poisson: nodes a side (48; 96 where PETSc works on a GPU)")
    parser.add_argument("--refine", type=int, default=4, help="ex45: refinements of its 7 x 7 x 7 grid (4: 97 a side)")
    arguments = parser.parse_args()
    build = os.path.abspath(os.environ.get("BUILD", "build"))
    ranks = int(os.environ.get("NP", "1"))
    launch = [*shlex.split(os.environ.get("MPIEXEC", "mpiexec")), "-n", str(ranks)] if ranks > 1 else []
    library = f"{build}/lib/libgoza.so"

    os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread a rank, for every method alike
    if os.geteuid() == 0:  # as in a container: Open MPI asks for these
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    with tempfile.TemporaryDirectory() as folder:
        def has(*options):
            """Ask this PETSc itself, with a system of 64 unknowns."""
            try:
                return solve_poisson([], build, folder, 4, options)
            except Failed:
                return None

        try:
            petsc = solve_poisson([], build, folder, 4, [])["petsc"]
            gpu = goza_device(build, library)
        except (Failed, OSError) as problem:
            sys.exit(f"demo: {build}/bin/poisson does not run: {problem}")
        cuda = has("-dm_vec_type", "cuda") is not None  # PETSc's own methods on the GPU
        device = ["-dm_vec_type", "cuda", "-use_gpu_aware_mpi", "0"] if cuda else []
        plain = "aijcusparse" if cuda else "aij"
        nodes = arguments.nodes or (96 if cuda else 48)
        methods = [(f"{type} + saamg, {ksp}", True, ["-dll_append", library, "-dm_mat_type", type, "-pc_type", "saamg", "-ksp_type", ksp])
                   for type, ksp in (("cds", "fusedcg"), ("cds", "cg"), ("slicedell", "fusedcg"))]
        methods += [(f"{plain} + {pc}, cg", False, ["-dm_mat_type", plain, "-pc_type", pc, "-ksp_type", "cg"])
                    for pc in ("gamg", "hypre", "ml", *(["jacobi"] if cuda else [])) if pc == "gamg" or has("-pc_type", pc)]  # many cheap iterations suit a GPU
        problems = [(f"ex45 {6 * 2**arguments.refine + 1}^3", solve_ex45, arguments.refine), (f"poisson {nodes}^3", solve_poisson, nodes)]

        rows, failures = [], 0
        for problem, solve, size in problems:
            results = {}
            with contextlib.suppress(Failed, OSError):  # does not count: on a virtual machine the first large program after a pause waits for its memory
                solve(launch, build, folder, size, methods[-1][2] + device)
            for method, ours, options in methods:
                start = time.time()
                try:
                    if ours and not os.path.exists(library):
                        raise Failed(f"{library} is missing: run make")
                    results[method] = solve(launch, build, folder, size, options + device)
                    if results[method]["residual"] > 1e-6:
                        raise Failed(f"true residual {results[method]['residual']:.1e}")
                    outcome = f"{time.time() - start:.1f} s"
                except (Failed, OSError) as why:
                    failures += 1
                    results[method] = outcome = f"FAILED: {why}"
                print(f"{problem}, {method}: {outcome}", flush=True)
            totals = {method: r["setup_s"] + r["first_solve_s"] for method, r in results.items() if isinstance(r, dict)}
            best = min((totals[method] for method, ours, _ in methods if not ours and method in totals), default=None)
            for method, r in results.items():
                if isinstance(r, dict):
                    ratio = f"{best / totals[method]:.2f}" if best else "-"
                    again = f"{r['solve_s']:.3f}" if "solve_s" in r else "-"
                    rows.append(COLUMNS.format(problem, method, f"{r['setup_s']:.3f}", r["iterations"], f"{r['first_solve_s']:.3f}", again, f"{r['residual']:.1e}", ratio))
                else:
                    rows.append(f"{problem:<14} {method:<28} {r}")

    where = f"Goza on {gpu or 'the host'}, PETSc's own methods on {'the GPU' if cuda else 'the host'}"
    print(f"\nPETSc {petsc}, {ranks} rank{'s' if ranks > 1 else ''}; {where}. CG to a true residual of 1e-7.")
    print("first: the first solve of the process; best: of three, where the program solves again")
    print("ratio: set-up + first solve of the best plain PETSc method over that of the row; above 1 is faster\n")
    print(COLUMNS.format("problem", "method", "set-up s", "iterations", "first s", "best s", "true residual", "ratio"))
    print("\n".join(rows))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
