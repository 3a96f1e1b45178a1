#!/usr/bin/env python3
"""Bars of bench_assembly's JSON lines, as SVG: the time of every way of assembly, its four steps where they were timed apart, the paper's machines as lines; and
assembly beside one iteration of the solver.

    plot_assembly.py build/bench/assembly.json [assembly.svg]
"""
import json
import sys

try:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
except ImportError:
    print("no picture: Python's matplotlib is not there")
    sys.exit()

STEPS = ("Jacobian", "address search", "element matrix", "add")
lines = [json.loads(line) for line in open(sys.argv[1]) if line.startswith("{")]
table = [r for r in lines if r["way"] not in ("host", "whole") and r.get("equation", "elasticity") == "elasticity" and r["mesh"] == "box"]
whole = [r for r in lines if r["way"] == "whole"]
largest = {e: max((r["n"] for r in table if r["element"] == e), default=0) for e in ("hex", "tet")}
shown = [e for e in largest if largest[e]]
figure, axes = plt.subplots(1, len(shown) + bool(whole), figsize=(7 * (len(shown) + bool(whole)), 6), squeeze=False)

for axis, element in zip(axes[0], shown):
    rows = [r for r in table if r["element"] == element and r["n"] == largest[element]][::-1]
    for k, r in enumerate(rows):
        steps = r.get("steps_s", [0] * 4)
        left = 0
        if sum(x > 0 for x in steps) > 1:  # run one after another: a little longer than the whole
            for s in range(4):
                axis.barh(k, 1e3 * steps[s], left=left, color=f"C{s}")
                left += 1e3 * steps[s]
        else:
            axis.barh(k, 1e3 * r["seconds"], color="tab:green" if r["way"] == "ours" else "tab:gray")
        axis.text(max(left, 1e3 * r["seconds"]), k, f" {1e3 * r['seconds']:.2f}", va="center", fontsize=8)
    axis.set_yticks(range(len(rows)), [" ".join(str(r[k]) for k in ("way", "into", "add", "blksiz") if r.get(k)) for r in rows])
    axis.set_xlabel("milliseconds")
    axis.set_title(f"{element}, {largest[element]}\u00b3 nodes")
    for s, name in enumerate(STEPS):
        axis.bar(0, 0, color=f"C{s}", label=name)
    if largest[element] == 128:
        for key, name, style in (("k40_s", "paper P4, K40", "--"), ("phi_s", "paper P4, Xeon Phi", ":")):
            seconds = min((r[key] for r in rows if r.get(key)), default=0)
            if seconds:
                axis.axvline(1e3 * seconds, color="black", linestyle=style, label=f"{name}: {1e3 * seconds:.0f} ms")
        axis.set_xscale("symlog", linthresh=1)
    axis.legend(fontsize=8)
if whole:
    axis = axes[0][-1]
    for k, r in enumerate(whole):
        parts = (("assembly", r["seconds"]), ("first product after it", r["first_product_s"]), ("one iteration", r["iteration_s"]))
        for s, (name, seconds) in enumerate(parts):
            axis.bar(k + 0.25 * (s - 1), 1e3 * seconds, 0.25, color=f"C{s}", label=name if k == 0 else None)
    axis.set_xticks(range(len(whole)), [f"{r['into']}, {r['n']}\u00b3\n{r['iterations']} iterations" for r in whole])
    axis.set_ylabel("milliseconds")
    axis.set_title("assembly and solution (CG, block-diagonal)")
    axis.legend(fontsize=8)
figure.tight_layout()
figure.savefig(sys.argv[2] if len(sys.argv) > 2 else sys.argv[1].rsplit(".", 1)[0] + ".svg")
