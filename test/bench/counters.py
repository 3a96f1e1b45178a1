#!/usr/bin/env python3
"""What ncu counts of products of CSR and Fold, of papers P2's and P3's matrices: `make bench-counters`, on a GPU whose counters may be read.

Run lines:
  python3 test/bench/counters.py --families fit,report --sizes 2 --out test/bench/results/p2_counters.json
  python3 test/bench/counters.py --families p3 --out test/bench/results/p3_counters.json"""
import argparse
import csv
import datetime
import json
import os
import subprocess
import sys
import tempfile

import solver_runs

METRICS = {"l1_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "l2_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
           "l2_hits": "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "dram_read_bytes": "dram__bytes_read.sum"}


def form(kernel):
    return "fold" if "FoldGroup" in kernel else "csr" if "csrmv" in kernel and "partition" not in kernel else None


def counted(text):
    """[(format, {counter: value})] of ncu's CSV, a product each, as they ran."""
    kernels = {}
    for row in csv.DictReader(line for line in text.splitlines() if line.startswith('"')):
        if form(row["Kernel Name"]):
            kernels.setdefault(int(row["ID"]), (form(row["Kernel Name"]), {}))[1][row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return [(kind, {name: values[metric] for name, metric in METRICS.items()}) for _, (kind, values) in sorted(kernels.items())]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", default="p3")
    parser.add_argument("--sizes", default="2")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    bench = ["bench_locality", "-families", arguments.families, *(["-sizes", arguments.sizes] if arguments.families != "p3" else []), "-once"]
    with tempfile.TemporaryDirectory() as folder:
        log, lines = os.path.join(folder, "ncu.csv"), os.path.join(folder, "products.json")
        command = [os.environ.get("NCU") or "ncu", "--csv", "--print-units", "base", "--kernel-name-base", "demangled", "--kernel-name", "regex:csrmv|FoldGroup", "--metrics", ",".join(METRICS.values()),
                   "--log-file", log, os.path.join(solver_runs.BUILD, "bench", bench[0]), *bench[1:], "-json", lines]
        try:
            done = subprocess.run(command, stdout=subprocess.DEVNULL)
        except OSError as e:
            sys.exit(f"counters.py: {e}")
        if done.returncode or not os.path.exists(log):
            sys.exit(f"counters.py: no counters here (ncu's status {done.returncode})")
        with open(log) as file:
            products = counted(file.read())
        with open(lines) as file:
            run, *asked = [line for line in map(json.loads, file) if line.get("run") != "whole"]
    if [kind for kind, _ in products] != [line["format"] for line in asked]:
        sys.exit(f"counters.py: ncu saw {len(products)} products of {len(asked)}, or in another order")
    where = {"gpu": run["device"], "petsc": run["petsc"], "date": datetime.date.today().isoformat(), "command": f"ncu {' '.join(bench)}"}
    with open(arguments.out, "w") as file:
        file.writelines(json.dumps({"work": "counters", **line, **values, **where}) + "\n" for line, (_, values) in zip(asked, products))


if __name__ == "__main__":
    main()
