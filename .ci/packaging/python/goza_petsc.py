"""Which PETSc a library is built for: found where a user of Python has it, and refused in one sentence where it cannot be."""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 18)
PYPI = "petsc>=3.26,<3.27"  # what is asked for where there is no PETSc


class Refusal(Exception):
    """One sentence that says what to do."""


def ask_environment(code):
    """What Python code prints in the environment that is installed to: without the variables by which pip hides it from the build."""
    hidden = ("PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONHOME")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    found = subprocess.run([sys.executable, "-c", code], env=environment, cwd="/", capture_output=True, text=True)
    return json.loads(found.stdout) if found.returncode == 0 and found.stdout.strip() else None


def find():
    """(PETSC_DIR, PETSC_ARCH, where from) or None: PETSC_DIR, the PETSc of petsc4py, PyPI's petsc. That is what PyPI's petsc4py takes, too: one that is installed with goza, or after it,
    has the same PETSc, whatever other one pkg-config knows."""
    if os.environ.get("PETSC_DIR"):
        return os.environ["PETSC_DIR"], os.environ.get("PETSC_ARCH", ""), "PETSC_DIR"
    config = ask_environment("import json, petsc4py; print(json.dumps(petsc4py.get_config()))")
    if config and config.get("PETSC_DIR"):
        arch = config.get("PETSC_ARCH") or ""
        return config["PETSC_DIR"], arch.split(os.pathsep)[0], "petsc4py"
    code = "import json, petsc; print(json.dumps(petsc.get_petsc_dir()))"
    folder = ask_environment(code)
    if not folder:  # in the build's own environment, where pip has put what get_requires_for_build_wheel() asked for
        own = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        folder = json.loads(own.stdout) if own.returncode == 0 else None
    if folder:
        return folder, "", "pip"
    return None


def describe(petsc_dir, petsc_arch=""):
    """Release and kind of a PETSc, from its headers."""
    include = [Path(petsc_dir, petsc_arch, "include"), Path(petsc_dir, "include")]
    text = {}
    for name in ("petscconf.h", "petscversion.h"):
        path = next((folder / name for folder in include if (folder / name).exists()), None)
        if path is None:
            raise Refusal(f"PETSC_DIR={petsc_dir} PETSC_ARCH={petsc_arch} has no {name}: give the folder and arch of a configured PETSc with its headers "
                          "(Debian: libpetsc-real-dev)")
        text[name] = path.read_text()
    number = {part: int(re.search(rf"define PETSC_VERSION_{part}\s+(\d+)", text["petscversion.h"]).group(1)) for part in ("MAJOR", "MINOR", "SUBMINOR")}
    defined = set(re.findall(r"#\s*define\s+PETSC_(\w+)", text["petscconf.h"]))
    return {
        "dir": petsc_dir,
        "arch": petsc_arch,
        "version": [number["MAJOR"], number["MINOR"], number["SUBMINOR"]],
        "scalar": "complex" if "USE_COMPLEX" in defined else "real",
        "precision": next((p for p in ("single", "__float128", "__fp16") if "USE_REAL_" + p.upper() in defined), "double"),
        "index": 64 if "USE_64BIT_INDICES" in defined else 32,
        "cuda": "HAVE_CUDA" in defined,
    }


def check(petsc, cuda):
    """Refuse what Goza cannot be built for; cuda: auto, yes or no."""
    where = f"PETSc in {petsc['dir']}"
    if tuple(petsc["version"][:2]) < OLDEST:
        raise Refusal(f"{where} is {'.'.join(map(str, petsc['version']))}: Goza needs 3.18 or newer; set PETSC_DIR to one")
    if petsc["precision"] not in ("double", "single"):
        raise Refusal(f"{where} is in {petsc['precision']} precision and Goza in double or single only: set PETSC_DIR to such a PETSc")
    nvcc = shutil.which("nvcc") or Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc").exists()
    if not nvcc and cuda != "no" and (petsc["cuda"] or cuda == "yes"):
        why = "GOZA_CUDA=yes was given" if cuda == "yes" else f"{where} has CUDA"
        raise Refusal(f"{why}, but there is no nvcc on the PATH nor in CUDA_HOME: install the CUDA toolkit, or give GOZA_CUDA=no for a library that runs on the host")


def kind(petsc):
    return f"PETSc {'.'.join(map(str, petsc['version'][:2]))}, {petsc['scalar']} {petsc['precision']}, {petsc['index']}-bit indices"
