"""Tables and figures of papers P1 to P3 that are computed from counts and indices rather than measured times. Each function returns the lines of a table, the first of which is the head."""
import math
import statistics

import charts


def percent(share):
    return f"{100 * share:.2f} %"


def diagonal_places(grid):
    """Paper P1: 27 diagonals of a box of nodes; what its count of nonzeros is, and what couples neighbours."""
    out = [["nodes", "places of 27 diagonals", "the paper's nonzeros: places inside the matrix", "entries that couple neighbours", "padding by the paper's count", "by ours"]]
    for nx, ny, nz in grid:
        places, inside, entries = 27 * nx * ny * nz, 27 * nx * ny * nz - (18 * nx * ny + 6 * nx + 2), (3 * nx - 2) * (3 * ny - 2) * (3 * nz - 2)
        name = f"{nx}^3" if nx == ny == nz else f"{nx}x{ny}x{nz}"
        out.append([name, f"{places:,}", f"{inside:,}", f"{entries:,}", percent(1 - inside / places), percent(1 - entries / places)])
    return out


TITAN_GBS = {"64x64x64": (123.54, 105.24, 113.81, 115.25, 144.06, 130.51, 153.11, 147.17), "128x128x128": (199.72, 164.51, 171.15, 178.03, 223.06, 209.82, 236.38, 237.46),
             "256x256x256": (201.82, 167.28, 180.43, 187.99, 220.62, 217.77, 242.13, 243.65), "512x256x256": (None, None, None, None, 220.6, 218.1, 242.7, 245.2)}
CASES = ("full", "full_Read", "full_unroll", "full_unroll_Read", "half", "half_Read", "half_unroll", "half_unroll_Read")


def grid_name(grid):
    sides = grid.split("x")
    return f"{sides[0]}^3" if len(set(sides)) == 1 else grid


def bandwidths(rows):
    """Figure 7: GB/s by the paper's formula, in brackets its card's; and what is really read and written, of a copy's rate."""
    grids = list(dict.fromkeys(r["grid"] for r in rows))
    found = {(r["case"], r["grid"]): r for r in rows}
    out = [["GB/s by the paper's formula (its card)", *map(grid_name, grids), *(f"really moved, of a copy: {grid_name(grid)}" for grid in grids)]]
    for case in dict.fromkeys(r["case"] for r in rows):
        of = lambda grid: TITAN_GBS[grid][CASES.index(case)] if case in CASES else None
        out.append([case, *(f"{found[case, grid]['paper_formula_GBs']:.0f}" + (f" ({of(grid):.0f})" if of(grid) else "") for grid in grids), *(f"{100 * found[case, grid]['real_GBs'] / found[case, grid]['copy_GBs']:.0f} %" for grid in grids)])
    return out


def p1_figures(rows):
    """Figures 6 and 7, and the same of the paper's card."""
    cases = list(dict.fromkeys(r["case"] for r in rows))
    grids = list(dict.fromkeys(r["grid"] for r in rows))
    found = {(r["case"], r["grid"]): r for r in rows}
    heights = lambda value, names: {grid_name(grid): [value(found[name, grid]) for name in names] for grid in grids}
    return charts.page([
        charts.bars("Figure 6: products in CDS, H200", "GFLOPS", cases, heights(lambda r: r["gflops"], cases)),
        charts.bars("Figure 6 of the paper, GTX TITAN", "GFLOPS", CASES, heights(lambda r: r["paper_gflops"] or 0, CASES)),
        charts.bars("Figure 7: bandwidth by the paper's formula, H200", "GB/s", cases, heights(lambda r: r["paper_formula_GBs"], cases)),
        charts.bars("Figure 7 of the paper, GTX TITAN", "GB/s", CASES, {grid_name(grid): [v or 0 for v in TITAN_GBS[grid]] for grid in grids}),
    ], 2)


# --- paper P2: eq. 1 on a C2050, 4-byte values and indices, lines of 128 bytes

def speed(hit, S, index=4):
    return 1 / (4 / 2 + index / 2 + (1 - hit) * 128 / S)


def hit_of_x(hit):
    """The paper's: a third of the rate of all reads, of which those of values and indices nearly all hit. Ours is the rate of x alone."""
    return (2 + hit) / 9


