"""The build backend of pip (PEP 517), with nothing but Python's own modules: make builds libgoza.so, and this puts it into a wheel.

Environment: PETSC_DIR and PETSC_ARCH (else the PETSc of petsc4py, or PyPI's petsc, is taken), GOZA_CUDA=auto|yes|no, GOZA_BUILD (a
build folder of make; build/pip).
"""
import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import goza_petsc
from goza_petsc import Refusal

TOP = Path(__file__).resolve().parents[3]
PACKAGE = Path(__file__).resolve().parent / "goza"


def version():
    header = (TOP / "include/petscgoza.h").read_text()
    return ".".join(re.search(rf"define GOZA_VERSION_{part}\s+(\d+)", header).group(1) for part in ("MAJOR", "MINOR", "SUBMINOR"))


def or_sentence(work):
    """A refusal ends pip with its sentence and no traceback."""
    try:
        return work()
    except Refusal as refusal:
        sys.exit(f"goza: {refusal}")


def chosen_petsc():
    found = goza_petsc.find()
    if not found:
        raise Refusal("no PETSc found: set PETSC_DIR, or install petsc4py or petsc first")
    petsc = goza_petsc.describe(found[0], found[1])
    goza_petsc.check(petsc, os.environ.get("GOZA_CUDA", "auto"))
    petsc["from"] = found[2]
    return petsc


# --- what goes into a wheel

def metadata(petsc):
    lines = ["Metadata-Version: 2.1", "Name: goza", f"Version: {version()}", "Summary: GPU matrix types and smoothed-aggregation AMG for PETSc, loaded at run time",
             "Requires-Python: >=3.8", "License: BSD-2-Clause"]
    if petsc and petsc["from"] == "pip":  # another one would be refused when it loads the library
        lines.append(f"Requires-Dist: petsc=={'.'.join(map(str, petsc['version'][:2]))}.*")
    return "\n".join(lines + ["Description-Content-Type: text/markdown", "", (TOP / "README.md").read_text()])


def wheel_name():
    platform = re.sub("[-.]", "_", sysconfig.get_platform())
    return f"goza-{version()}-py3-none-{platform}.whl"


def wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: goza_backend\nRoot-Is-Purelib: false\nTag: {wheel_name()[:-4].split('-', 2)[2]}\n"


def build_library(petsc):
    build = Path(os.environ.get("GOZA_BUILD") or "build/pip")
    warnings = [] if "GOZA_BUILD" in os.environ else ["WERROR="]  # a folder that make knows keeps its flags
    library = build / "lib/libgoza.so"
    command = ["make", "-C", str(TOP), f"PETSC_DIR={petsc['dir']}", f"PETSC_ARCH={petsc['arch']}", f"BUILD={build}", f"CUDA={os.environ.get('GOZA_CUDA', 'auto')}",
               "DEPS=no", *warnings, str(library)]
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    print(f"goza: building for {goza_petsc.kind(petsc)}, found by {petsc['from']} in {petsc['dir']}\ngoza: {' '.join(command)}", flush=True)
    if subprocess.run(command, env=environment).returncode:
        raise Refusal("make could not build libgoza.so; its own words are above")
    return TOP / library


class Wheel:
    """A zip file with the list of its contents, RECORD."""

    def __init__(self, path, info):
        self.zip, self.info, self.record = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), info, []

    def add(self, name, content, mode=0o644):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}\n")

    def close(self):
        self.record.append(f"{self.info}/RECORD,,\n")
        self.zip.writestr(f"{self.info}/RECORD", "".join(self.record))
        self.zip.close()


# --- the hooks that pip calls

def get_requires_for_build_wheel(config_settings=None):
    return [] if goza_petsc.find() else [goza_petsc.PYPI]


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    petsc = or_sentence(chosen_petsc)
    info = Path(metadata_directory, f"goza-{version()}.dist-info")
    info.mkdir(parents=True)
    (info / "METADATA").write_text(metadata(petsc))
    (info / "WHEEL").write_text(wheel_text())
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    petsc = or_sentence(chosen_petsc)
    library = or_sentence(lambda: build_library(petsc))
    info = f"goza-{version()}.dist-info"
    wheel = Wheel(Path(wheel_directory, wheel_name()), info)
    for path in sorted(PACKAGE.glob("*.py")):
        wheel.add(f"goza/{path.name}", path.read_bytes())
    wheel.add("goza/_built.py", f"VERSION = {version()!r}\nPETSC = {petsc!r}\n".encode())
    wheel.add("goza/petsc_kind.py", (PACKAGE.parent / "goza_petsc.py").read_bytes())
    wheel.add("goza/libgoza.so", library.read_bytes(), 0o755)
    for path in sorted((TOP / "include").glob("*.h")):
        wheel.add(f"goza/include/{path.name}", path.read_bytes())
    wheel.add(f"{info}/LICENSE", (TOP / "LICENSE").read_bytes())
    wheel.add(f"{info}/METADATA", metadata(petsc).encode())
    wheel.add(f"{info}/WHEEL", wheel_text().encode())
    wheel.close()
    return wheel_name()


def build_sdist(sdist_directory, config_settings=None):
    name = f"goza-{version()}"
    listed = subprocess.run(["git", "-C", str(TOP), "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode == 0:
        files = [path for path in listed.stdout.split("\0") if path and (TOP / path).is_file()]
    else:  # of an unpacked sdist: all but what was built in it
        files = [str(path.relative_to(TOP)) for path in TOP.rglob("*") if path.is_file() and not {"build", "__pycache__"} & set(path.relative_to(TOP).parts)]
    with tarfile.open(Path(sdist_directory, f"{name}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(files):
            if path != "PKG-INFO":
                archive.add(TOP / path, f"{name}/{path}", recursive=False)
        content = metadata(None).encode()
        entry = tarfile.TarInfo(f"{name}/PKG-INFO")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return f"{name}.tar.gz"
