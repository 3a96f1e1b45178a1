"""What papers.py's sentences say of our runs, each a text made of the records, so that it is never of other runs than the tables beside it."""
import statistics

import paper_runs
import paper_tables


def span(values, form="{:.1f}", unit="x"):
    low, high = form.format(min(values)), form.format(max(values))
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def of_cds(rows):
    found = {(r["case"], r["grid"]): r["gflops"] for r in rows}
    grids = dict.fromkeys(r["grid"] for r in rows)
    best = lambda kind, grid: max(found[case, grid] for case in paper_tables.CASES if case.startswith(kind))
    ratios = lambda one, other: [found[one, grid] / found[other, grid] for grid in grids]
    return {"cds_half": span([best("half", grid) / best("full", grid) for grid in grids]), "cds_half_ours": span(ratios("Goza half", "Goza full")), "cds_unrolled_full": span(ratios("full_unroll", "full"), "{:.2f}"),
            "cds_unrolled_half": span(ratios("half_unroll", "half"), "{:.2f}"), "cds_read": span([a for kind in ("full", "half") for a in ratios(f"{kind}_Read", kind)], "{:.2f}")}


def of_bandwidth(rows):
    moved = lambda kind: span([100 * r["real_GBs"] / r["copy_GBs"] for r in rows if r["case"].startswith(kind) and not r["grid"].startswith("64x")], "{:.0f}", " %")
    return {"cds_moved": moved("half"), "cds_moved_ours": moved("Goza half")}


def of_p2(indices, counters, study):
    head, *lines = paper_tables.what_if(indices, counters)
    reuse, counted, third = (dict(zip(range(len(head)), line)) for line in lines[:3])
    figures = {line[0]: line[3] for line in paper_tables.p2_comparison(study)[1:]}
    points = [line for line in paper_tables.hit_lines(indices)[1:]]
    return {"p2_more": span([float(line[2].rstrip(" %")) for line in (reuse, counted)], "{:.0f}", " %"), "p2_more_third": third[2], "p2_lines": f"{reuse[8]} by reuse intervals, {counted[8]} counted",
            "p2_near": f"{sum(int(line[6]) for line in points)} of {sum(int(line[2]) for line in points)}", "p2_eq3": figures["6"], "p2_eq7": figures["14"], "p2_matrices": str(len(study.rows))}


def of_p3(rows, counters):
    found = paper_tables.by_matrix(rows, paper_tables.counted)
    rest = [name for name in found if name not in paper_tables.JUMPS + paper_tables.LOW]
    at, hits = paper_tables.by_counters(rows, counters)
    jump = lambda name: f"{name} {found[name]['csr']['spatial']:.1f} to {found[name]['rectangle']['spatial']:.1f}"
    wrong = [abs(r["csr"]["nnz"] / (paper_tables.REAL[name][1] if name in paper_tables.GENERAL else paper_tables.triangle(name)) - 1) for name, r in found.items()]
    return {"p3_jumps": ", ".join(map(jump, ("nd24k", "webbase-1M", "Hamrle3"))), "p3_related": f"{paper_tables.correlation(paper_tables.p3_points(rest, at, hits)):.2f}", "p3_off": f"{100 * max(wrong):.1f} %",
            "p3_reverse": ", ".join(f"{100 * hits[name]:.0f} %" for name in paper_tables.TABLE_1)}


def of_p4(rows, host, counted):
    some = {(r["element"], r["way"], r["add"], r["blksiz"]): r for r in paper_runs.largest(rows)}
    colours = lambda ways: [some[e, way, "colour", size]["seconds"] / r["seconds"] for (e, way, add, size), r in some.items() if add == "atomic" and way in ways]
    blocks = [some[e, way, add, 8192]["seconds"] / r["seconds"] for (e, way, add, size), r in some.items() if size == 32768]
    adds = [r["steps_s"][3] / sum(r["steps_s"]) for r in some.values() if r["blksiz"] in (0, 32768) and r["add"] == "atomic"]
    ours = [1e3 * r["seconds"] for r in rows if r["way"] == "ours" and r.get("equation", "elasticity") == "elasticity" and r["mesh"] == "box" and r["n"] == 128 and r["into"] in ("csr", "cds full", "cds half")]
    best = {(e, way): min(r["seconds"] for r in host if (r["element"], r["way"]) == (e, way)) for e in ("hex", "tet") for way in ("original", "a", "b")}
    fewer = {(r["element"], r["way"], r["vectorised"]): r["of_an_element"] for r in counted}
    less = lambda e: span([100 * (1 - fewer[e, way, True] / fewer[e, way, False]) for way in ("original", "a", "b")], "{:.0f}", " %")
    return {"p4_colours": span(colours(("g", "g_cuda"))), "p4_blocks": span(blocks, "{:.2f}"), "p4_adds": span([100 * a for a in adds], "{:.0f}", " %"), "p4_ours": span(ours, "{:.1f}", " ms"),
            "p4_a": span([best[e, "a"] / best[e, "original"] for e in ("hex", "tet")]), "p4_fewer": f"{less('hex')} (hexahedra) and {less('tet')}",
            "p4_rates": span([r["steps_gbs"][s] / row[2 * k + 1] for key, row in paper_runs.TABLE_3.items() for k, s in enumerate((2, 3)) for r in [some[(*key, 32768)]]], "{:.0f}", " times")}


