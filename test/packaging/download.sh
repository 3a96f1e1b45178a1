#!/bin/bash
# PETSc configured with --download-goza, from the last commit of this tree, built, and used with what it installs: `make check-download`. It takes the network, two minutes to
# configure and ten to compile on two cores. PETSc's source is kept in CACHE; all else is made anew. The last line says how many passed.
#
# Environment: CACHE, MPIEXEC (whose mpicc is taken, too), INSTALLED (a folder: PETSc is configured with --prefix and installed there, and Goza is built at `make install`), LINES_SHOWN.
set -u
mkdir -p "${BUILD:=build}"
. "$(dirname "$0")/lib.sh"
unset PETSC_DIR
cache=$(mkdir -p "${CACHE:?}" && cd "$CACHE" && pwd)
arch=arch-download
tarball=$work/goza.tar.gz
git -C "$top" archive --prefix=goza-"$version"/ -o "$tarball" HEAD || exit
rm -rf "$cache"/.done-*-"$arch" "$cache/petsc/$arch"
does "PETSc with --download-goza" 0 'PETSc: PETSC_DIR=' "$top/.ci/petsc.sh" "$cache" "$arch" --download-goza="$tarball" ${INSTALLED:+--prefix="$INSTALLED"} || { summary; exit 1; }
if [ -n "${INSTALLED-}" ]; then
  does "make install" 0 'complete' make -C "$cache/petsc" PETSC_DIR="$cache/petsc" PETSC_ARCH="$arch" install || { summary; exit 1; }
  installed=$INSTALLED
else installed=$cache/petsc/$arch; fi
does "what it installs" 0 "$arch|$installed" ls "$installed"/lib/{libgoza.so,pkgconfig/goza.pc,cmake/Goza/GozaConfig.cmake} "$installed/include/petscgoza.h"
does "petscconf.h knows Goza" 0 'PETSC_HAVE_GOZA' grep GOZA "$installed/include/petscconf.h"

pkgconf() { PKG_CONFIG_PATH=$installed/lib/pkgconfig pkg-config "$@"; }
linked() {
  "${MPIEXEC%mpiexec}mpicc" "$here/uses_goza.c" -o "$work/linked" $(pkgconf --cflags --libs goza) -Wl,-rpath,"$installed/lib" && $MPIEXEC -n 2 "$work/linked"
}
does "a program links it, two ranks" 0 "linked with Goza $version" linked
for ranks in 1 2; do
  does "PETSc's ex45 with -dll_append on $ranks" 0 'solve converged due to' ex45_solves $ranks "$cache/petsc/src" "$installed/lib/libgoza.so" pkgconf
  does "it took Goza's types" 0 'type: (seq|mpi)aijcds' cat "$all_work/ex45.out"
done
summary