def what_if(rows, counters):
    """Figures 5 and 15: gain of the model's speed over the matrices of the study, in Fold's order; with the rates that were counted over those of which there are counters."""
    every = [r for r in rows if r["indices"] == "fold"]
    counted = {r["matrix"]: x_hits(r) for r in counters if r["format"] == "csr"}
    out = [["hits of x", "mean rate", "30 % more hits: mean gain", "largest", "above 30 %", "30 % fewer: mean", "largest", "S = 32: mean gain", "S = 32 gains more in", "no indices moved then: mean further gain"]]
    for name, rate, study in (("by reuse intervals", lambda r: r["hit"], every), ("counted on an H100 (CSR)", lambda r: counted[r["matrix"]], [r for r in every if r["matrix"] in counted]),
                              ("a third of all reads' hits, as the paper", lambda r: hit_of_x(r["hit"]), every)):
        more, fewer, full = ([speed(min(1, factor * rate(r)), S(r["spatial"])) / speed(rate(r), r["spatial"]) - 1 for r in study]
                             for factor, S in ((1.3, lambda s: s), (0.7, lambda s: s), (1, lambda s: max(32, s))))
        out.append([name, percent(statistics.mean(map(rate, study))), percent(statistics.mean(more)), percent(max(more)), f"{sum(g > 0.3 for g in more)} of {len(study)}",
                    percent(statistics.mean(fewer)), percent(min(fewer)), f"{1 + statistics.mean(full):.1f}x", f"{sum(f > m for f, m in zip(full, more))} of {len(study)}",
                    f"{statistics.mean(speed(rate(r), max(32, r['spatial']), 0) / speed(rate(r), max(32, r['spatial'])) for r in study):.2f}x"])
    out.append(["the paper", "", "12.6 %", "", "5 of 115", "", "none below -30 %", "", "all", "about 1.5x"])
    return out


def x_hits(r, index_bytes=4):
    """Of a product's counters the rate at which reads of x hit, one for each entry: values and indices are read once, and miss. CSR's row pointers, too."""
    once = (r["nnz"] * (8 + index_bytes) + (4 * r["rows"] if r["format"] == "csr" else 0)) / 32
    return 1 - max(0, r["l1_sectors"] - r["l1_hits"] - once) / r["nnz"]


def hits_counted(rows, products):
    """What counters say of the first cache's hits, beside reuse intervals in it and the paper's third."""
    told = {(r["matrix"], r["format"]): r["hit"] for r in products if "format" in r}
    csr = [r for r in rows if r["format"] == "csr"]
    of_x, reuse, every = [x_hits(r) for r in csr], [told[r["matrix"], "csr"] for r in csr], [r["l1_hits"] / r["l1_sectors"] for r in csr]
    fold = [r["l1_hits"] / r["l1_sectors"] for r in rows if r["format"] == "fold"]
    mean = lambda rates: percent(statistics.mean(rates))
    l2 = lambda form: percent(sum(r["l2_hits"] for r in rows if r["format"] == form) / sum(r["l2_sectors"] for r in rows if r["format"] == form))
    return [
        [f"first cache, {len(csr)} matrices", "mean", "mean distance from what is counted of x"],
        ["hits of x, counted: all misses but those of values and indices, CSR", mean(of_x), ""],
        ["hits of x by reuse intervals in a cache of this size", mean(reuse), percent(statistics.mean(abs(a - b) for a, b in zip(of_x, reuse)))],
        ["a third of the rate of all reads, as the paper takes it", mean([h / 3 for h in every]), percent(statistics.mean(abs(a - b / 3) for a, b in zip(of_x, every)))],
        ["rate of all reads: CSR; Fold", f"{mean(every)}; {mean(fold)}", ""],
        ["second cache, all reads of a product that follows no other: CSR; Fold", f"{l2('csr')}; {l2('fold')}", ""],
    ]


def hit_lines(rows):
    """Figure 4: hit rate of x against the temporal index, a line below and one above 70 000 rows; the paper prints neither."""
    out = [["rows", "order", "matrices", "hit rate of x = a + b log10(temporal index): a", "b", "correlation", "within 0.3 of the line"]]
    for order in ("csr", "fold"):
        for name, some in (("below 70 000", [r for r in rows if r["rows"] < 70000]), ("70 000 and above", [r for r in rows if r["rows"] >= 70000])):
            points = [(math.log10(r["temporal"]), r["hit"]) for r in some if r["indices"] == order and r["temporal"] > 0]
            start, slope = line_through(points)
            out.append([name, order, str(len(points)), f"{start:.2f}", f"{slope:.3f}", f"{correlation(points):.2f}", f"{sum(abs(b - start - slope * a) < 0.3 for a, b in points)}"])
    return out


