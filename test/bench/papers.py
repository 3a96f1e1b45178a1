"""The five papers, table by table: which command measures each, into which of results/ its records go, which tables of the bench's page and which picture show it, and what comes of it.

tables.py makes the page's list of these and refuses a record file, table or picture that is not there, and a figure or table of a paper that no line has."""
import re

# the last number of each
PRINTED = {"P1": {"figure": 7, "table": 4}, "P2": {"figure": 15, "table": 1}, "P3": {"figure": 9, "table": 3}, "P4": {"figure": 13, "table": 4}, "P5": {"figure": 10, "table": 10}}
DEFINED, MACHINE = "a definition", "the machine: here in each table's caption"

# (paper, its tables and figures, command, files of results/, tables of the page, picture, what it is | what the paper finds, what we find, and why they differ; {names} are of paper_claims.py)
PAPERS = [
    ("P1", "figures 1 to 4, tables 1, 2", "test/run.sh mat/cds", (), (), "", DEFINED + ": the arrays of `cds`"),
    ("P1", "figure 5, table 4", "make bench-cds", (), (), "", DEFINED + ": the kernel and its eight cases, in [paper_cds.hpp](paper_cds.hpp)"),
    ("P1", "table 3", "", (), (), "", MACHINE),
    ("P1", "figure 6, table A.1", "make bench-cds", ("cds", "cds_host"), ("cds", "cds-host"), "p1", "the best of half storage is 1.2x the best of full there, {cds_half} in its kernels here and {cds_half_ours} in Goza's, where L2 gives what is read a second time; unrolling slows full storage (0.9x) and helps half (1.1x) there, {cds_unrolled_full} and {cds_unrolled_half} here, where it lets loads begin together; declaring the output read-only slows full storage to 0.8x there, {cds_read} here, where all loads go through one cache"),
    ("P1", "figure 7", "make bench-cds", ("cds",), ("cds-bandwidth",), "p1", "85 % of the card's peak by a formula that counts all entries; of bytes really moved that is 47 %, and here its half kernels move {cds_moved} of what a copy does, Goza's {cds_moved_ours}, where arrays leave L2 (not at 64^3)"),
    ("P1", "padding of 0.26 %", "make pages", (), ("p1-padding",), "", "the same digits, by its count of nonzeros: places inside the matrix, zeros among them"),
    ("P1", "A.2: nvprof", "", (), ("p1-padding",), "", "of its counters the operations are explained (that count of nonzeros); hit rates of a texture cache have no like on cards where loads go through one first cache"),
    ("P2", "table 1", "", (), (), "", MACHINE),
    ("P2", "figure 1", "build/bin/darcy -dll_append build/lib/libgoza.so -n 30 -dm_mat_type fold -ksp_view_mat ::ascii_info_detail -goza_platform c2050 -mat_locality_what_if", (), (), "", DEFINED + ": a memory that gathers; eqs. 4 to 6, told for any matrix by `-mat_locality_what_if`"),
    ("P2", "figures 2, 3", "make bench-indices", ("p2_indices",), ("p2-comparison",), "p2", "115 collected matrices spread over sizes there, {p2_matrices} generated ones of three sizes here"),
    ("P2", "figure 4", "make bench-indices", ("p2_indices",), ("p2-hit-lines",), "p2", "hits fall along two lines, points within 30 %: {p2_near} are here, in two orders"),
    ("P2", "figures 5, 15", "make bench-indices", ("p2_indices", "p2_counters"), ("p2-what-if", "p2-counters"), "p2", "30 % more hits bring 12.6 % there, {p2_more} here ({p2_more_third} by its third), since x hits far more than a third of all reads' rate (counted); whole lines bring more in all matrices there, here in {p2_lines}, since what hits has nothing to gain"),
    ("P2", "figures 6 to 14", "make bench-locality", ("p2_indices", "products_h200_again"), ("p2-comparison", "locality-models"), "p2", "eq. 3 alone is hardly related to what is measured (0.20 there, {p2_eq3} here), with eq. 7 for small matrices it is (0.47, {p2_eq7}): most of ours are small for the card"),
    ("P3", "figures 1, 3", "test/run.sh locality/", (), (), "", DEFINED + ": lines, and the index"),
    ("P3", "table 2", "", (), (), "", MACHINE),
    ("P3", "table 3", "make bench-indices", ("p3_indices",), ("p3-entries",), "p3", "triangles of symmetric matrices, two thirds of those without values, and another thermal2 than the name says; our stand-ins have the files' entries within {p3_off}"),
    ("P3", "table 1", "make bench-counters", ("p3_counters", "products_h100_large"), ("p3-reverse",), "p3", "the larger ldoor hits more (24 and 39 % there, {p3_reverse} here) and is faster than F1, there and here"),
    ("P3", "figures 2, 4 to 8", "make bench-indices bench-counters", ("p3_indices", "p3_counters", "products_h100_p3"), ("p3-indices", "p3-comparison", "p3-counters"), "p3", "Fold breaks nd24k and helps webbase-1M and Hamrle3 in both (here {p3_jumps}); index and hits of all reads rise together there and not here (correlation {p3_related}, counted), since 32 threads read a sector by one request, a hit or a miss"),
    ("P3", "figure 9", "build/bin/locality -gallery nd24k -svg FOLDER", (), (), "p3_nd24k", "the real nd24k looks scattered there, its long runs do not show; our stand-in has runs of 28 at random places of a band, and does not look like it: what it shares is the index"),
    ("P4", "figures 1 to 6, 11", "make bench-assembly", (), (), "", DEFINED + ": the cube, the loops and their variants, in [assembly_ways.hpp](assembly_ways.hpp), [assembly_steps.hpp](assembly_steps.hpp)"),
    ("P4", "table 1", "", (), (), "", MACHINE),
    ("P4", "table 2, figures 7 to 9", "bench_assembly -goza_device host -n 33 -elements hex,tet -ways original,a,b -adds colour -blksiz 1,4,16,64,256,1024 -repeats 3", ("assembly_host",), ("p4-host",), "p4", "Type-A and `omp simd` gain 1.8x on a Xeon Phi; a host core's compiler vectorises all three variants, and A, which writes element matrices and reads them, takes {p4_a} of the original's time (cases without `omp simd` by instructions alone, figure 10)"),
    ("P4", "figure 10", "make bench-instructions", ("assembly_instructions",), ("p4-instructions",), "p4", "loops of eight nodes gain by `omp simd` there and by the compiler's vectors here, loops of four little in both; the paper's counts, which it doubts, show no fewer instructions where Type-A gains, ours are {p4_fewer} (tetrahedra) fewer"),
    ("P4", "figures 12, 13", "make bench-assembly", ("assembly",), ("p4-blocks", "assembly-steps"), "p4", "larger blocks and atomic additions are faster in both: blocks of 32768 by {p4_blocks} here, colours take 1.3x there, {p4_colours} here (G, G_cuda); additions are {p4_adds} of the steps here, so that the variants are near one another"),
    ("P4", "table 3", "make bench-assembly", ("assembly",), ("p4-traffic",), "p4", "the same bytes in step 3 within 2 %, in step 4 within 13 % (atomic) and 31 % (colours), at {p4_rates} the rate"),
    ("P4", "table 4", "make bench-assembly", ("assembly", "assembly_whole"), ("p4-best", "assembly", "assembly-whole"), "p4", "0.362 s at best on a K40; {p4_ours} here, in one pass that stores nothing between steps"),
    ("P5", "figures 1, 2", "make pages", (), (), "p5", DEFINED + ": the V-cycle and Chebyshev's polynomials"),
    ("P5", "table 1", "", (), (), "", MACHINE),
    ("P5", "tables 2, 3", "-pc_saamg_paper darcy|anisotropic", (), (), "", "its settings, by one option; `-ksp_view` shows them"),
    ("P5", "tables 4, 5, 8", "bench_scaling.py --weak \"\"", ("p5_ranks",), ("p5-strong", "p5-mixed"), "p5", "iterations change by a quarter with ranks there and {p5_moved} here: aggregates do not depend on how rows are cut; ours are {p5_of_paper} of its, by better coarse levels"),
    ("P5", "tables 6, 7", "bench_scaling.py --strong \"\"", ("p5_ranks", "p5_one_gpu"), ("p5-weak",), "p5", "iterations grow to 64 GPUs by 1.6 to 1.8 times on Darcy flow and 1.1 to 1.3 on the anisotropic problem there; here by {p5_grown_16} of 16^3 and {p5_grown_100} of 100^3, the paper's size"),
    ("P5", "figures 3, 4, 7, table 9", "make bench-amg bench-scaling", ("amg_paper", "amg", "p5_gpus"), ("amg-paper", "amg", "p5-speedups", "p5-gpus"), "p5", "mixed Chebyshev over double Jacobi gains 1.5 to 1.9x on the anisotropic problem there, {p5_gain_anisotropic} here, and on Darcy flow 1.0 to 1.2x and {p5_gain_darcy}; {p5_many} GPUs take 0.4 to 0.5 of the time there and {p5_on_many} here, where one takes a hundredth of it, most of which is launches"),
    ("P5", "figures 5, 6, table 10", "make bench-scaling", ("p5_ranks", "p5_one_gpu", "p5_levels"), ("p5-weak-model", "p5-model"), "p5", "100^3 on each: 64 GPUs take 2.5 to 3.6 times a GPU's time there; here {p5_weak} by [scaling_model.py](scaling_model.py), fitted to one and two GPUs ({p5_error} off on runs that it has not seen, none of them weak or on more GPUs), since a GPU's solve is a hundredth as long and what its neighbours send is not; no solve of multicolour Gauss-Seidel is in it"),
    ("P5", "figure 8", "make bench-amg", ("amg_paper",), ("amg-paper", "p5-speedups", "p5-weak-model"), "p5", "single precision on coarse levels saves up to a sixth of an iteration on one GPU and a tenth on 64 there, {p5_saved} of a solve on one GPU here, where launches limit those levels; on more only by the model (`p5-weak-model`)"),
    ("P5", "figures 9, 10", "make bench-amg bench-scaling", ("amg_paper", "p5_gpus"), ("p5-composition", "p5-gpus-composition"), "p5", "coarse levels take a time that no GPU more shortens, in both ({p5_coarse} of a solve here); communication 55 % on 64 GPUs there, {p5_communication} on two and four here; figure 10, weak, is run on one GPU alone"),
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


def listed(results, tables, page, claims):
    """Lines of the page's table; results: the folder, tables: names that can be made, page: the text that shows them, claims: of our runs, by name."""
    check_all_printed()
    out = [["paper", "table or figure", "command", "results/", "tables and picture", "what it is; or what the paper finds, and what we find"]]
    for paper, what, command, files, shown, picture, sentence in PAPERS:
        missing = [f"{name}.json" for name in files if not (results / f"{name}.json").exists()] + [name for name in shown if name not in tables or f"<!-- table {name} -->" not in page]
        missing += [f"{picture}.svg"] if picture and not (results / f"{picture}.svg").exists() else []
        if missing:
            raise SystemExit(f"papers.py: {paper}, {what}: not there: {', '.join(missing)}")
        out.append([paper, what, f"`{command}`" if command else "", ", ".join(files), ", ".join([*(f"`{name}`" for name in shown), *([f"[{picture}.svg](results/{picture}.svg)"] if picture else [])]), sentence.format_map(claims)])
    return out
