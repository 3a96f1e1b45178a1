# What run.sh, recipes.sh and download.sh share. Sourced, behind which $here, $top, $version and $work are there.
. "$(dirname "${BASH_SOURCE[0]}")/../support/lib.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
python=${PYTHON:-/usr/bin/python3}
unset MAKEFLAGS MFLAGS MAKELEVEL PETSC_OPTIONS PYTHONPATH
version=$("$python" -c "import sys; sys.path.insert(0, '$top/.ci/packaging/python'); sys.dont_write_bytecode = True; import goza_backend; print(goza_backend.version())")
work=$all_work/packaging
mkdir "$work"

# does NAME STATUS(0|error) TEXT COMMAND...: the command ends so and says the text
does() {
  local name=$1 want=$2 text=$3 status reason=
  shift 3
  echo begun >>"$all_work/verdicts"
  start_clock
  ("$@") >"$work/out" 2>&1 </dev/null
  status=$?
  case $want in
  0) [ $status = 0 ] || reason=$(why $status) ;;
  error) [ $status != 0 ] && [ $status -lt 124 ] || reason="an error was expected, but $(why $status)" ;;
  esac
  [ -n "$reason" ] || [ -z "$text" ] || grep -qE -- "$text" "$work/out" || reason="it does not say \"$text\""
  if [ -z "$reason" ]; then report 0 "$name"; else report 1 "$name" "$reason" "$work/out"; fi
  echo ended >>"$all_work/verdicts"
  [ -z "$reason" ]
}

# ex45_solves RANKS SOURCE LIBGOZA PKG_CONFIG...: PETSc's own program, which knows nothing of Goza, unmodified
ex45_solves() {
  local ranks=$1 source=$2 library=$3
  shift 3
  [ -x "$work/ex45" ] || "${MPIEXEC%mpiexec}mpicc" -O1 -w "$source/ksp/ksp/tutorials/ex45.c" -o "$work/ex45" $("$@" --cflags --libs PETSc) -Wl,-rpath,"$("$@" --variable=libdir PETSc)" -lm || return
  $MPIEXEC -n "$ranks" "$work/ex45" ${library:+-dll_append "$library"} -da_grid_x 17 -da_grid_y 17 -da_grid_z 17 -dm_mat_type cds -ksp_type fusedcg -pc_type saamg -ksp_view -ksp_converged_reason | tee "$all_work/ex45.out"
}