def correlation(points):
    return statistics.correlation(*zip(*points))


def line_through(points):
    """(a, b) of y = a + b x."""
    slope, start = statistics.linear_regression(*zip(*points))
    return start, slope


def equations(products):
    """Eq. 3, and with eq. 7 below 70 000 rows, of the products of all formats; eq. 7's coefficient is fitted to the small matrices of the families fitted to."""
    rows = [dict(r, gflops=2e-9 * r["nnz"] / r["device"]) for r in products if r.get("paper", 0) > 0]
    factor = statistics.median(r["gflops"] / r["paper_corrected"] for r in rows if r["role"] == "fit" and r["rows"] < 70000)
    eq7 = lambda r: r["paper_corrected"] * (factor if r["rows"] < 70000 else 1)
    names = {"Tanabe 2014, eq. 3": lambda r: r["paper"], f"Tanabe 2014, eq. 3 with eq. 7 below 70 000 rows, its coefficient fitted to all formats ({6e-7 * factor:.3g}; the paper's 6e-7)": eq7}
    for (name, of), role in ((model, role) for model in names.items() for role in ("fit", "report")):
        points = [(of(r), r["gflops"]) for r in rows if r["role"] == role]
        yield {"model": name, "matrices": role, "count": len({r["matrix"] for r in rows if r["role"] == role}), "correlation": correlation(points), "mean_error_percent": 100 * statistics.mean(abs(a / b - 1) for a, b in points)}


class Study:
    """Paper P2's study on a GPU: the indices in the order of the paper's Fold, and products of Goza's at width 16."""

    def __init__(self, indices, products):
        self.indices = {r["matrix"]: r for r in indices if r["indices"] == "rectangle"}
        self.fold = {r["matrix"]: r for r in indices if r["indices"] == "fold"}
        self.rows = [dict(r, gflops=2e-9 * r["nnz"] / r["device"]) for r in products if r.get("format") == "fold-16"]
        small = [r for r in self.rows if r["rows"] < 70000]
        self.factor = statistics.median(r["gflops"] / r["paper_corrected"] for r in small if r["role"] == "fit")  # of eq. 7's coefficient, of this device
        for r in self.rows:
            places = r["nnz"] / self.indices[r["matrix"]]["density"]
            r.update(places=places, threads=places / max(1, round(r["nnz"] / r["rows"])), small=r["rows"] < 70000, eq7=self.factor * r["paper_corrected"] if r["rows"] < 70000 else None)
            r["corrected"] = r["eq7"] or r["paper"]

    def points(self, x, y, only=lambda r: True):
        return [(x(r), y(r)) for r in self.rows if only(r)]


def logarithms(points):
    return [(math.log10(a), math.log10(b)) for a, b in points]


def split(points, small):
    return {"below 70 000 rows": [p for p, s in zip(points, small) if s], "70 000 and above": [p for p, s in zip(points, small) if not s]}


