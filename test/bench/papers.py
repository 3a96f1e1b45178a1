"""The five papers, table by table: which command measures each, into which of results/ its records go, which tables of the bench's page and which picture show it, and what comes of it.

tables.py makes the page's list of these and refuses a record file, table or picture that is not there, and a figure or table of a paper that no line has."""
import re

# the last number of each
PRINTED = {"P1": {"figure": 7, "table": 4}, "P2": {"figure": 15, "table": 1}, "P3": {"figure": 9, "table": 3}, "P4": {"figure": 13, "table": 4}, "P5": {"figure": 10, "table": 10}}
DEFINED, MACHINE = "a definition", "the machine: here in each table's caption"

# (paper, its tables and figures, command, files of results/, tables of the page, picture, what it is | what the paper finds, what we find, and why they differ)
PAPERS = [
    ("P1", "figures 1 to 4, tables 1, 2", "test/run.sh mat/cds", (), (), "", f"{DEFINED}: the arrays of `cds`"),
    ("P1", "figure 5, table 4", "make bench-cds", (), (), "", f"{DEFINED}: the kernel and its eight cases, in [paper_cds.hpp](paper_cds.hpp)"),
    ("P1", "table 3", "", (), (), "", MACHINE),
    ("P1", "figure 6, table A.1", "make bench-cds", ("cds", "cds_host"), ("cds", "cds-host"), "p1", "half storage 1.2x full there, up to twice here, where L2 gives what is read a second time; unrolling slows full storage there, and here lets its loads begin together"),
    ("P1", "figure 7", "make bench-cds", ("cds", "cds_h100"), ("cds-bandwidth",), "p1", "85 % of the card's peak by a formula that counts all entries; of bytes really moved that is 47 %, and here half storage moves 89 to 96 % of what a copy does"),
    ("P1", "padding of 0.26 %", "make pages", (), ("p1-padding",), "", "the same digits, by its count of nonzeros: places inside the matrix, zeros among them"),
    ("P1", "A.2: nvprof", "", (), ("p1-padding",), "", "of its counters the operations are explained (that count of nonzeros); hit rates of a texture cache have no like on cards where loads go through one first cache"),
    ("P2", "table 1", "", (), (), "", MACHINE),
    ("P2", "figure 1", "build/bin/locality -n 40 -platform c2050", (), (), "", "a memory that gathers: eqs. 4 to 6, told for any matrix by `-mat_locality_what_if`"),
    ("P2", "figures 2, 3", "make bench-indices", ("p2_indices",), ("p2-comparison",), "p2", "115 collected matrices spread over sizes there, 105 generated ones here"),
    ("P2", "figure 4", "make bench-indices", ("p2_indices",), ("p2-hit-lines",), "p2", "hits fall along two lines, points within 30 %: so are nine in ten here"),
    ("P2", "figures 5, 15", "make bench-indices", ("p2_indices", "p2_counters"), ("p2-what-if", "p2-counters"), "p2", "30 % more hits bring 12.6 % there, 69 to 99 % here, since x hits far more than a third of all reads' rate (counted); whole lines bring more in all matrices there, in a third here"),
    ("P2", "figures 6 to 14", "make bench-locality", ("p2_indices", "products_h200"), ("p2-comparison", "locality-models"), "p2", "eq. 3 alone is hardly related to what is measured (0.20 there, -0.09 here), eq. 7 for small matrices is (0.47, 0.91): most of ours are small for the card"),
    ("P3", "figures 1, 3", "test/run.sh locality/", (), (), "", f"{DEFINED}: lines, and the index"),
    ("P3", "table 2", "", (), (), "", MACHINE),
    ("P3", "table 3", "make bench-indices", ("p3_indices",), ("p3-entries",), "p3", "triangles of symmetric matrices, two thirds of those without values, and another thermal2 than the name says"),
    ("P3", "table 1", "make bench-counters", ("p3_counters", "products_h100_large"), ("p3-reverse",), "p3", "the larger ldoor hits more and is faster than F1, there and here"),
    ("P3", "figures 2, 4 to 8", "make bench-indices bench-counters", ("p3_indices", "p3_counters", "products_h100_p3"), ("p3-indices", "p3-comparison", "p3-counters"), "p3", "Fold breaks nd24k and helps webbase-1M and Hamrle3 in both; hits do not follow the index here, since 32 threads read a line by one request"),
    ("P3", "figure 9", "", (), (), "", "not drawn: a picture of the real nd24k, of which we have a stand-in; `-mat_view draw` shows one's own"),
    ("P4", "figures 1 to 6, 11", "make bench-assembly", (), (), "", f"{DEFINED}: the cube, the loops and their variants, in [assembly_ways.hpp](assembly_ways.hpp), [assembly_steps.hpp](assembly_steps.hpp)"),
    ("P4", "table 1", "", (), (), "", MACHINE),
    ("P4", "table 2, figures 7 to 9", "bench_assembly -goza_device host -n 33 -elements hex,tet -ways original,a,b -adds colour -blksiz 1,4,16,64,256,1024 -repeats 3", ("assembly_host",), ("p4-host",), "p4", "Type-A and `omp simd` gain 1.8x on a Xeon Phi; a host core's compiler vectorises all three variants, and A, which writes element matrices and reads them, is the slowest"),
    ("P4", "figure 10", "make bench-instructions", ("assembly_instructions",), ("p4-instructions",), "p4", "loops of eight nodes gain by `omp simd` there and by the compiler's vectors here, loops of four little in both; the paper's counts, which it doubts, show no fewer instructions where Type-A gains, ours do"),
    ("P4", "figures 12, 13", "make bench-assembly", ("assembly",), ("p4-blocks", "assembly-steps"), "p4", "larger blocks and atomic additions are faster in both; the variants are nearer here, where additions are two thirds of the time"),
    ("P4", "table 3", "make bench-assembly", ("assembly",), ("p4-traffic",), "p4", "the same bytes in step 3 within 2 %, in step 4 within 13 % (atomic) and 31 % (colours), at ten to thirty times the rate"),
    ("P4", "table 4", "make bench-assembly", ("assembly", "assembly_whole"), ("assembly", "assembly-whole"), "p4", "0.362 s at best on a K40; 1.9 to 5 ms here, in one pass that stores nothing between steps"),
    ("P5", "figures 1, 2", "make pages", (), (), "p5", f"{DEFINED}: the V-cycle and Chebyshev's polynomials"),
    ("P5", "table 1", "", (), (), "", MACHINE),
    ("P5", "tables 2, 3", "-pc_saamg_paper darcy|anisotropic", (), (), "", "its settings, by one option; `-ksp_view` shows them"),
    ("P5", "tables 4, 5, 8", "bench_scaling.py --weak \"\"", ("p5_ranks",), ("p5-strong", "p5-mixed"), "p5", "iterations change by a quarter with ranks there and not here: aggregates do not depend on how rows are cut; ours are two thirds to a sixth of its, by better coarse levels"),
    ("P5", "tables 6, 7", "bench_scaling.py --strong \"\"", ("p5_ranks",), ("p5-weak",), "p5", "iterations grow to 64 GPUs by 1.6 to 1.9 times on Darcy flow and 1.1 to 1.3 on the anisotropic problem there, by up to 1.6 here"),
    ("P5", "figures 3, 4, 7, table 9", "make bench-amg bench-scaling", ("amg_paper", "amg", "p5_gpus"), ("amg-paper", "amg", "p5-speedups", "p5-gpus"), "p5", "mixed Chebyshev over double Jacobi gains 1.5 to 1.9x on the anisotropic problem there, 1.1 to 1.3x here, and 1.0 to 1.2x and 1.6 to 1.7x on Darcy flow; four GPUs take 0.4 of the time there and 0.8 to 1.0 here, where one takes a hundredth of it"),
    ("P5", "figures 5, 6, table 10", "make bench-scaling", ("p5_ranks", "amg_paper", "p5_levels"), ("p5-speedups", "p5-weak", "p5-model"), "p5", "a solve falls from 8 to 64 GPUs there and not at 100^3 here, where the part that no GPU shortens is most of it; seconds on more than the GPUs lent (one and two in the table, four in table 9) are those of [scaling_model.py](scaling_model.py), whose error on runs that it has not seen stands there"),
    ("P5", "figure 8", "make bench-amg", ("amg_paper",), ("amg-paper", "p5-speedups"), "p5", "single precision on coarse levels saves up to a sixth an iteration there, 1 to 7 % of a solve on one GPU here, where launches limit those levels"),
    ("P5", "figures 9, 10", "make bench-amg bench-scaling", ("amg_paper", "p5_gpus"), ("p5-composition", "p5-gpus-composition"), "p5", "coarse levels take a time that no GPU more shortens, in both; communication 55 % on 64 GPUs there, a fifth on two and four here"),
]


