#!/bin/bash
# The recipes, read and carried out by the tools that they are for: `make check-recipes`. What a recipe depends on is this machine's own, PETSc that of PETSC_DIR and PETSC_ARCH, or
# pkg-config's; Goza is compiled once for each. The last line says how many passed.
#
# Environment: PETSC_EXAMPLES (make sets it), CACHE (py-rattler-build and clingo are installed there from PyPI), SPACK_ROOT (a checkout of Spack 0.22 or 0.23; none: skipped), PETSC_SOURCE (of PETSc 3.26, whose
# configure is asked), PYTHON, LINES_SHOWN.
set -u
mkdir -p "${BUILD:=build}"
. "$(dirname "$0")/lib.sh"
TIMEOUT=${TIMEOUT:-3000}
cache=$(mkdir -p "${CACHE:?}" && cd "$CACHE" && pwd)
tools=$cache/venv
asked=${PETSC_DIR:+PKG_CONFIG_PATH=$PETSC_DIR/${PETSC_ARCH-}/lib/pkgconfig}
petsc=${PETSC_DIR:-$(dirname "$(env $asked pkg-config --variable=libdir PETSc)")}
release=$(env $asked pkg-config --modversion PETSc)

does "recipes are Python that compiles" 0 '' "$python" -c "
import ast, pathlib
for path in pathlib.Path('$top/.ci/packaging').rglob('*.py'): ast.parse(path.read_text(), str(path))"
does "tools from PyPI" 0 '' bash -c "[ -x '$tools/bin/python' ] || '$python' -m venv '$tools' && '$tools/bin/pip' install py-rattler-build clingo" || { summary; exit 1; }

# --- conda-forge
does "conda-forge's recipe renders for each MPI, builds, and its tests pass" 0 'built .*goza-.*conda' "$tools/bin/python" "$here/conda.py" "$petsc" "${PETSC_ARCH-}" "$release" "$work/conda"

# --- Spack
spack() {
  env SPACK_USER_CONFIG_PATH="$work/spack/user" SPACK_USER_CACHE_PATH="$work/spack/cache" SPACK_SYSTEM_CONFIG_PATH=/nonexistent SPACK_PYTHON="$tools/bin/python" PYTHONPATH="$work/spack/names" \
    "$SPACK_ROOT/bin/spack" -C "$work/spack/scope" "$@"
}
external() { printf '  %s:\n    buildable: false\n    externals:\n    - {spec: "%s", prefix: %s}\n' "$1" "$2" "$3"; } # external NAME SPEC PREFIX
if [ ! -x "${SPACK_ROOT-}/bin/spack" ]; then skip "Spack" "SPACK_ROOT is no checkout of Spack"; else
  mkdir -p "$work"/spack/{scope,user,repo/packages/goza,mirror/goza,names/spack_repo/builtin/build_systems}
  echo 'repo: {namespace: goza_of_this_tree}' >"$work/spack/repo/repo.yaml"
  cp "$top/.ci/packaging/spack/package.py" "$work/spack/repo/packages/goza/"
  for system in cuda makefile; do echo "from spack.build_systems.$system import *" >"$work/spack/names/spack_repo/builtin/build_systems/$system.py"; done # as Spack 1.0 names them
  git -C "$top" archive --prefix=goza-"$version"/ -o "$work/spack/mirror/goza/goza-$version.tar.gz" HEAD
  (
    cd "$work/spack/scope" || exit
    echo "repos: [$work/spack/repo]" >repos.yaml
    echo "mirrors: {goza: 'file://$work/spack/mirror'}" >mirrors.yaml
    echo "bootstrap: {enable: false}" >bootstrap.yaml
    echo "config: {build_jobs: $(nproc --all), build_stage: [$work/spack/stage], install_tree: {root: $work/spack/tree}}" >config.yaml
    {
      printf 'packages:\n  all:\n    target: [x86_64]\n    providers: {mpi: [openmpi], blas: [netlib-lapack], lapack: [netlib-lapack]}\n'
      external petsc "petsc@$release+mpi" "$petsc"
      external openmpi openmpi@4.1.4 /usr
      external netlib-lapack netlib-lapack@3.11.0 /usr
      external gmake gmake@4.3 /usr
      external pkgconf pkgconf@1.8.1 /usr
    } >packages.yaml
  )
  does "Spack reads the recipe" 0 'cuda_arch' spack info goza
  does "it finds this machine's compilers" 0 'gcc@' spack compiler find
  does "it finds packages for the recipe" 0 "petsc@$release" spack spec goza
  does "and installs it, for PETSc $release" 0 'Successfully installed goza' spack install --no-checksum goza
  does "Spack says what to load" 0 'PETSC_OPTIONS=.*-dll_append.*libgoza.so' spack load --sh goza
  with_spack() {
    eval "$(spack load --sh goza)"
    ex45_solves 2 "$PETSC_EXAMPLES" "" env $asked pkg-config
  }
  does "PETSc's ex45 has Goza's types" 0 'type: mpiaijcds' with_spack
fi

# --- PETSc's configure; download.sh goes on from there
source=${PETSC_SOURCE:-$HOME/.cache/goza/petsc-cuda/petsc}
if [ ! -x "$source/configure" ]; then skip "PETSc's configure" "no source of PETSc in PETSC_SOURCE"; else
  with_configure() {
    mkdir "$work/petsc" && cp -r "$source"/{config,configure,include,lib,makefile,gmakefile} "$work/petsc/" && cp "$top/.ci/packaging/petsc/Goza.py" "$work/petsc/config/BuildSystem/config/packages/" &&
      cd "$work/petsc" && "$python" ./configure --help
  }
  does "PETSc's configure knows --download-goza" 0 '--download-goza=<no,yes,filename,url>' with_configure
fi
summary