def p2_comparison(study):
    """What the figures show, in the paper and here."""
    of = lambda field: lambda r: r[field]
    ratio = lambda r: r["gflops"] / r["paper"]
    small = of("small")
    model = {name: speed(r["hit"], r["spatial"]) for name, r in study.fold.items()}
    index = lambda field: correlation([(math.log10(r[field]), model[name]) for name, r in study.fold.items() if r[field] > 0])
    helps = [r for r in study.rows if r["small"] and abs(math.log(r["gflops"] / r["corrected"])) < abs(math.log(ratio(r)))]
    count = sum(r["small"] for r in study.rows)
    return [
        ["figure", "what it relates", "the paper (C2050, 115 matrices)", f"here ({len(study.rows)} generated matrices)"],
        ["6", "eq. 3 and measured speed", "correlation 0.20", f"{correlation(study.points(of('paper'), of('gflops'))):.2f}"],
        ["7", "temporal index and the model's speed", "weaker than figure 8", f"{index('temporal'):.2f}"],
        ["8", "spatial index and the model's speed", "stronger than figure 7", f"{index('spatial'):.2f}"],
        ["9", "threads and measured over eq. 3 (logarithms)", "the ratio falls with few threads", f"{correlation(logarithms(study.points(of('threads'), ratio))):.2f}"],
        ["10", "the same below 70 000 rows", "clear", f"{correlation(logarithms(study.points(of('threads'), ratio, small))):.2f}"],
        ["11", "stored entries and that ratio, below 70 000 rows", "clearer than figure 10; coefficient 6e-7", f"{correlation(logarithms(study.points(of('places'), ratio, small))):.2f}; coefficient {6e-7 * study.factor:.3g}"],
        ["12", "eq. 7 and measured speed, below 70 000 rows", "strong", f"{correlation(study.points(of('eq7'), of('gflops'), small)):.2f}"],
        ["13", "eq. 7 is nearer than eq. 3", "below 60 000 to 70 000 rows", f"in {len(helps)} of the {count} matrices below 70 000 rows"],
        ["14", "eq. 7 below 70 000 rows, else eq. 3, and measured speed", "correlation 0.47", f"{correlation(study.points(of('corrected'), of('gflops'))):.2f}"],
    ]


def p2_figures(study):
    of = lambda field: lambda r: r[field]
    ratio = lambda r: r["gflops"] / r["paper"]
    small = [r["small"] for r in study.rows]
    fold = [r for r in study.fold.values() if r["temporal"] > 0]
    is_small = [r["rows"] < 70000 for r in fold]
    hits = split([(r["temporal"], r["hit"]) for r in fold], is_small)
    lines = []
    for points in hits.values():
        start, slope = line_through([(math.log10(a), b) for a, b in points])
        lines.append([(a, start + slope * math.log10(a)) for a in (min(points)[0], max(points)[0])])
    ordered = lambda field: [(k + 1, v) for k, v in enumerate(sorted(r[field] for r in study.rows))]
    gain = lambda r, rate, factor, S: (r["spatial"], speed(min(1, factor * rate(r["hit"])), S) / speed(rate(r["hit"]), r["spatial"]))
    more, full = (lambda rate: [gain(r, rate, 1.3, r["spatial"]) for r in fold]), (lambda rate: [gain(r, rate, 1, max(32, r["spatial"])) for r in fold])
    ours = lambda hit: hit
    versus = lambda title, x, y, across, up, only=None: charts.scatter(title, across, up, split(study.points(x, y), small) if only is None else {only: study.points(x, y, lambda r: r["small"])})
    measured = "measured GFLOPS"
    same = [[(1, 1), (1000, 1000)]]
    return charts.page([
        charts.scatter("Figure 2: entries", "matrices, by entries", "entries", {"": ordered("nnz")}, (False, True)),
        charts.scatter("Figure 3: rows", "matrices, by rows", "rows", {"": ordered("rows")}, (False, True)),
        charts.scatter("Figure 4: reuse and hits of x", "temporal index", "hit rate", hits, (True, False), lines),
        charts.scatter("Figure 5: 30 % more hits", "spatial index", "gain of the model", {"by the paper's third": more(hit_of_x), "by rates of x": more(ours)}),
        charts.scatter("Figure 6: eq. 3", measured, "predicted", split(study.points(of("gflops"), of("paper")), small), lines=same),
        charts.scatter("Figure 7: temporal index and model", "temporal index", "GFLOPS of eq. 3, C2050", split([(r["temporal"], 144 * speed(r["hit"], r["spatial"])) for r in fold], is_small), (True, False)),
        charts.scatter("Figure 8: spatial index and model", "spatial index", "GFLOPS of eq. 3, C2050", split([(r["spatial"], 144 * speed(r["hit"], r["spatial"])) for r in fold], is_small), (True, False)),
        versus("Figure 9: measured over eq. 3", of("threads"), ratio, "lines after folding", "measured / predicted"),
        versus("Figure 10: the small ones", of("threads"), ratio, "lines after folding", "measured / predicted", "below 70 000 rows"),
        versus("Figure 11: the small ones, by entries", of("places"), ratio, "stored entries", "measured / predicted", "below 70 000 rows"),
        charts.scatter("Figure 12: eq. 7, the small ones", measured, "predicted", {"": study.points(of("gflops"), of("eq7"), of("small"))}, lines=same),
        charts.scatter("Figure 13: before and after eq. 7", "rows", "measured / predicted", {"eq. 3": study.points(of("rows"), ratio), "eq. 7": study.points(of("rows"), lambda r: r["gflops"] / r["corrected"], of("small"))}),
        charts.scatter("Figure 14: eq. 7 below 70 000 rows", measured, "predicted", split(study.points(of("gflops"), of("corrected")), small), lines=same),
        charts.scatter("Figure 15: by the paper's third", "spatial index", "gain of the model", {"S = 32": full(hit_of_x), "30 % more hits": more(hit_of_x)}),
        charts.scatter("Figure 15: by rates of x", "spatial index", "gain of the model", {"S = 32": full(ours), "30 % more hits": more(ours)}),
    ])


