"""Tables and figures of papers P4 and P5, of measured runs. Each function of records returns the lines of a table, the first of which is the head."""
import math

import charts
import scaling_model

ELEMENTS = {"hex": "hexahedra", "tet": "tetrahedra"}


def ms(seconds):
    return f"{1e3 * seconds:.3g} ms"


# --- paper P4

def largest(rows):
    """Elasticity on a box in the paper's ways, of the largest grid."""
    some = [r for r in rows if "blksiz" in r and r.get("equation", "elasticity") == "elasticity" and r.get("mesh", "box") == "box"]
    return [r for r in some if r["n"] == max(s["n"] for s in some)]


def block_sizes(rows):
    """Figure 12, and 7 and 8 on a host: the whole time by elements in a block; the original has no blocks."""
    some = largest(rows)
    sizes = sorted({r["blksiz"] for r in some if r["blksiz"]})
    found = {(r["element"], r["way"], r["add"], r["blksiz"]): r["seconds"] for r in some}
    out = [["elements", "variant", "no blocks", *(f"{size} in a block" for size in sizes)]]
    for element, way, add in dict.fromkeys(key[:3] for key in found):
        times = [found.get((element, way, add, size)) for size in [0, *sizes]]
        out.append([ELEMENTS[element], f"{way}, {add}", *(ms(t) if t else "" for t in times)])
    return out


TABLE_3 = {("hex", "g", "atomic"): (12.8, 87.9, 26.8, 111.7), ("hex", "g", "colour"): (12.8, 81.7, 37.9, 98.7), ("hex", "g_cuda", "atomic"): (12.8, 138.2, 26.3, 120.1), ("tet", "g", "atomic"): (15.5, 172.5, 38.3, 114.9)}


def traffic(rows):
    """Table 3: what steps 3 and 4 move, counted from the arrays (an addition reads and writes), and by the paper's profiler."""
    some = {(r["element"], r["way"], r["add"]): r for r in largest(rows) if r["blksiz"] == 32768}
    out = [["elements", "variant", "element matrix", "the paper's", "rate", "the paper's ", "add", "the paper's  ", "rate ", "the paper's   "]]
    for key, (three, three_rate, four, four_rate) in TABLE_3.items():
        r = some[key]
        gb, rate = (lambda s: f"{r['steps_bytes'][s] / 1e9:.1f} GB"), (lambda s: f"{r['steps_gbs'][s]:.0f} GB/s")
        out.append([ELEMENTS[key[0]], ", ".join(key[1:]), gb(2), f"{three} GB", rate(2), f"{three_rate} GB/s", gb(3), f"{four} GB", rate(3), f"{four_rate} GB/s"])
    return out


# Table 4, seconds: K40, Xeon Phi
TABLE_4 = {("hex", "g", "colour"): (0.675, 0.803), ("hex", "g", "atomic"): (0.507, None), ("hex", "g_cuda", "atomic"): (0.362, None), ("tet", "g", "colour"): (None, 1.111), ("tet", "g", "atomic"): (0.520, None)}


def fastest(rows, key):
    return min(r["seconds"] for r in largest(rows) if (r["element"], r["way"], r["add"]) == key)


def ours(rows, element):
    """Seconds of what GozaAssembly writes into, by its name."""
    return {r["into"]: r["seconds"] for r in rows if (r["element"], r["n"], r["way"], r["mesh"]) == (element, 128, "ours", "box") and r.get("equation", "elasticity") == "elasticity" and "by rows" not in r["into"]}


def best(rows):
    """Table 4: the paper's best, the same variant here, and ours."""
    out = [["elements", "the paper's variant", "K40", "Xeon Phi", "the variant here", "over the K40", *(f"ours, {into}" for into in ours(rows, "hex"))]]
    for key, (k40, phi) in TABLE_4.items():
        here, mine = fastest(rows, key), ours(rows, key[0])
        out.append([ELEMENTS[key[0]], ", ".join(key[1:]), f"{k40} s" if k40 else "", f"{phi} s" if phi else "", ms(here), f"{k40 / here:.0f}x" if k40 else "", *map(ms, mine.values())])
    return out


