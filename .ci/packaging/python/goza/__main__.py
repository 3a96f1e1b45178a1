"""python -m goza --info | --demo [PETSc options]"""
import argparse
import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

import goza
from goza import petsc_kind


def petsc4py_config():
    try:
        import petsc4py
    except ImportError:
        return None
    return petsc4py.get_config()


def trouble():
    """What keeps petsc4py of this Python from loading the library, in one sentence; or None."""
    config = petsc4py_config()
    if config is None:
        return f"there is no petsc4py for this Python: install one whose PETSc is {petsc_kind.kind(goza.petsc)}"
    arch = (config.get("PETSC_ARCH") or "").split(":")[0]
    with contextlib.suppress(petsc_kind.Refusal):
        there = petsc_kind.describe(config["PETSC_DIR"], arch)
        if petsc_kind.kind(there) != petsc_kind.kind(goza.petsc):
            return (f"goza was built for {petsc_kind.kind(goza.petsc)}, but petsc4py has {petsc_kind.kind(there)}: "
                    f"PETSC_DIR={config['PETSC_DIR']} PETSC_ARCH={arch} pip install --force-reinstall goza")
    return None


def driver_missing(pci="/sys/bus/pci/devices", driver="/proc/driver/nvidia/version"):
    """What to do where there is an NVIDIA GPU without a driver, in one sentence; or None."""
    gpu = any(path.read_text().strip() == "0x10de" and (path.parent / "class").read_text().startswith("0x03") for path in Path(pci).glob("*/vendor"))
    if gpu and not Path(driver).exists():
        return "there is an NVIDIA GPU and no driver for it: install NVIDIA's driver; until then Goza runs on the host"
    return None


def info():
    print(f"goza {goza.__version__}: {goza.library()}")
    print(f"built for {petsc_kind.kind(goza.petsc)}, in {goza.petsc['dir']}")
    text = trouble()
    if text:
        sys.exit(f"goza: {text}")
    # a process of its own: -goza_info speaks when PETSc starts, and a library that cannot be loaded ends the process
    code = f"import petsc4py; petsc4py.init({goza.options() + ['-goza_info']!r}); from petsc4py import PETSc"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    print(said.stdout.strip())
    text = driver_missing()
    if text:
        print(f"goza: {text}")
    if said.returncode:
        sys.exit(said.stderr.strip() or "goza: PETSc could not load the library")


def laplacian(PETSc, n):
    """Five points on n x n nodes, of the type that -mat_type names."""
    A = PETSc.Mat().create()
    A.setSizes((n * n, n * n))
    A.setFromOptions()
    A.setPreallocationNNZ((5, 2))
    for i in range(*A.getOwnershipRange()):
        x, y = i % n, i // n
        A[i, i] = 4.0
        for j, there in ((i - 1, x > 0), (i + 1, x < n - 1), (i - n, y > 0), (i + n, y < n - 1)):
            if there:
                A[i, j] = -1.0
    A.assemble()
    A.setOption(PETSc.Mat.Option.SPD, True)
    return A


def demo(arguments, n=300):
    """The same problem by plain PETSc and by Goza: iterations, seconds, and how far the answers are apart."""
    text = trouble()
    if text:
        sys.exit(f"goza: {text}")
    import petsc4py
    petsc4py.init(goza.options() + arguments)
    from petsc4py import PETSc

    given, answers, rows = PETSc.Options(), [], []
    for mat, ksp, pc in (("aij", "cg", "gamg"), ("cds", "fusedcg", "saamg")):
        for name, value in (("mat_type", mat), ("ksp_type", ksp), ("pc_type", pc), ("ksp_rtol", "1e-8")):
            given[name] = value
        A = laplacian(PETSc, n)
        x, b = A.createVecs()
        b.set(1.0)
        solver = PETSc.KSP().create()
        solver.setOperators(A)
        solver.setFromOptions()
        start = time.perf_counter()
        solver.setUp()
        middle = time.perf_counter()
        solver.solve(b, x)
        end = time.perf_counter()
        rows.append((A.getType(), solver.getType(), solver.getPC().getType(), solver.getIterationNumber(), middle - start, end - middle, solver.getConvergedReason()))
        answers.append(x)
    difference = answers[0].duplicate()
    answers[0].copy(difference)
    difference.axpy(-1.0, answers[1])
    apart = difference.norm() / answers[0].norm()
    if PETSc.COMM_WORLD.getRank() == 0:
        print(f"Poisson, {n} x {n} nodes, to 1e-8\nmatrix               KSP       PC     iterations  set-up s   solve s")
        for mat, ksp, pc, iterations, setup, solve, _ in rows:
            print(f"{mat:20} {ksp:9} {pc:6} {iterations:10d} {setup:9.3f} {solve:9.3f}")
        print(f"the answers differ by {apart:.1e}")
    if min(row[-1] for row in rows) <= 0 or apart > 1e-5:
        sys.exit("goza: the demo's solves did not agree")


def main():
    parser = argparse.ArgumentParser(prog="python -m goza", description=goza.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--info", action="store_true", help="say what is installed, for which PETSc, and where it runs")
    parser.add_argument("--demo", action="store_true", help="solve a problem by plain PETSc and by Goza; further arguments are PETSc options")
    parser.add_argument("--json", action="store_true", help="library, include and options, for scripts")
    given, rest = parser.parse_known_args()
    if given.json:
        print(json.dumps({"library": goza.library(), "include": goza.include(), "options": goza.options()}))
    elif given.info:
        info()
    elif given.demo:
        demo(rest)
    else:
        parser.print_help()


if __name__ == "__main__":
    main()
