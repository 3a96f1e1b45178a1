#!/usr/bin/env python3
"""Iterations, operator complexity and memory of saamg's settings on the examples' problems, on the host: test/bench/results/settings.json, the table of examples/README.md.

  make bench-settings      (BUILD=build; a minute; the same figures on every machine, but for rounding)
"""
import datetime
import json
import os
import re
import subprocess
from pathlib import Path

FAST = "-pc_saamg_precision half -pc_saamg_finest_chebyshev_degree 1 -pc_saamg_chebyshev_kind 4"
FAST_SOLID = "-pc_saamg_threshold 0.03 -pc_saamg_precision half -pc_saamg_chebyshev_kind 4 -pc_saamg_intermediate_chebyshev_degree 2 -pc_saamg_coarse_limit 300"
RUNS = (  # problem, program, settings
    ("Poisson, 27 points, 64^3", "poisson -n 64 -coefficient random", ("", FAST, "-pc_saamg_aggressive_levels 1")),
    ("Darcy flow, log-normal, 60^3", "darcy -n 60 -permeability lognormal", ("", "-pc_saamg_threshold 0.01")),
    ("Darcy flow, blocks of contrast 1000, 60^3", "darcy -n 60 -permeability blocks -contrast 1000",
     ("", "-pc_saamg_threshold 0.01", "-pc_saamg_threshold 0.06", "-pc_saamg_threshold 0.06 -pc_saamg_coarse_interpolation_degree 2")),
    ("anisotropic, z x 100, 60^3", "darcy -n 60 -anisotropy 100", ("", "-pc_saamg_threshold 0.09")),
    ("elasticity, hexahedra, 25^3 nodes", "elasticity -n 25", ("", "-pc_saamg_threshold 0.03", FAST_SOLID)),
    ("elasticity, tetrahedra, 25^3 nodes", "elasticity -n 25 -tets", ("", "-pc_saamg_threshold 0.03")),
)
TYPES = "-dm_mat_type cds -ksp_type cg -ksp_rtol 1e-7 -pc_type saamg"


def main():
    build = Path(os.environ.get("BUILD", "build")).resolve()
    results = Path(__file__).parent / "results/settings.json"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    lines = []
    for problem, program, settings in RUNS:
        load = "" if program.startswith("elasticity") else "-dll_append LIBRARY "  # it links the library
        for options in settings:
            command = f"{program} {load}{TYPES} {options}".strip()
            words = f"{build}/bin/{command} -goza_device host -ksp_view".replace("LIBRARY", f"{build}/lib/libgoza.so").split()
            text = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env=environment, timeout=300).stdout
            iterations = re.search(r"(\d+) iterations|after (\d+) iterations", text)
            levels, cycle = re.search(r"memory: levels ([0-9.]+) MB, cycle ([0-9.]+) MB", text).groups()
            lines.append({"what": "settings", "problem": problem, "options": options, "iterations": int(iterations[1] or iterations[2]),
                          "operator_complexity": float(re.search(r"operator ([0-9.]+)", text)[1]), "memory_MB": round(float(levels) + float(cycle), 1), "machine": "host",
                          "date": datetime.date.today().isoformat(), "command": command})
            print(json.dumps(lines[-1]), flush=True)
    results.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