def instructions(rows):
    """Figure 10, by an element and case of table 2: the compiler vectorises, or not."""
    found = {(r["element"], r["way"], r["vectorised"]): r["of_an_element"] for r in rows}
    out = [["elements", "variant", "not vectorised", "vectorised", "fewer by"]]
    for element, way in dict.fromkeys(key[:2] for key in found):
        plain, fast = found[element, way, False], found[element, way, True]
        out.append([ELEMENTS[element], way, f"{plain:,}", f"{fast:,}", f"{100 * (1 - fast / plain):.0f} %"])
    return out


STEPS = ("Jacobian, gradients", "address search", "element matrix", "add")


def p4_figures(rows, host, counted, whole):
    """Figures 12 and 13, tables 3 and 4, and 7 to 10 on a host; assembly beside the solver."""
    def by_size(title, some, element, ways):
        sizes = sorted({r["blksiz"] for r in some if r["blksiz"]})
        found = {(r["way"], r["add"], r["blksiz"]): 1e3 * r["seconds"] for r in some if r["element"] == element}
        series = {f"{way}, {add}": [(size, found[way, add, size]) for size in sizes] for way, add in dict.fromkeys(key[:2] for key in found if key[2]) if way in ways}
        return charts.scatter(title, "elements in a block", "ms", series, (True, False), joined=True)

    some, own = largest(rows), largest(host)
    at = {(r["element"], r["way"], r["add"]): r for r in some if r["blksiz"] == 32768}
    names = [key for key in at if key[1] in ("g", "g_cuda")]
    least = lambda records, element, way, add: min((1e3 * r["seconds"] for r in records if (r["element"], r["way"], r["add"]) == (element, way, add)), default=0)
    ways = ("original", "a", "b")
    on_k40 = {key: seconds for key, (seconds, _) in TABLE_4.items() if seconds}
    return charts.page([
        *(by_size(f"Figure 12: {ELEMENTS[e]}, H200", some, e, ("g", "g_cuda")) for e in ELEMENTS),
        charts.bars("Figure 13: steps, blocks of 32768", "ms", [f"{e} {way} {add}" for e, way, add in names], {step: [1e3 * at[key]["steps_s"][s] for key in names] for s, step in enumerate(STEPS)}, stacked=True),
        charts.bars("Table 3: what steps 3 and 4 move", "GB", [" ".join(key) for key in TABLE_3], {"element matrix": [at[key]["steps_bytes"][2] / 1e9 for key in TABLE_3], "the paper's": [row[0] for row in TABLE_3.values()],
                                                                                                   "add": [at[key]["steps_bytes"][3] / 1e9 for key in TABLE_3], "the paper's ": [row[2] for row in TABLE_3.values()]}),
        charts.bars("Table 4: times as fast as its variant on a K40", "", [" ".join(key) for key in on_k40], {"the variant": [seconds / fastest(rows, key) for key, seconds in on_k40.items()],
                                                                                                              **{f"ours, {into}": [seconds / ours(rows, key[0])[into] for key, seconds in on_k40.items()] for into in ours(rows, "hex")}}),
        *(by_size(f"Figure {n}: {ELEMENTS[e]}, one host core", own, e, ways) for n, e in ((7, "hex"), (8, "tet"))),
        charts.bars("Figure 9: the best block size, one host core", "ms", [f"{e} {way}" for e in ELEMENTS for way in ways], {"in colours": [least(own, e, way, "colour") for e in ELEMENTS for way in ways]}),
        charts.bars("Figure 10: instructions of an element, host", "thousands", [f"{e} {way}" for e in ELEMENTS for way in ways],
                    {name: [1e-3 * r["of_an_element"] for e in ELEMENTS for way in ways for r in counted if (r["element"], r["way"], r["vectorised"]) == (e, way, kind)] for name, kind in (("not vectorised", False), ("vectorised", True))}),
        charts.bars("Assembly and solution, 128^3 nodes", "ms", [r["into"] for r in whole], {name: [1e3 * r[field] for r in whole] for name, field in (("assembly", "seconds"), ("first product after it", "first_product_s"), ("an iteration of CG", "iteration_s"))}),
    ])


