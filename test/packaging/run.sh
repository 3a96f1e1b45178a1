#!/bin/bash
# Goza installed in every way that it can be, into folders of their own, and used from there: `make check-packaging`. The last line says how many passed.
#
# Environment: BUILD, MPIEXEC, PETSC_DIR, PETSC_ARCH (make sets them), PYTHON (/usr/bin/python3: one with petsc4py), LINES_SHOWN.
# Nothing is compiled again: pip's backend is given the build folder (GOZA_BUILD), whose flags are those of make without further variables but CUDA; for complex scalars one
# that stays in it. No network is used.
set -u
. "$(dirname "$0")/lib.sh"
pkgconfig_path=$work/usr/lib/pkgconfig:${PETSC_DIR:+$PETSC_DIR/${PETSC_ARCH-}/lib/pkgconfig}

# --- make install, pkg-config, CMake
does "make install" 0 'goza.pc' make -C "$top" DEPS=no BUILD="$BUILD" PREFIX="$work/usr" PETSC_DIR="${PETSC_DIR-}" PETSC_ARCH="${PETSC_ARCH-}" CUDA="${CUDA-auto}" install
with_pkgconf() {
  export PKG_CONFIG_PATH=$pkgconfig_path
  "${MPIEXEC%mpiexec}mpicc" "$here/uses_goza.c" -o "$work/linked" $(pkg-config --cflags --libs goza) -Wl,-rpath,"$(pkg-config --variable=libdir goza):$(pkg-config --variable=libdir PETSc)" && "$work/linked"
}
does "pkg-config: a program links" 0 'linked with Goza [0-9]' with_pkgconf
with_cmake() {
  mkdir -p "$work/cmake" && cp "$here/uses_goza.c" "$work/cmake"
  cat >"$work/cmake/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(uses_goza LANGUAGES C CXX)
find_package(Goza 0.1 REQUIRED)
add_executable(uses_goza uses_goza.c)
target_link_libraries(uses_goza PRIVATE Goza::goza)
message(STATUS "found Goza ${Goza_VERSION}")
CMAKE
  sed -i "s/Goza 0.1/Goza $1/" "$work/cmake/CMakeLists.txt"
  rm -rf "$work/cmake/build"
  PKG_CONFIG_PATH=$pkgconfig_path cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$work/usr" && cmake --build "$work/cmake/build" && "$work/cmake/build/uses_goza"
}
if command -v cmake >/dev/null; then
  does "CMake: find_package(Goza), a program links" 0 "linked with Goza $version" with_cmake "${version%.*}"
  does "CMake: another release is refused" error 'not.*(compatible|requested version)|[Cc]ould not find' with_cmake 99.1
else skip "CMake" "no cmake"; fi

