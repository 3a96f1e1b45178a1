"""Goza, a plugin for PETSc: where its library lies, and the options by which PETSc loads it.

    import sys, petsc4py, goza
    petsc4py.init(goza.options() + sys.argv[1:])
    from petsc4py import PETSc          # Mat types cds, slicedell, fold, autoformat; PC saamg; KSP fusedcg, fusedbcgs, fusedgmres
"""
import ctypes
from pathlib import Path

from ._built import PETSC as petsc
from ._built import VERSION as __version__

__all__ = ["library", "include", "options", "load", "petsc", "__version__"]


def library():
    """The path of libgoza.so, for -dll_append."""
    return str(Path(__file__).resolve().parent / "libgoza.so")


def include():
    """The folder of petscgoza.h."""
    return str(Path(__file__).resolve().parent / "include")


def options(program="python"):
    """The arguments that petsc4py.init() wants: a program's name, and -dll_append with the library."""
    return [program, "-dll_append", library()]


def load():
    """Load Goza into a PETSc that has started without it: after PETSc is initialized, before types are named."""
    if ctypes.CDLL(library(), mode=ctypes.RTLD_GLOBAL).GozaInitializePackage():
        raise RuntimeError("PETSc could not load Goza; it has said why")