# --- paper P5

def mixed(rows):
    """Table 8: what single precision on the coarse levels changes in iterations."""
    some = {(r["precision"], r["ranks"]): r for r in rows if (r["mode"], r["problem"], r["smoother"]) == ("strong", "darcy", "chebyshev")}
    ranks = sorted({n for _, n in some})
    return [["Darcy flow, Chebyshev, 100^3", *(f"{n} ranks" if n > 1 else "1 rank" for n in ranks)], *([name, *(f"{some[name, n]['iterations']} ({some[name, n]['paper_iterations']})" for n in ranks)] for name in ("double", "mixed"))]


TABLES_9_10 = {"darcy lognormal": (1.12, 1.15, (0.98, 1.23, 1.15, 1.04, 1.00), (0.98, 1.08, 1.21, 1.13)), "anisotropic": (1.98, 1.29, (1.54, 1.87, 1.65, 1.75, 1.56), (1.54, 1.51, 1.40, 1.33))}


def speedups(rows):
    """Tables 9 and 10 on one GPU: what the paper sets side by side, double Jacobi and mixed Chebyshev."""
    found = {(r["problem"], r["smoother"], r["precision"]): r for r in rows if r.get("settings", "paper") == "paper"}
    out = [["100^3, one GPU", "double, Jacobi", "the paper's", "mixed, Chebyshev", "the paper's ", "gain", "the paper's  ", "its gain on 2 to 16 GPUs", "its gain on 8 to 64 GPUs, 100^3 on each"]]
    for problem, (jacobi, chebyshev, strong, weak) in TABLES_9_10.items():
        one, other = found[problem, "jacobi", "double"], found[problem, "chebyshev", "mixed"]
        out.append([problem, ms(one["solve_s"]), f"{jacobi} s", ms(other["solve_s"]), f"{chebyshev} s", f"{one['solve_s'] / other['solve_s']:.2f}x", f"{strong[0]}x", f"{min(strong[1:])}x to {max(strong[1:])}x", f"{min(weak[1:])}x to {max(weak[1:])}x"])
    return out


# Table 9, seconds by GPUs
TABLE_9 = {"darcy": {"jacobi": {1: 1.12, 2: 0.85, 4: 0.48, 8: 0.42, 16: 0.40}, "chebyshev": {1: 1.15, 2: 0.69, 4: 0.42, 8: 0.40, 16: 0.40}},
           "anisotropic": {"jacobi": {1: 1.98, 2: 1.54, 4: 0.91, 8: 0.80, 16: 0.83}, "chebyshev": {1: 1.29, 2: 0.82, 4: 0.55, 8: 0.46, 16: 0.53}}}
CASES_9 = (("jacobi", "double"), ("chebyshev", "mixed"))


def by_gpus(rows):
    """Table 9, with figures 3, 4 and 7's seconds, on as many GPUs as were lent."""
    found = {(r["problem"], r["smoother"], r["precision"], r["ranks"]): r["solve_s"] for r in rows}
    counts = sorted({key[3] for key in found})
    out = [["100^3", *(f"{n} GPU{'s' if n > 1 else ''}" for n in counts)]]
    for problem, table in TABLE_9.items():
        times = {case: [found[(problem, *case, n)] for n in counts] for case in CASES_9}
        for case in CASES_9:
            out.append([f"{problem}, {case[1]} {case[0]}", *(f"{ms(t)} ({table[case[0]][n]} s)" for t, n in zip(times[case], counts))])
        out.append(["gain", *(f"{a / b:.2f}x ({table['jacobi'][n] / table['chebyshev'][n]:.2f}x)" for a, b, n in zip(*times.values(), counts))])
    return out


PARTS_9 = ("level 1, smoother", "level 2, smoother", "coarser levels", "transfers and residuals", "communication", "the method, waits of the log")


def shares(r):
    """Of a solve by levels on several GPUs, in the order of PARTS_9."""
    levels, whole = r["levels"], r["logged_s"]
    parts = [levels[0]["smoother"], levels[1]["smoother"], sum(l["smoother"] + l["transfer"] + l["coarsest"] for l in levels[2:]), sum(l["transfer"] for l in levels[:2]), sum(l["communication"] for l in levels)]
    return [part / whole for part in (*parts, whole - sum(parts))]


