#!/usr/bin/env python3
"""What ncu counts of products of CSR and Fold, of papers P2's and P3's matrices, and of the product that paper P1 profiled (its A.2): `make bench-counters`, on a GPU whose counters may be read.

Run lines:
  python3 test/bench/counters.py --families fit,report --sizes 2 --out test/bench/results/p2_counters.json
  python3 test/bench/counters.py --families p3 --out test/bench/results/p3_counters.json
  python3 test/bench/counters.py --families p1 --out test/bench/results/p1_counters.json"""
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


# A.2's: what nvprof called them is in paper_tables.py
P1 = {"occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active", "active": "sm__cycles_active.avg", "elapsed": "sm__cycles_elapsed.avg", "l1_hit_percent": "l1tex__t_sector_hit_rate.pct",
      "l1_read_bytes": "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum", "l1_write_bytes": "l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum", "l2_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
      "l2_read_hits": "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "l2_write_sectors": "lts__t_sectors_srcunit_tex_op_write.sum", "dram_read_bytes": "dram__bytes_read.sum", "dram_write_bytes": "dram__bytes_write.sum",
      "ns": "gpu__time_duration.sum", "threads": "smsp__thread_inst_executed_per_inst_executed.ratio", "instructions": "smsp__thread_inst_executed.sum", "not_predicated_off": "smsp__thread_inst_executed_pred_on.sum",
      "fma": "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "double": "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"}


def profiled(text):
    """{kernel: {counter: value}} of the first launch of each kernel in ncu's CSV."""
    found = {}
    for row in csv.DictReader(line for line in text.splitlines() if line.startswith('"')):
        found.setdefault(row["Kernel Name"].split("(PetscInt")[0], {}).setdefault(row["ID"], {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", "") or "nan")
    return {kernel: {name: next(iter(launches.values()))[metric] for name, metric in P1.items()} for kernel, launches in found.items()}


def ncu(log, kernels, metrics, bench, more=()):
    """Runs a bench under ncu; its status."""
    command = [os.environ.get("NCU") or "ncu", "--csv", "--print-units", "base", "--kernel-name-base", "demangled", "--kernel-name", f"regex:{kernels}", "--metrics", ",".join(metrics.values()), *more,
               "--log-file", log, os.path.join(solver_runs.BUILD, "bench", bench[0]), *bench[1:]]
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL)
    except OSError as e:
        sys.exit(f"counters.py: {e}")
    if done.returncode or not os.path.exists(log):
        sys.exit(f"counters.py: no counters here (ncu's status {done.returncode})")
    with open(log) as file:
        return file.read()


def paper_p1(out):
    """The paper's full_unroll_Read at 256^3, and the same of half storage."""
    bench = ["bench_cds", "-cg", "false", "-sizes", "256x256x256", "-repeats", "1"]
    with tempfile.TemporaryDirectory() as folder:
        lines = os.path.join(folder, "products.json")
        kernels = profiled(ncu(os.path.join(folder, "ncu.csv"), "PaperKernelRead<[^,]*, *[^,]*1>", P1, [*bench, "-json", lines], ["--launch-count", "150"]))
        with open(lines) as file:
            run = json.loads(file.readline())
    where = {"gpu": run["gpu"], "petsc": run["petsc"], "date": datetime.date.today().isoformat(), "command": f"ncu {' '.join(bench)}"}
    with open(out, "w") as file:
        file.writelines(json.dumps({"work": "counters", "kernel": kernel, "case": "half_unroll_Read" if "<(bool)1" in kernel else "full_unroll_Read", "grid": bench[4], **values, **where}) + "\n" for kernel, values in kernels.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", default="p3")
    parser.add_argument("--sizes", default="2")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    if arguments.families == "p1":
        return paper_p1(arguments.out)
    bench = ["bench_locality", "-families", arguments.families, *(["-sizes", arguments.sizes] if arguments.families != "p3" else []), "-once"]
    with tempfile.TemporaryDirectory() as folder:
        lines = os.path.join(folder, "products.json")
        products = counted(ncu(os.path.join(folder, "ncu.csv"), "csrmv|FoldGroup", METRICS, [*bench, "-json", lines]))
        with open(lines) as file:
            run, *asked = [line for line in map(json.loads, file) if line.get("run") != "whole"]
    if [kind for kind, _ in products] != [line["format"] for line in asked]:
        sys.exit(f"counters.py: ncu saw {len(products)} products of {len(asked)}, or in another order")
    where = {"gpu": run["device"], "petsc": run["petsc"], "date": datetime.date.today().isoformat(), "command": f"ncu {' '.join(bench)}"}
    with open(arguments.out, "w") as file:
        file.writelines(json.dumps({"work": "counters", **line, **values, **where}) + "\n" for line, (_, values) in zip(asked, products))


if __name__ == "__main__":
    main()
