#!/usr/bin/env python3
"""saamg beside what this PETSc was built with (GAMG at its defaults and at the best of a small search, hypre, ML, AmgX): `make bench-peers`.

Trilinear finite elements (27 points, random coefficient) and finite volumes (7 points, log-normal permeability), until the true residual has fallen by 1e-7: the first set-up of a process
and one for new values in the same pattern, the first solve and the best, iterations, true residual, memory. The plain methods run on aijcusparse where there is a GPU, else on aij.
A line of JSON a run: a new test/bench/results/solves.json.

Run lines:
  python3 test/bench/bench_peers.py --n 64,128,256 --plain-up-to 128
  python3 test/bench/bench_peers.py --n 12 --search 8 --out /tmp
"""
import argparse
import datetime
import itertools
import json
import os

import solver_runs

GAMG = {"-pc_gamg_threshold": ["-1", "0.01", "0.05"], "-pc_gamg_aggressive_coarsening": ["0", "1"], "-mg_levels_ksp_max_it": ["1", "2"]}
PROBLEMS = {"27 points": ("poisson", ["-coefficient", "random", "-resolve"]), "7 points, log-normal": ("darcy", ["-permeability", "lognormal"])}
OURS = [  # KSP and options of saamg
    ("cg", ""),
    ("fusedcg", ""),
    ("fusedcg", "-pc_saamg_precision half -pc_saamg_chebyshev_kind 4 -pc_saamg_chebyshev_degree 1"),
    ("fusedcg", "-pc_saamg_reuse none"),
    ("fusedcg", "-pc_saamg_reuse interpolation"),
]
PEERS = ["gamg", "hypre", "ml", "amgx"]
KEPT = ["program", "nodes", "mat_type", "ksp_type", "pc_type", "iterations", "setup_s", "first_solve_s", "solve_s", "residual", "reason", "host_mb", "device_mb", "petsc"]
ROW = "{:<22} {:>5} {:<100} {:>9} {:>11} {:>5} {:>9} {:>9} {:>9}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", default="64,128", help="unknowns a side")
    parser.add_argument("--plain-up-to", type=int, default=10**9, help="largest size for PETSc's own methods, whose set-up may take minutes")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--search", type=int, default=0, help="size at which GAMG's settings are searched; 0: not at all")
    parser.add_argument("--solves", type=int, default=6)
    parser.add_argument("--out", default=os.path.join(solver_runs.BUILD, "bench"))
    arguments = parser.parse_args()
    on_device, gpu = solver_runs.device_options()
    os.makedirs(arguments.out, exist_ok=True)
    where = {"gpu": solver_runs.gpu_name()} if gpu else {"machine": "host"}
    plain = "aijcusparse" if gpu else "aij"

    def solve(problem, n, mat_type, ksp_type, pc_type, options):
        """One record: the first set-up and its solves, and how long a set-up with new values takes."""
        program, own = PROBLEMS[problem]
        library = ["-dll_append", solver_runs.LIBRARY] if pc_type == "saamg" else []
        lines = solver_runs.solve(program, ["-n", str(n), *own, *library, "-dm_mat_type", mat_type, *on_device, "-ksp_type", ksp_type, "-ksp_norm_type", "unpreconditioned", "-ksp_rtol", "1e-7",
                                            "-ksp_error_if_not_converged", "false", "-pc_type", pc_type, "-solves", str(arguments.solves), *options.split()], device_mb=True)
        if "failed" in lines[0]:
            return {"problem": problem, "nodes": [n] * 3, "ksp_type": ksp_type, "pc_type": pc_type, "options": options, **lines[0]}
        first, last = lines[0], lines[-1]
        memory = {field: last[field] for field in ("host_mb", "device_mb")}
        return {"problem": problem, "options": options, "nodes": [n] * 3, **{field: {**first, **memory}[field] for field in KEPT if field in first or field in memory}, "mat_type": mat_type,
                **({"setup_again_s": last["setup_s"]} if len(lines) > 1 else {}), **where, "date": datetime.date.today().isoformat(), "command": "make bench-peers"}

    def best_gamg(problem):
        def seconds(options):
            result = solve(problem, arguments.search, plain, "cg", "gamg", options)
            return result["solve_s"] if str(result.get("reason")).startswith("CONVERGED") else float("inf")

        return min((" ".join(itertools.chain(*zip(GAMG, values))) for values in itertools.product(*GAMG.values())), key=seconds)

    print(ROW.format("problem", "n", "method", "set-up s", "new values", "its", "first s", "best s", "residual"))
    with open(os.path.join(arguments.out, "solves.json"), "w") as file:
        for problem in PROBLEMS:
            theirs = [("cg", pc, "") for pc in arguments.peers.split(",") if pc] + ([("cg", "gamg", best_gamg(problem))] if arguments.search else [])
            for n in map(int, arguments.n.split(",")):
                runs = [(plain, *peer) for peer in theirs if n <= arguments.plain_up_to] + [("cds", ksp, "saamg", options) for ksp, options in OURS]
                for mat_type, ksp_type, pc_type, options in runs:
                    if "-pc_saamg_reuse" in options and "-resolve" not in PROBLEMS[problem][1]:
                        continue
                    r = solve(problem, n, mat_type, ksp_type, pc_type, options)
                    name = f"{ksp_type} + {pc_type} {options}".strip()
                    if "failed" in r:
                        print(f"{problem:<22} {n:>5} {name}: {r['failed'][:90]}")
                        continue
                    file.write(json.dumps(r) + "\n")
                    file.flush()
                    seconds = lambda field: f"{r[field]:.4f}" if field in r else ""
                    print(ROW.format(problem, n, name, seconds("setup_s"), seconds("setup_again_s"), r["iterations"], seconds("first_solve_s"), seconds("solve_s"), f"{r['residual']:.1e}"), flush=True)


if __name__ == "__main__":
    main()