def composition_by_gpus(rows):
    """Figure 9 on several GPUs."""
    return [["100^3, mixed Chebyshev", "a solve with the log's waits", *PARTS_9], *([f"{r['problem']}, {r['ranks']} GPU{'s' if r['ranks'] > 1 else ''}", ms(r["logged_s"]), *(f"{100 * share:.0f} %" for share in shares(r))] for r in rows if "levels" in r)]


PARTS_10 = ("level 1, smoother", "level 2, smoother", "coarser levels", "transfers and residuals", "the method, waits of the log")


def shares_of_one(r):
    """Of a solve by levels on one GPU, in the order of PARTS_10."""
    steps = {(int(key.split()[0]), key.split(" ", 1)[1]): value for key, value in r["ms_by_level"].items()}
    transfers = sum(value for (level, step), value in steps.items() if level <= 2 and step != "smoother")
    parts = [steps.get((1, "smoother"), 0), steps.get((2, "smoother"), 0), sum(value for (level, _), value in steps.items() if level > 2), transfers]
    return [part / r["logged_ms"] for part in (*parts, r["logged_ms"] - sum(parts))]


def by_levels(rows):
    """The runs on one GPU whose parts are known."""
    return [r for r in rows if r.get("ms_by_level") and r["smoother"] == "chebyshev"]


def composition(rows):
    """Figures 9 and 10 on one GPU: parts of a solve with Chebyshev."""
    return [["100^3, Chebyshev", "a solve with the log's waits", *PARTS_10], *([f"{r['problem']}, {r['precision']}", f"{r['logged_ms']:.2f} ms", *(f"{100 * share:.0f} %" for share in shares_of_one(r))] for r in by_levels(rows))]


def chebyshev(m, lam, low=0.2, high=1.8):
    """P_m of eq. 5."""
    t = lambda x: math.cos(m * math.acos(x)) if abs(x) <= 1 else math.copysign(1, x) ** m * math.cosh(m * math.acosh(abs(x)))
    return t((high + low - 2 * lam) / (high - low)) / t((high + low) / (high - low))


def cells(r):
    """Cells a side: weak, of each rank."""
    return r["n"] // (round(r["ranks"] ** (1 / 3)) if r["mode"] == "weak" else 1)


def model_of(rows):
    """scaling_model.py's of such runs: seconds by name, the runs it has seen, and those held back."""
    used, held = scaling_model.apart(scaling_model.usable(rows), scaling_model.HELD)
    return scaling_model.fit(used), used, held


def on_more(cost, run, ranks, weak=False, grown=1.0):
    """Seconds by the model on so many GPUs, of the same cells in all or, weak, for each; grown: iterations over the run's."""
    levels = scaling_model.continued(run, ranks, scaling_model.GATHER, each=weak)
    levels = [dict(level, steps=grown * level["steps"], exchanges=grown * level["exchanges"]) for level in levels]
    return scaling_model.seconds(cost, scaling_model.features(dict(run, iterations=grown * run["iterations"]), levels, ranks))


# Table 10, seconds by GPUs, 100^3 on each
TABLE_10 = {"darcy": {"jacobi": {1: 1.12, 8: 2.04, 27: 4.03, 64: 4.01}, "chebyshev": {1: 1.15, 8: 1.90, 27: 3.32, 64: 3.54}},
            "anisotropic": {"jacobi": {1: 1.98, 8: 3.17, 27: 4.20, 64: 4.90}, "chebyshev": {1: 1.29, 8: 2.09, 27: 3.00, 64: 3.67}}}


