#!/usr/bin/env bash
# PETSc's own tests, run by PETSc's own harness (gmakefile.test), with Goza's types put in: `make petsc-tests`.
#
# The harness adds options to each test's own, but a test may overrule them, or never ask for a type from the options: it would then
# pass without Goza. So each selection runs three times: with a type that does not exist, with PETSc's own, and with Goza's. A test
# counts when it fails with the first and passes with the second (for matrices PETSc's aijperm: AIJ by another name, which some outputs
# show). The TAP files stay in $BUILD/petsc-tests.
set -uo pipefail
build=$(cd "${BUILD:-build}" && pwd)
lib=$build/lib/libgoza.so
out=$build/petsc-tests
work=$out/work-${PETSC_ARCH:-debian}
mkdir -p "$out"

# Programs whose output does not depend on the type's name (for the PC: nor on how fast it converges), as names in the harness.
tests_of() { for program in "${@:2}"; do printf '%s_%% ' "$1-$program"; done; }
mat_tests=$(tests_of mat_tests ex2 ex5 ex18 ex19 ex28 ex30 ex40 ex96 ex97 ex99 ex123 ex125 ex128 ex129 ex132 ex172 ex176 ex180 ex182 ex184 ex236 \
  ex243 ex250 ex251 ex253 ex254 ex301)
ksp_tests="$(tests_of ksp_ksp_tutorials ex2 ex8 ex29 ex32 ex45 ex46 ex50 ex54 ex55 ex56) $(tests_of ksp_ksp_tests ex3 ex4 ex24 ex42) \
$(tests_of snes_tutorials ex3 ex5 ex19) $(tests_of snes_tests ex13)"
pc_tests="ksp_ksp_tutorials-ex8_1 \
$(tests_of snes_tutorials ex3) snes_tutorials-ex5_5_ls snes_tutorials-ex19_17 snes_tutorials-ex19_18"

# The harness is in PETSc's source tree, or in Debian's package of examples.
gmakefile=$PETSC_DIR/gmakefile.test
if [ ! -e "$gmakefile" ]; then gmakefile=$(dirname "$PETSC_EXAMPLES")/gmakefile.test; fi
if [ ! -e "$gmakefile" ]; then
  echo "petsc-tests: no gmakefile.test in PETSC_DIR=$PETSC_DIR nor beside PETSC_EXAMPLES=$PETSC_EXAMPLES" >&2
  exit 1
fi

run() { # run NAME TESTS OPTIONS: the names of the tests that passed and failed are in $out/NAME.ok and $out/NAME.bad
  # The environment is PETSc's own: no flags of our make, and its own MPI first. No program reads both -mat_type and -dm_mat_type, and PETSc 3.26
  # would say so in its output.
  env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u PREFIX -u BUILD PATH="$(dirname "$(command -v "$MPIEXEC")"):$PATH" \
    PETSC_OPTIONS="-dll_append $lib ${PETSC_OPTIONS:-}" \
    make -k -j "$(nproc --all)" -f "$gmakefile" PETSC_DIR="$PETSC_DIR" PETSC_ARCH="${PETSC_ARCH:-}" TESTDIR="$work" test gmakesearch="$2" \
    EXTRA_OPTIONS="$3 -options_left no" TIMEOUT="${TIMEOUT:-60}" >"$out/$1.log" 2>&1
  cp "$work/test_${PETSC_ARCH:-}_tap.log" "$out/$1.tap"
  # A test is two lines, the run and the comparison of its output ("diff-NAME"): it fails when either does.
  sed -nE '/# SKIP/d; s/^ *not ok (diff-)?([^ ]+).*/\2/p' "$out/$1.tap" | sort -u >"$out/$1.bad"
  sed -nE '/# SKIP/d; s/^ *ok (diff-)?([^ ]+).*/\2/p' "$out/$1.tap" | sort -u | comm -23 - "$out/$1.bad" >"$out/$1.ok"
  printf '  %-40s %4d ok, %4d not ok\n' "$3" "$(wc -l <"$out/$1.ok")" "$(wc -l <"$out/$1.bad")"
  if [ ! -s "$out/$1.tap" ]; then
    tail -n 20 "$out/$1.log" | cut -c 1-200 >&2
    echo "petsc-tests: the harness ran no test; all of its output is in $out/$1.log" >&2
    exit 1
  fi
}

passed=0 failed=0
try() { # try NAME TESTS OUR_TYPE PETSC_TYPE OPTION...
  local name=$1 tests=$2 ours=$3 petsc=$4 counted=$out/$1.counted p f
  shift 4
  echo "petsc-tests: $name, $ours"
  run "$name-none" "$tests" "${*/%/ nosuchtype}"
  run "$name-petsc" "$tests" "${*/%/ $petsc}"
  run "$name-$ours" "$tests" "${*/%/ $ours}"
  comm -12 "$out/$name-none.bad" "$out/$name-petsc.ok" >"$counted"
  p=$(comm -12 "$counted" "$out/$name-$ours.ok" | wc -l)
  f=$(comm -23 "$counted" "$out/$name-$ours.ok" | sed 's/^/  not ok /' | tee /dev/stderr | wc -l)
  if [ ! -s "$counted" ]; then f=1 && echo "  not ok: no test takes its type from the options"; fi
  echo "  of $(wc -l <"$counted") tests that take the type from the options: $p passed, $f failed"
  passed=$((passed + p)) failed=$((failed + f))
}

for type in ${MAT_TYPES-slicedell}; do
  try mat "$mat_tests" "$type" aijperm -mat_type
  try ksp "$ksp_tests" "$type" aijperm -mat_type -dm_mat_type
done
for type in ${PC_TYPES-saamg}; do try pc "$pc_tests" "$type" gamg -pc_type; done

echo "petsc-tests: $passed passed, $failed failed"
[ $failed -eq 0 ]