def of_p5(ranks, paper, gpus, levels):
    """ranks: of a host and of one H200."""
    strong = [r for r in ranks if r["mode"] == "strong"]
    of = {}
    for r in ranks:
        if r["precision"] == "double" and paper_runs.cells(r) in (16, 100) and (r["mode"] == "weak" or r["ranks"] == 1):
            of.setdefault((paper_runs.cells(r), r["problem"], r["smoother"]), {})[r["ranks"]] = r["iterations"]
    grown = lambda side: span([runs[max(runs)] / runs[1] for key, runs in of.items() if key[0] == side], "{:.1f}") + f" to {max(max(runs) for key, runs in of.items() if key[0] == side)} ranks"
    moved = max(len({r["iterations"] for r in strong if (r["problem"], r["smoother"], r["precision"]) == case}) for case in {(r["problem"], r["smoother"], r["precision"]) for r in strong})
    seconds = {(r["problem"].split()[0], r["smoother"], r["precision"]): r["solve_s"] for r in paper if r["problem"] != "darcy blocks"}
    many = {(r["problem"], r["smoother"], r["precision"], r["ranks"]): r["solve_s"] for r in gpus}
    counts = sorted({key[3] for key in many})
    gain = lambda problem: span([seconds[problem, "jacobi", "double"] / seconds[problem, "chebyshev", "mixed"], *(many[problem, "jacobi", "double", n] / many[problem, "chebyshev", "mixed", n] for n in counts)])
    saved = [100 * (1 - seconds[p, s, "mixed"] / seconds[p, s, "double"]) for p in ("darcy", "anisotropic") for s in ("jacobi", "mcgs", "chebyshev")]
    weak = paper_runs.Weak(levels, ranks)
    cases = [(p, *case) for p in paper_runs.TABLE_9 for case in paper_runs.CASES_9]
    cost, _, held = paper_runs.model_of(levels)
    slower = [weak.seconds(*case, weak.counts[-1]) / weak.seconds(*case, 1) for case in cases]
    return {"p5_of_paper": span([r["iterations"] / r["paper_iterations"] for r in strong if r["paper_iterations"]], "{:.2f}", ""), "p5_moved": "do not change" if moved == 1 else f"take up to {moved} values", "p5_grown_16": grown(16), "p5_grown_100": grown(100),
            "p5_gain_anisotropic": gain("anisotropic"), "p5_gain_darcy": gain("darcy"), "p5_on_many": span([many[(*case, counts[-1])] / many[(*case, 1)] for case in cases], "{:.2f}", ""), "p5_many": str(counts[-1]),
            "p5_saved": span(saved, "{:.0f}", " %"), "p5_weak": f"{span(slower, '{:.1f}', ' times')} a GPU's on {weak.counts[-1]}",
            "p5_error": f"{100 * statistics.mean(abs(e) for e in paper_runs.scaling_model.errors(cost, held)):.0f} %",
            "p5_communication": span([100 * paper_runs.shares(r)[4] for r in gpus if "levels" in r and r["ranks"] > 1], "{:.0f}", " %"),
            "p5_coarse": span([100 * paper_runs.shares(r)[2] for r in gpus if "levels" in r], "{:.0f}", " %")}


def claims(records):
    """{name: text} for papers.py; records: of a file by its name."""
    indices, p2_counters, p3_counters = records("p2_indices"), records("p2_counters"), records("p3_counters")
    return {**of_cds(records("cds")), **of_bandwidth(records("cds")), **of_p2(indices, p2_counters, paper_tables.Study(indices, records("products_h200_again"))), **of_p3(records("p3_indices"), p3_counters),
            **of_p4(records("assembly"), records("assembly_host"), records("assembly_instructions")), **of_p5(records("p5_ranks") + records("p5_one_gpu"), records("amg_paper"), records("p5_gpus"), records("p5_levels"))}
