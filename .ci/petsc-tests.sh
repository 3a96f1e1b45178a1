#!/usr/bin/env bash
# PETSc's own tests, run by PETSc's own harness (gmakefile.test), with Goza's types put in: `make petsc-tests`.
#
#   PACKAGES="mat ksp snes ts tao dm"   MAT_TYPES="slicedell cds fold autoformat"   PC_TYPES=saamg
#   PART=k/n     the k-th of n parts: each test is in one, a program's tests in the same, so that it is compiled once
#   SAMPLE=10    of the tests that take their type from the options, autoformat runs each tenth
#   NAMES=GLOB   only the tests of that name     JOBS=1
#   TIMEOUT=120  seconds of the processor that a rank may take, whatever else runs on the machine; asleep a test may wait 20 times as long
#
# The harness adds options to each test's own, but a test may overrule them, or never ask for a type from the options: it would then
# pass without Goza. So all run with a type that does not exist, those that fail with PETSc's own, and those that pass with Goza's. A test
# counts when it fails with the first and passes with the second, PETSc's aij. That is a property of PETSc and kept: a test that runs again
# runs with Goza's types alone. In what it prints seqaijcds and the like are read as seqaij, and the lines that views of ours add
# ("Goza cds: ...") are left out. Logs are in $BUILD/petsc-tests.
# What fails and is not in test/petsc/differences.list fails the run; a line there whose tests pass is told.
set -uo pipefail
differences=$(cd "$(dirname "$0")/.." && pwd)/test/petsc/differences.list
build=$(cd "${BUILD:-build}" && pwd)
lib=$build/lib/libgoza.so
out=$build/petsc-tests/${PETSC_ARCH:-debian}
work=$out/work
part=${PART:-1/1}
mkdir -p "$work"
if ! [[ $part =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]] || [ "${part%/*}" -gt "${part#*/}" ]; then
  echo "petsc-tests: PART=$part is not k/n with k from 1 to n" >&2
  exit 1
fi

# The harness is in PETSc's source tree, or in Debian's package of examples.
gmakefile=$PETSC_DIR/gmakefile.test
if [ ! -e "$gmakefile" ]; then gmakefile=$(dirname "$PETSC_EXAMPLES")/gmakefile.test; fi
if [ ! -e "$gmakefile" ]; then
  echo "petsc-tests: no gmakefile.test in PETSC_DIR=$PETSC_DIR nor beside PETSC_EXAMPLES=$PETSC_EXAMPLES" >&2
  exit 1
fi

# A rank alone needs no mpiexec, which takes longer to start than most tests to run. Open MPI's files are then where the test runs: beside one another
# two such ranks fail now and then when both make the same folder.
cat >"$out/mpiexec" <<'end'
#!/bin/sh
ulimit -t "$MPIEXEC_TIMEOUT"
limit="timeout -k 5 $((20 * MPIEXEC_TIMEOUT))"
if [ "$1 $2" = "-n 1" ]; then shift 2 && exec env OMPI_MCA_orte_tmpdir_base="$PWD" $limit "$@"; fi
exec $limit $MPIEXEC "$@" # PETSc's own, words
end
# What is compared does not say which AIJ it is, nor what a view of ours adds.
cat >"$out/petscdiff" <<end
#!/bin/bash
wanted=\${@: -2:1}
aij=\$(grep -qs mpiaij "\$wanted" && echo mpiaij || echo seqaij) # a type that owns its values has one name
sed -i -E '/^ *Goza (slicedell|cds|fold|autoformat|diagonals|slices)/d; s/aij(slicedell|cds|fold|autoformat)/aij/g; s/own(cds|slicedell)/'\$aij/g "\${@: -1}"
exec "$PETSC_DIR/lib/petsc/bin/petscdiff" "\$@"
end
chmod +x "$out/mpiexec" "$out/petscdiff"

harness() { # harness TARGET VARIABLE...: of the tests in $out/selection.mk
  # The environment is PETSc's own: no flags of our make, and its own MPI first. No program reads both -mat_type and -dm_mat_type, and PETSc 3.26
  # would say so in its output. Programs are compiled quickly rather than well. Runs have the same names each time (Python's sets are in another order).
  env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u PREFIX -u BUILD PATH="$(dirname "$(command -v "$MPIEXEC")"):$PATH" MAKEFILES="$out/selection.mk" \
    OMPI_MCA_ess_singleton_isolated=true OMPI_MCA_rmaps_base_oversubscribe=1 PETSCMPIEXEC="$out/mpiexec" PETSCDIFF="$out/petscdiff" PYTHONHASHSEED=0 \
    PETSC_OPTIONS="-dll_append $lib ${PETSC_OPTIONS:-}" \
    make -k -j "${JOBS:-$(nproc --all)}" -f "$gmakefile" PETSC_DIR="$PETSC_DIR" PETSC_ARCH="${PETSC_ARCH:-}" TESTDIR="$work" CFLAGS="-O0 -g0 -w" "$@"
}