def numbers(what):
    """{("figure", 3), ...} of "figures 2, 4 to 8, table 1"."""
    return {(kind, n) for kind, text in re.findall(r"(figure|table)s? ((?:\d+(?: to \d+)?(?:, )?)+)", what) for first, last in re.findall(r"(\d+)(?: to (\d+))?", text) for n in range(int(first), int(last or first) + 1)}


def check_all_printed():
    for paper, printed in PRINTED.items():
        held = set().union(*(numbers(what) for of, what, *_ in PAPERS if of == paper))
        missing = sorted({(kind, n) for kind, last in printed.items() for n in range(1, last + 1)} - held)
        if missing:
            raise SystemExit(f"papers.py: {paper}: no line has {', '.join(f'{kind} {n}' for kind, n in missing)}")


def listed(results, tables, page):
    """Lines of the page's table; results: the folder, tables: names that can be made, page: the text that shows them."""
    check_all_printed()
    out = [["paper", "table or figure", "command", "results/", "tables and picture", "what it is; or what the paper finds, and what we find"]]
    for paper, what, command, files, shown, picture, sentence in PAPERS:
        missing = [f"{name}.json" for name in files if not (results / f"{name}.json").exists()] + [name for name in shown if name not in tables or f"<!-- table {name} -->" not in page]
        missing += [f"{picture}.svg"] if picture and not (results / f"{picture}.svg").exists() else []
        if missing:
            raise SystemExit(f"papers.py: {paper}, {what}: not there: {', '.join(missing)}")
        out.append([paper, what, f"`{command}`" if command else "", ", ".join(files), ", ".join([*(f"`{name}`" for name in shown), *([f"[{picture}.svg](results/{picture}.svg)"] if picture else [])]), sentence])
    return out
