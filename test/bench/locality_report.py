#!/usr/bin/env python3
"""Tables and pictures from bench_locality's JSON lines:  locality_report.py FILE [FOLDER for the SVG pictures]

Correlations and errors are of GFLOPS, over the matrices of each role: `fit` (constants of our model were fitted to these families), `report` and `p3` (to none
of these). The choice of autoformat is compared with the best of the formats measured in the same run."""
import collections
import json
import math
import os
import sys


def correlation(pairs):
    n = len(pairs)
    if n < 2:
        return float("nan")
    ma, mb = (sum(p[k] for p in pairs) / n for k in (0, 1))
    cov = sum((a - ma) * (b - mb) for a, b in pairs)
    va, vb = sum((a - ma) ** 2 for a, _ in pairs), sum((b - mb) ** 2 for _, b in pairs)
    return cov / math.sqrt(va * vb) if va > 0 and vb > 0 else float("nan")


def error(pairs):
    return sum(abs(p / m - 1) for p, m in pairs) / len(pairs)


def svg_scatter(file, title, points):
    """points: (measured, predicted, colour), on logarithmic axes."""
    size, edge = 520, 60
    values = [v for m, p, _ in points for v in (m, p) if v > 0]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def at(v):
        return edge + (math.log10(v) - low) / (high - low) * (size - 2 * edge)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" font-family="sans-serif" font-size="12">',
           f'<rect width="{size}" height="{size}" fill="white"/><text x="{size / 2}" y="24" text-anchor="middle">{title}</text>']
    for d in range(low, high + 1):
        v = at(10.0**d)
        out.append(f'<path d="M{edge} {size - v}H{size - edge}M{v} {edge}V{size - edge}" stroke="#ddd"/>'
                   f'<text x="{v}" y="{size - edge + 16}" text-anchor="middle">{10.0**d:g}</text><text x="{edge - 6}" y="{size - v + 4}" text-anchor="end">{10.0**d:g}</text>')
    out.append(f'<path d="M{edge} {size - edge}L{size - edge} {edge}" stroke="#888"/>')
    for m, p, colour in points:
        if p > 0:
            out.append(f'<circle cx="{at(m):.1f}" cy="{size - at(p):.1f}" r="2.5" fill="{colour}" fill-opacity="0.6"/>')
    out.append(f'<text x="{size / 2}" y="{size - 12}" text-anchor="middle">measured GFLOPS</text>'
               f'<text x="16" y="{size / 2}" text-anchor="middle" transform="rotate(-90 16 {size / 2})">predicted GFLOPS</text></svg>')
    with open(file, "w") as f:
        f.write("\n".join(out) + "\n")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as f:
        lines = [json.loads(line) for line in f]
    by_matrix = collections.OrderedDict()
    for line in lines:
        by_matrix.setdefault(line["matrix"], {})[line["format"]] = line
    for formats in by_matrix.values():  # half storage was not possible: the same as full
        if "cds-half" in formats and not formats["cds-half"]["what"].startswith("half"):
            del formats["cds-half"]

    roles = ("fit", "report", "p3")
    names = {role: sorted({v["csr"]["family"] for v in by_matrix.values() if v["csr"]["role"] == role}) for role in roles}
    print("families fitted to:", ", ".join(names["fit"]))
    print("families reported: ", ", ".join(names["report"]))
    print(f"\n{'models, all formats':28} {'matrices':>8} {'products':>8} {'correlation':>11} {'mean |error|':>12}")
    for role in roles:
        for key, what in (("model", "ours"), ("paper", "paper, eq. 3"), ("paper_corrected", "paper, eq. 7 if small")):
            chosen = [(f[key], f["gflops"]) for v in by_matrix.values() for n, f in v.items() if f["role"] == role and not n.startswith("auto") and f[key] > 0]
            if chosen:
                count = sum(v["csr"]["role"] == role for v in by_matrix.values())
                print(f"{role + ': ' + what:28} {count:8} {len(chosen):8} {correlation(chosen):11.3f} {100 * error(chosen):10.1f} %")
    print(f"\n{'our model, by format':28} {'products':>8} {'correlation':>11} {'mean |error|':>12}")
    for name in dict.fromkeys(line["format"] for line in lines):
        chosen = [(v[name]["model"], v[name]["gflops"]) for v in by_matrix.values() if name in v and not name.startswith("auto") and v[name]["role"] != "fit"]
        if chosen:
            print(f"{name:28} {len(chosen):8} {correlation(chosen):11.3f} {100 * error(chosen):10.1f} %")

    for auto, how in (("auto", "by trials of the model's best"), ("auto-model", "by the model alone")):
        print(f"\nautoformat {how}\n{'':8} {'matrices':>8} {'mean loss':>10} {'best <1 %':>10} {'best <3 %':>10} {'best <5 %':>10} {'over CSR':>9} {'worst':>7}")
        for role in roles:
            loss, gain = [], []
            for name, v in by_matrix.items():
                if v["csr"]["role"] != role or auto not in v:
                    continue
                best = min(f["seconds"] for n, f in v.items() if not n.startswith("auto"))
                loss.append(max(0, v[auto]["seconds"] / best - 1))
                gain.append(v["csr"]["seconds"] / v[auto]["seconds"])
                if loss[-1] > 0.05:
                    print(f"    {name}: {1e6 * v[auto]['seconds']:.1f} us, {min((n for n in v if not n.startswith('auto')), key=lambda n: v[n]['seconds'])} {1e6 * best:.1f} us; {v[auto]['what'].split('(')[0][:90]}")
            if loss:
                within = [100 * sum(x <= y for x in loss) / len(loss) for y in (0.01, 0.03, 0.05)]
                geo = math.exp(sum(map(math.log, gain)) / len(gain))
                print(f"{role:8} {len(loss):8} {100 * sum(loss) / len(loss):8.1f} % {within[0]:8.1f} % {within[1]:8.1f} % {within[2]:8.1f} % {geo:8.2f}x {min(gain):6.2f}x")
    big = [(v["csr"]["sampling"] + sum(f["sampling"] for n, f in v.items() if n != "csr" and not n.startswith("auto"))) / v["csr"]["seconds"] for v in by_matrix.values() if v["csr"]["rows"] > 1000000]
    if big:
        print(f"\nsample and model of all formats, in CSR products, {len(big)} matrices above 1 M rows: median {sorted(big)[len(big) // 2]:.1f}, most {max(big):.1f}")

    if len(sys.argv) > 2:
        colours = {"csr": "#444", "slicedell": "#1f77b4", "fold": "#2ca02c", "cds": "#d62728"}
        os.makedirs(sys.argv[2], exist_ok=True)
        for key, title in (("model", "Goza's model"), ("paper", "Tanabe 2014, eq. 3"), ("paper_corrected", "Tanabe 2014, eq. 7 below 70 000 rows")):
            points = [(f["gflops"], f[key], colours[n.split("-")[0]]) for v in by_matrix.values() for n, f in v.items() if not n.startswith("auto") and f["role"] != "fit"]
            if points:
                svg_scatter(os.path.join(sys.argv[2], f"locality_{key}.svg"), title + ", matrices not fitted to", points)


main()
