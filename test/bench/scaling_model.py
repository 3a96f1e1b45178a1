#!/usr/bin/env python3
"""Seconds of a solve beyond the GPUs at hand: a model of paper P5's problems on 64 to 4096 GPUs, fitted to lines of bench_scaling.py.

A solve takes
    a steps + s solves + b bytes + c exchanges + d messages + e values + f reductions log2(ranks)
where, level by level and as rank 0 counted them, `steps` are the cycle's steps but for those of the coarsest level, which are `solves` of thirty sweeps each and stand for all of a cycle that does not grow with rows, `bytes` what all of them read of the operator
(the nonzeros of the fullest rank, 12 bytes each in double, 8 in single), `exchanges` those of the level's vectors, `messages` and `values` what one of them brings the rank that receives most, and `reductions` the dot products of the
Krylov method, 6 in an iteration of BiCGStab. a .. f are seconds, none of them negative, by least squares of the relative errors. A part of the runs (--hold) is left out of the fit and
shows the error. Then the hierarchy is continued to more ranks: each level keeps its rows for a level above, its nonzeros a row and the surface of its share as they
were in the largest run of the same problem, a level goes to fewer ranks below --gather rows a rank, and iterations are those of that run.

What the model does not know: ranks that share a GPU (such runs are left out with --one-to-a-gpu N, the number of GPUs), links that are slower between hosts than
within one (give --link SECONDS and --bandwidth BYTES/S of the slower link), contention, and growth of the iterations.

Run lines:
  python3 test/bench/scaling_model.py build/bench/scaling_p5.json
  python3 test/bench/scaling_model.py a.json b.json --one-to-a-gpu 2 --link 5e-6 --bandwidth 25e9
"""
import argparse
import json
import math
import zlib

NAMES = ("a step", "a solve on the coarsest level", "a byte", "an exchange", "a message", "a value's bytes", "a reduction, times log2(ranks)")
REDUCTIONS = 6
GATHER = 1000  # rows a rank, below which a level goes to fewer
HELD = 0.33  # of the runs: the fit does not see them
SOLVES = (64, 128, 256, 512, 1024, 2048, 4096)


def value_bytes(run, level):
    return 8 if run["precision"] == "double" or level == 0 else 4


def features(run, levels=None, ranks=None):
    levels, ranks = levels or run["levels"], ranks or run["ranks"]
    x = [0.0] * len(NAMES)
    for l, level in enumerate(levels):
        value = value_bytes(run, l)
        x[0 if level is not levels[-1] else 1] += level["steps"]
        x[2] += level["steps"] * level["nonzeros"] * (value + 4)
        x[3] += level["exchanges"] if level["messages"] else 0
        x[4] += level["exchanges"] * level["messages"]
        x[5] += level["exchanges"] * level["ghosts"] * value
    x[6] = REDUCTIONS * run["iterations"] * math.log2(ranks)
    return x


def fit(runs):
    """The seconds of NAMES, none negative: coordinate descent on the squares of the relative errors."""
    rows = [[v / run["solve_s"] for v in features(run)] for run in runs]
    scale = [max((abs(row[k]) for row in rows), default=0) or 1 for k in range(len(NAMES))]
    rows = [[v / s for v, s in zip(row, scale)] for row in rows]
    square = [[sum(row[i] * row[j] for row in rows) for j in range(len(NAMES))] for i in range(len(NAMES))]
    right = [sum(row[i] for row in rows) for i in range(len(NAMES))]
    c = [0.0] * len(NAMES)
    for _ in range(20000):
        for k in range(len(NAMES)):
            if square[k][k] > 0:
                c[k] = max(0.0, (right[k] - sum(square[k][j] * c[j] for j in range(len(NAMES)) if j != k)) / square[k][k])
    return [v / s for v, s in zip(c, scale)]


def seconds(cost, x):
    return sum(c * v for c, v in zip(cost, x))


def faces(ranks):
    """Of a rank's box the faces that others touch: one of two ranks, three of eight, six in the midst of many."""
    return max(1.0, min(6.0, 3 * (ranks ** (1 / 3) - 1))) if ranks > 1 else 0.0


