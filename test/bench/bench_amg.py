#!/usr/bin/env python3
"""The tables of paper P5 (Araya, Fujii, Tanaka) for one GPU, or one rank of the host: `make bench-amg`.

Darcy flow and anisotropic diffusion in a cube, BiCGStab (PETSc's flexible one, whose x does not go through a cycle in single precision once more) with one V-cycle,
2-norm of the true residual reduced by 1e-7: with the paper's settings (`-pc_saamg_paper`: tables 2 and 3) and, apart, with ours (the finest level's smoother named, all else by the matrix). The paper's permeability field is not known: ours are log-normal
(sigma 1.5, correlation 3 cells) and blocks of 8 cells with K = 1 or 1000. All faces of the cube have p = 0.

Then a solve's time by level and step, from PETSc's log, as in the paper's figure 9.

Run lines:
  python3 test/bench/bench_amg.py --n 100
  python3 test/bench/bench_amg.py --n 20 --type slicedell --out /tmp
  python3 test/bench/bench_amg.py --options="-pc_saamg_coarse_interpolation_degree 1"
"""
import argparse
import datetime
import itertools
import json
import os

import charts
import level_times
import solver_runs

ALWAYS = "-dirichlet xm,xp,ym,yp,zm,zp -ksp_type fbcgs -ksp_pc_side right -ksp_rtol 1e-7 -ksp_max_it 500 -pc_type saamg"
PROBLEMS = {
    "darcy lognormal": ("-permeability lognormal", "darcy"),
    "darcy blocks": ("-permeability blocks", "darcy"),
    "anisotropic": ("-anisotropy 100", "anisotropic"),
}
SETTINGS = {
    "paper": lambda smoother, table: f"-pc_saamg_paper {table} -pc_saamg_finest_smoother {smoother}",
    "ours": lambda smoother, table: f"-pc_saamg_finest_smoother {smoother}",
}
SMOOTHERS = ("jacobi", "mcgs", "chebyshev")
# The paper's, at 100^3 on one M2090: iterations in double precision, and the seconds that it prints
PAPER_ITERATIONS = {("darcy", "jacobi"): 24, ("darcy", "mcgs"): 20, ("darcy", "chebyshev"): 21, ("anisotropic", "jacobi"): 46, ("anisotropic", "mcgs"): 26, ("anisotropic", "chebyshev"): 16}
PAPER_SECONDS = {("darcy", "jacobi", "double"): 1.12, ("darcy", "chebyshev", "mixed"): 1.15, ("anisotropic", "jacobi", "double"): 1.98, ("anisotropic", "chebyshev", "mixed"): 1.29}
ROW = "{:<6} {:<16} {:<10} {:<7} {:>6} {:>6} {:>10} {:>9} {:>8} {:>7}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=100, help="cells a side")
    parser.add_argument("--type", default="cds", help="matrix type")
    parser.add_argument("--settings", nargs="*", default=list(SETTINGS), choices=SETTINGS)
    parser.add_argument("--problems", nargs="*", default=list(PROBLEMS), choices=PROBLEMS)
    parser.add_argument("--precisions", nargs="*", default=["double", "mixed"], choices=["double", "mixed"])
    parser.add_argument("--solves", type=int, default=5)
    parser.add_argument("--by-level", nargs="*", default=["chebyshev"], choices=["none", *SMOOTHERS], help="smoothers whose time is taken by level and step")
    parser.add_argument("--options", default="", help="more options, for all solves")
    parser.add_argument("--out", default=os.path.join(solver_runs.BUILD, "bench"), help="folder for the figures and the JSON")
    arguments = parser.parse_args()
    on_device, gpu = solver_runs.device_options()
    os.makedirs(arguments.out, exist_ok=True)
    where = {"gpu": solver_runs.gpu_name()} if gpu else {"machine": "host"}
    seconds, by_level = {}, {}

    lines = open(os.path.join(arguments.out, "amg.json"), "w")  # as they are measured: a run that is cut off keeps them
    print(f"{arguments.n}^3 cells, {arguments.type}, {'GPU' if gpu else 'host'}, one rank; paper: 100^3, one M2090")
    print(ROW.format("set", "problem", "smoother", "cycle", "its", "paper", "set-up s", "solve s", "paper", "gain"))
    for settings, problem, smoother, precision in itertools.product(arguments.settings, arguments.problems, SMOOTHERS, arguments.precisions):
        options, table = PROBLEMS[problem]
        given = ["-dll_append", solver_runs.LIBRARY, "-n", str(arguments.n), "-dm_mat_type", arguments.type, *on_device, *ALWAYS.split(), *options.split(), *SETTINGS[settings](smoother, table).split(), "-pc_saamg_precision", precision, *arguments.options.split()]
        result = solver_runs.solve("darcy", [*given, "-solves", str(arguments.solves)])[-1]
        same_size = arguments.n == 100
        paper = {"paper_iterations": PAPER_ITERATIONS[table, smoother] if same_size and precision == "double" else None, "paper_s": PAPER_SECONDS.get((table, smoother, precision)) if same_size else None}
        result.update(problem=problem, smoother=smoother, precision=precision, settings=settings, n=arguments.n, **paper, **where, date=datetime.date.today().isoformat())
        if "failed" in result:
            print(f"{settings:<6} {problem:<16} {smoother:<10} {precision:<7} {result['failed']}")
            print(json.dumps(result), file=lines, flush=True)
            continue
        seconds[settings, problem, smoother, precision] = result["solve_s"]
        if smoother in arguments.by_level:
            times = level_times.measure("darcy", given, gpu, arguments.solves)
            if "failed" not in times:
                by_level[f"{settings}: {problem}, {smoother}, {precision}"] = times
                result["logged_ms"] = 1e3 * times["whole"]
                result["ms_by_level"] = {f"{level} {step}": 1e3 * s for (level, step), s in times["steps"].items()}
                result["setup_ms"] = {step: 1e3 * s for step, s in times["setup"].items()}
        print(json.dumps(result), file=lines, flush=True)
        base = seconds.get((settings, problem, "jacobi", "double"))
        print(ROW.format(settings, problem, smoother, precision, result["iterations"] if result["reason"].startswith("CONVERGED") else result["reason"][9:15],
                         paper["paper_iterations"] or "", f"{result['setup_s']:.4f}", f"{result['solve_s']:.4f}", paper["paper_s"] or "", f"{base / result['solve_s']:.2f}x" if base else ""))
    print()
    for name, times in by_level.items():
        level_times.print_times(name, times)
    lines.close()
    cases = [(settings, problem) for settings in arguments.settings for problem in arguments.problems]
    drawn = [charts.bars(f"SA-AMG BiCGStab, {arguments.n}^3", "solve (s)", [f"{problem}, {settings}" for settings, problem in cases],
                         {f"{smoother}, {precision}": [seconds.get((*case, smoother, precision), 0) for case in cases] for smoother in SMOOTHERS for precision in arguments.precisions})]
    if by_level:
        shares = {name: level_times.parts(times) for name, times in by_level.items()}
        drawn.append(charts.bars(f"A solve by level and step, {arguments.n}^3", "solve (s)", list(shares), {part: [shares[name][part] for name in shares] for part in next(iter(shares.values()))}, stacked=True))
    charts.write(os.path.join(arguments.out, "amg.svg"), drawn)


if __name__ == "__main__":
    main()
