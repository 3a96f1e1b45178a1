#!/usr/bin/env python3
"""Tables in Markdown of what bench_spmv measured: table_spmv.py RESULTS.json [TYPE] [--keep FILE --gpu NAME --petsc VERSION]. For every type the speed over that of the first one (PETSc's)
and over the fastest of cuSPARSE's, PETSc's among them, as geometric means over the halves of the gallery; and for TYPE (else fold's) a line for each matrix. --keep writes the means for
results/spmv_gallery.json, --keep-matrices a line for each irregular matrix for results/spmv_gallery_matrices.json, --keep-repeats all times of each matrix and type."""
import argparse
import datetime
import json
import math
import os


def mean(values):
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}" if values else ""


def summary(speeds, matrices, over):
    """The geometric mean and the least of each half of the gallery."""
    out = {}
    for half, irregular in (("regular", False), ("irregular", True)):
        some = [s for m, s in speeds.items() if matrices[m]["irregular"] is irregular]
        out[f"{half}_mean{over}"] = round(math.exp(sum(map(math.log, some)) / len(some)), 2) if some else None
        out[f"{half}_least{over}"] = round(min(some), 2) if some else None
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results")
    parser.add_argument("type", nargs="?", default="")
    parser.add_argument("--keep", default="")
    parser.add_argument("--keep-matrices", default="")
    parser.add_argument("--keep-repeats", default="")
    parser.add_argument("--gpu", default="")
    parser.add_argument("--petsc", default="")
    arguments = parser.parse_args()
    with open(arguments.results) as lines:
        rows = [row for row in map(json.loads, lines) if row["work"] == "spmv"]
    types = list(dict.fromkeys(row["type"] for row in rows))
    measured = {}
    for row in rows:
        measured.setdefault((row["matrix"], row["type"]), []).append(row["seconds"])
    seconds = {key: sorted(some)[len(some) // 2] for key, some in measured.items()}  # a type that -types has several times is measured in turn with the others
    matrices = {row["matrix"]: row for row in rows}
    base, chosen = types[0], arguments.type or next(t for t in types if t.startswith("fold"))
    fastest = {m: min(s for (name, t), s in seconds.items() if name == m and (t == base or t.startswith("cusparse:"))) for m in matrices}
    kept = []

    print(f"| speed over {base} | regular: mean | least | irregular: mean | least | by matrix | largest difference from aij |\n|---|---|---|---|---|---|---|")
    for t in types:
        speeds = {m: seconds[m, base] / seconds[m, t] for m in matrices if (m, base) in seconds and (m, t) in seconds}
        regular, irregular = ({m: s for m, s in speeds.items() if matrices[m]["irregular"] is half} for half in (False, True))
        least = [f"{half[m]:.2f} ({m})" if half else "" for half in (regular, irregular) for m in [min(half, key=half.get, default=None)]]
        worst = max(row["difference_from_aij"] for row in rows if row["type"] == t)
        kept.append({"work": "spmv_gallery", "type": t, "matrices": len(speeds), **summary(speeds, matrices, ""), **summary({m: fastest[m] / seconds[m, t] for m in speeds}, matrices, "_over_fastest"), "difference_from_aij": worst,
                     "gpu": arguments.gpu, "petsc": arguments.petsc, "date": datetime.date.fromtimestamp(os.path.getmtime(arguments.results)).isoformat(), "command": "make bench-spmv"})
        print(f"| {t} | {mean(regular.values())} | {least[0]} | {mean(irregular.values())} | {least[1]} | {len(speeds)} | {worst:.0e} |")
    if arguments.keep:
        with open(arguments.keep, "w") as file:
            file.writelines(json.dumps(line) + "\n" for line in kept if line["type"] != base)
    if arguments.keep_repeats:
        with open(arguments.keep_repeats, "w") as file:
            for (m, t), some in measured.items():
                file.write(json.dumps({"work": "spmv_repeats", "matrix": m, "type": t, "us": [round(1e6 * s, 1) for s in some], **{field: kept[0][field] for field in ("gpu", "petsc", "date")}}) + "\n")
    if arguments.keep_matrices:
        with open(arguments.keep_matrices, "w") as file:
            for m, row in matrices.items():
                if row["irregular"]:
                    names = {t: seconds[m, t] for t in types if (m, t) in seconds}
                    peer = min((t for t in names if t == base or t.startswith("cusparse:")), key=names.get)
                    line = {"work": "spmv_gallery_matrix", "matrix": m, **{field: row[field] for field in ("rows", "cols", "nnz", "copy_TBs")}, "fastest_of_cusparse": peer, "fastest_us": round(1e6 * names[peer], 1),
                            "fold_us": round(1e6 * names["fold"], 1), "autoformat_us": round(1e6 * names["autoformat"], 1), **{field: kept[0][field] for field in ("gpu", "petsc", "date", "command")}}
                    file.write(json.dumps(line) + "\n")
    print(f"\n| matrix | rows | nonzeros | {base}, us | {chosen}, us | ratio |\n|---|---|---|---|---|---|")
    for m, row in matrices.items():
        if (m, base) in seconds and (m, chosen) in seconds:
            print(f"| {m} | {row['rows'] / 1e6:.2f} M | {row['nnz'] / 1e6:.1f} M | {seconds[m, base] * 1e6:.1f} | {seconds[m, chosen] * 1e6:.1f} | {seconds[m, base] / seconds[m, chosen]:.2f} |")


if __name__ == "__main__":
    main()
