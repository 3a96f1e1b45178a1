#!/usr/bin/env python3
"""Tables and pictures from bench_locality's JSON lines:  locality_report.py FILE [FOLDER for the SVG pictures] [--keep results/autoformat.json]

Correlations and errors are of GFLOPS, by the device's clock where there is one, over the matrices of each role: `fit` (constants of our model were fitted to these families), `report` and `p3` (to none
of these). The choice of autoformat is compared with the best of the formats measured in the same run, by the time of a product as the host calls for it and by the
device's, in two ways: by the time of autoformat's own product, and by the time that the format it chose had on its own line, which leaves out how far two
measurements of one kernel differ. What the best of one half of the copies loses by the other half is the error of the measurement: no chooser can do better.
--keep writes what the bench's page says of autoformat, of families not fitted to."""
import argparse
import collections
import datetime
import json
import math
import os
import re
import statistics
import sys

import charts


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


def distinct(formats):
    """The formats that differ: [name, what each says of itself, copies]. Fold at a width that no row exceeds is Fold at any greater one."""
    held = collections.OrderedDict()
    for name, f in formats.items():
        if not name.startswith("auto"):
            what = f["copies"][0]["what"]
            one = held.setdefault(re.sub(r"^fold width \d+", "fold", what), [name, [], []])
            one[1].append(what)
            one[2].extend(f["copies"])
    return {name: (says, copies) for name, says, copies in held.values()}


def taken(what, held):
    """The name of the format that a copy of autoformat holds: its sentence ends with what the format says of itself."""
    return next((name for name, (says, _) in held.items() if what.endswith(tuple(says))), "csr" if what.startswith("csr") else what)


def halves_loss(held, key):
    """What the best of one half of the copies loses by the times of the other half."""
    losses = []
    for mine, other in ((0, 1), (1, 0)):
        times = [{name: statistics.median(c[key] for c in copies[half::2]) for name, (_, copies) in held.items()} for half in (mine, other)]
        losses.append(times[1][min(times[0], key=times[0].get)] / min(times[1].values()) - 1)
    return losses


