# What a user meets on the command line: loading, refusing, helping. Sourced by run.sh.

# name expected-status(0|error) text-that-must-appear program args...
says() {
  local name="command line: $1" want=$2 text=$3 status reason=
  shift 3
  grep -qE -- "${pattern-.}" <<<"$name" || return 0
  start_clock
  launch "${RANKS-1}" "$@"
  status=$?
  case $want in
  0) [ $status = 0 ] || reason=$(why $status) ;;
  error) [ $status != 0 ] && [ $status != 124 ] && [ $status -lt 128 ] || reason="an error was expected, but $(why $status)" ;;
  esac
  [ -n "$reason" ] || grep -qE -- "$text" "$work/out" || reason="it does not say \"$text\""
  if [ -z "$reason" ]; then report 0 "$name"; else report 1 "$name" "$reason" "$work/out"; fi
}

ex2=$BUILD/petsc/ksp_ksp_tutorials_ex2
load="-dll_append $LIBGOZA"
good="-mat_type slicedell -pc_type saamg -ksp_type cg -ksp_converged_reason"

says "loaded by -dll_append" 0 'converged due to' "$ex2" $load $good
says "loaded by -dll_prepend" 0 'converged due to' "$ex2" -dll_prepend "$LIBGOZA" $good
says "loaded twice (edge case 52)" 0 'converged due to' "$ex2" -dll_prepend "$LIBGOZA" $load $good
PETSC_OPTIONS="$PETSC_OPTIONS $load" says "loaded by PETSC_OPTIONS" 0 'converged due to' "$ex2" $good
mkdir -p "$work/with-a-hyphen" && cp "$LIBGOZA" "$work/with-a-hyphen/libgoza.so"
says "loaded from two places" 0 'converged due to' "$ex2" -dll_append "$LIBGOZA,$work/with-a-hyphen/libgoza.so" $good
says "-options_left is clean" 0 'no unused options' "$ex2" $load $good -pc_saamg_threshold 0.02 -pc_saamg_cycle w -options_left
says "a mistyped option is listed (49)" 0 'pc_saamg_treshold' "$ex2" $load $good -pc_saamg_treshold 0.02 -options_left
says "-help lists the options of saamg (49)" 0 'pc_saamg_threshold' "$ex2" $load $good -help
says "-help lists the options of slicedell" 0 'mat_slicedell_slice_height' "$ex2" $load $good -help
says "-goza_info" 0 'Goza.*PETSc' "$ex2" $load $good -goza_info
says "-goza_check" 0 'converged due to' "$ex2" $load $good -goza_check
says "-goza_device host" 0 'converged due to' "$ex2" $load $good -goza_device host
says "-goza_device nonsense" error 'goza_device' "$ex2" $load $good -goza_device toaster
if [ $DEVICE = no ]; then
  says "no device: a sentence, and the host (46)" 0 'runs on host \(.+\)' "$ex2" $load $good -goza_info
  says "-goza_device cuda without a device (46)" error 'goza_device cuda' "$ex2" $load $good -goza_device cuda
else
  says "-goza_device cuda" 0 'converged due to' "$ex2" $load $good -goza_device cuda
fi
says "unknown smoother" error 'pc_saamg_smoother' "$ex2" $load $good -pc_saamg_smoother sandpaper
says "threshold out of range" error 'pc_saamg_threshold' "$ex2" $load $good -pc_saamg_threshold 1.5
says "slice height no power of two" error 'slice_height' "$ex2" $load $good -mat_slicedell_slice_height 3
says "full column indices" 0 ' 0 % of the columns in 16 bits' "$ex2" $load $good -mat_slicedell_slice_height 8 -mat_slicedell_index 32 -ksp_view
says "short column indices" 0 '100 % of the columns in 16 bits' "$ex2" $load $good -mat_slicedell_slice_height 8 -mat_slicedell_index auto -ksp_view
says "-help lists the options of cds" 0 'mat_cds_storage' "$ex2" $load -mat_type cds -help
says "cds proves symmetric" 0 'half \(symmetric\) storage, 3 diagonals' "$ex2" $load -mat_type cds -m 40 -n 40 -ksp_view
says "cds in full" 0 'full storage, 5 diagonals' "$ex2" $load -mat_type cds -m 40 -n 40 -mat_cds_storage full -ksp_view
says "cds refuses padding, with the numbers" error 'mat_cds_max_fill allows 1' "$ex2" $load -mat_type cds -m 4000 -n 3 -mat_cds_storage full -mat_cds_max_fill 1
says "unknown storage" error 'mat_cds_storage' "$ex2" $load -mat_type cds -mat_cds_storage quarter
says "share out of range" error 'mat_cds_share' "$ex2" $load -mat_type cds -mat_cds_share 0
says "unknown block size" error 'mat_cds_block_size' "$ex2" $load -mat_type cds -mat_cds_block_size 5
says "-help lists the options of fold" 0 'mat_fold_width' "$ex2" $load -mat_type fold -help
says "fold width chosen, and why" 0 'fold width [0-9]+ \(auto' "$ex2" $load -mat_type fold -ksp_view
says "fold width given" 0 'fold width 3,' "$ex2" $load -mat_type fold -mat_fold_width 3 -ksp_view
says "fold width auto" 0 'fold width [0-9]+ \(auto' "$ex2" $load -mat_type fold -mat_fold_width auto -ksp_view
for width in 0 -1 128 3.5 wide 99999999999999999999; do
  says "fold width $width" error 'mat_fold_width' "$ex2" $load -mat_type fold -mat_fold_width $width
done
says "unknown index" error 'mat_slicedell_index' "$ex2" $load $good -mat_slicedell_index 7
says "degree below the finest level" 0 'sweep.s. of degree 5' "$ex2" $load $good -m 40 -n 40 -pc_saamg_coarse_limit 20 -pc_saamg_coarse_chebyshev_degree 5 -ksp_view
says "no degree below the finest level" error 'pc_saamg_coarse_chebyshev_degree' "$ex2" $load $good -pc_saamg_coarse_chebyshev_degree 0
RANKS=2 says "an error on two ranks ends both" error 'pc_saamg_threshold' "$ex2" $load $good -pc_saamg_threshold -1
says "-ksp_view tells the levels" 0 'saamg' "$ex2" $load $good -ksp_view
says "floating-point traps (51)" 0 'converged due to' "$ex2" $load $good -m 40 -n 40 -fp_trap
RANKS=3 says "-malloc_debug and -malloc_dump (51)" 0 'converged due to' "$ex2" $load $good -malloc_debug -malloc_dump
says "mat_seqaij_type makes every block one" 0 'converged due to' "$ex2" $load -mat_type aij -mat_seqaij_type seqaijslicedell -pc_type jacobi -ksp_converged_reason
says "a library that is none" error 'nolib' "$ex2" -dll_append "$work/nolib.so" $good