class Weak:
    """A solve of 100^3 cells on each GPU: measured on one, on more by the model with the iterations that such a problem takes, as far as those were run."""

    def __init__(self, levels, ranks):
        self.cost, used, held = model_of(levels)
        self.runs = {(r["problem"], r["smoother"], r["precision"], r["ranks"]): r for r in used + held if r["n"] == 100}
        self.iterations = {(r["problem"], r["smoother"], r["ranks"]): r["iterations"] for r in ranks if cells(r) == 100 and r["precision"] == "double" and (r["mode"] == "weak" or r["ranks"] == 1)}
        self.counts = [count for count in sorted({n for *_, n in self.iterations}) if all((problem, smoother, count) in self.iterations for problem, table in TABLE_10.items() for smoother in table)]

    def seconds(self, problem, smoother, precision, ranks):
        if ranks == 1:
            return self.runs[problem, smoother, precision, 1]["solve_s"]
        grown = self.iterations[problem, smoother, ranks] / self.iterations[problem, smoother, 1]
        return on_more(self.cost, self.runs[problem, smoother, precision, 2], ranks, True, grown)


def weak_model(levels, ranks):
    """Table 10, and figures 5, 6 and 8's seconds."""
    weak = Weak(levels, ranks)
    out = [["100^3 on each", *(f"{n} GPUs, by the model" if n > 1 else "1 GPU" for n in weak.counts)]]
    for problem, table in TABLE_10.items():
        times = {case: [weak.seconds(problem, *case, n) for n in weak.counts] for case in CASES_9}
        for case in CASES_9:
            out.append([f"{problem}, {case[1]} {case[0]}", *(f"{ms(t)} ({table[case[0]][n]} s)" for t, n in zip(times[case], weak.counts))])
        out.append(["gain", *(f"{a / b:.2f}x ({table['jacobi'][n] / table['chebyshev'][n]:.2f}x)" for a, b, n in zip(*times.values(), weak.counts))])
    return out


def scaling_model_table(rows, gpus):
    """A solve on one and two GPUs, measured and in brackets by the model; by the model alone on more; the model's error; and on four GPUs, of another card, by what two take."""
    cost, used, held = model_of(rows)
    many = (8, 64, 512)
    out = [["a solve", "1 GPU", "2 GPUs", *(f"{ranks} GPUs, by the model" for ranks in many)]]
    cases = dict.fromkeys((r["n"], r["problem"], r["smoother"], r["precision"]) for r in used + held)
    for case in cases:
        some = {r["ranks"]: r for r in used + held if (r["n"], r["problem"], r["smoother"], r["precision"]) == case}
        cells = [f"{1e3 * some[k]['solve_s']:.2f} ms ({1e3 * scaling_model.seconds(cost, scaling_model.features(some[k])):.2f})" if k in some else "" for k in (1, 2)]
        out.append([f"{case[0]}^3, {case[1]}, {case[3]} {case[2]}", *cells, *(f"{1e3 * on_more(cost, some[max(some)], ranks):.2f} ms" for ranks in many)])
    for name, runs in (("seen", used), ("held back", held)):
        wrong = [100 * abs(e) for e in scaling_model.errors(cost, runs)]
        out.append([f"error on the {len(runs)} runs {name}", f"mean {sum(wrong) / len(wrong):.1f} %", f"largest {max(wrong):.1f} %", *("" for _ in many)])
    measured = {(r["problem"], r["smoother"], r["precision"], r["ranks"]): r["solve_s"] for r in gpus}
    two = {(r["problem"], r["smoother"], r["precision"]): r for r in used + held if (r["n"], r["ranks"]) == (100, 2)}
    shown = lambda ratios: f"{min(ratios):.2f} to {max(ratios):.2f}"
    of_four = [key[:3] for key in measured if key[3] == 4]
    out.append(["100^3, four H100 over two", f"measured {shown([measured[(*case, 4)] / measured[(*case, 2)] for case in of_four])}", f"by the model {shown([on_more(cost, two[case], 4) / two[case]['solve_s'] for case in of_four])}", *("" for _ in many)])
    return out


