#!/usr/bin/env python3
"""saamg beside what this PETSc was built with (GAMG at its defaults and at the best of a small search, hypre, ML, AmgX): `make bench-peers`.

Trilinear finite elements (27 points, random coefficient) and finite volumes (7 points, log-normal permeability), CG until the true residual has fallen by 1e-7: the first set-up of a
process, one for new values in the same pattern, solve, iterations, true residual, memory. The plain methods run on aijcusparse where there is a GPU, else on aij.

Run lines:
  python3 test/bench/bench_peers.py --n 64,128
  python3 test/bench/bench_peers.py --n 12 --search 8 --out /tmp
"""
import argparse
import itertools
import json
import os

import solver_runs

GAMG = {"-pc_gamg_threshold": ["-1", "0.01", "0.05"], "-pc_gamg_aggressive_coarsening": ["0", "1"], "-mg_levels_ksp_max_it": ["1", "2"]}
ROW = "{:<10} {:>5} {:<22} {:>9} {:>11} {:>5} {:>9} {:>10} {:>9} {:>9}"
PROGRAMS = {"27 points": ("poisson", ["-coefficient", "random", "-resolve"]), "7 points": ("darcy", ["-permeability", "lognormal"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", default="64,128", help="unknowns a side")
    parser.add_argument("--search", type=int, default=48, help="size at which GAMG's settings are searched")
    parser.add_argument("--solves", type=int, default=5)
    parser.add_argument("--out", default=os.path.join(solver_runs.BUILD, "bench"))
    arguments = parser.parse_args()
    on_device, gpu = solver_runs.device_options()
    os.makedirs(arguments.out, exist_ok=True)
    plain = ["-dm_mat_type", "aijcusparse" if gpu else "aij", *on_device, "-ksp_error_if_not_converged", "false"]
    results = []

    def solve(problem, n, options):
        program, own = PROGRAMS[problem]
        return solver_runs.solve(program, ["-n", str(n), *own, "-ksp_type", "cg", "-ksp_norm_type", "unpreconditioned", "-ksp_rtol", "1e-7", "-solves", str(arguments.solves), *options])

    def best_gamg(problem):
        def seconds(settings):
            result = solve(problem, arguments.search, [*plain, "-pc_type", "gamg", *settings])[0]
            return result["solve_s"] if str(result.get("reason")).startswith("CONVERGED") else float("inf")

        return min((list(itertools.chain(*zip(GAMG, values))) for values in itertools.product(*GAMG.values())), key=seconds)

    print(ROW.format("problem", "n", "method", "set-up s", "new values", "its", "solve s", "residual", "host MB", "GPU MB"))
    for problem in PROGRAMS:
        goza = ["-dll_append", solver_runs.LIBRARY, "-dm_mat_type", "cds", *on_device, "-pc_type", "saamg"]
        methods = {
            "saamg": goza,
            "saamg, values only": [*goza, "-pc_saamg_reuse", "interpolation"],
            "saamg, single": [*goza, "-pc_saamg_precision", "single", "-pc_saamg_finest_chebyshev_degree", "1"],
            "gamg": [*plain, "-pc_type", "gamg"],
            "gamg, best": [*plain, "-pc_type", "gamg", *best_gamg(problem)],
            "hypre": [*plain, "-pc_type", "hypre"],
            "ml": [*plain, "-pc_type", "ml"],
            "amgx": [*plain, "-pc_type", "amgx"],
        }
        print(f"gamg, best for {problem}: {' '.join(methods['gamg, best'][len(plain) + 2:])}")
        for n in arguments.n.split(","):
            for method, options in methods.items():
                if method.endswith("values only") and "-resolve" not in PROGRAMS[problem][1]:
                    continue
                lines = solve(problem, n, options)
                first, last = lines[0], lines[-1]
                results.append(dict(last, problem=problem, n=int(n), method=method, lines=lines))
                if "failed" in first:
                    print(f"{problem:<10} {n:>5} {method:<22} {first['failed'][:90]}")
                    continue
                print(ROW.format(problem, n, method, f"{first['setup_s']:.4f}", f"{last['setup_s']:.4f}" if len(lines) > 1 else "", first["iterations"], f"{first['solve_s']:.4f}",
                                 f"{first['residual']:.1e}", f"{last['host_mb']:.0f}", f"{last['device_mb']:.0f}" if last["device_mb"] else "-"))
    with open(os.path.join(arguments.out, "peers.json"), "w") as file:
        file.writelines(json.dumps(result) + "\n" for result in results)


if __name__ == "__main__":
    main()
