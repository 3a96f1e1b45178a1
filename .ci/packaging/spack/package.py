# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Goza(MakefilePackage, CudaPackage):
    """Goza is a plugin for PETSc, loaded at run time: GPU matrix types, a smoothed-aggregation
    algebraic multigrid preconditioner and Krylov methods that stay on the device."""

    homepage = "https://petsc.org"
    url = "file:///goza-0.1.0.tar.gz"  # the sdist that `pip` writes (.ci/packaging/python)

    license("BSD-2-Clause")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("blas")
    depends_on("lapack")
    depends_on("petsc@3.18:3.26+mpi")
    depends_on("petsc+cuda", when="+cuda")

    conflicts("%gcc@:8", msg="Goza is C++17")

    def arguments(self):
        petsc = self.spec["petsc"].prefix
        args = ["DEPS=no", "WERROR=", f"PETSC_DIR={petsc}", "PETSC_ARCH=", f"JOBS={make_jobs}"]
        if self.spec.satisfies("+cuda"):
            args += ["CUDA=yes", f"CUDA_HOME={self.spec['cuda'].prefix}"]
            arch = self.spec.variants["cuda_arch"].value
            if arch[0] != "none":
                args.append(f"CUDA_ARCH={arch[0]}")
        else:
            args.append("CUDA=no")
        return args

    def build(self, spec, prefix):
        make(*self.arguments())

    def install(self, spec, prefix):
        make(*self.arguments(), f"PREFIX={prefix}", "install")

    def setup_run_environment(self, env):
        env.append_flags("PETSC_OPTIONS", f"-dll_append {self.prefix.lib}/libgoza.so")
