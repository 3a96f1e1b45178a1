# PETSc's own programs, unmodified, with Goza from the command line, against the same run of plain PETSc: acceptance.list. Sourced by run.sh.

# The text to compare: without type names, option tables and what -options_left says
text_of() {
  sed -e '/#PETSc Option Table entries/,/#End of PETSc Option Table entries/d' -e '/[Oo]ptions\{0,1\} left/d' -e '/no unused options/d' -e '/WARNING! There are options/d' -e '/WARNING! could be spelling/d' \
    -e '/unused database option/d' -e '/type:/d' -e '/Mat Object/d' -e '/ MPI process/d' -e "/variant/d" "$1"
}
unused_of() { grep -o 'Option left: name:[^ ]*' "$1" | sort -u; }
solves_of() { grep -oE '(converged|did not converge) due to [A-Z_]+ iterations [0-9]+' "$1"; }
count_of() { awk -v e="$1" '$1 == e && $2 > n { n = $2 } END { print n + 0 }' "$2"; } # largest count over the stages of a -log_view

acceptance_line() { # program ranks compare args: prints a reason and returns 1 when it fails
  local program=$BUILD/petsc/${1//\//_} ranks=$2 compare=$3 args=$4 seq=seqaijslicedell mpi=mpiaijslicedell
  local extra="-options_left -malloc_debug -malloc_dump" ours theirs status ours_multiplied theirs_multiplied
  [ "$compare" = same ] || extra+=" -ksp_converged_reason"
  theirs=${args//@seq/seqaij} theirs=${theirs//@mpi/mpiaij} theirs=${theirs//@/aij} theirs=${theirs//%pc/-pc_type gamg}
  ours=${args//@seq/$seq} ours=${ours//@mpi/$mpi} ours=${ours//@/slicedell} ours=${ours//%pc/-pc_type saamg}

  if [[ $compare == within* ]]; then
    : >"$work/theirs" && : >"$work/theirs.log"
  else
    # shellcheck disable=SC2086
    launch "$ranks" "$program" $theirs $extra -log_view ":$work/theirs.log"
    status=$?
    mv "$work/out" "$work/theirs"
    [ $status = 0 ] || { cp "$work/theirs" "$work/out"; echo "plain PETSc: $(why $status)"; return 1; }
  fi
  # shellcheck disable=SC2086
  launch "$ranks" "$program" -dll_append "$LIBGOZA" $ours $extra -log_view ":$work/ours.log"
  status=$?
  [ $status = 0 ] || { why $status; return 1; }
  if leaks "$work/out" && ! leaks "$work/theirs"; then echo "memory left (-malloc_dump)"; return 1; fi
  unused_of "$work/out" >"$work/unused" && unused_of "$work/theirs" >"$work/unused_theirs"
  if [ -n "$(comm -23 "$work/unused" "$work/unused_theirs")" ]; then echo "unused: $(comm -23 "$work/unused" "$work/unused_theirs" | head -1)"; return 1; fi

  # the type name alone proves nothing
  ours_multiplied=$(count_of GozaMatMult "$work/ours.log") theirs_multiplied=$(($(count_of MatMult "$work/theirs.log") + $(count_of MatMultAdd "$work/theirs.log")))
  if { [ "$theirs_multiplied" -gt 0 ] || [[ $compare == within* ]]; } && [ "$ours_multiplied" = 0 ]; then echo "Goza's product never ran"; return 1; fi

  if [ "$compare" = same ]; then
    text_of "$work/theirs" >"$work/text_theirs"
    text_of "$work/out" >"$work/text_ours"
    awk -f "$here/support/numdiff.awk" "$work/text_theirs" "$work/text_ours"
    return
  fi
  solves_of "$work/theirs" >"$work/solves_theirs"
  solves_of "$work/out" >"$work/solves_ours"
  paste "$work/solves_theirs" "$work/solves_ours" | awk -v compare="$compare" '
    function fail(text) { print text; bad = 1; exit }
    { split($0, side, "\t"); n1 = split(side[1], a, " "); n2 = split(side[2], b, " ")
      within = compare ~ /^within/ ? substr(compare, 8) + 0 : 0
      if ((n1 == 0 && !within) || n2 == 0) fail("another number of solves")
      if (b[1] != "converged") fail(side[2])
      extra = compare == "solve" ? 1 : substr(compare, 3) + 0
      if (within && b[n2] > within) fail(b[n2] " iterations")
      if (!within && b[n2] > a[n1] + extra) fail(b[n2] " iterations, plain PETSc " a[n1])
      if (compare == "solve" && (a[n1] > b[n2] + 1 || side[1] ~ /due to [A-Z_]+/ && a[4] != b[4])) fail(side[2] ", plain PETSc " side[1]) }
    END { if (!bad && NR == 0) { print "no solve seen"; bad = 1 } exit bad }'
}

run_accepted() { # program ranks compare args
  local line="$1 $2:$4" reason
  start_clock
  if [ ! -x "$BUILD/petsc/${1//\//_}" ]; then report 1 "$line" "not built"; return; fi
  if reason=$(acceptance_line "$1" "$2" "$3" "$4"); then report 0 "$line"; else report 1 "$line" "$reason" "$work/out"; fi
}