def continued(run, ranks, gather, each=False):
    """The levels of a run on more ranks, of the same cells in all (strong) or for each (weak); each: all cells of the run for each."""
    weak = each or run["mode"] == "weak"
    total = [level["rows"] * level["ranks"] * (ranks if each else ranks / run["ranks"] if weak else 1) for level in run["levels"]]
    levels = []
    for level, rows in zip(run["levels"], total):
        active = max(1, min(ranks, int(rows // gather) or 1)) if rows < gather * ranks else ranks
        mine = rows / active
        surface = (mine / level["rows"]) ** (2 / 3) if level["rows"] else 0
        met = faces(active) if level is run["levels"][0] else min(26.0, min(3.0, active ** (1 / 3)) ** 3 - 1)  # neighbours of a 7-point operator, and of one with corners
        levels.append(dict(level, rows=mine, ranks=active, nonzeros=level["nonzeros"] * mine / max(1, level["rows"]), ghosts=level["ghosts"] * surface * faces(active) / max(1.0, faces(level["ranks"])),
                           messages=max(level["messages"], met) if active > 1 else 0))
    while weak and len(levels) > 1 and levels[-1]["rows"] * levels[-1]["ranks"] > 500:  # more levels, until the coarsest is small
        ratio = max(2.0, run["levels"][-2]["rows"] * run["levels"][-2]["ranks"] / max(1, run["levels"][-1]["rows"] * run["levels"][-1]["ranks"]))
        rows = levels[-1]["rows"] * levels[-1]["ranks"] / ratio
        last = levels[-1]
        levels[-1] = dict(last, steps=levels[-2]["steps"])
        levels.append(dict(last, rows=rows, ranks=1, nonzeros=last["nonzeros"] * rows / max(1, last["rows"]), ghosts=0, messages=0))
    return levels


def apart(runs, share):
    """Those that the fit sees, and those held back: the same choice every time."""
    key = lambda run: zlib.crc32("{mode} {problem} {smoother} {precision} {n} {ranks}".format(**run).encode()) / 2**32
    return [run for run in runs if key(run) >= share], [run for run in runs if key(run) < share]


def usable(runs):
    return [run for run in runs if run.get("work") == "p5" and run["levels"] and run["levels"][0]["rows"] and run["reason"].startswith("CONVERGED")]


def errors(cost, runs):
    return [seconds(cost, features(run)) / run["solve_s"] - 1 for run in runs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="scaling_p5.json of runs with times by level")
    parser.add_argument("--hold", type=float, default=HELD, help="share of the runs that the fit does not see")
    parser.add_argument("--gather", type=float, default=GATHER, help="-pc_saamg_gather_limit")
    parser.add_argument("--one-to-a-gpu", type=int, default=0, help="leave out runs on more ranks than this")
    parser.add_argument("--link", type=float, default=0, help="seconds that an exchange and a reduction's step take more between hosts")
    parser.add_argument("--bandwidth", type=float, default=0, help="bytes/s of a link between hosts")
    arguments = parser.parse_args()
    runs = []
    for name in arguments.files:
        with open(name) as file:
            runs += usable(map(json.loads, file))
    runs = [run for run in runs if not 0 < arguments.one_to_a_gpu < run["ranks"]]
    used, held = apart(runs, arguments.hold)
    if len(used) < len(NAMES):
        print(f"no model: {len(used)} runs are too few to fit {len(NAMES)} numbers to")
        return
    cost = fit(used)
    print(f"fitted to {len(used)} runs on {sorted({run['ranks'] for run in used})} ranks, checked on {len(held)} others:")
    for name, value in zip(NAMES, cost):
        print(f"  {name:<32} {value:.3e} s" + (f" ({1 / value:.3e} B/s)" if "byte" in name and value > 0 else ""))
    for name, some in (("used", used), ("others", held)):
        wrong = list(map(abs, errors(cost, some)))
        if wrong:
            mean = sum(wrong) / len(wrong)
            print(f"  error on the runs {name}: mean {100 * mean:.1f} %, largest {100 * max(wrong):.1f} %")
            if some is held and mean > 0.15:
                print("  WARNING: on runs that it has not seen the model errs by more than 15 %: what it predicts below is not to be relied on")
    if not held:
        print("  WARNING: no run was held back: nothing says how far the predictions below are off")
    between = list(cost)
    between[3] += arguments.link
    between[6] += arguments.link
    if arguments.bandwidth:
        between[5] = max(cost[5], 1 / arguments.bandwidth)
    print("\npredicted seconds of a solve" + (f", links between hosts {arguments.link:g} s and {arguments.bandwidth:g} B/s more" if arguments.link or arguments.bandwidth else ", links as those of the runs"))
    print("{:<7} {:<12} {:<10} {:<7} {:>5} {:>6}".format("mode", "problem", "smoother", "cycle", "from", "its") + "".join(f"{ranks:>9}" for ranks in SOLVES))
    largest = {}
    for run in runs:
        case = (run["mode"], run["problem"], run["smoother"], run["precision"])
        if case not in largest or run["ranks"] > largest[case]["ranks"]:
            largest[case] = run
    for case, run in largest.items():
        times = [seconds(between, features(run, continued(run, ranks, arguments.gather), ranks)) for ranks in SOLVES]
        print("{:<7} {:<12} {:<10} {:<7} {:>5} {:>6}".format(*case, run["ranks"], run["iterations"]) + "".join(f"{t:>9.4f}" for t in times))


if __name__ == "__main__":
    main()
