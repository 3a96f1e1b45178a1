#!/usr/bin/env python3
"""Fill the tables of measurements in the pages from test/bench/results/*.json.

  test/bench/tables.py [--check] [PAGE...]      every README.md of the tree, or the pages named

In a page a table stands between two lines, <!-- table NAME --> and <!-- end -->; what is between them is written here. A result file holds one JSON
object a line, as the benches and examples append them with -json; "gpu", "petsc", "date" and "command" say how it was measured, "source" where a figure was taken over from.
--check writes nothing and fails when a page is not current. A new table is a function in TABLES, or a line of OF_PAPERS.
"""
import argparse
import json
import re
import sys
from pathlib import Path

import league as league_lines
import paper_claims
import paper_runs
import paper_tables
import papers

TOP = Path(__file__).resolve().parents[2]
RESULTS = TOP / "test/bench/results"


def records(name):
    return [json.loads(line) for line in (RESULTS / f"{name}.json").read_text().splitlines() if line.strip()]


# --- cells

def text(value, form="{}"):
    return "" if value is None else form.format(value)


def ms(seconds):
    return "" if seconds is None else f"{seconds:.1f} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms" if seconds < 0.1 else f"{1e3 * seconds:.0f} ms"


def times(one, other):
    return "" if not one or not other else f"{one / other:.1f}x" if one / other < 10 else f"{one / other:.0f}x"


def code(options):
    return ", ".join(f"`{part}`" for part in [options] if part)


def cube(nodes):
    return "x".join(map(str, nodes)) if len(set(nodes)) > 1 else f"{nodes[0]}^3"


# --- tables: lists of rows, the first of which is the head

def pivot(rows, row, column, cell, corner=""):
    """One line for each value of row(record), one column for each of column(record)."""
    columns = list(dict.fromkeys(map(column, rows)))
    cells = {(row(r), column(r)): cell(r) for r in rows}
    return [[corner, *columns], *([name, *(cells.get((name, c), "") for c in columns)] for name in dict.fromkeys(map(row, rows)))]


def listing(rows, **columns):
    """One line for each record; columns: head=function of the record, an underscore in a head being a space."""
    return [[head.replace("_", " ") for head in columns], *([of(r) for of in columns.values()] for r in rows)]


def method(r):
    return " ".join(filter(None, [r["pc_type"], f"on `{r['mat_type']}`" if "mat_type" in r else "", code(r.get("options"))]))


def first_solve():
    rows = records("first_solve")
    key = lambda r: (r["program"].split("/")[-1], tuple(r["nodes"]), r["petsc"], r.get("ksp_type"))
    best = {key(r): r["solve_s"] for r in rows if r.get("solves", 1) > 1}
    first = [r for r in rows if r.get("solves", 1) == 1] + records("first_solve_host")
    return first, listing(first, problem=lambda r: f"{key(r)[0]} {cube(r['nodes'])}", PETSc=lambda r: r["petsc"], on=lambda r: r.get("gpu") or r["machine"], method=lambda r: f"`{r['ksp_type']}` + `{r['pc_type']}`",
                          first_setup=lambda r: ms(r["setup_s"]), first_solve=lambda r: ms(r["first_solve_s"]), best_solve=lambda r: ms(best.get(key(r))))


def spmv():
    rows = records("spmv")
    cusparse = {r["matrix"]: r["gflops"] for r in rows if r["type"] == "aijcusparse"}
    out = pivot(rows, lambda r: r["type"], lambda r: r["matrix"], lambda r: f"{r['gflops']:.0f}", "GF/s")
    for name in ("cds", "slicedell"):
        own = {r["matrix"]: r["gflops"] for r in rows if r["type"] == name}
        at = [line[0] for line in out].index(name)
        out.insert(at + 1, [f"{name} over aijcusparse", *(times(own.get(m), cusparse.get(m)) for m in out[0][1:])])
    return rows, out


def spmv_gallery_h100():
    return gallery("spmv_gallery_h100")


def spmv_gallery_h200():
    return gallery("spmv_gallery_h200")


def spmv_gallery_matrices():
    """Each irregular matrix; beside, the time of ten bytes an entry, of x and of y, at the speed of a copy."""
    rows = records("spmv_gallery_matrices")
    least = lambda r: (10 * r["nnz"] + 8 * (r["rows"] + r["cols"])) / r["copy_TBs"] * 1e-6
    return rows, listing(rows, matrix=lambda r: r["matrix"], entries=lambda r: f"{r['nnz'] / 1e6:.1f} M", fastest_of_cuSPARSE=lambda r: f"{r['fastest_us']} us ({r['fastest_of_cusparse'].removeprefix('cusparse:')})", fold=lambda r: f"{r['fold_us']} us",
                         autoformat=lambda r: f"{r['autoformat_us']} us", speed=lambda r: f"{r['fastest_us'] / r['autoformat_us']:.2f}x", ten_bytes_an_entry_at_copy_speed=lambda r: f"{least(r):.0f} us")


