#!/usr/bin/env python3
"""Solves of two of the examples on one, two, four GPUs, a rank each, by every kind of exchange: strong (the same problem on all) and weak (as much for each); part of `make bench-scaling`.

poisson: 27 points with random coefficients, --n nodes a side. elasticity: hexahedra, nonlinear, so that one set-up serves several solves; --solid nodes a side. Weak, the cube has about as
many nodes as so many cubes of --weak-n and --weak-solid: elements of a box that is longer one way would be longer, too. saamg and fusedcg with no option set. One JSON line a run goes to --out: seconds of the set-up and of a solve (poisson: the fastest of five, elasticity: the mean of
Newton's), iterations of a solve. On a host ranks share cores: seconds then mean little. A run that fails is told and left out; --seconds: none begins later.

Run lines:
  python3 test/bench/bench_gpus.py --out test/bench/results/gpus.json
  python3 test/bench/bench_gpus.py --gpus 1,2 --n 24 --weak-n 16 --solid 9 --weak-solid 7
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import time

import solver_runs

METHOD = ["-dm_mat_type", "cds", "-pc_type", "saamg", "-ksp_type", "fusedcg"]
TIMES = re.compile(r"set-up of the preconditioner ([\d.]+) s \(1\), solves with it ([\d.]+) s \((\d+)\)")
SOLVED = re.compile(r"^(\d+) unknowns: CONVERGED.* after (\d+) iterations in (\d+) solves", re.M)


def poisson(nodes, ranks, options):
    return solver_runs.solve("poisson", [*grid(nodes), "-coefficient", "random", "-ksp_rtol", "1e-7", "-solves", "5", "-setups", "2", *options], ranks)[-1]


def elasticity(nodes, ranks, options):
    """What the program prints, as a record like poisson's."""
    command = [*([os.environ.get("MPIEXEC") or "mpiexec", "-n", str(ranks)] if ranks > 1 else []), os.path.join(solver_runs.BUILD, "bin", "elasticity"), *grid(nodes), "-soften", "5", "-times", *options]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=solver_runs.TIMEOUT).stdout
    except subprocess.TimeoutExpired:
        return {"failed": f"no end after {solver_runs.TIMEOUT} s"}
    times, solved = TIMES.search(said), SOLVED.search(said)
    if not times or not solved:
        return {"failed": (said.strip().splitlines() or ["no result"])[0]}
    return {"N": int(solved[1]), "iterations": round(int(solved[2]) / int(solved[3]), 1), "setup_s": float(times[1]), "solve_s": float(times[2]) / int(times[3]), "command": " ".join(command)}


def grid(nodes):
    return [word for axis, n in zip("xyz", nodes) for word in (f"-da_grid_{axis}", str(n))]


def main():
    numbers = lambda text: [int(word) for word in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpus", type=numbers, default=[1, 2, 4], help="ranks; on GPUs as many as there are")
    parser.add_argument("--halos", type=lambda text: text.split(","), default=["peer", "nccl"])
    parser.add_argument("--n", type=int, default=160)
    parser.add_argument("--weak-n", type=int, default=100)
    parser.add_argument("--solid", type=int, default=97)
    parser.add_argument("--weak-solid", type=int, default=65)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--out", default=os.path.join(solver_runs.BUILD, "bench", "gpus.json"))
    arguments = parser.parse_args()
    begin, gpu = time.time(), solver_runs.gpu_name()
    on_device, _ = solver_runs.device_options()
    petsc = solver_runs.solve("poisson", ["-n", "4"])[-1].get("petsc")
    os.makedirs(os.path.dirname(os.path.abspath(arguments.out)), exist_ok=True)
    with open(arguments.out, "w") as out:
        for halo in arguments.halos:
            for program, strong, weak in ((poisson, arguments.n, arguments.weak_n), (elasticity, arguments.solid, arguments.weak_solid)):
                for mode, n in (("strong", strong), ("weak", weak)):
                    for ranks in arguments.gpus:
                        if (ranks == 1 and halo != arguments.halos[0]) or time.time() - begin > arguments.seconds:
                            continue
                        nodes = [round(n * ranks ** (1 / 3)) if mode == "weak" else n] * 3
                        found = program(nodes, ranks, ["-dll_append", solver_runs.LIBRARY, *METHOD, *on_device, "-goza_halo", halo])
                        if "failed" in found:
                            print(f"{program.__name__} {mode} {ranks} {halo}: {found['failed']}", flush=True)
                            continue
                        record = {"work": "gpus", "problem": program.__name__, "mode": mode, "halo": halo if ranks > 1 else None, "ranks": ranks, "nodes": nodes,
                                  **{key: found[key] for key in ("N", "iterations", "setup_s", "solve_s")}, "gpu": gpu, "petsc": petsc, "date": datetime.date.today().isoformat(), "command": "bench_gpus.py"}
                        print(json.dumps(record), file=out, flush=True)
                        print(f"{program.__name__:<11} {mode:<7} {halo if ranks > 1 else '-':<5} {ranks} {found['N']:>9} rows, {found['iterations']} iterations, set-up {found['setup_s']:.4f} s, solve {found['solve_s']:.5f} s", flush=True)


if __name__ == "__main__":
    main()
