#!/usr/bin/env bash
# Build PETSc 3.26.1 from PyPI's package into a prefix. For the host it takes the MPI on the PATH, where there is one; else, and
# with CUDA, MPI is a package of PyPI's too.
#
#   .ci/petsc.sh PREFIX ARCH [OPTION...]     ARCH: the name of this kind of PETSc; OPTION: of PETSc's configure, as --with-cuda
#
# Every finished step leaves a mark in PREFIX, so that a second call goes on where the first stopped; all output is in
# PREFIX/build.log. The result is used with  make PETSC_DIR=PREFIX/petsc PETSC_ARCH=ARCH.
set -euo pipefail
usage="usage: petsc.sh PREFIX ARCH [OPTION...]"
packages=$(cd "$(dirname "$0")/packaging" && pwd)
prefix=$(mkdir -p "${1:?$usage}" && cd "$1" && pwd)
arch=${2:?$usage}
shift 2
petsc=3.26.1
mpich=5.0.2
log=$prefix/build.log
mpi=$prefix/mpi/bin
if [[ " $* " != *" --with-cuda "* ]] && [ ! -x "$mpi/mpicc" ] && command -v mpicc >/dev/null; then mpi=$(dirname "$(command -v mpicc)"); fi
export PATH=$mpi:$PATH

step() { # step NAME WHAT COMMAND...: once, with the log on failure
  local mark=$prefix/.done-$1 what=$2
  shift 2
  if [ -e "$mark" ]; then return; fi
  printf '%(%H:%M:%S)T  %s\n' -1 "$what"
  if ! "$@" >>"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "petsc: '$what' failed; all of it is in $log; run the same command to go on from here" >&2
    exit 1
  fi
  touch "$mark"
}

fetch_mpi() {
  pip download --no-deps -d "$prefix/wheels" "mpich==$mpich"
  pip install --no-deps --ignore-installed --prefix "$prefix/mpi" "$prefix"/wheels/mpich-*.whl
  mpicc -show
}
fetch_petsc() {
  pip install --target "$prefix/py" setuptools wheel # the sdist's metadata step imports them
  PYTHONPATH=$prefix/py pip download --no-binary petsc --no-deps --no-build-isolation -d "$prefix/wheels" "petsc==$petsc"
  tar -xzf "$prefix/wheels/petsc-$petsc.tar.gz" -C "$prefix"
  rm -rf "$prefix/petsc"
  mv "$prefix/petsc-$petsc" "$prefix/petsc"
}
configure() {
  cp "$packages/petsc/Goza.py" "$prefix/petsc/config/BuildSystem/config/packages/" # --download-goza
  cd "$prefix/petsc"
  python3 ./configure PETSC_DIR="$prefix/petsc" PETSC_ARCH="$arch" --with-cc="$mpi/mpicc" --with-cxx="$mpi/mpicxx" --with-fc=0 \
    --with-debugging=0 --with-blaslapack-lib="-llapack -lblas" --with-shared-libraries --with-x=0 COPTFLAGS=-O3 CXXOPTFLAGS=-O3 "$@"
}
build() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -j "$(nproc --all)" -C "$prefix/petsc" PETSC_DIR="$prefix/petsc" PETSC_ARCH="$arch" all-local; }

if [[ " $* " == *" --with-cuda "* ]] && ! command -v nvcc >/dev/null; then
  echo "petsc: nvcc is not on the PATH: install the CUDA toolkit first" >&2
  exit 1
fi
[ "$mpi" != "$prefix/mpi/bin" ] || step mpi "MPI (mpich $mpich from PyPI)" fetch_mpi
step source "PETSc $petsc source (PyPI)" fetch_petsc
step "configure-$arch" "configure (2 min)" configure "$@"
step "build-$arch" "compile (about 10 min on 2 cores)" build
echo "PETSc: PETSC_DIR=$prefix/petsc PETSC_ARCH=$arch, MPI in $mpi"