# --- paper P3

# Of each matrix the collection's rows and entries, and what the paper's table 3 lists. Its thermal2 is Botonakis' FEM_3D_thermal2 (rows and entries, to the digit), not Schmid's thermal2.
REAL = {"crankseg_2": (63838, 14148858, 7106348), "nd24k": (72000, 28715634, 14393817), "thermal2": (147900, 3489300, 3489300), "hood": (220542, 10768436, 5494489),
        "F1": (343791, 26837113, 13590452), "msdoor": (415863, 20240935, 10328399), "rajat29": (643994, 4866270, 4866270), "ASIC_680ks": (682712, 2329176, 12329176),
        "apache2": (715176, 4817870, 2766523), "ldoor": (952203, 46522475, 23737339), "webbase-1M": (1000005, 3105536, 3105536), "delaunay_n20": (1048576, 6291372, 2097124),
        "roadNet-TX": (1393383, 3843320, 1281106), "Hamrle3": (1447360, 5514242, 5514242), "G3_circuit": (1585478, 7660826, 4623152), "roadNet-CA": (1971281, 5533214, 1844404)}
GENERAL, PATTERNS = ("thermal2", "rajat29", "ASIC_680ks", "webbase-1M", "Hamrle3"), ("delaunay_n20", "roadNet-TX", "roadNet-CA")
JUMPS, LOW = ("apache2",), ("thermal2", "ASIC_680ks", "roadNet-TX", "roadNet-CA")  # the groups of figure 5; all others are the third


def by_matrix(rows, part):
    """{matrix: {order: record}}, the fewest rows first, as in the paper; part: whole, lower, or of a matrix, by its name."""
    found = {}
    for r in sorted((r for r in rows if r["part"] == (part if isinstance(part, str) else part(r["matrix"]))), key=lambda r: r["rows"]):
        found.setdefault(r["matrix"], {})[r["indices"]] = r
    return found


def triangle(name):
    """Entries of the collection's file of a symmetric matrix; its diagonal is whole, or in files without values empty."""
    rows, entries, _ = REAL[name]
    return entries // 2 if name in PATTERNS else (entries + rows) // 2


def counted(name):
    """The part that the paper's table 3 counts: the triangle that the file of a symmetric matrix holds, or all of a general one."""
    return "whole" if name in GENERAL else "lower"


