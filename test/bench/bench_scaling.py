#!/usr/bin/env python3
"""Paper P5's scaling tables (Araya, Fujii, Tanaka) over MPI ranks, with its figures 9 and 10: part of `make bench-scaling`.

Problems, smoothers and settings are those of bench_amg.py: the paper's, or with --settings ours. Strong: the cube of --n cells a side on each number of ranks. Weak: as many cells for
each rank, on 1, 8, 27, 64 ranks. Beside the iterations are the paper's where the cube is the paper's, too (100^3, for each rank where weak). Ranks may share a GPU or a core: iterations
then mean what they always do, seconds do not.

One JSON line a run goes to OUT/scaling_p5.json: iterations, seconds, and for each level rows, nonzeros, ranks, the most values that a rank receives in an
exchange and from how many ranks, and the seconds of smoother, transfer and communication in one solve, as rank 0 logs them. scaling_model.py reads it.

Run lines:
  python3 test/bench/bench_scaling.py
  python3 test/bench/bench_scaling.py --n 24 --weak-n 10 --strong 1,2,4 --weak 1,8 --smoothers mcgs
"""
import argparse
import json
import os
import re
import tempfile

import bench_amg
import charts
import level_times
import solver_runs

STRONG = {
    ("darcy", "jacobi"): {1: 24, 2: 28, 4: 23, 8: 24, 16: 22}, ("darcy", "mcgs"): {1: 20, 2: 24, 4: 21, 8: 23, 16: 23}, ("darcy", "chebyshev"): {1: 21, 2: 23, 4: 17, 8: 22, 16: 20},
    ("anisotropic", "jacobi"): {1: 46, 2: 56, 4: 48, 8: 47, 16: 45}, ("anisotropic", "mcgs"): {1: 26, 2: 26, 4: 28, 8: 28, 16: 29}, ("anisotropic", "chebyshev"): {1: 16, 2: 17, 4: 17, 8: 17, 16: 18},
}
WEAK = {
    ("darcy", "jacobi"): {1: 24, 8: 31, 27: 45, 64: 40}, ("darcy", "mcgs"): {1: 20, 8: 28, 27: 33, 64: 36}, ("darcy", "chebyshev"): {1: 21, 8: 28, 27: 34, 64: 34},
    ("anisotropic", "jacobi"): {1: 46, 8: 50, 27: 50, 64: 51}, ("anisotropic", "mcgs"): {1: 26, 8: 30, 27: 34, 64: 33}, ("anisotropic", "chebyshev"): {1: 19, 8: 22, 27: 22, 64: 24},
}
MIXED = {1: 22, 2: 21, 4: 18, 8: 21, 16: 20}  # table 8: strong, Darcy flow, Chebyshev with single precision on the coarse levels
PROBLEMS = {"darcy": "darcy lognormal", "anisotropic": "anisotropic"}
PARTS = ("smoother", "transfer", "communication", "coarsest")
VIEW = re.compile(r"^ +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)$", re.M)  # level, ranks, rows, nonzeros, values received, messages: the table of -ksp_view
ALONE = re.compile(r"^ +(\d+) +(\d+) +(\d+) +[0-9.]+  \S", re.M)  # level, rows, nonzeros: on one rank


def by_level(options, ranks, gpu, solves):
    """What every level holds and takes, the finest first."""
    with tempfile.TemporaryDirectory() as folder:
        view = os.path.join(folder, "view")
        times = level_times.measure("darcy", [*options, "-ksp_view", f":{view}"], gpu, solves, ranks)
        if "failed" in times:
            return [], 0
        with open(view) as file:
            text = file.read()
        if ranks > 1:
            sizes = {int(found[0]): [int(word) for word in found[1:]] for found in VIEW.findall(text)}
        else:
            sizes = {int(level): [1, int(rows), int(nonzeros), 0, 0] for level, rows, nonzeros in ALONE.findall(text)}
    levels = []
    for level in sorted({level for level, _ in times["steps"]}):
        of = lambda step: times["steps"].get((level, step), 0)
        at = dict(zip(("ranks", "rows", "nonzeros", "ghosts", "messages"), sizes.get(level - 1, [1, 0, 0, 0, 0])))
        at.update(smoother=of("smoother") - of("smoother's exchange"), transfer=of("residual") + of("restriction") + of("interpolation") - of("other exchange"),
                  communication=of("smoother's exchange") + of("other exchange"), coarsest=of("coarsest"), exchanges=times["counts"].get((level, "smoother's exchange"), 0) + times["counts"].get((level, "other exchange"), 0),
                  steps=sum(n for (at_level, step), n in times["counts"].items() if at_level == level and "exchange" not in step))
        levels.append(at)
    return levels, times["whole"]


def paper_iterations(mode, problem, smoother, precision, n):
    """{ranks: iterations} of the paper, where n is its size and it prints them."""
    if n != 100:
        return {}
    if precision == "mixed":
        return MIXED if (mode, problem, smoother) == ("strong", "darcy", "chebyshev") else {}
    return (STRONG if mode == "strong" else WEAK)[problem, smoother]


def iterations_chart(results, mode, problem, n):
    """Iterations over ranks, ours and at its size the paper's."""
    series = {}
    for smoother in dict.fromkeys(r["smoother"] for r in results):
        series[smoother] = [(r["ranks"], r["iterations"]) for r in results if (r["problem"], r["smoother"], r["precision"]) == (problem, smoother, "double")]
        series[f"{smoother}, paper"] = list(paper_iterations(mode, problem, smoother, "double", n).items())
    series = {name: points for name, points in series.items() if points}
    return [charts.scatter(f"{problem}, {mode}", "ranks", "iterations", series, (True, False), joined=True)] if series else []


