#!/usr/bin/env python3
"""The league: saamg and its peers, no option set but -pc_type, on some hundred problems made here with fixed seeds, at up to three sizes. With --device on a GPU, where PETSc can: its own methods on
aijcusparse; saamg on slicedell, behind the fused method of the problem's Krylov method; a method's problems one after the other in one process, the first twice, so that CUDA's start is in no time.

  BUILD=build/host python3 test/bench/league.py [--sizes 0] [--only PATTERN] [--methods saamg,gamg,hypre,ml] [--out FILE] [--time-out 60] [--options "..."] [--jobs 8]

One JSON line a problem, size and method in FILE (test/bench/results/league.json holds what the table of test/bench/README.md shows): rows, iterations to a true residual of 1e-7, reason,
seconds, or the sentence of an error. Problems that FILE has already are run again; others stay as they are. At the end, and with --summary alone, how the methods compare. Needs $BUILD/bench/bench_league (make bench).
With --peers FILE what FILE has of these sizes and other methods is compared, too, and with --most 1.6 it is an error where saamg takes more than so many times the iterations of the best peer, or fails where one does not.
Families: defaults of saamg may be chosen by what "tuned" ones take; "reported" ones are not looked at meanwhile.
"""
import argparse
import datetime
import itertools
import json
import math
import os
import re
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import solver_runs

