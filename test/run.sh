#!/bin/bash
# Every test: tests.list, the command line (cli.sh), PETSc's own programs (acceptance.sh). The last line says how many passed and failed.
#
#   test/run.sh [PATTERN]      only tests whose line contains PATTERN (a grep -E pattern)
#
# Environment: BUILD (build), MPIEXEC (mpiexec), TIMEOUT (300, seconds a test), LINES_SHOWN (25, of a failed test).
# Needs at run time: test/*.sh, test/*.list, test/support/{lib.sh,numdiff.awk,lsan.supp}, $BUILD/test, $BUILD/petsc, $BUILD/lib/libgoza.so.
set -u
. "$(dirname "$0")/support/lib.sh"
pattern=${1-.}

while read -r name ranks label options; do
  case $name in '' | \#*) continue ;; esac
  line="$name $ranks $label${options:+ $options}"
  grep -qE -- "$pattern" <<<"$line" || continue
  [ "$label" = cuda ] && [ $DEVICE = no ] && continue
  start_clock
  # shellcheck disable=SC2086
  launch "$ranks" "$BUILD/test/$name" -malloc_dump $options # -malloc_debug looks at all memory in each call: ten times slower
  status=$?
  if [ $status != 0 ]; then report 1 "$line" "$(why $status)" "$work/out"
  elif leaks "$work/out"; then report 1 "$line" "memory left (-malloc_dump)" "$work/out"
  else report 0 "$line"; fi
done <"$here/tests.list"

. "$here/cli.sh"
. "$here/acceptance.sh"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