def main():
    numbers = lambda text: [int(word) for word in text.split(",") if word]  # "": none
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=100, help="cells a side, strong")
    parser.add_argument("--weak-n", type=int, default=100, help="cells a side for each rank, weak")
    parser.add_argument("--strong", type=numbers, default=[1, 2, 4, 8, 16], help="ranks")
    parser.add_argument("--weak", type=numbers, default=[1, 8, 27, 64], help="ranks, cubes of whole numbers")
    parser.add_argument("--problems", type=words, default=list(PROBLEMS))
    parser.add_argument("--smoothers", type=words, default=list(bench_amg.SMOOTHERS))
    parser.add_argument("--precisions", type=words, default=["double", "mixed"])
    parser.add_argument("--settings", default="paper", choices=bench_amg.SETTINGS)
    parser.add_argument("--type", default="cds", help="matrix type")
    parser.add_argument("--solves", type=int, default=5)
    parser.add_argument("--no-levels", action="store_true", help="leave the second run of each case out, which takes the times by level")
    parser.add_argument("--options", default="", help="more options of every solve")
    parser.add_argument("--out", default=os.path.join(solver_runs.BUILD, "bench"), help="folder for the figures and the JSON")
    arguments = parser.parse_args()
    on_device, gpu = solver_runs.device_options()
    os.makedirs(arguments.out, exist_ok=True)
    row = "{:<7} {:<12} {:<10} {:<7} {:>6} {:>6} {:>6} {:>9} {:>9} {:>7} {:>7}   {}"
    results = []

    lines = open(os.path.join(arguments.out, "scaling_p5.json"), "w")
    for ranks in arguments.weak:
        if round(ranks ** (1 / 3)) ** 3 != ranks:
            parser.error(f"--weak: {ranks} is no cube")
    print(f"{arguments.type}, {'GPU' if gpu else 'host'}; ms of a solve by level with the log's waits: smoother + transfer + communication")
    print(row.format("mode", "problem", "smoother", "cycle", "ranks", "its", "paper", "set-up s", "solve s", "speed", "comm %", ""))
    for mode in ("strong", "weak"):
        for problem in arguments.problems:
            for smoother in arguments.smoothers:
                for precision in arguments.precisions:
                    first = None
                    for ranks in arguments.strong if mode == "strong" else arguments.weak:
                        n = arguments.n if mode == "strong" else arguments.weak_n * round(ranks ** (1 / 3))
                        given, table = bench_amg.PROBLEMS[PROBLEMS[problem]]
                        options = ["-dll_append", solver_runs.LIBRARY, "-n", str(n), "-dm_mat_type", arguments.type, *on_device, *bench_amg.ALWAYS.split(), *given.split(),
                                   *bench_amg.SETTINGS[arguments.settings](smoother, table).split(), "-pc_saamg_precision", precision, *arguments.options.split()]
                        result = solver_runs.solve("darcy", [*options, "-solves", str(arguments.solves)], ranks)[-1]
                        paper = paper_iterations(mode, problem, smoother, precision, arguments.n if mode == "strong" else arguments.weak_n).get(ranks, "")
                        if "failed" in result:
                            print(row.format(mode, problem, smoother, precision, ranks, "", paper, "", "", "", "", result["failed"]), flush=True)
                            continue
                        levels, whole = ([], 0) if arguments.no_levels else by_level(options, ranks, gpu, arguments.solves)
                        result.update(work="p5", settings=arguments.settings, mode=mode, problem=problem, smoother=smoother, precision=precision, n=n, ranks=ranks, paper_iterations=paper or None, levels=levels, logged_s=whole, gpu=gpu)
                        results.append(result)
                        print(json.dumps(result), file=lines, flush=True)
                        first = first or result
                        speed = first["solve_s"] / result["solve_s"] if mode == "strong" else (first["solve_s"] / first["iterations"]) / (result["solve_s"] / result["iterations"])
                        share = f"{100 * sum(level['communication'] for level in levels) / whole:.1f}" if whole else ""
                        parts = " | ".join(" + ".join(f"{1e3 * level[part]:.2f}" for part in PARTS[:3]) for level in levels[:-1])
                        print(row.format(mode, problem, smoother, precision, ranks, result["iterations"] if result["reason"].startswith("CONVERGED") else result["reason"][9:15], paper,
                                         f"{result['setup_s']:.4f}", f"{result['solve_s']:.4f}", f"{speed:.2f}", share, parts), flush=True)
    lines.close()
    for mode in ("strong", "weak"):
        chosen = [result for result in results if result["mode"] == mode]
        if not chosen:
            continue
        drawn = [chart for problem in arguments.problems for chart in iterations_chart(chosen, mode, problem, arguments.n if mode == "strong" else arguments.weak_n)]
        shown = [result for result in chosen if result["levels"] and result["smoother"] == arguments.smoothers[-1] and result["precision"] == arguments.precisions[-1]]
        if shown:
            series = {}
            for part in PARTS:
                for level in (0, 1):
                    series[f"level {level + 1} {part}"] = [r["levels"][level][part] if len(r["levels"]) > level + 1 else 0 for r in shown]
                series[part if part == "coarsest" else f"coarser {part}"] = [sum(level[part] for level in r["levels"][2:]) for r in shown]
            series = {name: values for name, values in series.items() if any(values)}
            drawn.append(charts.bars(f"A solve by level and part, {mode}", "solve (s)", [f"{r['problem']}, {r['ranks']}" for r in shown], series, stacked=True))
        charts.write(os.path.join(arguments.out, f"scaling_{mode}.svg"), drawn)


if __name__ == "__main__":
    main()
