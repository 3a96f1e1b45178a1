#!/usr/bin/env python3
"""What the kernels of bench_assembly read from the device's memory and write to it, by ncu's counters: `make bench-assembly` where there is ncu.

Ours and the paper's steps with atomic additions, elasticity on N^3 nodes, in blocks of as many elements as the hexahedra are: a kernel a step.

    assembly_traffic.py N
"""
import collections
import csv
import os
import re
import subprocess
import sys

BUILD = os.environ.get("BUILD", "build")
METRICS = ("dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum")
SCALE = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "ns": 1e-9, "nsecond": 1e-9, "us": 1e-6, "usecond": 1e-6, "ms": 1e-3, "msecond": 1e-3, "s": 1, "second": 1}


def short(kernel):
    """RowKernel<goza_bench::Step3<goza::Hex8>>(...) is Step3<Hex8>."""
    name = re.sub(r"\(.*", "", re.sub(r"\(anonymous namespace\)::", "", kernel)).replace("void ", "")
    name = re.sub(r"\w+::", "", name.replace("grid_elasticity::", "grid elasticity "))
    return re.sub(r"^\w*Kernel<(.*)>$", r"\1", name) if "RowKernel" in name else name


def main():
    n = int(sys.argv[1])
    log = os.path.join(BUILD, "bench", "assembly_ncu.csv")
    command = [os.environ.get("NCU", "ncu"), "--csv", "--kernel-name-base", "demangled", "--kernel-name", "regex:Step|Fused|RowsKernel|grid_elast|TileKernel", "--metrics", ",".join(METRICS), "--log-file", log]
    command += [os.path.join(BUILD, "bench", "bench_assembly"), "-n", str(n), "-repeats", "1", "-adds", "atomic", "-blksiz", str((n - 1) ** 3)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"assembly_traffic.py: ncu gives no counters here (status {done.returncode}; {log})")
    with open(log) as f:
        lines = list(csv.DictReader(line for line in f if line.startswith('"')))
    launches = collections.OrderedDict()
    for line in lines:
        launches.setdefault(line["ID"], (short(line["Kernel Name"]), {}))[1][line["Metric Name"]] = float(line["Metric Value"].replace(",", "")) * SCALE[line["Metric Unit"]]
    kernels = collections.OrderedDict()
    for name, metrics in launches.values():
        kernels.setdefault(name, []).append([metrics[m] for m in METRICS])
    print(f"{'kernel, ' + str(n) + '^3 nodes':60} {'read GB':>8} {'written':>8} {'ms':>8} {'GB/s':>7}")
    for name, runs in kernels.items():
        read, written, seconds = sorted(runs, key=lambda r: r[2])[len(runs) // 2]
        if not name.startswith("DeviceReduce"):
            print(f"{name[:60]:60} {read / 1e9:8.3f} {written / 1e9:8.3f} {1e3 * seconds:8.3f} {(read + written) / seconds / 1e9:7.0f}")


if __name__ == "__main__":
    main()
