#!/usr/bin/env python3
"""conda-forge's recipe rendered for each MPI, and built and tested for one, by rattler-build: conda.py PETSC_DIR PETSC_ARCH RELEASE(3.18.5) FOLDER.

The packages that it asks for are stand-ins in a channel of their own, so that no other is needed: those of compilers and libraries are empty and leave the machine's own to be
found, petsc holds the pkg-config file of the PETSc that is given. What is real is the recipe: its requirements, its script in rattler-build's environment, its package, its tests."""
import os
import pathlib
import subprocess
import sys

import rattler_build

RECIPE = pathlib.Path(__file__).resolve().parents[2] / '.ci/packaging/conda-forge'
COMPILER = {'cxx_compiler': ['gxx'], 'cxx_compiler_version': ['12'], 'c_stdlib': ['sysroot'], 'c_stdlib_version': ['2.17']}


def stand_in(name, version, script=()):
    """Its package; a file must be in it."""
    lines = list(script) or [f'mkdir -p $PREFIX/share && echo {version} >$PREFIX/share/stands-in-for-{name}']
    return rattler_build.Stage0Recipe.from_dict({'package': {'name': name, 'version': version}, 'build': {'number': 0, 'script': lines}})


def stand_ins(petsc_dir, petsc_arch, release):
    prefix = pathlib.Path(petsc_dir, petsc_arch)
    mpi = [f'mkdir -p $PREFIX/bin && for p in mpicc mpicxx mpiexec; do ln -s {prefix_of_mpi()}/$p $PREFIX/bin/$p; done']
    petsc = [f'install -D -m 644 {prefix}/lib/pkgconfig/PETSc.pc $PREFIX/lib/pkgconfig/PETSc.pc']
    empty = {'gxx_linux-64': '12', 'sysroot_linux-64': '2.17', 'make': '4.3', 'pkg-config': '0.29', 'python': '3.11', 'libblas': '3.11', 'liblapack': '3.11', 'libboost-headers': '1.84'}
    yield from (stand_in(name, version) for name, version in empty.items())
    yield stand_in('openmpi', '4.1', mpi)
    yield stand_in('petsc', release, petsc)


def prefix_of_mpi():
    return subprocess.run('dirname $(command -v mpicxx)', shell=True, check=True, capture_output=True, text=True).stdout.strip()


def variants(**chosen):
    """The recipe's own, with what conda-forge pins."""
    own = rattler_build.VariantConfig.from_file(RECIPE / 'conda_build_config.yaml').to_dict()
    return rattler_build.VariantConfig({**own, **COMPILER, **chosen})


def main():
    petsc_dir, petsc_arch, release, folder = sys.argv[1:]
    channel = pathlib.Path(folder, 'channel')
    quiet = rattler_build.ToolConfiguration()
    recipe = rattler_build.Stage0Recipe.from_file(RECIPE / 'recipe.yaml')
    made = recipe.render(variants())
    print(len(made), 'variants of', made[0].recipe.package.name)
    for package in stand_ins(petsc_dir, petsc_arch, release):
        package.render(variants(mpi=['openmpi']))[0].run_build(quiet, channel, [])
    built = recipe.render(variants(mpi=['openmpi'], petsc=[release.rpartition('.')[0]]))[0].run_build(
        rattler_build.ToolConfiguration(test_strategy='native'), channel, [channel.as_uri()], env_isolation=rattler_build.EnvironmentIsolation.CONDA_BUILD)
    print('built', *built.packages)


if __name__ == '__main__':
    main()
