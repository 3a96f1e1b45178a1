#!/usr/bin/env bash
# PETSc's own tests, run by PETSc's own harness (gmakefile.test), with Goza's types put in: `make petsc-tests`.
#
# The harness adds options to each test's own, but a test may overrule them, or never ask for a matrix or a preconditioner from the
# options: it would then pass without Goza. So each selection runs twice: once with a type that does not exist, then with the real
# one. Only tests that fail with the first count. The TAP files stay in $BUILD/petsc-tests.
set -uo pipefail
build=$(cd "${BUILD:-build}" && pwd)
lib=$build/lib/libgoza.so
out=$build/petsc-tests
mkdir -p "$out"

# Names of tests, "%" for any text. What is printed must not depend on the type's name or on round-off.
mat_tests="mat_tests-ex2_1% mat_tests-ex5_% mat_tests-ex12_% mat_tests-ex18_% mat_tests-ex123_% mat_tests-ex236_% mat_tests-ex301_%"
ksp_tests="ksp_ksp_tutorials-ex2_% ksp_ksp_tutorials-ex46_%"
pc_tests=""

# The harness is in PETSc's source tree, or in Debian's package of examples.
gmakefile=$PETSC_DIR/gmakefile.test
if [ ! -e "$gmakefile" ]; then gmakefile=$(dirname "$PETSC_EXAMPLES")/gmakefile.test; fi
if [ ! -e "$gmakefile" ]; then
  echo "petsc-tests: no gmakefile.test in PETSC_DIR=$PETSC_DIR nor beside PETSC_EXAMPLES=$PETSC_EXAMPLES" >&2
  exit 1
fi

run_harness() { # run_harness NAME TESTS OPTIONS: leaves $out/NAME.tap, the names of the tests that passed and failed in NAME.ok and NAME.bad
  echo "petsc-tests: $3"
  # The environment is PETSc's own: no flags of our make; its errors are in the log, its verdicts in the TAP file.
  env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u PREFIX -u BUILD PETSC_OPTIONS="-dll_append $lib ${PETSC_OPTIONS:-}" \
    make -k -j "$(nproc)" -f "$gmakefile" PETSC_DIR="$PETSC_DIR" PETSC_ARCH="${PETSC_ARCH:-}" TESTDIR="$out/work" TESTLOGTAPFILE="$out/$1.tap" \
    test gmakesearch="$2" EXTRA_OPTIONS="$3" TIMEOUT="${TIMEOUT:-60}" >"$out/$1.log" 2>&1
  [ -s "$out/$1.tap" ] || { tail -n 20 "$out/$1.log" >&2; echo "petsc-tests: the harness did not run; all of its output is in $out/$1.log" >&2; exit 1; }
  # A test is two lines, the run and the comparison of its output ("diff-NAME"): it fails when either does.
  sed -nE '/# SKIP/d; s/^ *not ok (diff-)?([^ ]+).*/\2/p' "$out/$1.tap" | sort -u >"$out/$1.bad"
  sed -nE '/# SKIP/d; s/^ *ok (diff-)?([^ ]+).*/\2/p' "$out/$1.tap" | sort -u | comm -23 - "$out/$1.bad" >"$out/$1.ok"
}

passed=0 failed=0
try() { # try NAME TESTS OPTION...: put the type in by these options, each of which ends in "="
  local name=$1 tests=$2 type=$3
  shift 3
  [ -n "$tests" ] || return 0
  run_harness "$name-none" "$tests" "${*/%=/ nosuchtype}"
  run_harness "$name-$type" "$tests" "${*/%=/ $type}"
  local p f
  p=$(comm -12 "$out/$name-none.bad" "$out/$name-$type.ok" | wc -l)
  f=$(comm -12 "$out/$name-none.bad" "$out/$name-$type.bad" | wc -l)
  comm -12 "$out/$name-none.bad" "$out/$name-$type.bad" | sed 's/^/  not ok /'
  echo "  $name with $type: $p passed, $f failed ($(wc -l <"$out/$name-none.ok") more take no type and do not count)"
  if [ "$p" -eq 0 ]; then f=$((f + 1)); echo "  not ok: no test took the type"; fi
  passed=$((passed + p)) failed=$((failed + f))
}

for type in ${MAT_TYPES:-slicedell}; do
  try mat "$mat_tests" "$type" -mat_type=
  try ksp "$ksp_tests" "$type" -mat_type= -dm_mat_type=
done
for type in ${PC_TYPES:-saamg}; do try pc "$pc_tests" "$type" -pc_type=; done

echo "petsc-tests: $passed passed, $failed failed"
[ $failed -eq 0 ]
