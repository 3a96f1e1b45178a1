"""Where the time of a solve with saamg goes, by level and step, from PETSc's log: paper P5's figure 9."""
import csv
import os
import re
import tempfile

import solver_runs

SETUP = {"SAAMGStrength": "strength", "SAAMGAggregate": "aggregates", "SAAMGProlong": "interpolation", "SAAMGGalerkin": "Galerkin product", "SAAMGEigen": "eigenvalues", "SAAMGMirror": "formats"}
STEPS = {"SAAMGSmooth": "smoother", "SAAMGResid": "residual", "SAAMGRestrict": "restriction", "SAAMGInterp": "interpolation", "SAAMGCoarse": "coarsest"}
EXCHANGES = {"SAAMGHaloS": "smoother's exchange", "SAAMGHaloT": "other exchange"}  # parts of the steps, on several ranks


def measure(program, options, gpu, solves, ranks=1):
    """Seconds of one solve on rank 0: {(level from 1, step): s}, of the set-up: {step: s}, and of the whole solve; and how often: {(level, step): n}. On the GPU every step waits for the device."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        result = solver_runs.solve(program, [*options, "-solves", str(solves), "-log_view", f":{log}:ascii_csv", *(["-log_view_gpu_time"] if gpu else [])], ranks)[-1]
        if "failed" in result:
            return result
        steps, counts, setup, whole = {}, {}, {}, 0
        names = {**STEPS, **EXCHANGES}
        with open(log, newline="") as file:
            for row in csv.reader(file):
                if len(row) < 5 or row[2] != "0" or row[3] == "0":  # rank 0, and what happened: every stage lists every event
                    continue
                event, seconds = row[1], float(row[4])
                found = re.fullmatch(r"([A-Za-z]+) ([0-9]+)", event)
                if found and found[1] in names:
                    steps[int(found[2]) + 1, names[found[1]]] = seconds / solves
                    counts[int(found[2]) + 1, names[found[1]]] = int(row[3]) / solves
                elif event in SETUP:
                    setup[SETUP[event]] = seconds
                elif event == "KSPSolve":
                    whole = seconds / solves
        return {"steps": steps, "counts": counts, "setup": setup, "whole": whole}


def parts(times):
    """The parts of figure 9, in the order in which they are stacked."""
    steps = times["steps"]
    smoothing = lambda level: steps.get((level, "smoother"), 0) + steps.get((level, "coarsest"), 0)
    levels = {level for level, _ in steps}
    shares = {f"level {level} smoother": smoothing(level) for level in (1, 2)}
    shares["coarser smoothers"] = sum(smoothing(level) for level in levels if level > 2)
    shares["between levels"] = sum(seconds for (_, step), seconds in steps.items() if step in ("residual", "restriction", "interpolation"))
    shares["Krylov method"] = max(0, times["whole"] - sum(shares.values()))
    return shares


def print_times(name, times):
    """A table, milliseconds: levels down, steps across."""
    print(f"{name}: {1e3 * times['whole']:.3f} ms a solve with the log's waits; ms by level and step")
    columns = list(STEPS.values())
    print(("{:>8}" + "{:>15}" * len(columns)).format("level", *columns))
    for level in sorted({level for level, _ in times["steps"]}):
        print(("{:>8}" + "{:>15}" * len(columns)).format(level, *(f"{1e3 * times['steps'][level, step]:.3f}" if (level, step) in times["steps"] else "" for step in columns)))
    print("  set-up: " + ", ".join(f"{step} {1e3 * seconds:.1f}" for step, seconds in times["setup"].items()))
