#!/usr/bin/env python3
"""Figures 6 and 7 of paper P1 from what bench_cds measured: figures_cds.py RESULTS.json FOLDER makes FOLDER/cds_gflops.svg and FOLDER/cds_bandwidth.svg."""
import json
import sys

try:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot
except ImportError:
    print("no picture: Python's matplotlib is not there")
    sys.exit()


def draw(rows, value, label, title, path, line=None):
    grids = list(dict.fromkeys(row["grid"] for row in rows))
    figure, axes = pyplot.subplots(1, len(grids), figsize=(3.4 * len(grids), 4.2), sharey=True, squeeze=False)
    for axis, grid in zip(axes[0], grids):
        here = [row for row in rows if row["grid"] == grid]
        places = range(len(here))
        colours = ["tab:green" if row["case"].startswith("Goza") else "tab:gray" if row["case"].startswith("aij") else "tab:blue" for row in here]
        axis.barh(places, [row[value] for row in here], color=colours)
        for place, row in zip(places, here):
            paper = f"  (paper {row['paper_gflops']:.4g})" if value == "gflops" and row["paper_gflops"] else ""
            axis.text(row[value], place, f" {row[value]:.0f}{paper}", va="center", fontsize=7)
        if line:
            axis.axvline(max(row[line] for row in here), color="tab:red", linewidth=1, label="copy")
            axis.legend(loc="lower right", fontsize=7)
        axis.set_yticks(places, [row["case"] for row in here], fontsize=8)
        axis.invert_yaxis()
        axis.set_title(grid, fontsize=9)
        axis.set_xlabel(label, fontsize=8)
        axis.set_xlim(right=1.45 * max(row[value] for row in rows))
    figure.suptitle(title, fontsize=10)
    figure.tight_layout()
    figure.savefig(path)
    print(path)


def main():
    results, folder = sys.argv[1:]
    with open(results) as lines:
        rows = [row for row in map(json.loads, lines) if row["work"] == "cds"]
    draw(rows, "gflops", "GFLOPS", "Products in compressed diagonal storage, FEM Poisson, double precision (in brackets: the paper's, GTX TITAN)", folder + "/cds_gflops.svg")
    draw(rows, "real_GBs", "GB/s", "Bandwidth: stored values, indices of CSR, x and y once", folder + "/cds_bandwidth.svg", "copy_GBs")


if __name__ == "__main__":
    main()