def iterations_charts(ranks):
    """Tables 4 to 7, ours and, at its size, the paper's."""
    for mode, problem, side in ((m, p, n) for m, sides in (("strong", (100,)), ("weak", (16, 100))) for n in sides for p in TABLE_9):
        some = [r for r in ranks if (r["problem"], r["precision"]) == (problem, "double") and cells(r) == side and (r["mode"] == mode or mode == "weak" and r["ranks"] == 1)]
        series = {}
        for smoother in dict.fromkeys(r["smoother"] for r in some):
            mine = {r["ranks"]: r for r in some if r["smoother"] == smoother}
            series[smoother] = [(n, mine[n]["iterations"]) for n in sorted(mine)]
            if side == 100:
                series[f"{smoother}, paper"] = [(n, mine[n]["paper_iterations"]) for n in sorted(mine) if mine[n]["paper_iterations"]]
        yield charts.scatter(f"{'Tables 4, 5' if mode == 'strong' else 'Tables 6, 7'}: {problem}, {side}^3" + (" on each" if mode == "weak" else ""), "ranks", "iterations", series, (True, False), joined=True)


def p5_figures(ranks, paper, gpus, levels):
    """Figure 2; iterations of tables 4 to 7; figures 3 to 6, table 9 and table 10 on one and two GPUs and by the scaling model on more; figures 7 and 8 on one; table 9 and figure 9 on up to four; figure 10 on one."""
    polynomials = {f"order {m}": [(k / 100, chebyshev(m, k / 100)) for k in range(201)] for m in (3, 5)}
    out = [charts.scatter("Figure 2: Chebyshev's polynomials on 0.2 to 1.8", "eigenvalue", "P", polynomials, (False, False), joined=True), *iterations_charts(ranks)]
    names = [(p, s) for p in ("darcy lognormal", "anisotropic") for s in ("jacobi", "mcgs", "chebyshev")]
    some = {(r["problem"], r["smoother"], r["precision"]): r for r in paper if r.get("settings", "paper") == "paper"}
    for title, of in (("Figures 3, 4 at one GPU: a solve, 100^3", lambda r: r["solve_s"]), ("Figures 7, 8 at one GPU: an iteration, 100^3", lambda r: r["solve_s"] / r["iterations"])):
        out.append(charts.bars(title, "ms", [f"{p.split()[0]} {s}" for p, s in names], {precision: [1e3 * of(some[(*name, precision)]) for name in names] for precision in ("double", "mixed")}))
    for problem in TABLE_9:
        series = {f"{precision} {smoother}": [(r["ranks"], 1e3 * r["solve_s"]) for r in gpus if (r["problem"], r["smoother"], r["precision"]) == (problem, smoother, precision)] for smoother, precision in CASES_9}
        out.append(charts.scatter(f"Table 9: {problem}, 100^3, H100", "GPUs", "ms", series, (False, False), joined=True))
    weak = Weak(levels, ranks)
    cases = [(smoother, precision) for smoother in ("jacobi", "chebyshev") for precision in ("double", "mixed")]
    strong = lambda run, n: weak.runs[(*run, n)]["solve_s"] if n < 4 else on_more(weak.cost, weak.runs[(*run, 2)], n)
    for title, counts, of in (("Figures {}, 7, table 9: {}, 100^3; from 4 GPUs by the model", (1, 2, 4, 8, 16), strong), ("Figures {}, 8, table 10: {}, 100^3 on each, by the model", weak.counts, lambda run, n: weak.seconds(*run, n))):
        for figure, problem in zip("34" if of is strong else "56", TABLE_10):
            series = {f"{precision} {smoother}": [(n, 1e3 * of((problem, smoother, precision), n)) for n in counts] for smoother, precision in cases}
            out.append(charts.scatter(title.format(figure, problem), "GPUs", "ms", series, (True, False), joined=True))
    logged = [r for r in gpus if "levels" in r]
    out.append(charts.bars("Figure 9: parts of a solve, mixed Chebyshev", "% of a solve", [f"{r['problem']} {r['ranks']}" for r in logged], {part: [100 * shares(r)[k] for r in logged] for k, part in enumerate(PARTS_9)}, stacked=True))
    some = by_levels(paper)
    out.append(charts.bars("Figure 10 at one GPU: parts of a solve, Chebyshev", "% of a solve", [f"{r['problem']} {r['precision']}" for r in some], {part: [100 * shares_of_one(r)[k] for r in some] for k, part in enumerate(PARTS_10)}, stacked=True))
    return charts.page(out)
