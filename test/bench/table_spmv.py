#!/usr/bin/env python3
"""Tables in Markdown of what bench_spmv measured: table_spmv.py RESULTS.json [TYPE]. For every type the speed over that of the first one (PETSc's), as
geometric means over the halves of the gallery; and for TYPE (else fold's) a line for each matrix."""
import json
import math
import sys


def mean(values):
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}" if values else ""


def main():
    with open(sys.argv[1]) as lines:
        rows = [row for row in map(json.loads, lines) if row["work"] == "spmv"]
    types = list(dict.fromkeys(row["type"] for row in rows))
    seconds = {(row["matrix"], row["type"]): row["seconds"] for row in rows}
    matrices = {row["matrix"]: row for row in rows}
    base, chosen = types[0], sys.argv[2] if len(sys.argv) > 2 else next(t for t in types if t.startswith("fold"))

    print(f"| speed over {base} | regular: mean | least | irregular: mean | least | by matrix | largest difference from aij |\n|---|---|---|---|---|---|---|")
    for t in types:
        speeds = {m: seconds[m, base] / seconds[m, t] for m in matrices if (m, base) in seconds and (m, t) in seconds}
        regular, irregular = ({m: s for m, s in speeds.items() if matrices[m]["irregular"] is half} for half in (False, True))
        least = [f"{half[m]:.2f} ({m})" if half else "" for half in (regular, irregular) for m in [min(half, key=half.get, default=None)]]
        worst = max(row["difference_from_aij"] for row in rows if row["type"] == t)
        print(f"| {t} | {mean(regular.values())} | {least[0]} | {mean(irregular.values())} | {least[1]} | {len(speeds)} | {worst:.0e} |")
    print(f"\n| matrix | rows | nonzeros | {base}, us | {chosen}, us | ratio |\n|---|---|---|---|---|---|")
    for m, row in matrices.items():
        if (m, base) in seconds and (m, chosen) in seconds:
            print(f"| {m} | {row['rows'] / 1e6:.2f} M | {row['nnz'] / 1e6:.1f} M | {seconds[m, base] * 1e6:.1f} | {seconds[m, chosen] * 1e6:.1f} | {seconds[m, base] / seconds[m, chosen]:.2f} |")


if __name__ == "__main__":
    main()