BUILD = os.environ.get("BUILD", "build")
PROGRAM = os.path.join(BUILD, "bench", "bench_league")
MOST = 100  # iterations within which a problem counts as solved
# Each process is an MPI program by itself, also where a launcher has started this one.
ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.startswith(("PMI", "OMPI"))},
               "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(words, problems, limit):
    """A JSON line's values a problem, as they come: a problem that ends the process, or has no line after so many seconds, is left out, with its reason, and the rest goes on in a new one, as it does
    after an error of CUDA's, which no later problem of its process would be free of."""
    left = list(problems)
    while left:
        process, late = subprocess.Popen([*words, "-problem", ",".join(left)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ENVIRONMENT), []
        watch = lambda: threading.Timer(limit, lambda: (late.append(True), process.kill()))
        timer = watch()
        timer.start()
        spoilt = False
        for line in process.stdout:
            if line.startswith("{"):
                timer.cancel()
                timer = watch()
                timer.start()
                result = json.loads(line)
                left.remove(result["problem"])
                yield result["problem"], result
                if re.search("cuda error|cusparse|cublas|cusolver", result.get("message", ""), re.IGNORECASE):
                    spoilt = True
                    process.kill()
                    break
        timer.cancel()
        without = list(left) if process.wait() == 0 else left[:0 if spoilt else 1]
        yield from ((problem, {"reason": f"no result in {limit} s" if late else "error"}) for problem in without)
        left = left[len(without):]


def on_device(method):
    return ["-warm_up", *(["-mat_type", "slicedell", "-fused"] if method == "saamg" else ["-mat_type", "aijcusparse"])]


def key(line):
    return line["problem"], line["size"], line["pc_type"]


def solved(line):
    return line is not None and line["reason"].startswith("CONVERGED") and line["iterations"] <= MOST and line["residual"] is not None and line["residual"] < 2e-7


def refused(line):
    """By an error of PETSc's with its sentence, or a set-up that says that it failed; not by an end of the process."""
    return line is not None and ("message" in line or line["reason"] == "DIVERGED_PC_FAILED")


def right(line):
    return refused(line) if line is not None and line.get("wanted") == "refused" else solved(line)


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def compare(lines):
    """For each problem and size: saamg's line, and the least of its peers' iterations and seconds, None where none of them solves it, or it is to be refused, and
    no seconds where they were measured beside other work."""
    by = {key(line): line for line in lines}
    out = []
    for problem, size, group, family in dict.fromkeys((r["problem"], r["size"], r["group"], r["family"]) for r in lines):
        peers = [by.get((problem, size, pc)) for pc in ("gamg", "hypre", "ml")]
        ours = by.get((problem, size, "saamg"))
        good = [p for p in peers if solved(p) and p.get("wanted") != "refused"]
        timed = [] if any(line.get("shared") for line in [ours, *peers] if line) else good
        out.append({"group": group, "problem": problem, "size": size, "family": family, "saamg": ours, "peers": peers,
                    "iterations": min((p["iterations"] for p in good), default=None), "seconds": min((p["setup_s"] + p["solve_s"] for p in timed), default=None)})
    return out


def summary(lines):
    rows = compare(lines)
    any_peer = [r for r in rows if r["iterations"] is not None]
    both = [r for r in any_peer if solved(r["saamg"])]
    iterations = sorted(((max(r["saamg"]["iterations"], 1) / max(r["iterations"], 1), r) for r in both), key=lambda pair: -pair[0])
    seconds = [(r["saamg"]["setup_s"] + r["saamg"]["solve_s"]) / r["seconds"] for r in both if r["seconds"]]
    print(f"{len(rows)} problems and sizes; saamg solves, or refuses where that is right, {sum(right(r['saamg']) for r in rows)}; of {len(any_peer)} that a peer solves, {len(both)}")
    print(f"iterations over the best peer's: mean {mean([ratio for ratio, _ in iterations]):.2f}; set-up and solve: mean {mean(seconds):.2f}")
    for ratio, r in iterations[:12]:
        print(f"  {ratio:5.2f}  {r['problem']} (size {r['size']}): {r['saamg']['iterations']} against {r['iterations']}")
    wrong = [r for r in rows if not right(r["saamg"]) and (r in any_peer or (r["saamg"] or {}).get("wanted") == "refused")]
    for r in wrong:
        print(f"  not solved: {r['problem']} (size {r['size']}): {(r['saamg'] or {}).get('reason')} {(r['saamg'] or {}).get('iterations', '')}, best peer {r['iterations']}")
    return math.inf if wrong or not iterations else iterations[0][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="0")
    parser.add_argument("--only", default=".", help="of groups and problems")
    parser.add_argument("--methods", default="saamg,gamg,hypre,ml")
    parser.add_argument("--options", default="", help="for all methods")
    parser.add_argument("--out", default=os.path.join(BUILD, "bench", "league.json"))
    parser.add_argument("--time-out", type=int, default=60, help="seconds a problem")
    parser.add_argument("--jobs", type=int, default=1, help="problems at once, on a machine with that many cores to spare; the lines say so")
    parser.add_argument("--shared", action="store_true", help="beside other work: the lines say so, and their seconds are compared with nothing")
    parser.add_argument("--device", action="store_true")
    parser.add_argument("--peers", help="a file of results")
    parser.add_argument("--most", type=float, default=math.inf, help="iterations over the best peer's")
    parser.add_argument("--summary", action="store_true", help="of what FILE has, without a run")
    arguments = parser.parse_args()
    out = Path(arguments.out)
    known = {key(line): line for line in map(json.loads, out.read_text().splitlines())} if out.exists() else {}
    if arguments.peers:
        sizes, methods = set(map(int, arguments.sizes.split(","))), arguments.methods.split(",")
        known.update((key(line), line) for line in map(json.loads, Path(arguments.peers).read_text().splitlines())
                     if line["size"] in sizes and line["pc_type"] not in methods and re.search(arguments.only, f"{line['group']}/{line['problem']}"))
    petsc = subprocess.run(["pkg-config", "--modversion", "PETSc"], capture_output=True, text=True).stdout.strip()
    cpu = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    where = {"gpu": solver_runs.gpu_name()} if arguments.device else {"machine": "host", "cpu": cpu[1] if cpu else "", "petsc": petsc}
    if arguments.jobs > 1:
        where["jobs"] = arguments.jobs
    if arguments.shared:
        where["shared"] = True
    listed = [] if arguments.summary else [line.split("\t") for line in subprocess.run([PROGRAM, "-list"], capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout.splitlines()]

    out.parent.mkdir(parents=True, exist_ok=True)
    one_at_a_time = threading.Lock()
    place = {problem: number for number, (_, problem, *_) in enumerate(listed)}

    def keep(line):
        with one_at_a_time:
            known[key(line)] = line
            out.write_text("".join(json.dumps(line) + "\n" for line in sorted(known.values(), key=lambda line: place.get(line["problem"], 0))))
            print(f"{line['group']:22} {line['problem']:24} {line['size']} {line['pc_type']:6} {line.get('rows', ''):>7} {line.get('iterations', '-'):>4} {line['reason']:18} {line.get('setup_s', 0):7.3f} {line.get('solve_s', 0):7.3f}", flush=True)

    def play(problems):
        wanted = {problem: {"wanted": "refused"} if how == "refused" else {} for _, problem, _, _, how, _ in problems}
        for size, method in itertools.product(arguments.sizes.split(","), arguments.methods.split(",")):
            about = {problem: {"group": group, "problem": problem, "family": family} for group, problem, family, _, _, sizes in problems if size in sizes.split(",")}
            words = [PROGRAM, "-size", size, "-pc_type", method, *(on_device(method) if arguments.device else []), *arguments.options.split()]
            for problem, found in run(words, about, arguments.time_out):
                keep({"what": "league", **about[problem], "size": int(size), "pc_type": method, **found, **wanted[problem], **where,
                      "date": datetime.date.today().isoformat(), "command": f"python3 test/bench/league.py{' --device' if arguments.device else ''}"})

    chosen = [words for words in listed if re.search(arguments.only, f"{words[0]}/{words[1]}")]
    at_once = chosen and (arguments.device or arguments.peers) # in one process a method
    with ThreadPoolExecutor(arguments.jobs) as workers:
        list(workers.map(play, [chosen] if at_once else [[words] for words in chosen]))
    worst = summary(list(known.values()))
    if worst > arguments.most:
        raise SystemExit(f"worst {worst:.2f}: more than {arguments.most} asked for")


if __name__ == "__main__":
    main()
