#!/usr/bin/env python3
"""Bars of bench_assembly's JSON lines, as SVG: seconds of every way of assembly, the paper's K40 as a line.

    plot_assembly.py build/bench/assembly.json [assembly.svg]
"""
import json
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

lines = [json.loads(line) for line in open(sys.argv[1]) if line.startswith("{")]
largest = {e: max((r["n"] for r in lines if r["element"] == e and r["way"] != "host"), default=0) for e in ("hex", "tet")}
shown = [e for e in largest if largest[e]]
figure, axes = plt.subplots(1, len(shown), figsize=(7 * len(shown), 5), squeeze=False)
for axis, element in zip(axes[0], shown):
    rows = [r for r in lines if r["element"] == element and r["n"] == largest[element] and r["way"] != "host"]
    names = [" ".join(str(r[k]) for k in ("way", "into", "add", "blksiz") if r.get(k)) for r in rows]
    colours = ["tab:green" if r["way"] == "ours" else "tab:red" if r["way"] == "coo" else "tab:blue" for r in rows]
    axis.barh(names[::-1], [1e3 * r["seconds"] for r in rows][::-1], color=colours[::-1])
    axis.set_xscale("log")
    axis.set_xlabel("milliseconds")
    axis.set_title(f"{element}, {largest[element]}\u00b3 nodes")
    k40 = min((r["k40_s"] for r in rows if r.get("k40_s")), default=0)
    if k40 and largest[element] == 128:
        axis.axvline(1e3 * k40, color="black", linestyle="--", label="paper P4, K40")
        axis.legend()
figure.tight_layout()
figure.savefig(sys.argv[2] if len(sys.argv) > 2 else sys.argv[1].rsplit(".", 1)[0] + ".svg")
