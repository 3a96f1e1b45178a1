# What run.sh, acceptance.sh and cli.sh share. Sourced.
here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
BUILD=${BUILD:-build}
BUILD=$(cd "$BUILD" && pwd) || exit 2
LIBGOZA=$BUILD/lib/libgoza.so
MPIEXEC=${MPIEXEC:-mpiexec}
# Open MPI: root and more ranks than cores are meant, a waiting rank leaves the core to others (without it, two ranks on a busy machine take minutes), and messages go
# through shared memory (looking for networks takes longer than most tests)
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
export PETSC_OPTIONS="${PETSC_OPTIONS-}"
export XDG_CACHE_HOME=${GOZA_TEST_CACHE-$BUILD/cache} # calibrations
export LSAN_OPTIONS="suppressions=$here/support/lsan.supp:print_suppressions=0:${LSAN_OPTIONS-}"
# MPI libraries leave the heap in a state that new-delete pairing checks of a dlopened library trip over
# (the slow unwinder sees through libraries without frame pointers, so that the suppressions of their leaks find their names)
export ASAN_OPTIONS="alloc_dealloc_mismatch=0:fast_unwind_on_malloc=0:${ASAN_OPTIONS-}" UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS-}"
export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE-0} # NVLink multicast is for collectives, of which there are none here, and virtual machines may lack it
TIMEOUT=${TIMEOUT:-300}
have_device() { nvidia-smi -L >/dev/null 2>&1; }
if have_device; then DEVICE=yes; PETSC_OPTIONS+=" -use_gpu_aware_mpi 0"; else DEVICE=no; fi

all_work=$(mktemp -d "${TMPDIR:-/tmp}/goza-test-XXXXXX")
trap 'rm -rf "$all_work"' EXIT
: >"$all_work/verdicts"

# jobs_at_once N; beside_others FUNCTION ARGS...: the function in a folder of its own ($work, where it is, too, and HOME: no ~/.petscrc and no ./.petscrc), at most N at a time
jobs_at_once() { most_jobs=$1; }
beside_others() {
  while [ "$(jobs -rp | wc -l)" -ge "$most_jobs" ]; do wait -n; done
  (
    trap - EXIT
    work=$(mktemp -d "$all_work/XXXXXX")
    export HOME=$work
    echo begun >>"$all_work/verdicts"
    cd "$work" || exit 2
    "$@"
    echo ended >>"$all_work/verdicts"
    rm -rf "$work"
  ) &
}

# ranks program args...: stdout and stderr together into $work/out
launch() {
  local ranks=$1
  shift
  timeout --kill-after=10 "$TIMEOUT" $MPIEXEC -n "$ranks" "$@" >"$work/out" 2>&1 </dev/null
}

report() { # status name [reason]: one write, so that two tests' lines do not mix
  if [ "$1" = 0 ]; then
    printf 'ok      %6.1f s  %s\n' "$(since)" "$2"
    echo passed >>"$all_work/verdicts"
  else
    printf '%s\n' "$(
      printf 'FAILED  %6.1f s  %s: %s\n' "$(since)" "$2" "$3"
      [ -z "${4-}" ] || grep -v '^Running' "$4" | head -n "${LINES_SHOWN:-25}" | cut -c1-300 | sed 's/^/        /'
    )"
    echo failed >>"$all_work/verdicts"
  fi
}
skip() { # name reason
  printf 'skipped           %s: %s\n' "$1" "$2"
  echo skipped >>"$all_work/verdicts"
}
verdicts() { grep -c "^$1\$" "$all_work/verdicts"; }
summary() { # a test that said nothing, since its shell broke off, has failed
  local failed=$(($(verdicts failed) + $(verdicts begun) - $(verdicts ended)))
  echo "$(verdicts passed) passed, $failed failed, $(verdicts skipped) skipped"
  if ! grep -qE '^(passed|failed|skipped)$' "$all_work/verdicts"; then
    echo "no test's line contains ${pattern-}"
    return 1
  fi
  [ $failed = 0 ]
}
start_clock() { clock=$(date +%s%N); }
since() { awk -v a="$clock" -v b="$(date +%s%N)" 'BEGIN { print (b - a) / 1e9 }'; }

# What PETSc's -malloc_dump lists was left, a line each; but not what PETSc itself loses: MatHeaderMerge() of 3.18, of a MatAXPY() with another pattern, the block sizes that a
# DMPLEX gave; MatZeroRows() and MatZeroRowsColumns() their lists when they find a row that is none
leaks() { # FILE [|PATTERN]: of other lines that do not count. Ranks' output may come mixed: whole lines count
  grep -E '^\[ *[0-9]+\] ?[0-9]+ bytes( .*\(\) at .*:[0-9]+)?$|PetscFree.*(corrupted|overwritten)|Memory (at|originally)' "$1" |
    grep -qvE 'bytes (MatSetVariableBlockSizes|MatZeroRowsMapLocal_Private|MatZeroRowsColumns_(Seq|MPI)AIJ)\(\)'"${2-}"
}

why() { # exit status
  case $1 in
  124 | 137) echo "no end after $TIMEOUT s" ;;
  *) echo "exit status $1" ;;
  esac
}
