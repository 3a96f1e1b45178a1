#!/bin/bash
# Applications of Debian, unmodified, with Goza's types from PETSc's options: `make check-applications`. Each runs twice, as it is and with Goza, and must
# give the same answer; iterations and seconds of both are printed. A line is "ok", "FAILED" or "skipped" (the package that lacks is named).
#
#   test/applications/run.sh [PATTERN]      BUILD, MPICC, PYTHON (/usr/bin/python3), TIMEOUT (300, seconds of a run)
set -u
. "$(dirname "$0")/../support/lib.sh"
pattern=${1-.}
python=${PYTHON:-/usr/bin/python3}
out=$BUILD/applications
mkdir -p "$out"
export MPLBACKEND=Agg PYTHONDONTWRITEBYTECODE=1
unset DISPLAY

seconds_of() { awk '$1 == "PCSetUp" || $1 == "KSPSolve" || $1 == "EPSSolve" { t[$1] = $4 } END { print ("EPSSolve" in t) ? t["EPSSolve"] + 0 : t["PCSetUp"] + t["KSPSolve"] }' "$1" 2>/dev/null; }
iterations_of() { sed -nE 's/.*converged due to [A-Z_]+ iterations ([0-9]+).*/\1/p; s/.*eigensolve converged .*; iterations ([0-9]+)/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'; }
numbers_of() { grep -E -- "$2" "$1" | grep -oE -- '-?[0-9]+\.[0-9]+(e[-+][0-9]+)?' ; }

