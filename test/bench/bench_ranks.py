#!/usr/bin/env python3
"""Ranks that share a GPU: where the time of a set-up behind a group goes, and PETSc's unmodified ex45 on the same cores with ML.

Each line is of one run of `-log_view`: the longest of the ranks' times in each event of a stage.

Run lines:
  python3 test/bench/bench_ranks.py poisson --ranks 1,2,4,8 --nodes 150,130,110
  BUILD=build/deb python3 test/bench/bench_ranks.py ex45 --ranks 8 --n 97
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys

import solver_runs

EVENTS = ("PCSetUp", "GozaGroupRows", "GozaGroupValues", "GozaGroupWait", "GozaMatBuild", "MatConvert", "MatAssemblyEnd", "MatCUSPARSCopyTo", "MatCUSPARSCopyFr", "SAAMGStrength", "SAAMGProlong",
          "SAAMGGalerkin", "SAAMGEigen", "SAAMGMirror", "KSPSolve")


def stages(program, options, ranks):
    """What the program prints, and {stage: {event: seconds}}."""
    command = [os.environ.get("MPIEXEC") or "mpiexec", "-n", str(ranks), program, *options, "-log_view", "-log_view_gpu_time"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=solver_runs.TIMEOUT)
    except subprocess.TimeoutExpired:
        sys.exit(f"bench_ranks: no end after {solver_runs.TIMEOUT} s: {' '.join(command)}")
    if run.returncode:
        sys.exit(f"bench_ranks: {' '.join(command)}\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    found, stage = {}, None
    for line in run.stdout.splitlines():
        heading = re.match(r"--- Event Stage \d+: (.*)", line)
        event = re.match(r"(\w+)\s+\d+ +[\d.]+ +([\d.]+e[+-]\d+)", line)
        if heading:
            stage = found.setdefault(heading[1].strip(), {})
        elif event and stage is not None and event[1] in EVENTS:
            stage[event[1]] = float(event[2])
    return run.stdout, found


def poisson(arguments):
    """First set-up and one with new values, then the events of both."""
    nodes = arguments.nodes.split(",")
    grid = [word for axis, n in zip("xyz", nodes) for word in (f"-da_grid_{axis}", n)]
    on_device, _ = solver_runs.device_options()
    for ranks in arguments.ranks.split(","):
        text, found = stages(os.path.join(solver_runs.BUILD, "bin", "poisson"), [*grid, "-coefficient", "random", "-dll_append", solver_runs.LIBRARY, "-dm_mat_type", "cds", *on_device, "-pc_type", "saamg",
                                                                                 "-ksp_rtol", "1e-7", "-ksp_type", "fusedcg", "-solves", "5", "-resolve", *shlex.split(arguments.options)], int(ranks))
        setups = re.findall(r"^(solve|resolve):.* set-up ([\d.]+) s.* solve ([\d.]+) s", text, re.M)
        record = {"work": "ranks", "ranks": int(ranks), "nodes": [int(n) for n in nodes], **{f"{what}_{part}_s": float(s) for what, *both in setups for part, s in zip(("setup", "solve"), both)}}
        print(json.dumps({**record, "setup": found.get("Setup", {})}), flush=True)


def ex45(arguments):
    """Set-up and solve of 7 points on n^3, by ML and by Goza."""
    program = os.path.join(solver_runs.BUILD, "petsc", "ksp_ksp_tutorials_ex45")
    grid = [word for axis in "xyz" for word in (f"-da_grid_{axis}", str(arguments.n))]
    totals = {}
    for name, options in (("ml", ["-ksp_type", "cg", "-pc_type", "ml"]),
                          ("goza", ["-dll_append", solver_runs.LIBRARY, "-dm_mat_type", "cds", "-ksp_type", "fusedcg", "-pc_type", "saamg", *shlex.split(arguments.options)])):
        text, found = stages(program, [*grid, "-ksp_rtol", "1e-7", "-ksp_converged_reason", *options], int(arguments.ranks))
        times = found.get("Main Stage", {})
        totals[name] = times.get("PCSetUp", 0) + times.get("KSPSolve", 0)
        print(json.dumps({"work": "ex45", "n": arguments.n, "ranks": int(arguments.ranks), "with": name, "setup_s": times.get("PCSetUp"), "solve_s": times.get("KSPSolve"),
                          "iterations": [int(n) for n in re.findall(r"iterations (\d+)", text)]}), flush=True)
    print(f"set-up and solve: Goza {totals['ml'] / totals['goza']:.2f} times as fast as ML")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("poisson", "ex45"))
    parser.add_argument("--ranks", default="8")
    parser.add_argument("--nodes", default="150,130,110")
    parser.add_argument("--n", type=int, default=97, help="points a side of ex45")
    parser.add_argument("--options", default="", help="more of PETSc's, for Goza's runs: --options='-goza_ranks_per_gpu own'")
    arguments = parser.parse_args()
    {"poisson": poisson, "ex45": ex45}[arguments.what](arguments)


if __name__ == "__main__":
    main()