def listed_entries(rows):
    """Table 3: what the paper lists beside the collection's files, and our stand-ins."""
    whole, found = by_matrix(rows, "whole"), by_matrix(rows, counted)
    out = [["matrix", "rows", "entries", "of the file", "the paper lists", "which is", "our stand-in: rows", "entries ", "off the file's"]]
    for name, r in found.items():
        n, entries, listed = REAL[name]
        file = entries if name in GENERAL else triangle(name)
        is_what = "two thirds of the triangle" if listed == 2 * file // 3 else "a 1 before the digits" if listed == 10**7 + file else "all" if name in GENERAL else "the lower triangle"
        assert listed in (file, 2 * file // 3, 10**7 + file), name
        csr = r["csr"]
        out.append([name, f"{n:,}", f"{entries:,}", f"{file:,}", f"{listed:,}", is_what, f"{whole[name]['csr']['rows']:,}", f"{csr['nnz']:,}", f"{100 * (csr['nnz'] / file - 1):+.1f} %"])
    return out


def spatial_indices(rows):
    """Useful values a line of 32 in the order of CSR and of the paper's Fold, with its padding and without: of the whole stand-in, and of its lower triangle, which the paper counted of
    symmetric matrices."""
    whole, lower = (by_matrix(rows, part) for part in ("whole", "lower"))
    out = [["stand-in", "rows", "entries", "off the real one's", "CSR", "Fold", "Fold, no padding", "hits of x: CSR", "Fold ", "triangle: CSR", "Fold  ", "Fold, no padding "]]
    indices = lambda r: [f"{r['csr']['spatial']:.2f}", f"{r['rectangle']['spatial']:.2f}", f"{r['rectangle']['unpadded']:.2f}"]
    for name, r in whole.items():
        csr = r["csr"]
        out.append([name, f"{csr['rows']:,}", f"{csr['nnz']:,}", f"{100 * (csr['nnz'] / REAL[name][1] - 1):+.1f} %", *indices(r), *(f"{100 * r[order]['hit']:.0f} %" for order in ("csr", "rectangle")), *indices(lower[name])])
    return out


def all_reads(counters):
    """{matrix: share of all reads of a product by Fold that hit in the first cache}, as the paper's hits are."""
    return {r["matrix"]: r["l1_hits"] / r["l1_sectors"] for r in counters if r["format"] == "fold"}


def p3_points(names, index, hits):
    """(index after Fold, hits in percent)."""
    return [(index[name], 100 * hits[name]) for name in names]


def by_counters(rows, counters):
    """Index and hits of the products that were counted: whole stand-ins by Goza's Fold."""
    return {name: r["fold"]["spatial"] for name, r in by_matrix(rows, "whole").items()}, all_reads(counters)


def p3_comparison(rows, counters):
    found = by_matrix(rows, counted)
    rest = [name for name in found if name not in JUMPS + LOW]
    index = lambda name, order="rectangle", field="spatial": found[name][order][field]
    rise = [name for name in found if index(name) > index(name, "csr")]
    highest = max(found, key=lambda name: index(name, "csr"))
    counts = by_counters(rows, counters)
    reuse = {name: index(name) for name in found}, {name: index(name, field="hit") for name in found}
    both = lambda of: f"{of(*counts)}; x alone by reuse {of(*reuse)}"
    span = lambda values, form: f"{min(values):{form}} to {max(values):{form}}"
    return [
        ["figure", "what the paper finds (all reads, C2050)", "here (all reads, counted on an H100)"],
        ["2", "hits fall with rows, with exceptions (F1 24 %, ldoor 39 %)", both(lambda _, hits: f"correlation {correlation([(math.log10(r['csr']['rows']), hits[name]) for name, r in found.items()]):.2f}, F1 {100 * hits['F1']:.0f} %, ldoor {100 * hits['ldoor']:.0f} %")],
        ["4", "nd24k has the longest runs in CSR's order, and Fold breaks them", f"{highest} has; {index('nd24k', 'csr'):.1f} becomes {index('nd24k'):.1f}"],
        ["4", "webbase-1M, Hamrle3 and many others rise under Fold", ", ".join(f"{name} {index(name, 'csr'):.1f} to {index(name):.1f}" for name in ("webbase-1M", "Hamrle3")) + f"; {len(rise)} of {len(found)} rise"],
        ["4", "F1 stays between 1 and 5", f"{index('F1', 'csr'):.1f}, {index('F1'):.1f}, {index('F1', field='unpadded'):.1f}"],
        ["5", "apache2 jumps and hits no more for it", f"{index('apache2', 'csr'):.1f} to {index('apache2'):.1f}; hits " + both(lambda _, hits: f"{100 * hits['apache2']:.0f} %, mean of all {100 * statistics.mean(hits[name] for name in found):.0f} %")],
        ["6", "no relation of index and hits in the four lowest", both(lambda at, hits: f"indices {span([at[name] for name in LOW], '.2f')}, hits {span([100 * hits[name] for name in LOW], '.0f')} %")],
        ["7", "index and hits rise together in the others", both(lambda at, hits: f"correlation {correlation(p3_points(rest, at, hits)):.2f}")],
    ]


def hits_of_stand_ins(rows, indices):
    """P3's figures 2 and 4 by counters: rates of all reads, which the paper's are, and of x alone."""
    found = {(r["matrix"], r["format"]): r for r in rows}
    spatial = {r["matrix"]: r["spatial"] for r in indices if r["part"] == "whole" and r["indices"] == "fold"}
    rate = lambda r, level: f"{100 * r[level + '_hits'] / r[level + '_sectors']:.0f} %"
    names = list(dict.fromkeys(r["matrix"] for r in rows))
    out = [["stand-in", "first cache, all reads: CSR", "Fold", "second: CSR", "Fold ", "hits of x in the first, CSR"]]
    for name in names:
        csr, fold = found[name, "csr"], found[name, "fold"]
        out.append([name, rate(csr, "l1"), rate(fold, "l1"), rate(csr, "l2"), rate(fold, "l2"), f"{100 * x_hits(csr):.0f} %"])
    of = lambda name: found[name, "fold"]["l1_hits"] / found[name, "fold"]["l1_sectors"]
    rest = [name for name in names if name not in JUMPS + LOW]
    out.append(["correlation of Fold's rate and index (figure 5; 7)", "", f"{correlation([(spatial[n], of(n)) for n in names]):.2f}; {correlation([(spatial[n], of(n)) for n in rest]):.2f}", "", "", ""])
    return out


TABLE_1 = {"F1": (343791, 13590452, 24, 9.41), "ldoor": (952203, 23737339, 39, 13.27)}  # rows, entries, hits of all reads in percent, GFLOPS


def reverse(rows, products):
    """Table 1: of two structural matrices the larger hits more, and is faster, under Fold."""
    found = {r["matrix"]: r for r in rows if r["format"] == "fold"}
    speeds = {r["matrix"]: 2e-9 * r["nnz"] / r["device"] for r in products if r.get("format") == "fold-16"}
    out = [["Fold", "rows", "entries (the paper counts the triangle)", "first cache, all reads", "the paper's", "GFLOPS", "the paper's "]]
    for name, (n, nnz, hits, gflops) in TABLE_1.items():
        r = found[name]
        out.append([name, f"{r['rows']:,}", f"{r['nnz']:,} ({nnz:,})", f"{100 * r['l1_hits'] / r['l1_sectors']:.0f} %", f"{hits} %", f"{speeds[name]:.0f}", f"{gflops}"])
    return out


def p3_figures(rows, counters):
    """Indices of what the paper counted, of symmetric matrices the triangle; hits counted of all reads of the whole stand-in; and the numbers of tables 1 and 3."""
    at, hits = by_counters(rows, counters)
    found = by_matrix(rows, counted)
    rest = [name for name in found if name not in JUMPS + LOW]

    def heights(title, names):
        of = lambda order, field: [found[name][order][field] for name in names]
        return charts.bars(title, "useful values a line", names, {"CSR": of("csr", "spatial"), "Fold": of("rectangle", "spatial"), "Fold, no padding": of("rectangle", "unpadded")},
                           {"hits of all reads of 1, H100": [hits[name] for name in names], "hits of x by reuse": of("rectangle", "hit")})

    of = lambda names: p3_points(names, at, hits)
    relation = lambda title, groups: charts.scatter(title, "useful values a line after Fold", "hits of all reads, % (H100)", groups, (False, False))
    return charts.page([
        charts.scatter("Figure 2: rows and hits", "rows", "hits of all reads after Fold, % (H100)", {"": [(r["csr"]["rows"], 100 * hits[name]) for name, r in found.items()]}, (True, False)),
        heights("Figure 4: useful values a line", list(found)),
        relation("Figure 5: index and hits", {"others": of(rest), "apache2": of(JUMPS), "the four lowest": of(LOW)}),
        relation("Figure 6: the four lowest", {"": of(LOW)}),
        relation("Figure 7: the others", {"": of(rest)}),
        heights("Figure 8: by groups", [*rest, *LOW, *JUMPS]),
        charts.bars("Table 1: of two matrices the larger hits more", "% of all reads that hit", list(TABLE_1), {"H100": [100 * hits[name] for name in TABLE_1], "the paper": [row[2] for row in TABLE_1.values()]}),
        charts.bars("Table 3: entries", "millions", list(found), {"of the file": [1e-6 * (REAL[name][1] if name in GENERAL else triangle(name)) for name in found], "the paper lists": [1e-6 * REAL[name][2] for name in found],
                                                                  "the stand-in": [1e-6 * r["csr"]["nnz"] for r in found.values()]}),
    ])