def spmv_repeats():
    """Matrices where neither is faster, measured in turn."""
    rows = records("spmv_repeats")
    found = {(r["matrix"], r["type"]): sorted(r["us"]) for r in rows}
    middle = lambda some: (some[(len(some) - 1) // 2] + some[len(some) // 2]) / 2
    shown = lambda some: f"{middle(some):.1f} us" + (f" ({some[0]} to {some[-1]})" if len(some) > 1 else "")
    out = [["matrix", "fastest of cuSPARSE", "autoformat", "speed", "fold"]]
    for matrix in dict.fromkeys(m for m, _ in found):
        peer = min((t for m, t in found if m == matrix and t.startswith("cusparse:")), key=lambda t: middle(found[matrix, t]))
        ours, theirs = found[matrix, "autoformat"], found[matrix, peer]
        out.append([matrix, f"{shown(theirs)}, {peer.removeprefix('cusparse:')}", shown(ours), f"{middle(theirs) / middle(ours):.3f}x", shown(found[matrix, "fold"])])
    return rows, out


def gallery(name):
    rows = [r for r in records(name) if r.get("matrices", 1)]
    ratio = lambda field: lambda r: text(r.get(field), "{:.2f}x")
    return rows, listing(rows, type=lambda r: r["type"], regular_matrices=ratio("regular_mean"), least=ratio("regular_least"), irregular_matrices=ratio("irregular_mean"),
                         least_=ratio("irregular_least"), **{head: ratio(field) for head, field in (("over_the_fastest_of_cuSPARSE's:_regular", "regular_mean_over_fastest"), ("least__", "regular_least_over_fastest"),
                                                             ("irregular", "irregular_mean_over_fastest"), ("least___", "irregular_least_over_fastest"))}, difference_from_aij=lambda r: text(r["difference_from_aij"], "{:.0e}"))


def cds():
    rows = records("cds")
    return rows, pivot(rows, lambda r: r["case"], lambda r: paper_tables.grid_name(r["grid"]), lambda r: f"{r['gflops']:.0f}" + text(r["paper_gflops"] or None, " ({:.1f})"), "GF/s (paper)")


def cds_bandwidth():
    rows = records("cds")
    return rows, paper_tables.bandwidths(rows)


def cds_host():
    rows = records("cds_host")
    return rows, pivot(rows, lambda r: r["case"], lambda r: r["grid"], lambda r: f"{r['gflops']}", "GF/s")


def fused_outputs():
    rows = records("fused_outputs")
    return rows, listing(rows, output=lambda r: r["output"], matrix=lambda r: r["matrix"], fused=lambda r: f"{r['fused_us']} us", product_and_a_kernel=lambda r: f"{r['apart_us']} us")


def spmv_host():
    rows = records("spmv_host")
    return rows, pivot(rows, lambda r: r["type"], lambda r: r["matrix"], lambda r: f"{r['speed_over_aij']:.2f}x", "speed over aij")


def solves():
    """First set-up and solves beside GAMG's, and a set-up with new values where it was measured."""
    rows = [r for r in records("solves") if "-pc_saamg_reuse" not in r["options"]]
    peer = {(r["problem"], tuple(r["nodes"])): r for r in rows if r["pc_type"] == "gamg" and not r["options"]}
    of = lambda r: peer.get((r["problem"], tuple(r["nodes"])), {})
    return rows, listing(rows, problem=lambda r: f"{r['problem']}, {cube(r['nodes'])}", method=lambda r: f"`{r['ksp_type']}` + {method(r)}", iterations=lambda r: str(r["iterations"]), best_solve=lambda r: ms(r["solve_s"]),
                         over_gamg=lambda r: times(of(r).get("solve_s"), r["solve_s"]), first_set_up=lambda r: ms(r["setup_s"]), set_up_with_new_values=lambda r: ms(r.get("setup_again_s")))


def diagonals():
    rows = records("diagonals")
    return rows, listing(rows, nodes=lambda r: cube(r["nodes"]), method=lambda r: f"`{r['ksp_type']}` + saamg {code(r['settings'])}", iterations=lambda r: r["iterations"],
                         set_up=lambda r: ms(r["setup_s"]), first_solve=lambda r: ms(r["first_solve_s"]), best_solve=lambda r: ms(r["solve_s"]))


def setup_reuse():
    """Set-ups with new values by what is kept."""
    rows = [r for r in records("solves") if "setup_again_s" in r and (r["ksp_type"] == "fusedcg" and r["options"].startswith("-pc_saamg_reuse") or not r["options"] and (r["ksp_type"], r["pc_type"]) in (("fusedcg", "saamg"), ("cg", "gamg")))]
    return rows, listing(rows, nodes=lambda r: cube(r["nodes"]), method=method, first=lambda r: ms(r["setup_s"]), new_values=lambda r: ms(r["setup_again_s"]))


def shared_gpu():
    rows = records("shared_gpu")
    of = {(r["ksp_type"], r["ranks"], r["groups"]): r for r in rows if r["what"] == "solve"}
    again = {(r["ksp_type"], r["ranks"], r["groups"]): r for r in rows if r["what"] == "resolve"}
    ratio = lambda r, one, field: f"{ms(r[field])} ({r[field] / one[field]:.1f}x)"
    line = lambda key: [str(key[1]), f"`{key[0]}`" + (" `-goza_ranks_per_gpu own`" if key[2] == "own" else ""), str(of[key]["iterations"]), ms(of[key]["setup_s"]),
                        ratio(again[key], again[key[0], 1, "auto"], "setup_s") if key in again else "", ratio(of[key], of[key[0], 1, "auto"], "solve_s")]
    return rows, [["ranks", "method", "iterations", "first set-up", "set-up with new values", "solve"], *map(line, of)]


def shared_gpu_owning():
    rows = records("shared_gpu_owning")
    return rows, listing(rows, ranks=lambda r: str(r["ranks"]), type=lambda r: f"`{r['mat_type']}`", unknowns=lambda r: f"{r['N']:,}", iterations=lambda r: str(r["iterations"]),
                         **{"matrix created": lambda r: ms(r["create_s"]) if r["create_s"] else "", "first set-up": lambda r: ms(r["setup_s"])}, solve=lambda r: ms(r["solve_s"]))


def elasticity():
    rows = records("elasticity")
    peer = {}
    out = []
    for r in rows:  # gamg follows the saamg of its run
        if r["pc_type"] == "saamg":
            peer[id(r)] = next(p for p in rows[rows.index(r):] if p["pc_type"] == "gamg")
        out.append(r)
    total = lambda r: r["setup_s"] + r["solve_s"]
    return rows, listing(out, nodes=lambda r: cube(r["nodes"]), method=method, iterations=lambda r: str(r["iterations"]), setup=lambda r: ms(r["setup_s"]), solve=lambda r: ms(r["solve_s"]),
                         solve_over_gamg=lambda r: times(peer[id(r)]["solve_s"], r["solve_s"]) if id(r) in peer else "", in_all=lambda r: times(total(peer[id(r)]), total(r)) if id(r) in peer else "")


def cycles_on_one_rank(name):
    """Paper P5's table on one rank, of what bench_amg.py writes."""
    rows = records(name)
    cycles = {}
    for r in rows:
        cycles.setdefault((r["problem"], r["smoother"]), {})[r["precision"]] = r
    lines = [["problem", "smoother", "iterations", "mixed", "time", "time, mixed", "the paper's iterations", "its time", "its time, mixed"]]
    for (problem, smoother), of in cycles.items():
        double, mixed = of["double"], of["mixed"]
        lines.append([problem, smoother, double["iterations"], mixed["iterations"], ms(double["solve_s"]), ms(mixed["solve_s"]), text(double["paper_iterations"]), text(double["paper_s"], "{} s"), text(mixed["paper_s"], "{} s")])
    return rows, lines


def amg():
    return cycles_on_one_rank("amg")


def amg_paper():
    return cycles_on_one_rank("amg_paper")


def p5_runs():
    """On ranks of a host, and on ranks that share an H200, or as one rank there."""
    return records("p5_ranks") + records("p5_one_gpu")


def p5_ranks(mode):
    """Iterations, in brackets the paper's where its size is ours."""
    shared = records("p5_one_gpu")
    rows = [r for r in p5_runs() if r["mode"] == mode]
    size = lambda r: (f", {paper_runs.cells(r)}^3" if paper_runs.cells(r) != paper_runs.cells(rows[0]) else "") + (", as one rank on an H200" if r.get("on_ranks") else ", one H200" if r in shared else "")
    return rows, pivot(rows, lambda r: f"{r['problem']}, {r['smoother']}" + (", mixed" if r["precision"] == "mixed" else ""), lambda r: (f"{r['ranks']} ranks" if r["ranks"] > 1 else "1 rank") + size(r),
                       lambda r: f"{r['iterations']}" + text(r["paper_iterations"], " ({})"), f"{rows[0]['n']}^3" + (" on each" if mode == "weak" else ""))


def p5_strong():
    return p5_ranks("strong")


def p5_weak():
    return p5_ranks("weak")


def settings():
    rows = records("settings")
    return rows, listing(rows, problem=lambda r: r["problem"], settings=lambda r: code(r["options"]) or "(defaults)", iterations=lambda r: str(r["iterations"]),
                         operator_complexity=lambda r: f"{r['operator_complexity']:.2f}", MB=lambda r: f"{r['memory_MB']:.0f}")


def defaults():
    rows = [r for r in records("defaults") if r["method"] != "saamg before"]
    its = lambda r: "not converged" if not r["reason"].startswith("CONVERGED") else ", ".join(map(str, r["iterations"])) if isinstance(r["iterations"], list) else str(r["iterations"])
    return rows, pivot(rows, lambda r: r["problem"], lambda r: r["method"], its, "iterations")


def million():
    """A million rows on a device, saamg with the defaults beside GAMG."""
    rows = records("million")
    its = lambda r: str(r["iterations"]) if r["reason"].startswith("CONVERGED") else r["reason"].lower().replace("_", " ")
    return rows, listing(rows, problem=lambda r: r["problem"].replace("_", ", ") + (f", eps {r['eps']}" if r["eps"] else ""), method=lambda r: f"`{r['ksp_type']}` + `{r['pc_type']}`",
                         iterations=its, set_up=lambda r: ms(r["setup_s"]), first_solve=lambda r: ms(r["solve_s"]), best_solve=lambda r: ms(r["best_solve_s"]))


def graphs():
    rows = records("graphs")
    spread = lambda seconds: ", ".join(f"{1e3 * s:.3g}" for s in seconds)
    return rows, listing(rows, graph=lambda r: r["problem"], nodes=lambda r: str(r["rows"]), entries=lambda r: f"{r['nnz'] / 1e6:.1f} M", iterations=lambda r: str(r["iterations"]),
                         set_up_before=lambda r: spread(r["setup_before_s"]), set_up=lambda r: spread(r["setup_s"]), solve=lambda r: spread(r["solve_s"]))


def looking():
    rows = records("looking")
    other = {"what", "problem", "size", "instructions", "share", "machine", "date", "command"}
    return rows, listing(rows, problem=lambda r: f"`{r['problem']}`", instructions=lambda r: f"{r['instructions'] / 1e6:.0f} M", share=lambda r: f"{100 * r['share']:.1f} %",
                         of_which=lambda r: ", ".join(f"`{name}` {100 * part:.1f} %" for name, part in r.items() if name not in other and part >= 0.001))


def scaling_table(name, column, cell):
    rows = records(name)
    one = {r["what"]: r["ms"] for r in rows if r["ranks"] == 1}
    return rows, pivot(rows, lambda r: r["what"], column, lambda r: cell(r, one), f"{rows[0]['n']}^3")


def speedup(r, one):
    return f"{r['ms']:g} ms" + (f" ({one[r['what']] / r['ms']:.2f}x)" if r["ranks"] > 1 and r["what"] in one else "")


def scaling():
    return scaling_table("scaling", lambda r: f"{r['ranks']} GPU{'s' if r['ranks'] > 1 else ''}", speedup)


def scaling_four():
    return scaling_table("scaling_four", lambda r: f"{r['ranks']} GPUs, `{r['halo']}`" if r["ranks"] > 1 else "1 GPU", speedup)


def halo():
    return scaling_table("halo", lambda r: f"4 GPUs, `{r['halo']}`" if r["ranks"] > 1 else "1 GPU", lambda r, one: f"{1e3 * r['ms']:.0f} us" if r["ms"] < 1 else f"{r['ms']} ms")


def assembly_mesh(r):
    what = {"hex": "hexahedra" if r["mesh"] == "box" else "hexahedra, no box", "tet": "tetrahedra"}[r["element"]]
    return f"{r['equation']}, {what}, {r['n']}^3 nodes"


def assembly():
    """Ours by what is written, beside the fastest of the paper's variants and PETSc's COO on the same mesh."""
    rows = [r for r in records("assembly") if r["way"] not in ("host", "whole")]
    of = {}
    for r in rows:
        of.setdefault(assembly_mesh({"equation": "elasticity", **r}), []).append(r)
    lines = [["mesh", "CSR", "CDS full", "CDS half", "symbolic", "others"]]
    for mesh, mine in of.items():
        ours = {r["into"]: r for r in mine if r["way"] == "ours" and not r["into"].startswith("slicedell")}
        others = sorted((r for r in mine if r["way"] != "ours"), key=lambda r: r["seconds"])
        name = lambda r: f"MatSetValuesCOO into {r['into']}" if r["way"] == "coo" else f"{r['way']}, {r['add']}, the fastest of P4's"
        lines.append([mesh, *(ms(ours[into]["seconds"]) if into in ours else "" for into in ("csr", "cds full", "cds half")),
                      ms(max(r["symbolic_s"] for r in ours.values())) if ours else "", f"{ms(others[0]['seconds'])}, {name(others[0])}" if others else ""])
    return rows, lines


def assembly_steps():
    """The paper's four steps: times of its variants, each with its best block size; of ours, whose steps run side by side, what they do."""
    rows = [r for r in records("assembly") if "steps_bytes" in r and r.get("equation", "elasticity") == "elasticity" and r["mesh"] == "box" and r.get("into") != "slicedell by rows"]
    largest = max(r["n"] for r in rows)
    best = {}
    for r in (r for r in rows if r["n"] == largest):
        key = (r["element"], r["way"], r.get("add") or r["into"])
        if key not in best or r["seconds"] < best[key]["seconds"]:
            best[key] = r
    step = lambda r, s: ms(r["steps_s"][s]) if "steps_s" in r else ", ".join(filter(None, [f"{r['steps_flops'][s] / 1e9:.3g} GFLOP" if r["steps_flops"][s] else "", f"{r['steps_bytes'][s] / 1e9:.2g} GB" if r["steps_bytes"][s] else ""])) or "none"
    heads = ("Jacobian, gradients", "address search", "element matrix", "add")
    lines = [["elements", "variant", "in all", *heads, "paper's K40"]]
    for (element, way, how), r in best.items():
        lines.append([{"hex": "hexahedra", "tet": "tetrahedra"}[element], f"{way}, {how}" + (f", blocks of {r['blksiz']}" if r.get("blksiz") else ""), ms(r["seconds"]), *(step(r, s) for s in range(4)),
                      text(paper_runs.TABLE_4.get((element, way, how), (None,))[0], "{} s")])
    return rows, lines


def assembly_whole():
    """Paper P4's application, and PETSc's ways of assembly beside ours."""
    rows = records("assembly_whole")
    whole = [r for r in rows if r["way"] == "whole"]
    return whole, listing(whole, nodes=lambda r: f"{r['n']}^3", matrix=lambda r: r["into"], assembly=lambda r: ms(r["seconds"]), first_product_after_it=lambda r: ms(r["first_product_s"]), iterations=lambda r: r["iterations"],
                          an_iteration=lambda r: ms(r["iteration_s"]), solve=lambda r: ms(r["solve_s"]))


def assembly_slices():
    """Sliced ELL of blocks, and the way by rows that one which holds AIJ goes."""
    rows = [r for r in records("assembly") if r.get("into", "").startswith("slicedell") and r["way"] == "ours"]
    way = {"slicedell": "into slices", "slicedell by rows": "into rows, and slices refilled from them"}
    return rows, pivot(rows, assembly_mesh, lambda r: way[r["into"]], lambda r: ms(r["seconds"]), "mesh")


def assembly_program():
    rows = records("assembly_program")
    cell = lambda field: lambda r: ms(r[field] / 1e3) if r[field] else ""
    return rows, listing(rows, step=lambda r: r["what"], first=cell("first_ms"), again=cell("again_ms"), diagonals_alone_first=cell("own_first_ms"), diagonals_alone_again=cell("own_again_ms"))


BY_LOCALITY = {"petsc": "3.26.1", "command": "bench_locality -families fit,report -sizes 3 -copies 2 -repeats 3"}
CALIBRATED = "NVIDIA-H100-80GB-HBM3"  # platform_h100.txt
GOZAS_MODEL = {  # by the file that make bench-model reads and the platform: the name of its row, and how it was measured
    ("products_h200.json", "h200"): {"model": "Goza's model", **BY_LOCALITY, "gpu": "NVIDIA H200", "date": "2026-11-25"},
    ("products_h200_again.json", "h200"): {"model": "Goza's model, products measured again on another H200", **BY_LOCALITY, "gpu": "NVIDIA H200", "date": "2026-11-29"},
    ("products_h100.json", CALIBRATED): {"model": "Goza's model on an H100, by its calibration alone", **BY_LOCALITY, "gpu": "NVIDIA H100", "date": "2026-11-25"},
    ("products_epyc.json", "epyc"): {"model": "Goza's model on a core of an AMD EPYC", **BY_LOCALITY, "petsc": "3.18.5", "date": "2026-11-27"},
    ("products_host.json", "host"): {"model": "Goza's model on a core of an Intel Xeon", **BY_LOCALITY, "petsc": "3.18.5", "date": "2026-11-25"}}


def locality_models():
    """Paper P2's equations, and Goza's model as fit_model reports it, of whole runs of three sizes."""
    key = lambda r: (r["json"], r["platform"])
    roles = {"fit": "families fitted to", "report": "other families"}
    ours = [{**r, **GOZAS_MODEL[key(r)], "key": key(r), "matrices": roles[r["matrices"]]} for r in records("model") if key(r) in GOZAS_MODEL]
    ran = GOZAS_MODEL["products_h200.json", "h200"]
    rows = [{**ran, **r, "matrices": roles[r["matrices"]]} for r in paper_tables.equations(records("products_h200"))] + sorted(ours, key=lambda r: list(GOZAS_MODEL).index(r["key"]))
    return rows, pivot(rows, lambda r: r["model"], lambda r: f"{r['matrices']} ({r['count']})", lambda r: f"{r['correlation']:.3f}, {r['mean_error_percent']:.1f} %" + text(r.get("choice_loss_percent"), "; choice loses {:.1f} %"), "correlation, mean error")


def model_h100():
    """Files of products on an H100, by its calibration and as a machine that nobody calibrated."""
    rows = [r for r in records("model") if r["json"].startswith("products_h100")]
    roles = {"fit": "families fitted to", "report": "other families", "p3": "paper P3's stand-ins"}
    cell = lambda r: f"{r['correlation']:.3f}, {r['mean_error_percent']:.1f} %; loses {r['choice_loss_percent']:.1f} % (most {r['worst_choice_percent']} %)"
    return [{"gpu": "NVIDIA H100", "petsc": "3.26.1", "date": date, "command": "make bench-model"} for date in ("2026-11-25", "2026-11-27")], pivot(
        rows, lambda r: f"`{r['json']}`, {roles[r['matrices']]} ({r['count']})", lambda r: {"h200": "by the H200's constants", CALIBRATED: "by a calibration alone"}[r["platform"]], cell, "correlation, mean error; the choice")


def autoformat():
    rows = records("autoformat")
    return rows, listing(rows, measured_by=lambda r: r["clock"], chosen_by=lambda r: r["by"], mean_loss=lambda r: f"{r['mean_loss_percent']} %", **{head: (lambda field: lambda r: f"{r[field]:g} %")(field)
                         for head, field in (("within_1_%", "within_1"), ("within_3_%", "within_3"), ("within_5_%", "within_5"))},
                         speed_over_aijcusparse=lambda r: f"{r['mean_speed']} (least {r['least_speed']})")


def autoformat_host():
    """What autoformat costs before it has chosen, in products of aij: its first product over theirs."""
    run, *rows = records("autoformat_host")
    found = {(r["matrix"], r["format"]): r for r in rows if "format" in r}
    over = lambda matrix, label, field: found[matrix, label][field] / found[matrix, "csr"]["seconds"]
    return [run], [["matrix", "`aij`'s product", "cost in such products", "by the model alone", "the chosen product"], *(
        [m, ms(found[m, "csr"]["seconds"]), f"{over(m, 'auto', 'first'):.1f}", f"{over(m, 'auto-model', 'first'):.1f}", f"{over(m, 'auto', 'seconds'):.2f} of it"]
        for m in sorted({m for m, _ in found}, key=lambda m: over(m, "auto", "first")))]


def p1_padding():
    return [{"date": "2026-11-25"}], paper_tables.diagonal_places([(64,) * 3, (128,) * 3, (256,) * 3, (512, 256, 256)])


def of_papers(name, table, kept=lambda r: True):
    """A table of such records alone."""
    def lines():
        rows = [r for r in records(name) if kept(r)]
        return rows, table(rows)
    return lines


OF_PAPERS = {
    "p2-what-if": of_papers("p2_indices", lambda rows: paper_tables.what_if(rows, records("p2_counters"))),
    "p2-hit-lines": of_papers("p2_indices", paper_tables.hit_lines),
    "p2-counters": of_papers("p2_counters", lambda rows: paper_tables.hits_counted(rows, records("products_h100"))),
    "p3-counters": of_papers("p3_counters", lambda rows: paper_tables.hits_of_stand_ins(rows, records("p3_indices"))),
    "p3-indices": of_papers("p3_indices", paper_tables.spatial_indices),
    "p3-entries": of_papers("p3_indices", paper_tables.listed_entries),
    "p3-reverse": of_papers("p3_counters", lambda rows: paper_tables.reverse(rows, records("products_h100_large"))),
    "p3-comparison": of_papers("p3_indices", lambda rows: paper_tables.p3_comparison(rows, records("p3_counters"))),
    "p4-blocks": of_papers("assembly", paper_runs.block_sizes),
    "p4-traffic": of_papers("assembly", paper_runs.traffic),
    "p4-best": of_papers("assembly", paper_runs.best, lambda r: r["n"] == 128),
    "p4-host": of_papers("assembly_host", paper_runs.block_sizes),
    "p4-instructions": of_papers("assembly_instructions", paper_runs.instructions),
    "p5-mixed": of_papers("p5_ranks", paper_runs.mixed, lambda r: r["mode"] == "strong"),
    "p5-speedups": of_papers("amg_paper", paper_runs.speedups),
    "p5-gpus": of_papers("p5_gpus", paper_runs.by_gpus),
    "p5-gpus-composition": of_papers("p5_gpus", paper_runs.composition_by_gpus, lambda r: "levels" in r),
    "p5-weak-model": of_papers("p5_levels", lambda rows: paper_runs.weak_model(rows, p5_runs())),
    "p5-model": of_papers("p5_levels", lambda rows: paper_runs.scaling_model_table(rows, records("p5_gpus"))),
    "p5-composition": of_papers("amg_paper", paper_runs.composition, lambda r: r.get("ms_by_level")),
}


def p2_study():
    return paper_tables.Study(records("p2_indices"), records("products_h200_again"))


def p2_comparison():
    return [{**GOZAS_MODEL["products_h200_again.json", "h200"], "command": "make bench-indices"}], paper_tables.p2_comparison(p2_study())


def gpus(name="gpus"):
    """Solves of the examples by GPUs and kind of exchange; weak, what an iteration gains."""
    rows = records(name)
    ways = list(dict.fromkeys((r["ranks"], r["halo"]) for r in rows))
    out = [["", *(f"{n} GPUs, `{halo}`" if n > 1 else "1 GPU" for n, halo in ways)]]
    for problem, mode in dict.fromkeys((r["problem"], r["mode"]) for r in rows):
        some = {(r["ranks"], r["halo"]): r for r in rows if (r["problem"], r["mode"]) == (problem, mode)}
        one = some[1, None]
        speed = lambda r, field, per: f"{one[field] / one[per] * r[per] / r[field]:.2f}x" if per else f"{one[field] / r[field]:.2f}x"
        name = f"{problem}, {' x '.join(map(str, one['nodes']))} nodes{' on each' if mode == 'weak' else ''}"
        for what, field, per in (("solve", "solve_s", "iterations" if mode == "weak" else None), ("set-up", "setup_s", None)):
            cells = {way: f"{ms(r[field])} ({speed(r, field, per)}{', ' + format(r['iterations'], 'g') + ' iterations' if what == 'solve' else ''})" for way, r in some.items()}
            out.append([f"{name}: {what}", *(cells.get(way, "") for way in ways)])
    return rows, out


def gpus_two():
    return gpus("gpus_two")


def paper_list():
    return [], papers.listed(RESULTS, TABLES, (TOP / "test/bench/README.md").read_text(), paper_claims.claims(records))


# Charts beside the results, named in the bench's page
FIGURES = {"p4": lambda: paper_runs.p4_figures(records("assembly"), records("assembly_host"), records("assembly_instructions"), [r for r in records("assembly_whole") if r["way"] == "whole" and r["n"] == 128]), "p5": lambda: paper_runs.p5_figures(p5_runs(), records("amg_paper"), records("p5_gpus"), records("p5_levels")),
           "p1": lambda: paper_tables.p1_figures(records("cds")), "p2": lambda: paper_tables.p2_figures(p2_study()), "p3": lambda: paper_tables.p3_figures(records("p3_indices"), records("p3_counters"))}


def headline():
    """What README.md shows: a line a subject, taken from the other tables' records."""
    product = {(r["matrix"], r["type"]): r for r in records("spmv")}
    out, used = [["one H200, PETSc 3.26.1 unless said", "Goza", "PETSc", ""]], []

    def line(what, ours, theirs, show, field, ratio=None):
        used.extend([ours, theirs])
        out.append([what, show(ours[field]), f"{show(theirs[field])} ({theirs.get('type', theirs.get('pc_type'))})", ratio or times(theirs[field], ours[field])])

    for matrix in ("27 points 128^3", "27 points 256^3"):
        ours, theirs = product[matrix, "cds"], product[matrix, "aijcusparse"]
        line(f"product `cds`, {matrix}", ours, theirs, lambda g: f"{g:.0f} GF/s", "gflops", times(ours["gflops"], theirs["gflops"]))
    solved = {(r["ksp_type"], r["pc_type"]): r for r in records("solves") if r["problem"] == "27 points" and r["nodes"] == [128] * 3 and not r["options"]}
    ours, theirs = solved["fusedcg", "saamg"], solved["cg", "gamg"]
    line("Poisson, 27 points 128^3, `fusedcg` + `saamg`: solve", ours, theirs, ms, "solve_s")
    line("... set-up with new values", ours, theirs, ms, "setup_again_s")
    line("... set-up, the first of the process", ours, theirs, ms, "setup_s")
    first = {(r["program"], tuple(r["nodes"]), r["ksp_type"]): r for r in records("first_solve") if r.get("solves", 1) == 1}
    solid = [r for r in records("elasticity") if r["nodes"][0] == 64][:2]
    line("elasticity, hexahedra, 64^3 nodes: solve", *solid, ms, "solve_s")
    line("... set-up", *solid, ms, "setup_s")
    ours, theirs = first["ksp/tutorials/ex45", (193,) * 3, "fusedcg"], next(r for r in records("first_solve_host") if r["nodes"][0] == 193)
    whole = lambda r: {**r, "whole_s": r["setup_s"] + r["first_solve_s"]}
    line("PETSc 3.18.5 without CUDA (Debian's), PETSc's ex45 193^3, `fusedcg` + `saamg`: first set-up and solve", whole(ours), {**whole(theirs), "type": f"{theirs['pc_type']}, one host core"}, ms, "whole_s")
    return used, out


def of_all(ratios):
    return f"{league_lines.mean(ratios):.2f}" if ratios else "–"


def league_groups(rows):
    """A line a group: what saamg solves, and its iterations and seconds over those of the best peer."""
    compared = league_lines.compare(rows)
    lines = [["group", "problems", "saamg solves", "of those that a peer solves", "iterations over the best peer's, mean", "worst", "set-up + solve over the best peer's, mean"]]
    for group in [*dict.fromkeys(r["group"] for r in compared), "tuned families", "reported families", "all"]:
        some = [r for r in compared if group in (r["group"], "all", f"{r['family']} families")]
        known = [r for r in some if r["iterations"] is not None]
        both = [r for r in known if league_lines.solved(r["saamg"])]
        ratio = lambda r: max(r["saamg"]["iterations"], 1) / max(r["iterations"], 1)
        worst = max(both, key=ratio, default=None)
        lines.append([group, len(some), sum(league_lines.right(r["saamg"]) for r in some), f"{len(both)} of {len(known)}", of_all([ratio(r) for r in both]),
                      f"{ratio(worst):.2f}, `{worst['problem']}`" if worst else "",
                      of_all([(r["saamg"]["setup_s"] + r["saamg"]["solve_s"]) / r["seconds"] for r in both if r["seconds"]])])
    return rows, lines


def league():
    return league_groups([r for r in records("league") if r["size"] == 0])


def league_device():
    return league_groups(records("league_h200"))


def league_by_size(rows):
    """A line a group: iterations over the best peer's at each size, seconds where they were measured on a core of its own, and how saamg's iterations grow to the largest."""
    compared = league_lines.compare(rows)
    sizes = sorted({r["size"] for r in rows})
    lines = [["group", *(f"iterations over the best peer's, size {size}" for size in sizes), *(f"set-up + solve, size {size}" for size in sizes), f"iterations, size {sizes[-1]} over {sizes[0]}"]]
    for group in [*dict.fromkeys(r["group"] for r in compared), "tuned families", "reported families", "all"]:
        some = [r for r in compared if group in (r["group"], "all", f"{r['family']} families") and league_lines.solved(r["saamg"])]
        both = [r for r in some if r["iterations"] is not None]
        ratio = lambda size: of_all([max(r["saamg"]["iterations"], 1) / max(r["iterations"], 1) for r in both if r["size"] == size])
        seconds = lambda size: of_all([(r["saamg"]["setup_s"] + r["saamg"]["solve_s"]) / r["seconds"] for r in both if r["size"] == size and r["seconds"]])
        smallest = {r["problem"]: r["saamg"]["iterations"] for r in some if r["size"] == sizes[0]}
        growth = [max(r["saamg"]["iterations"], 1) / max(smallest[r["problem"]], 1) for r in some if r["size"] == sizes[-1] and r["problem"] in smallest]
        if some:
            lines.append([group, *map(ratio, sizes), *map(seconds, sizes), of_all(growth)])
    return rows, lines


def league_sizes():
    return league_by_size(records("league"))


def league_device_sizes():
    return league_by_size(records("league_h200"))


def league_problems():
    """A line a problem: iterations of each, a dash where it was not solved, "refused" where that is right and was said."""
    rows = [r for r in records("league") if r["size"] == 0]
    cell = lambda line: str(line["iterations"]) if league_lines.solved(line) else "refused" if league_lines.right(line) else "-"
    lines = [["problem", "family", "rows", "saamg", "GAMG", "hypre", "ML"]]
    for r in league_lines.compare(rows):
        lines.append([f"`{r['problem']}`", r["family"], next((p["rows"] for p in [r["saamg"], *r["peers"]] if p and "rows" in p), ""), *map(cell, [r["saamg"], *r["peers"]])])
    return rows, lines


TABLES = {table.__name__.replace("_", "-"): table for table in (
    headline, first_solve, spmv, cds, cds_host, fused_outputs, spmv_host, solves, diagonals, setup_reuse, shared_gpu, shared_gpu_owning, elasticity, amg, amg_paper, p5_strong,
    p5_weak, settings, scaling, scaling_four, gpus, gpus_two, halo, assembly, assembly_steps, assembly_slices, assembly_program, locality_models, model_h100, autoformat, autoformat_host, p1_padding, p2_comparison,
    cds_bandwidth, spmv_gallery_h100, spmv_gallery_h200, spmv_gallery_matrices, spmv_repeats, assembly_whole, paper_list, league, league_device, league_sizes, league_device_sizes, league_problems, defaults, million, graphs, looking)} | OF_PAPERS


# --- pages

def caption(rows):
    """What the records say of how they were measured."""
    one = lambda field: list(dict.fromkeys(r[field] for r in rows if r.get(field)))
    where = ["; ".join(one("gpu") or one("machine") or ["counted from patterns"]), *(["PETSc " + " and ".join(one("petsc"))] if one("petsc") else [])]
    dates = sorted(one("date"))
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    commands = [f"`{command}`" for command in one("command")]
    return ", ".join([*where, when]) + (f"; {', '.join(commands)}" if 0 < len(commands) < 3 else "") + "."


def markdown(name):
    rows, lines = TABLES[name]()
    head, *body = [[str(cell) for cell in line] for line in lines]
    table = ["| " + " | ".join(head).rstrip("_") + " |", "|" + "---|" * len(head), *("| " + " | ".join(line) + " |" for line in body)]
    return "\n".join(table) + (f"\n\n{caption(rows)}" if rows and name != "headline" else "") + "\n"


def filled(page):
    def fill(match):
        if match[1] not in TABLES:
            sys.exit(f"tables: {page.relative_to(TOP)} asks for the table {match[1]}, of which there is none: {', '.join(TABLES)}")
        return f"<!-- table {match[1]} -->\n{markdown(match[1])}<!-- end -->"

    return re.sub(r"<!-- table ([\w-]+) -->\n.*?<!-- end -->", fill, page.read_text(), flags=re.S)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="fail when a page is not current")
    parser.add_argument("pages", nargs="*", type=lambda path: Path(path).resolve(), help="(every README.md of the tree)")
    arguments = parser.parse_args()
    pages = arguments.pages or [TOP / "README.md", *(page for folder in ("include", "src", "examples", "test") for page in sorted((TOP / folder).rglob("README.md")))]
    old = []
    for page in pages:
        new = filled(page)
        if new == page.read_text():
            continue
        old.append(str(page.relative_to(TOP)))
        if not arguments.check:
            page.write_text(new)
    for name, draw in FIGURES.items() if not arguments.pages else ():
        path, new = RESULTS / f"{name}.svg", draw()
        if not path.exists() or path.read_text() != new:
            old.append(str(path.relative_to(TOP)))
            if not arguments.check:
                path.write_text(new)
    if old and arguments.check:
        sys.exit(f"tables: not current: {', '.join(old)}: `make pages`")
    print(f"tables: {len(pages)} pages, {', '.join(old) + ' written' if old else 'all current'}")


if __name__ == "__main__":
    main()