# --- pip
if ! "$python" -c 'import petsc4py, venv, ensurepip' 2>/dev/null; then skip "pip" "$python has no petsc4py or no venv (Debian: python3-petsc4py, python3-venv)"; else
  backend() { # CODE ENVIRONMENT...: with the backend's modules
    local code=$1
    shift
    env "$@" PYTHONPATH="$top/.ci/packaging/python" PYTHONDONTWRITEBYTECODE=1 "$python" -c "$code"
  }
  export GOZA_BUILD=$BUILD GOZA_CUDA=${GOZA_CUDA-${CUDA-auto}}
  in_venv() { env -u PETSC_DIR -u PETSC_ARCH "$work/venv/bin/python" "$@"; }
  does "a virtual environment" 0 '' "$python" -m venv --system-site-packages "$work/venv"
  does "pip install ., no PETSC_DIR: petsc4py's PETSC is taken" 0 'Successfully installed goza' in_venv -m pip install --no-index -v "$top"
  does "its sentence on what it builds for" 0 'built for PETSc 3.*real double, (32|64)-bit' in_venv -m goza --info
  does "python -m goza --info: where it runs" 0 'Goza for PETSc .* runs on' in_venv -m goza --info
  does "python -m goza --demo" 0 'the answers differ by [0-9.]+e-' in_venv -m goza --demo
  does "the demo took Goza's types" 0 'seqaijcds +fusedcg +saamg' in_venv -m goza --demo
  does "the demo on two ranks" 0 'mpiaijcds +fusedcg +saamg' env -u PETSC_DIR -u PETSC_ARCH $MPIEXEC -n 2 "$work/venv/bin/python" -m goza --demo
  does "goza.load() into a PETSc that runs" 0 'saamg' in_venv -c "from petsc4py import PETSc; import goza; goza.load(); pc = PETSc.PC().create(); pc.setType('saamg'); print(pc.getType())"
  does "the wheel's tag" 0 "Tag: py3-none-linux" cat "$work"/venv/lib/python3*/site-packages/goza-*.dist-info/WHEEL
  does "petsc4py of another kind: one sentence" error 'goza was built for PETSc .* 16-bit indices, but petsc4py has .*: PETSC_DIR=.* pip install' \
    bash -c "sed -i \"s/'index': [0-9]*/'index': 16/\" '$work'/venv/lib/python3*/site-packages/goza/_built.py && env -u PETSC_DIR '$work/venv/bin/python' -m goza --demo"
  does "sdist" 0 'goza-.*tar.gz' backend "import goza_backend; print(goza_backend.build_sdist('$work'))"
  does "pip install from the sdist" 0 'Successfully installed goza' in_venv -m pip install --no-index --force-reinstall "$work/goza-$version.tar.gz"
  does "and it solves" 0 'saamg' in_venv -m goza --demo

  # for another kind of PETSc, Debian's petsc4py of which PETSC_DIR chooses
  complex=$(echo /usr/lib/petscdir/petsc3.18/*-complex)
  if [ ! -d "$complex/lib/python3/dist-packages/petsc4py" ]; then skip "complex scalars" "Debian's packages python3-petsc4py-complex3.18, libpetsc-complex3.18-dev"; else
    in_complex() { env -u PETSC_ARCH PETSC_DIR="$complex" "$work/venv/bin/python" "$@"; }
    does "petsc4py of complex scalars, goza of real ones: one sentence" error 'built for .*, real double, .* but petsc4py has .*, complex double, .*: PETSC_DIR=.*-complex .*pip install' in_complex -m goza --demo
    does "pip install . for complex scalars" 0 'Successfully installed goza' env GOZA_BUILD="$BUILD/complex" GOZA_CUDA=no PETSC_DIR="$complex" "$work/venv/bin/python" -m pip install --no-index --force-reinstall "$top"
    does "its kind" 0 'built for PETSc 3.*complex double' in_complex -m goza --info
    does "and it solves with complex scalars" 0 'seqaijcds +fusedcg +saamg' in_complex -m goza --demo
    does "on two ranks" 0 'mpiaijcds +fusedcg +saamg' env -u PETSC_ARCH PETSC_DIR="$complex" $MPIEXEC -n 2 "$work/venv/bin/python" -m goza --demo
  fi

  does "a GPU without a driver: one sentence" 0 'an NVIDIA GPU and no driver for it: install' bash -c "mkdir -p '$work/pci/0' && echo 0x10de >'$work/pci/0/vendor' && echo 0x030200 >'$work/pci/0/class' &&
    '$work/venv/bin/python' -c 'from goza.__main__ import driver_missing; print(driver_missing(\"$work/pci\", \"$work/no_driver\"))'"

  # a PETSc is its headers: petscconf.h and petscversion.h
  fake() { # NAME MINOR DEFINES...
    mkdir -p "$work/$1/include"
    printf '#define PETSC_VERSION_MAJOR 3\n#define PETSC_VERSION_MINOR %s\n#define PETSC_VERSION_SUBMINOR 1\n' "$2" >"$work/$1/include/petscversion.h"
    printf '#define %s 1\n' "${@:3}" >"$work/$1/include/petscconf.h"
  }
  fake quad 26 PETSC_USE_REAL___FLOAT128
  fake old 12 PETSC_USE_REAL_DOUBLE
  fake cuda 26 PETSC_USE_REAL_DOUBLE PETSC_HAVE_CUDA
  mkdir "$work/empty"
  refused() { env PETSC_DIR="$work/$1" GOZA_CUDA="${2-auto}" CUDA_HOME=/nonexistent PATH=/usr/bin:/bin "$work/venv/bin/python" -m pip install --no-index "$top"; }
  does "a PETSc in quadruple precision: one sentence" error 'goza: PETSc in .*__float128 precision.*set PETSC_DIR' refused quad
  does "a PETSc that is too old: one sentence" error 'goza: PETSc in .* is 3.12.1: Goza needs 3.18 or newer' refused old
  does "PETSC_DIR without PETSc: one sentence" error 'goza: PETSC_DIR=.* has no petscconf.h' refused empty
  if [ -x /usr/bin/nvcc ]; then skip "no nvcc" "/usr/bin/nvcc"; else
    does "a PETSc with CUDA and no nvcc: one sentence" error 'goza: .*has CUDA, but there is no nvcc .*GOZA_CUDA=no' refused cuda
  fi
  does "no PETSc in the environment: PyPI's is asked for, whatever pkg-config knows" 0 'petsc>=3' backend "import goza_petsc, goza_backend; goza_petsc.ask_environment = lambda code: None; print(goza_backend.get_requires_for_build_wheel())" -u PETSC_DIR
fi

does "make CUDA=yes without nvcc: one sentence" error 'no nvcc on the PATH .*: install the CUDA toolkit, or give CUDA=no' env PATH=/usr/bin:/bin make -n -C "$top" DEPS=no CUDA=yes CUDA_HOME=/nonexistent BUILD="$work/none"
summary