# Every test whose requirements are met, a line each: package_of_folders-program_test, and the program's path
tests_that_apply() {
  echo "gmakesearch := none" >"$out/selection.mk"
  harness print-test >"$out/generate.log" 2>&1 && [ -e "$work/testfiles" ] || return
  # shellcheck disable=SC2086
  (cd "$work" && find ${PACKAGES:-mat ksp snes ts tao dm} -name 'run*.sh' -exec awk '
    FNR == 1 { if (label != "") print label, program; label = "" }
    /^exec=/ { split($0, word, "\047"); program = FILENAME; sub(/[^\/]*$/, "", program); sub(/.*\//, program, word[2]); program = word[2] }
    /^label=/ { split($0, word, "\047"); label = word[2] }
    /SKIP/ && !/SKIP Command failed/ { label = "" ; nextfile }
    END { if (label != "") print label, program }' {} +) | sort
}

# Those of the k-th of n parts: a program at a time, those with most tests first, to the part that has fewest
of_part() {
  awk '{ program = $0; sub(/_[^-]*$/, "", program); count[program]++ } END { for (p in count) print count[p], p }' "$1" | sort -k1,1nr -k2 |
    awk -v k="${part%/*}" -v n="${part#*/}" '{ least = 1; for (i = 2; i <= n; i++) if (sum[i] < sum[least]) least = i; sum[least] += $1; if (least == k) print $2 }' |
    awk 'NR == FNR { mine[$1]; next } { program = $0; sub(/_[^-]*$/, "", program) } program in mine' - "$1"
}

run() { # run NAME TESTS OPTIONS: what passed and failed is in NAME.ok and NAME.bad, tests of whom something failed in NAME.tests
  { printf 'gmakesearch :=' && tr '\n' ' ' <"$2" | sed 's/^/ /' && echo; } >"$out/selection.mk"
  : >"$1.tests"
  if [ -s "$2" ]; then
    harness test EXTRA_OPTIONS="$3 -options_left no" TIMEOUT="${TIMEOUT:-120}" >"$1.log" 2>&1
    cp "$work/test_${PETSC_ARCH:-}_tap.log" "$1.tap"
    if [ ! -s "$1.tap" ]; then
      tail -n 20 "$1.log" | cut -c 1-200 >&2
      echo "petsc-tests: the harness ran no test; all of its output is in $1.log" >&2
      exit 1
    fi
    (cd "$work/counts" && grep -l '^failed [1-9]' -- *.counts) | sed 's/\.counts$//' | sort >"$1.tests"
  else : >"$1.tap"; fi
  # A test is two lines, the run and the comparison of its output ("diff-NAME"): it fails when either does.
  sed -nE '/# SKIP/d; s/^ *not ok (diff-)?([^ ]+).*/\2/p' "$1.tap" | sort -u >"$1.bad"
  sed -nE '/# SKIP/d; s/^ *ok (diff-)?([^ ]+).*/\2/p' "$1.tap" | sort -u | comm -23 - "$1.bad" >"$1.ok"
  printf '  %-48s %4d tests: %4d runs ok, %4d not\n' "$3" "$(wc -l <"$2")" "$(wc -l <"$1.ok")" "$(wc -l <"$1.bad")"
}

# shellcheck disable=SC2053
matching() { # matching NAMES TYPE: those that differences.list has for the type
  awk -v type="$2" -F ' *[|] *' '!/^ *(#|$)/ { types = $2; gsub(/[*]/, ".*", types); if (type ~ "^" types "$") print $1 }' "$differences" |
    while read -r pattern; do while read -r name; do if [[ $name == $pattern ]]; then echo "$name"; fi; done <"$1"; done | sort -u
}

# Of the tests in a file those whose program has a matrix or a solver in its source: others, most of the meshes', cannot ask for a type.
that_may_ask() {
  awk 'NR == FNR { tests[$0]; next } $1 in tests' "$1" "$out/programs" | while read -r name program; do
    if grep -qsE '\bt?Mat\b|\bMat[A-Z]|KSP|SNES|\bTS\b|Tao|Swarm|Landau|Jacobian|DMCreate(Matrix|Interp|Mass|Inject|Restrict)|DMRestrict' "${gmakefile%/*}/src/$program".*; then echo "$name"; fi
  done
}

judge() { # judge NAME TESTS PETSC_TYPE OPTION...: NAME.judged has all tests of whom it is known whether they count, NAME.counted the runs that do
  local name=$1 tests=$2 petsc=$3
  shift 3
  if ! [ "$name.judged" -nt "$gmakefile" ]; then : >"$name.judged" && : >"$name.counted"; fi
  comm -23 "$tests" "$name.judged" >"$name.new"
  if ! [ -s "$name.new" ]; then return; fi
  that_may_ask "$name.new" >"$name.asks"
  run "$name-none" "$name.asks" "${*/%/ nosuchtype}"
  run "$name-petsc" "$name-none.tests" "${*/%/ $petsc}"
  comm -12 "$name-none.bad" "$name-petsc.ok" | sort -u -o "$name.counted" "$name.counted" -
  sort -u -o "$name.judged" "$name.judged" "$name.new"
}

runs_of() { awk 'NR == FNR { chosen[$0]; next } { test = $0; sub(/[+].*/, "", test) } test in chosen' "$@"; } # runs_of TESTS RUNS

passed=0 failed=0 expected=0
try() { # try NAME TESTS PETSC_TYPE TYPES OPTION...
  local kind=$1 name=$out/$1-${part/\//-of-} tests=$2 petsc=$3 types=$4 type p f e
  shift 4
  echo "petsc-tests: $(basename "$name"), $(wc -l <"$tests") tests whose requirements are met"
  judge "$out/$kind" "$tests" "$petsc" "$@"
  runs_of "$tests" "$out/$kind.counted" >"$name.counted"
  awk 'NR == FNR { sub(/[+].*/, ""); counted[$0]; next } $0 in counted' "$name.counted" "$tests" >"$name.tests"
  echo "  $(wc -l <"$name.counted") runs in $(wc -l <"$name.tests") tests take the type from the options and pass with $petsc"
  for type in $types; do
    cp "$name.tests" "$name-$type.run"
    if [ "$type" = autoformat ]; then awk -v each="${SAMPLE:-10}" 'NR % each == 1 || each == 1' "$name.tests" >"$name-$type.run"; fi
    run "$name-$type" "$name-$type.run" "${*/%/ $type}"
    runs_of "$name-$type.run" "$name.counted" >"$name-$type.counted"
    comm -23 "$name-$type.counted" "$name-$type.ok" >"$name-$type.fell" # those that did not run, too
    matching "$name-$type.fell" "$type" >"$name-$type.known"
    comm -12 "$name-$type.counted" "$name-$type.ok" >"$name-$type.passed"
    p=$(wc -l <"$name-$type.passed")
    matching "$name-$type.passed" "$type" | sed 's/^/  passes, though differences.list has it: /'
    e=$(wc -l <"$name-$type.known")
    comm -23 "$name-$type.fell" "$name-$type.known" >"$name-$type.failed"
    sed 's/^/  not ok /' "$name-$type.failed"
    f=$(wc -l <"$name-$type.failed")
    echo "  $type: $p passed, $f failed, $e differ as expected"
    passed=$((passed + p)) failed=$((failed + f)) expected=$((expected + e))
  done
}

selected() { awk -v tests="$1" 'BEGIN { n = split(tests, t, " ") } { for (i = 1; i <= n; i++) if ($0 ~ "^" t[i] "$") { print; next } }' "$out/of_part"; }

tests_that_apply >"$out/programs"
cut -d ' ' -f 1 "$out/programs" >"$out/apply"
# shellcheck disable=SC2053
of_part "$out/apply" | while read -r name; do if [[ $name == ${NAMES:-*} ]]; then echo "$name"; fi; done >"$out/of_part"
if [ ! -s "$out/of_part" ]; then echo "petsc-tests: no such test; what the harness says is in $out/generate.log" >&2 && exit 1; fi
for package in ${PACKAGES:-mat ksp snes ts tao dm}; do
  grep "^${package}_" "$out/of_part" >"$out/$package.chosen" || continue
  case $package in mat) options="-mat_type" ;; *) options="-mat_type -dm_mat_type" ;; esac
  # shellcheck disable=SC2086
  try "$package" "$out/$package.chosen" aij "${MAT_TYPES-slicedell cds fold autoformat}" $options
done
# Tests whose output depends neither on the name of the preconditioner nor on how fast it converges
selected "ksp_ksp_tutorials-ex8_1 snes_tutorials-ex3_.* snes_tutorials-ex5_5_ls snes_tutorials-ex19_17 snes_tutorials-ex19_18" >"$out/pc.chosen"
if [ -n "${PC_TYPES-saamg}" ] && [ -s "$out/pc.chosen" ]; then try pc "$out/pc.chosen" gamg "${PC_TYPES-saamg}" -pc_type; fi

echo "petsc-tests: $passed passed, $failed failed, $expected differ as expected"
[ $failed -eq 0 ]
