# What run.sh, acceptance.sh and cli.sh share. Sourced.
here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
BUILD=${BUILD:-build}
BUILD=$(cd "$BUILD" && pwd) || exit 2
LIBGOZA=$BUILD/lib/libgoza.so
MPIEXEC=${MPIEXEC:-mpiexec}
# Open MPI: root and more ranks than cores are meant, and a waiting rank leaves the core to others (without it, two ranks on a busy machine take minutes)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
export PETSC_OPTIONS="${PETSC_OPTIONS-}"
export LSAN_OPTIONS="suppressions=$here/support/lsan.supp:print_suppressions=0:${LSAN_OPTIONS-}"
# MPI libraries leave the heap in a state that new-delete pairing checks of a dlopened library trip over
# (the slow unwinder sees through libraries without frame pointers, so that the suppressions of their leaks find their names)
export ASAN_OPTIONS="alloc_dealloc_mismatch=0:fast_unwind_on_malloc=0:${ASAN_OPTIONS-}" UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS-}"
TIMEOUT=${TIMEOUT:-300}
have_device() { nvidia-smi -L >/dev/null 2>&1; }
if have_device; then DEVICE=yes; PETSC_OPTIONS+=" -use_gpu_aware_mpi 0"; else DEVICE=no; fi

work=$(mktemp -d "${TMPDIR:-/tmp}/goza-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export HOME=$work # no ~/.petscrc
cd "$work" || exit 2 # and no ./.petscrc
passed=0 failed=0

# ranks program args...: stdout and stderr together into $work/out
launch() {
  local ranks=$1
  shift
  timeout --kill-after=10 "$TIMEOUT" $MPIEXEC -n "$ranks" "$@" >"$work/out" 2>&1 </dev/null
}

report() { # status name [reason]
  if [ "$1" = 0 ]; then
    passed=$((passed + 1))
    printf 'ok      %6.1f s  %s\n' "$(since)" "$2"
  else
    failed=$((failed + 1))
    printf 'FAILED  %6.1f s  %s: %s\n' "$(since)" "$2" "$3"
    [ -z "${4-}" ] || grep -v '^Running' "$4" | head -n "${LINES_SHOWN:-25}" | cut -c1-300 | sed 's/^/        /'
  fi
}
start_clock() { clock=$(date +%s%N); }
since() { awk -v a="$clock" -v b="$(date +%s%N)" 'BEGIN { print (b - a) / 1e9 }'; }

# PETSc's -malloc_dump says something only when memory was left
leaks() { grep -qE 'Total space allocated|PetscFree.*(corrupted|overwritten)|Memory (at|originally)' "$1"; }

why() { # exit status
  case $1 in
  124 | 137) echo "no end after $TIMEOUT s" ;;
  *) echo "exit status $1" ;;
  esac
}
