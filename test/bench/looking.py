#!/usr/bin/env python3
"""What it costs to look at a matrix, for which a set-up chooses: instructions of these steps and of a cold set-up, counted by valgrind on a host.

  BUILD=build/host python3 test/bench/looking.py [--size 0] [--only PATTERN] [--jobs 2] [--out test/bench/results/looking.json]

One JSON line a problem of the league. A step counts with all that it calls; rows' inverse diagonals, which a set-up needs in any case, are no part. Needs $BUILD/bench/bench_league (make bench).
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BUILD = os.environ.get("BUILD", "build")
PROGRAM = os.path.join(BUILD, "bench", "bench_league")
SETUP = "KSPSetUp"
LOOKS = ("symmetry_of", "saddle_of", "couplings_of", "jumps_of_nodes", "bending_of", "rotations_of", "relax_costly_rows", "walks_of_two", "product_work", "least_product_work", "nearly_same")


def inclusive(profile):
    """Instructions of each function with what it calls, of those that are called."""
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", profile], capture_output=True, text=True).stdout
    counts = {}
    for number, name in re.findall(r"^\s*([\d,]+) \([^)]*\)\s+\S*?:(.*?) \[", text, re.M):
        counts.setdefault(name, int(number.replace(",", "")))
    return counts


def count(problem, size):
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        command = ["valgrind", "--tool=callgrind", f"--toggle-collect={SETUP}", f"--callgrind-out-file={profile}", PROGRAM, "-problem", problem, "-size", size, "-pc_type", "saamg"]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        counts = inclusive(profile)
    whole = max((n for name, n in counts.items() if name.startswith(SETUP)), default=0)
    if not whole:
        return None
    steps = {look: max((n for name, n in counts.items() if re.search(rf"\b{look}\(", name)), default=0) for look in LOOKS}
    return {"what": "looking", "problem": problem, "size": int(size), "instructions": whole, **{look: round(n / whole, 4) for look, n in steps.items() if n},
            "share": round(sum(steps.values()) / whole, 4), "machine": "host", "date": datetime.date.today().isoformat(), "command": "python3 test/bench/looking.py"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="0")
    parser.add_argument("--only", default=".")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", default=os.path.join(BUILD, "bench", "looking.json"))
    arguments = parser.parse_args()
    listed = [line.split("\t") for line in subprocess.run([PROGRAM, "-list"], capture_output=True, text=True, check=True).stdout.splitlines()]
    problems = [name for group, name, _, _, kind, *_ in listed if kind == "solved" and re.search(arguments.only, f"{group}/{name}")]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        lines = [line for line in pool.map(lambda problem: count(problem, arguments.size), problems) if line]
    lines.sort(key=lambda line: -line["share"])
    for line in lines:
        print(f"{line['problem']:28} {line['share']:7.1%}  " + "  ".join(f"{look} {line[look]:.1%}" for look in LOOKS if look in line))
    Path(arguments.out).write_text("".join(json.dumps(line) + "\n" for line in lines))


main()
