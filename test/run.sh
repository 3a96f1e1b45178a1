#!/bin/bash
# Every test: tests.list, the command line (cli.sh), PETSc's own programs (petsc/acceptance.sh). The last line says how many passed, failed and were skipped, since they need a device or
# more memory (a program that says so ends with status 77).
#
#   test/run.sh [PATTERN]      only tests whose line contains PATTERN (a grep -E pattern); an error where there is none
#
# Tests of one rank run JOBS at a time; those of several have the machine to themselves, since ranks that wait for each other take whole cores.
#
# Environment: BUILD (build), MPIEXEC (mpiexec), JOBS (as many as cores, at most 8), TIMEOUT (300, seconds a test), LINES_SHOWN (25, of a failed test).
# Needs at run time: test/*.sh, test/tests.list, test/petsc/, test/support/{lib.sh,numdiff.awk,lsan.supp}, $BUILD/test, $BUILD/petsc, $BUILD/lib/libgoza.so.
set -u
. "$(dirname "$0")/support/lib.sh"
. "$here/petsc/acceptance.sh"
pattern=${1-.}

errors_expected='^(laws/pc_bad_input|laws/edge_cases|mat/many_entries|parallel/halo|fuzz/.*)$' # PETSc frees nothing on its way out of a function that failed
run_listed() { # name ranks label options...
  local name=$1 ranks=$2 line="$*" status lost=
  shift 3
  if [ "$name" = laws/alloc_failures ]; then lost='|sys/utils/str\.c'; fi # the title that PetscOptionsBegin() copies, where memory for an option is refused
  start_clock
  launch "$ranks" "$BUILD/test/$name" -malloc_dump "$@" # -malloc_debug looks at all memory in each call: ten times slower
  status=$?
  if [ $status = 77 ]; then skip "$line" "$(sed -n 's/^skipped: //p' "$work/out" | head -n 1)"
  elif [ $status != 0 ]; then report 1 "$line" "$(why $status)" "$work/out"
  elif leaks "$work/out" "$lost" && ! [[ $name =~ $errors_expected ]]; then report 1 "$line" "memory left (-malloc_dump)" "$work/out"
  else report 0 "$line"; fi
}
run_command_line() { . "$here/cli.sh"; }

each_test() { # ONE_RANK: the tests of one rank, or (no) those of several
  while read -r name ranks label options; do
    case $name in '' | \#*) continue ;; esac
    options=${options//test\//$here/} # files of the tests: each test runs in a folder of its own
    [ "$1" = "$([ "$ranks" = 1 ] && echo yes || echo no)" ] || continue
    grep -qE -- "$pattern" <<<"$name $ranks $label${options:+ $options}" || continue
    if [ "$label" = cuda ] && [ $DEVICE = no ]; then
      skip "$name $ranks $label${options:+ $options}" "no device"
      continue
    fi
    # shellcheck disable=SC2086
    beside_others run_listed "$name" "$ranks" "$label" $options
  done <"$here/tests.list"
  while IFS='|' read -r program ranks compare args; do
    case $program in '' | \#*) continue ;; esac
    [ "$1" = "$([ "${ranks// /}" = 1 ] && echo yes || echo no)" ] || continue
    grep -qE -- "$pattern" <<<"${program// /} ${ranks// /}:$args" || continue
    beside_others run_accepted "${program// /}" "${ranks// /}" "${compare// /}" "$args"
  done <"$here/petsc/acceptance.list"
}

cores=$(nproc --all) # without it OMP_NUM_THREADS counts
jobs_at_once ${JOBS:-$((cores < 8 ? cores : 8))}
beside_others run_command_line
each_test yes
wait
jobs_at_once 1
each_test no
wait
summary