def choices(by_matrix, roles, key, clock):
    """How good autoformat chose, by one of the two clocks. Each copy of autoformat chose for itself; all matrices count the same. Returns what the bench's page says of it."""
    kept = []
    for auto, how in (("auto", "by trials of the model's best"), ("auto-model", "by the model alone")):
        print(f"\nautoformat {how}, products {clock}\n{'':20} {'matrices':>8} {'mean loss':>10} {'best <1 %':>10} {'best <3 %':>10} {'best <5 %':>10} {'over CSR':>9} {'worst':>7}")
        for role in roles:
            losses = {"format chosen": [], "its own time": [], "error": []}
            gain = []
            for name, v in by_matrix.items():
                if v["csr"]["role"] != role or auto not in v:
                    continue
                held = distinct(v)
                times = {n: statistics.median(c[key] for c in copies) for n, (_, copies) in held.items()}
                first = min(times, key=times.get)
                tries = v[auto]["copies"]
                picked = [taken(c["what"], held) for c in tries]
                losses["format chosen"].append([times.get(n, v[auto][key]) / times[first] - 1 for n in picked])
                losses["its own time"].append([max(0, c[key] / times[first] - 1) for c in tries])
                if all(len(copies) > 1 for _, copies in held.values()):
                    losses["error"].append(halves_loss(held, key))
                gain.append(v["csr"][key] / v[auto][key])
                for n, count in collections.Counter(picked).items():
                    if n not in times:
                        print(f"    {name}: not measured apart: {n}")
                    elif times[n] > 1.03 * times[first]:
                        print(f"    {name}: {n} ({count} of {len(tries)}), {1e6 * times[n]:.2f} us; {first} {1e6 * times[first]:.2f} us")
            for of, loss in losses.items():
                if loss:
                    mean = statistics.mean(map(statistics.mean, loss))
                    within = [100 * statistics.mean(sum(x <= y for x in one) / len(one) for one in loss) for y in (0.01, 0.03, 0.05)]
                    line = f"{role:6} {of:13} {len(loss):8} {100 * mean:8.1f} % {within[0]:8.1f} % {within[1]:8.1f} % {within[2]:8.1f} %"
                    print(line + (f" {statistics.geometric_mean(gain):8.2f}x {min(gain):6.2f}x" if of == "its own time" else ""))
                    if role == "report" and of == "format chosen":
                        kept.append({"work": "autoformat", "clock": "device's clock" if key == "device" else "host's clock, as a program sees it", "by": "trials" if auto == "auto" else "the model alone (`-mat_autoformat_trials 1`)",
                                     "matrices": len(loss), "mean_loss_percent": round(100 * mean, 1), **{f"within_{n}": round(share, 1) for n, share in zip((1, 3, 5), within)},
                                     "mean_speed": round(statistics.geometric_mean(gain), 2), "least_speed": round(min(gain), 2)})
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("folder", nargs="?", default="")
    parser.add_argument("--keep", default="")
    arguments = parser.parse_args()
    with open(arguments.file) as f:
        everything = [json.loads(line) for line in f]
    if not any(line.get("run") == "whole" for line in everything):
        sys.exit(f"{arguments.file} is of a run that was cut off: nothing is reported")
    lines = [line for line in everything if "format" in line]
    by_matrix = collections.OrderedDict()
    for line in lines:
        if line["device"] > 0:  # what the model predicts; a program may wait for its host's launches
            line["gflops"] = 2e-9 * line["nnz"] / line["device"]
        by_matrix.setdefault(line["matrix"], {})[line["format"]] = line
    for formats in by_matrix.values():  # half storage was not possible: the same as full
        if "cds-half" in formats and not formats["cds-half"]["copies"][0]["what"].startswith("half"):
            del formats["cds-half"]

    # Eq. 7's coefficient goes with the card: the paper's is the C2050's. Here it is fitted to the small matrices of the fitted families
    small = [f["gflops"] / f["paper_corrected"] for v in by_matrix.values() for n, f in v.items() if f["role"] == "fit" and f["rows"] < 70000 and f.get("paper_corrected", 0) > 0]
    scale = statistics.median(small) if small else 1
    for v in by_matrix.values():
        for f in v.values():
            if f["rows"] < 70000 and "paper_corrected" in f:
                f["paper_corrected"] *= scale
    print(f"eq. 7's coefficient, fitted here: {6e-7 * scale:.3g} (the paper's, of a C2050: 6e-07)" if small else "eq. 7's coefficient: 6e-07, the paper's of a C2050, since no family to fit it to is in this run")

    roles = ("fit", "report", "p3")
    names = {role: sorted({v["csr"]["family"] for v in by_matrix.values() if v["csr"]["role"] == role}) for role in roles}
    print("families fitted to:", ", ".join(names["fit"]))
    print("families reported: ", ", ".join(names["report"]))
    print(f"\n{'models, all formats':38} {'matrices':>8} {'products':>8} {'correlation':>11} {'mean |error|':>12}")
    for role in roles:
        for key, what in (("model", "ours"), ("paper", "paper, eq. 3"), ("paper_corrected", "paper, eq. 7 if small" + ", fitted" * bool(small))):
            chosen = [(f[key], f["gflops"]) for v in by_matrix.values() for n, f in v.items() if f["role"] == role and not n.startswith("auto") and f[key] > 0]
            if chosen:
                count = sum(v["csr"]["role"] == role for v in by_matrix.values())
                print(f"{role + ': ' + what:38} {count:8} {len(chosen):8} {correlation(chosen):11.3f} {100 * error(chosen):10.1f} %")
    print(f"\n{'our model, by format':28} {'products':>8} {'correlation':>11} {'mean |error|':>12}")
    for name in dict.fromkeys(line["format"] for line in lines):
        chosen = [(v[name]["model"], v[name]["gflops"]) for v in by_matrix.values() if name in v and not name.startswith("auto") and v[name]["role"] != "fit"]
        if chosen:
            print(f"{name:28} {len(chosen):8} {correlation(chosen):11.3f} {100 * error(chosen):10.1f} %")

    kept = []
    for key, clock in (("seconds", "as the host calls for them"), ("device", "on the device")):
        if all(line.get(key) for line in lines):
            kept += choices(by_matrix, roles, key, clock)
    big = sorted(v["csr"]["analysis"] / v["csr"]["seconds"] for v in by_matrix.values() if v["csr"]["rows"] > 1000000)
    if big:
        print(f"\nsample, model of all formats and choice, in CSR products, {len(big)} matrices above 1 M rows: median {big[len(big) // 2]:.1f}, most {big[-1]:.1f}")

    if arguments.keep:
        run = next(line for line in everything if line.get("run") == "products")
        ran = {"gpu" if run["space"] == "cuda" else "machine": run["device"], "petsc": run["petsc"], "date": datetime.date.fromtimestamp(os.path.getmtime(arguments.file)).isoformat(),
               "command": run.get("command", "bench_locality")}
        with open(arguments.keep, "w") as file:
            file.writelines(json.dumps({**line, **ran}) + "\n" for line in reversed(kept))

    if arguments.folder:
        os.makedirs(arguments.folder, exist_ok=True)
        for key, title in (("model", "Goza's model"), ("paper", "Tanabe 2014, eq. 3"), ("paper_corrected", "Tanabe 2014, eq. 7 below 70 000 rows")):
            points = collections.defaultdict(list)
            for v in by_matrix.values():
                for name, f in v.items():
                    if not name.startswith("auto") and f["role"] != "fit" and f[key] > 0:
                        points[name.split("-")[0]].append((f["gflops"], f[key]))
            if points:
                charts.write(os.path.join(arguments.folder, f"locality_{key}.svg"), [charts.scatter(f"{title}, matrices not fitted to", "measured GFLOPS", "predicted GFLOPS", points)])


main()
