#!/usr/bin/env python3
"""Paper P4's figure 10: instructions of an assembly on a host in its twelve cases (table 2), by valgrind's callgrind: `make bench-instructions`.

Element blocks of 16, in colours. What the paper asks of `omp simd` is here the compiler's: bench_assembly_scalar is built with -fno-tree-vectorize. Counted is RunBlocks() where bench_assembly.cu calls it for the whole.

    assembly_instructions.py [--n 9] --out test/bench/results/assembly_instructions.json
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BUILD = os.environ.get("BUILD", "build")
NAME = "_ZN10goza_bench9RunBlocks"
ELEMENTS = {"hex": "4Hex8", "tet": "4Tet4"}


def steps_line():
    """The line of bench_assembly.cu from which RunBlocks() is called to time its steps; whole assemblies are asked for above it."""
    source = (Path(__file__).parent / "bench_assembly.cu").read_text().splitlines()
    return next(k for k, line in enumerate(source, 1) if "RunBlocks<Element>" in line and "took" in line)


def read(text):
    """{element: instructions of one whole assembly} of callgrind's profile."""
    names, total, function = {}, {}, None
    lines = text.splitlines()
    for k, line in enumerate(lines):
        called = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line)
        if called:
            names.setdefault(called[1], called[2])
            function = names[called[1]] if line.startswith("cfn") else None
        times = re.match(r"calls=(\d+) ", line)
        if times and function and function.startswith(NAME):
            at, cost = lines[k + 1].split()
            if int(at) < steps_line():
                element = next(e for e, kind in ELEMENTS.items() if kind in function)
                n, sum_ = total.get(element, (0, 0))
                total[element] = n + int(times[1]), sum_ + int(cost)
    return {element: cost // n for element, (n, cost) in total.items()}


def count(program, n, way):
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile"
        command = ["valgrind", "--tool=callgrind", "--demangle=no", "--compress-pos=no", f"--toggle-collect={NAME}*", f"--callgrind-out-file={profile}", os.path.join(BUILD, "bench", program),
                   "-goza_device", "host", "-n", str(n), "-elements", ",".join(ELEMENTS), "-ways", way, "-adds", "colour", "-blksiz", "16", "-repeats", "1"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMPI_MCA_ess_singleton_isolated": "true"})  # no daemon of Open MPI's for each
        if done.returncode or not profile.exists():
            sys.exit(f"assembly_instructions.py: {program} under valgrind: status {done.returncode}: {done.stderr[-300:]}")
        found = read(profile.read_text())
    if set(found) != set(ELEMENTS):
        sys.exit(f"assembly_instructions.py: {program}: no calls of RunBlocks() were seen")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=9, help="nodes a side")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    lines = []
    cases = [(program, vectorised, way) for program, vectorised in (("bench_assembly_scalar", False), ("bench_assembly", True)) for way in ("original", "a", "b")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # most of a run is valgrind's way through the start of PETSc
        counted = list(pool.map(lambda case: count(case[0], arguments.n, case[2]), cases))
    found = {(vectorised, element, way): instructions for (_, vectorised, way), of in zip(cases, counted) for element, instructions in of.items()}
    for vectorised, element, way in sorted(found, key=lambda case: (case[0], list(ELEMENTS).index(case[1]))):  # the profile has elements in any order
        instructions, elements = found[vectorised, element, way], (arguments.n - 1) ** 3 * (6 if element == "tet" else 1)
        lines.append({"work": "assembly instructions", "element": element, "way": way, "vectorised": vectorised, "n": arguments.n, "instructions": instructions, "of_an_element": round(instructions / elements),
                      "machine": "host, any x86-64", "date": datetime.date.today().isoformat(), "command": "make bench-instructions"})
    with open(arguments.out, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    main()