# same NAME PACKAGE TOLERANCE ANSWER "OPTIONS OF ITS OWN BEST" "OPTIONS WITH GOZA" MUST_APPEAR COMMAND...
# ANSWER: the lines whose numbers are compared, by TOLERANCE times the largest of them; MUST_APPEAR: what proves that Goza was there, in the output or in -log_view
same() {
  local name=$1 package=$2 tolerance=$3 answer=$4 theirs=$5 ours=$6 must=$7 reason= which status
  shift 7
  grep -qE -- "$pattern" <<<"$name" || return 0
  start_clock
  for which in theirs ours; do
    status=0
    (
      [ $which = theirs ] && more=$theirs || more="-dll_append $LIBGOZA $ours"
      PETSC_OPTIONS="$more -ksp_converged_reason -log_view :$work/$which.log" timeout --kill-after=10 "$TIMEOUT" "$@" >"$work/$which" 2>&1 </dev/null
    ) || status=$?
    [ $status = 0 ] || { reason="$which: $(why $status)"; break; }
  done
  if [ -z "$reason" ] && ! cat "$work/ours" "$work/ours.log" | grep -qE -- "$must"; then reason="\"$must\" does not appear: Goza was not used"; fi
  if [ -z "$reason" ]; then
    numbers_of "$work/theirs" "$answer" >"$work/a"
    numbers_of "$work/ours" "$answer" >"$work/b"
    reason=$(paste "$work/a" "$work/b" | awk -v tolerance="$tolerance" '
      function size(x) { return x < 0 ? -x : x }
      { n++; a[n] = $1; b[n] = $2; if (NF != 2) bad = n; if (size($1) > most) most = size($1) }
      END {
        if (!n) print "no answer seen"
        for (i = 1; i <= n; i++) if (i == bad || size(a[i] - b[i]) > tolerance * most) { print "answers: " a[i] " and " b[i]; exit }
      }')
  fi
  if [ -z "$reason" ]; then
    report 0 "$name: iterations $(iterations_of "$work/theirs") and $(iterations_of "$work/ours"), seconds $(seconds_of "$work/theirs.log") and $(seconds_of "$work/ours.log"), $(wc -l <"$work/a") numbers the same"
  else report 1 "$name" "$reason" "$([ -s "$work/ours" ] && echo "$work/ours" || echo "$work/theirs")"; fi
}
lacks() { # NAME PACKAGE FILE: says so where the file is not there
  [ -e "$3" ] && return 1
  ! grep -qE -- "$pattern" <<<"$1" || skip "$1" "Debian's package $2"
}

fenicsx() {
  local demos=/usr/share/dolfinx/demo-python
  lacks FEniCSx "python3-dolfinx-real, dolfinx-doc" $demos/demo_elasticity.py && return
  # it puts "gamg" and "cg" into the options itself, behind what a user gives
  same "FEniCSx elasticity: slicedell, saamg by gamg's name" python3-dolfinx-real 1e-7 '^answer' '' '-mat_type slicedell -goza_replace gamg' 'GozaMatMult' \
    "$python" "$here/solve.py" $demos/demo_elasticity.py 'unorm' 'A.getType()'
  same "FEniCSx Poisson: cds under the demo's own LU" python3-dolfinx-real 1e-10 '^answer' '' '-mat_type cds' 'matrix of type seqaijcds' \
    "$python" "$here/solve.py" $demos/demo_poisson.py 'uh.x.norm()' 'problem.A.getType()'
}

dolfin() {
  local demo=/usr/share/dolfin/demo-python/documented/singular-poisson/demo_singular-poisson.py
  lacks "legacy FEniCS" "python3-dolfin, dolfin-doc, python3-matplotlib" $demo && return
  # DOLFIN sets the preconditioner after the options: ILU, or what its name is lent to
  same "legacy FEniCS singular Poisson: slicedell, saamg by ilu's name" python3-dolfin 1e-5 '^answer' '' '-mat_seqaij_type seqaijslicedell -goza_replace ilu' 'GozaMatMult' \
    "$python" "$here/solve.py" $demo 'u.vector().norm("l2")' 'as_backend_type(A).mat().getType()'
}

slepc() {
  local source=/usr/share/slepc/3.18/share/slepc/examples/src/eps/tutorials lib=/usr/lib/slepcdir/slepc3.18/x86_64-linux-gnu-real/lib/pkgconfig program
  lacks SLEPc "slepc-dev, libslepc3.18-dev-examples" $source/ex2.c && return
  for program in ex2 ex13; do
    # shellcheck disable=SC2046
    "${MPICC:-mpicc}" -w -O2 $source/$program.c -o "$out/slepc_$program" $(PKG_CONFIG_PATH=$lib pkg-config --cflags --libs slepc PETSc) -lm || { report 1 "SLEPc $program" "does not compile"; return; }
  done
  same "SLEPc largest eigenvalues: cds" slepc-dev 1e-5 '^ +[0-9]+\.[0-9]+ ' '' '-mat_type cds' 'GozaMatMult' bash -c "'$out/slepc_ex2' -n 60 -m 50 -eps_nev 4 | sed 's/ [0-9.]*e-[0-9]*$//'"
  same "SLEPc shift-invert: cds, saamg inside" slepc-dev 1e-4 '^ +[0-9]+\.[0-9]+ ' '-st_ksp_type cg -st_pc_type gamg' '-mat_type cds -st_ksp_type fusedcg -st_pc_type saamg' 'SAAMGSmooth' \
    bash -c "'$out/slepc_ex2' -n 300 -m 280 -eps_nev 4 -eps_target 0 -st_type sinvert -st_ksp_rtol 1e-10 | sed 's/ [0-9.]*e-[0-9]*$//'"
  same "SLEPc generalized: slicedell, saamg inside" slepc-dev 1e-4 '^ +[0-9]+\.[0-9]+ ' '-st_ksp_type cg -st_pc_type gamg' '-mat_type slicedell -st_ksp_type cg -st_pc_type saamg' 'SAAMGSmooth' \
    bash -c "'$out/slepc_ex13' -n 150 -m 140 -eps_nev 3 -eps_target 0 -st_type sinvert -st_ksp_rtol 1e-10 | sed 's/ [0-9.]*e-[0-9]*$//'"
}

getdp() {
  local examples=/usr/share/doc/getdp/examples
  lacks GetDP getdp $examples/demos/magnet.pro && return
  cp -r $examples "$work/getdp"
  # it reserves entries for the types seqaij and mpiaij alone, and ends without a word for another -mat_type, PETSc's aijperm as well
  same "GetDP magnetostatics: slicedell, saamg" getdp 1e-7 '^15 ' '-ksp_type cg -pc_type gamg -ksp_rtol 1e-10' '-mat_seqaij_type seqaijslicedell -ksp_type cg -pc_type saamg -ksp_rtol 1e-10' 'SAAMGSmooth' \
    bash -c "cd '$work/getdp/demos' && /usr/bin/getdp magnet.pro -msh magnet.msh -solve Magnetostatics_a -pos a -v 4 && cat b_a.txt"
}

dealii() {
  local examples=/usr/share/doc/libdeal.ii-doc/examples step norm="awk 'NF == 1 { s += \$1 * \$1 } END { printf \"norm %.10e\\n\", sqrt(s) }' x.txt"
  lacks deal.II "libdeal.ii-dev, libdeal.ii-doc, cmake" $examples/step-17/step-17.cc && return
  for step in step-17 step-40; do # compiled once: minutes
    [ -x "$out/$step/$step" ] || { cmake -S $examples/$step -B "$out/$step" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 && cmake --build "$out/$step"; } >"$work/cmake" 2>&1 ||
      { report 1 "deal.II $step" "does not compile" "$work/cmake"; return; }
  done
  # They make AIJ matrices and PETSc's preconditioners by name, step-17 with a look at the options after that. Many cells of step-17 have one error indicator up to rounding, of
  # which its own inexact solves refine others than exact ones do: beside LU
  same "deal.II step-17, elasticity: slicedell, saamg" libdeal.ii-dev 1e-5 '^norm' '-pc_type lu -ksp_view_solution ascii:x.txt' '-mat_seqaij_type seqaijslicedell -pc_type saamg -ksp_view_solution ascii:x.txt' 'SAAMGSmooth' \
    bash -c "'$out/step-17/step-17' && $norm"
  same "deal.II step-40, Poisson: slicedell, saamg by hypre's name" libdeal.ii-dev 1e-6 '^norm' '-ksp_view_solution ascii:x.txt' '-mat_seqaij_type seqaijslicedell -goza_replace hypre -ksp_view_solution ascii:x.txt' 'SAAMGSmooth' \
    bash -c "'$out/step-40/step-40' && $norm"
}

# petsc4py's own tests, of the release that is installed, with every sequential AIJ matrix, and the blocks of every parallel one, in Goza's type.
petsc4py() {
  local name="petsc4py's own tests: slicedell" version source
  grep -qE -- "$pattern" <<<"$name" || return 0
  version=$("$python" -c 'import petsc4py; print(petsc4py.__version__)' 2>/dev/null) || { skip "$name" "Debian's package python3-petsc4py"; return; }
  source=$out/petsc4py-$version
  if [ ! -d "$source" ]; then # pip asks the sdist for its metadata, for which it wants setuptools
    "$python" -m venv --system-site-packages "$work/venv" && "$work/venv/bin/pip" download -q "petsc4py==$version" --no-deps --no-binary :all: --no-build-isolation -d "$work" &&
      tar -xf "$work/petsc4py-$version.tar.gz" -C "$out" || { skip "$name" "its sources cannot be had from PyPI"; return; }
  fi >"$work/download" 2>&1
  [ -d "$source" ] || { skip "$name" "its sources cannot be had from PyPI"; return; }
  start_clock
  (cd "$source/test" && PETSC_OPTIONS="-dll_append $LIBGOZA -mat_seqaij_type seqaijslicedell -log_view :$work/log" timeout $((3 * TIMEOUT)) "$python" -m unittest discover -p 'test_*.py') >"$work/out" 2>&1
  # these compare the type's name with "seqaij"
  grep -E '^(FAIL|ERROR): ' "$work/out" | grep -vE '^FAIL: testCreateVecMat \(test_dmda\.' >"$work/unexpected"
  if [ -s "$work/unexpected" ] || ! grep -q '^Ran [0-9]* tests' "$work/out"; then report 1 "$name" "$(head -n 1 "$work/unexpected")" "$work/out"
  elif ! grep -q GozaMatMult "$work/log"; then report 1 "$name" "Goza was not used"
  else report 0 "$name: $(grep -oE '^Ran [0-9]+ tests' "$work/out"), $(grep -c '^FAIL: testCreateVecMat' "$work/out") of them want the name seqaij"; fi
}

jobs_at_once 1
for application in fenicsx dolfin slepc dealii getdp petsc4py; do
  beside_others $application
  wait
done
summary
