#!/usr/bin/env python3
"""saamg with no option set, with what the defaults were before they asked the matrix, and beside GAMG, hypre and ML, on problems that are not diffusion on boxes.

  BUILD=build/host python3 test/bench/defaults.py [--out test/bench/results/defaults.json] [--side 60] [--only PATTERN] [--time-out 60]

One JSON line a problem and method: rows, iterations (of PETSc's ex19: of each Newton step), reason, seconds, and the command. Needs $BUILD/bench/bench_defaults,
$BUILD/petsc/snes_tutorials_ex19 and $BUILD/lib/libgoza.so.
"""
import argparse
import datetime
import json
import os
import re
import subprocess

BUILD = os.environ.get("BUILD", "build")
METHODS = {
    "saamg": ["-pc_type", "saamg"],
    "saamg before": ["-pc_type", "saamg", "-pc_saamg_smoother", "chebyshev", "-pc_saamg_interpolation", "smoothed", "-pc_saamg_threshold", "0"],
    "gamg": ["-pc_type", "gamg"],
    "hypre": ["-pc_type", "hypre"],
    "ml": ["-pc_type", "ml"],
}
GMRES = ["-ksp_type", "gmres", "-ksp_rtol", "1e-8", "-ksp_max_it", "200"]
BICGSTAB = ["-ksp_type", "bcgs", "-ksp_rtol", "1e-7", "-ksp_max_it", "100"]
CG = ["-ksp_type", "cg", "-ksp_rtol", "1e-7", "-ksp_max_it", "500"]


def problems(side):
    for wind in ("constant", "rotating"):
        for eps in ("1e-2", "1e-4"):
            yield f"upwind 128^2, {wind} wind, eps {eps}", ["-problem", f"wind_{wind}", "-n", "128", "-eps", eps, *GMRES]
            yield f"upwind {side}^3, {wind} wind, eps {eps}", ["-problem", f"wind_{wind}", "-n", side, "-nz", side, "-eps", eps, *BICGSTAB]
    for eps in ("1e-2", "3e-3", "1e-3"):
        yield f"central 128^2, constant wind, eps {eps}", ["-problem", "wind_central", "-n", "128", "-eps", eps, *GMRES]
    yield "graph with hubs, 4 links", ["-problem", "hubs", "-n", "500000", "-links", "4", *CG]
    yield f"stretched grid {side}^3, ratio 1.15", ["-problem", "stretched", "-n", side, "-nz", side, *CG]


def run(command, limit):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=limit).stdout
    except subprocess.TimeoutExpired:
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=os.path.join(BUILD, "bench", "defaults.json"))
    parser.add_argument("--side", default="60", help="points a side of the problems in space")
    parser.add_argument("--only", default=".")
    parser.add_argument("--time-out", type=int, default=60)
    arguments = parser.parse_args()
    lines = []
    petsc = subprocess.run(["pkg-config", "--modversion", "PETSc"], capture_output=True, text=True).stdout.strip()
    where = {"machine": "host", "petsc": petsc, "date": datetime.date.today().isoformat()}

    def note(problem, method, command, text, figures):
        line = {"problem": problem, "method": method, **(figures if text is not None else {"reason": f"no result in {arguments.time_out} s"}), **where, "command": " ".join(command)}
        lines.append(line)
        print(f"{problem:45} {method:14} {line.get('rows', ''):>8} {line.get('iterations', '-')!s:>14} {line.get('reason', '')}", flush=True)

    for problem, options in problems(arguments.side):
        for method, choice in METHODS.items():
            if not re.search(arguments.only, problem):
                continue
            command = [os.path.join(BUILD, "bench", "bench_defaults"), *options, *choice]
            text = run(command, arguments.time_out)
            figures = json.loads(text.splitlines()[-1]) if text and text.startswith("{") else {"reason": "failed"}
            note(problem, method, command, text, {k: figures[k] for k in ("rows", "nnz", "iterations", "reason", "residual", "setup_s", "solve_s") if k in figures})
    for refine, rows in (("4", 9604), ("5", 37636)):
        for method, choice in METHODS.items():
            if not re.search(arguments.only, "ex19"):
                continue
            command = [os.path.join(BUILD, "petsc", "snes_tutorials_ex19"), "-dll_append", os.path.abspath(os.path.join(BUILD, "lib", "libgoza.so")), "-da_refine", refine,
                       "-ksp_max_it", "500", "-ksp_converged_reason", "-snes_converged_reason", *choice]
            text = run(command, arguments.time_out)
            its = [int(n) for n in re.findall(r"Linear solve \S+ \S+ .* iterations (\d+)", text or "")]
            reason = re.search(r"Nonlinear solve .* due to (\S+)", text or "")
            note(f"snes ex19 -da_refine {refine}", method, command, text, {"rows": rows, "iterations": its, "reason": reason.group(1) if reason else "failed"})
    os.makedirs(os.path.dirname(arguments.out) or ".", exist_ok=True)
    with open(arguments.out, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


main()
