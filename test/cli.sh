# What a user meets on the command line: loading, refusing, helping. Sourced by run.sh.

asked_for() { grep -qE -- "${pattern-.}" <<<"command line: $1"; }
# name expected-status(0|error) text-that-must-appear program args...; a program that ends with 77 has said first what it lacks
says() {
  local name="command line: $1" want=$2 text=$3 status reason=
  asked_for "$1" || return 0
  shift 3
  start_clock
  launch "${RANKS-1}" "$@"
  status=$?
  if [ $status = 77 ]; then
    skip "$name" "$(head -n 1 "$work/out")"
    return
  fi
  case $want in
  0) [ $status = 0 ] || reason=$(why $status) ;;
  error) [ $status != 0 ] && [ $status != 124 ] && [ $status -lt 128 ] || reason="an error was expected, but $(why $status)" ;;
  esac
  [ -n "$reason" ] || grep -qE -- "$text" "$work/out" || reason="it does not say \"$text\""
  if [ -z "$reason" ]; then report 0 "$name"; else report 1 "$name" "$reason" "$work/out"; fi
}
# with TOOL and what says() takes: skipped where there is no such tool
with() {
  local tool=$1
  shift
  if command -v "$tool" >/dev/null; then says "$@"; elif asked_for "$1"; then skip "command line: $1" "no $tool"; fi
}

ex2=$BUILD/petsc/ksp_ksp_tutorials_ex2
load="-dll_append $LIBGOZA"
good="-mat_type slicedell -pc_type saamg -ksp_type cg -ksp_converged_reason"

says "loaded by -dll_append" 0 'converged due to' "$ex2" $load $good
says "loaded by -dll_prepend" 0 'converged due to' "$ex2" -dll_prepend "$LIBGOZA" $good
says "loaded twice (edge case 52)" 0 'converged due to' "$ex2" -dll_prepend "$LIBGOZA" $load $good
PETSC_OPTIONS="$PETSC_OPTIONS $load" says "loaded by PETSC_OPTIONS" 0 'converged due to' "$ex2" $good
mkdir -p "$work/with-a-hyphen" && { [ ! -e "$LIBGOZA" ] || cp "$LIBGOZA" "$work/with-a-hyphen/libgoza.so"; }
says "loaded from two places" 0 'converged due to' "$ex2" -dll_append "$LIBGOZA,$work/with-a-hyphen/libgoza.so" $good
says "-options_left is clean" 0 'no unused options' "$ex2" $load $good -pc_saamg_threshold 0.02 -pc_saamg_cycle w -options_left
says "a mistyped option is listed (49)" 0 'pc_saamg_treshold' "$ex2" $load $good -pc_saamg_treshold 0.02 -options_left
says "-help lists the options of saamg (49)" 0 'pc_saamg_threshold' "$ex2" $load $good -help
says "-help lists the options of slicedell" 0 'mat_slicedell_slice_height' "$ex2" $load $good -help
says "-goza_info" 0 'Goza.*PETSc' "$ex2" $load $good -goza_info
says "-goza_check" 0 'converged due to' "$ex2" $load $good -goza_check
says "-goza_device host" 0 'converged due to' "$ex2" $load $good -goza_device host
for limit in -1 inf nan 1e300; do
  says "-goza_memory_limit $limit" error "goza_memory_limit $limit|goza_memory_limit 1e.300" "$ex2" $load $good -goza_memory_limit $limit
done
for seconds in 0 -1 inf nan 1e7; do
  says "-goza_halo_timeout $seconds" error 'goza_halo_timeout .*: not in' "$ex2" $load $good -goza_halo_timeout $seconds
done
says "the library runs on any processor of its kind" 0 'portable: ' "$here/portable.sh" "$LIBGOZA"
says "-ksp_view tells the grid" 0 'aggregates laid out on a grid of 40 x 30 x 1 points' "$ex2" $load $good -m 30 -n 40 -ksp_view
says "-ksp_view tells the memory, taken and foretold" 0 'memory: levels [0-9.]+ MB, cycle [0-9.]+ MB; predicted for both [0-9.]+ MB' "$ex2" $load $good -m 40 -n 40 -ksp_view
says "-pc_saamg_paper darcy" 0 'chebyshev, 1 sweep.s. of degree 2.*jacobi, 2 sweep.s., relaxation 1' sh -c "'$ex2' $load $good -m 60 -n 60 -pc_saamg_paper darcy -ksp_view | tr '\n' ' '"
says "-pc_saamg_paper anisotropic with mcgs" 0 'mcgs, 1 sweep.*jacobi, 1 sweep.s., relaxation 0.7' sh -c "'$ex2' $load $good -m 60 -n 60 -pc_saamg_paper anisotropic -pc_saamg_finest_smoother mcgs -ksp_view | tr '\n' ' '"
says "-pc_saamg_paper: another option wins" 0 'chebyshev, 2 sweep.s. of degree 2' "$ex2" $load $good -m 60 -n 60 -pc_saamg_paper darcy -pc_saamg_finest_sweeps 2 -ksp_view
says "-log_view tells the levels" 0 'SAAMGSmooth 1' "$ex2" $load $good -m 60 -n 60 -log_view
says "-goza_replace: saamg answers to the name of another" 0 "type: gamg.*this is Goza's saamg, which answers to gamg .*degree 4 on" \
  sh -c "'$ex2' $load -mat_type cds -ksp_type fusedcg -pc_type gamg -goza_replace gamg -m 40 -n 40 -ksp_view | tr '\n' ' '"
says "-goza_replace: without it gamg is PETSc's" 0 'GAMG specific options' "$ex2" $load -mat_type cds -pc_type gamg -m 40 -n 40 -ksp_view
says "-goza_replace: a name that is none" error 'goza_replace gmag: this PETSc has no preconditioner' "$ex2" $load $good -goza_replace gmag
says "-goza_device nonsense" error 'goza_device' "$ex2" $load $good -goza_device toaster
if [ $DEVICE = no ]; then
  says "no device: a sentence, and the host (46)" 0 'runs on host \(.+\)' "$ex2" $load $good -goza_info
  says "-goza_device cuda without a device (46)" error 'goza_device cuda was asked for, but (this libgoza was built without CUDA|no NVIDIA driver, .* install or update it|no CUDA device)' "$ex2" $load $good -goza_device cuda
else
  says "-goza_device cuda" 0 'converged due to' "$ex2" $load $good -goza_device cuda
fi
says "unknown smoother" error 'pc_saamg_smoother' "$ex2" $load $good -pc_saamg_smoother sandpaper
says "threshold out of range" error 'pc_saamg_threshold' "$ex2" $load $good -pc_saamg_threshold 1.5
says "slice height no power of two" error 'slice_height' "$ex2" $load $good -mat_slicedell_slice_height 3
says "full column indices" 0 ' 0 % of the columns in 16 bits' "$ex2" $load $good -mat_slicedell_slice_height 8 -mat_slicedell_index 32 -ksp_view
says "short column indices" 0 '100 % of the columns in 16 bits' "$ex2" $load $good -m 6 -n 6 -mat_slicedell_slice_height 8 -mat_slicedell_index auto -ksp_view
says "shared column indices" 0 ' [0-9.]+ % of the columns, which slices share' "$ex2" $load $good -m 60 -n 60 -mat_slicedell_slice_height 8 -mat_slicedell_index auto -ksp_view
says "-help lists the options of cds" 0 'mat_cds_storage' "$ex2" $load -mat_type cds -help
says "cds proves symmetric" 0 'half \(symmetric\) storage, 3 diagonals' "$ex2" $load -mat_type cds -m 40 -n 40 -ksp_view
says "cds in full" 0 'full storage, 5 diagonals' "$ex2" $load -mat_type cds -m 40 -n 40 -mat_cds_storage full -ksp_view
says "cds refuses padding, with the numbers" error 'mat_cds_max_fill allows 1' "$ex2" $load -mat_type cds -m 4000 -n 3 -mat_cds_storage full -mat_cds_max_fill 1
says "keep_aij: no such word" error 'mat_slicedell_keep_aij' "$ex2" $load -mat_type slicedell -mat_slicedell_keep_aij maybe
colored="$BUILD/petsc/snes_tutorials_ex5 -da_refine 2 -snes_fd_color $load -dm_mat_type cds -mat_cds_keep_aij no"
RANKS=2 says "diagonals without AIJ: a Jacobian by the grid's colors" 0 'CONVERGED_FNORM' $colored -snes_converged_reason
says "diagonals without AIJ in another precision" error 'mat_cds_precision: a matrix of type owncds' "$ex2" $load -mat_type cds -mat_cds_keep_aij no -mat_cds_precision single
RANKS=2 says "diagonals without AIJ: a Jacobian by colors of the matrix" 0 'CONVERGED_FNORM' $colored -snes_fd_color_use_mat -snes_converged_reason
RANKS=2 says "slicedell without AIJ" 0 'Goza slices on .*, no AIJ beside them' "$ex2" $load -mat_type slicedell -mat_slicedell_keep_aij no -pc_type saamg -mat_view ::ascii_info
RANKS=2 says "fold without AIJ" 0 'Goza lines on .*, no AIJ beside them: fold width' "$ex2" $load -mat_type fold -mat_fold_keep_aij no -pc_type saamg -mat_view ::ascii_info
says "fold without AIJ in another order" error 'mat_fold_order: a matrix of type ownfold' "$ex2" $load -mat_type fold -mat_fold_keep_aij no -mat_fold_order breadth_first
says "keep_aij of fold: no such word" error 'mat_fold_keep_aij' "$ex2" $load -mat_type fold -mat_fold_keep_aij maybe
says "unknown storage" error 'mat_cds_storage' "$ex2" $load -mat_type cds -mat_cds_storage quarter
says "share out of range" error 'mat_cds_share' "$ex2" $load -mat_type cds -mat_cds_share 0
for fill in 0.5 inf nan; do
  says "-mat_cds_max_fill $fill" error 'mat_cds_max_fill .* is not in \[1, inf\)' "$ex2" $load -mat_type cds -mat_cds_max_fill $fill
done
says "unknown block size" error 'mat_cds_block_size' "$ex2" $load -mat_type cds -mat_cds_block_size 5
for option in cds slicedell fold; do
  says "-help lists -mat_${option}_keep_aij, whatever the type" 0 "mat_${option}_keep_aij" "$ex2" $load -mat_type cds -help
done
says "-help lists the options of fold" 0 'mat_fold_width' "$ex2" $load -mat_type fold -help
says "fold width chosen, and why" 0 'fold width [0-9]+ \(auto' "$ex2" $load -mat_type fold -ksp_view
says "fold numbered anew" 0 'numbered anew breadth first' "$ex2" $load -mat_type fold -mat_fold_order breadth_first -ksp_view
says "fold order unknown" error 'mat_fold_order' "$ex2" $load -mat_type fold -mat_fold_order sideways
says "fold width given" 0 'fold width 3,' "$ex2" $load -mat_type fold -mat_fold_width 3 -ksp_view
says "fold width auto" 0 'fold width [0-9]+ \(auto' "$ex2" $load -mat_type fold -mat_fold_width auto -ksp_view
for width in 0 -1 128 3.5 wide 99999999999999999999; do
  says "fold width $width" error 'mat_fold_width' "$ex2" $load -mat_type fold -mat_fold_width $width
done
for option in -mat_cds_precision -mat_fold_precision -mat_slicedell_precision; do
  type=${option#-mat_} type=${type%_precision}
  says "-help lists the precision of $type" 0 "${option#-}" "$ex2" $load -mat_type $type -help
  says "$type in single precision" 0 '4-byte values' "$ex2" $load -mat_type $type $option single -ksp_view
  says "$type in half precision" 0 '2-byte values.*half precision' "$ex2" $load -mat_type $type $option half -ksp_view
  says "$type in no precision" error "${option#-}" "$ex2" $load -mat_type $type $option quarter
done
says "unknown index" error 'mat_slicedell_index' "$ex2" $load $good -mat_slicedell_index 7
says "degree below the finest level" 0 'sweep.s. of degree 5' "$ex2" $load $good -m 40 -n 40 -pc_saamg_coarse_limit 20 -pc_saamg_intermediate_chebyshev_degree 5 -ksp_view
says "no degree below the finest level" error 'pc_saamg_intermediate_chebyshev_degree' "$ex2" $load $good -pc_saamg_intermediate_chebyshev_degree 0
says "a coarsest level that is smoothed" 0 '12 times jacobi' "$ex2" $load $good -m 40 -n 40 -pc_saamg_direct_limit 0 -pc_saamg_coarsest_smoother jacobi -pc_saamg_coarsest_sweeps 12 -ksp_view
RANKS=2 says "an error on two ranks ends both" error 'pc_saamg_threshold' "$ex2" $load $good -pc_saamg_threshold -2
# on_rank RANK OPTIONS program args...: the options on that rank alone (Open MPI and MPICH each have a name for the rank)
cat >"$work/on_rank" <<'SH'
#!/bin/sh
here=${OMPI_COMM_WORLD_RANK-$PMI_RANK} there=$1 more=$2
shift 2
if [ "$here" = "$there" ]; then case $more in *=*) export "$more"; exec "$@" ;; *) exec "$@" $more ;; esac; fi
exec "$@"
SH
chmod +x "$work/on_rank"
RANKS=3 TIMEOUT=60 says "a rank that fails while others wait for its entries ends all" error 'not converged' "$work/on_rank" 0 '-ksp_max_it 2 -ksp_error_if_not_converged' "$ex2" $load -mat_type slicedell -pc_type jacobi -m 50 -n 50
RANKS=3 TIMEOUT=60 says "a rank whose set-up fails ends all" error 'pc_saamg_smoother' "$work/on_rank" 2 '-pc_saamg_smoother sandpaper' "$ex2" $load $good
RANKS=2 says "-ksp_view tells the way of exchanging" 0 'halo exchange: [a-z]+ \(auto' "$ex2" $load $good -ksp_view
RANKS=2 says "-mat_view tells the way of exchanging" 0 'halo exchange: host$' "$ex2" $load -mat_type cds -pc_type jacobi -goza_halo host -ksp_view
RANKS=2 says "-goza_info tells the way of exchanging" 0 'halo exchange: host$' "$ex2" $load $good -goza_halo host -goza_info
says "-help lists the ways of exchanging" 0 'goza_halo.*nccl peer host' "$ex2" $load -help
RANKS=2 says "a way of exchanging that is none" error 'goza_halo' "$ex2" $load $good -goza_halo pigeons
if [ $DEVICE = no ]; then
  for way in nccl peer; do RANKS=2 says "-goza_halo $way without a device" error "goza_halo $way cannot be had; matrices are on the host" "$ex2" $load $good -goza_halo $way; done
else
  RANKS=2 says "one rank without a device: all on the host" 0 'runs on host \(.+ \(rank 1\)\)' "$work/on_rank" 1 CUDA_VISIBLE_DEVICES= "$ex2" $load $good -goza_info
  RANKS=2 says "one rank without a device, and devices asked for" error 'goza_device cuda was asked for, but .+ \(rank 1\)' "$work/on_rank" 1 CUDA_VISIBLE_DEVICES= "$ex2" $load $good -goza_device cuda
  RANKS=2 says "NCCL missing, by name" error 'goza_halo nccl cannot be had' "$ex2" $load $good -goza_halo nccl -goza_nccl /no/such/libnccl.so
fi
says "-ksp_view tells the levels" 0 'saamg' "$ex2" $load $good -ksp_view
says "-ksp_view tells the format of a level, and why" 0 'degree [0-9]+.*; (cds|slicedell|fold)[a-z0-9, ]* chosen for [a-z0-9]+: .*predicted' "$ex2" $load $good -m 60 -n 60 -ksp_view
says "-ksp_view tells it in half precision, too" 0 'single precision.*; (cds|slicedell|fold)[a-z0-9, ]* chosen for' "$ex2" $load $good -m 60 -n 60 -pc_saamg_precision half -ksp_view
says "floating-point traps (51)" 0 'converged due to' "$ex2" $load $good -m 40 -n 40 -fp_trap
RANKS=3 says "-malloc_debug and -malloc_dump (51)" 0 'converged due to' "$ex2" $load $good -malloc_debug -malloc_dump
says "mat_seqaij_type makes every block one" 0 'converged due to' "$ex2" $load -mat_type aij -mat_seqaij_type seqaijslicedell -pc_type jacobi -ksp_converged_reason
says "a library that is none" error 'nolib' "$ex2" -dll_append "$work/nolib.so" $good

# The run lines that the examples' own comments name
for example in poisson darcy; do
  while read -r _ line; do
    # shellcheck disable=SC2086
    says "$example $line" 0 'CONVERGED_RTOL' "$BUILD/bin/$example" $line
  done < <(sed -n "/Run lines:/,/\*\//s/^ *\($example .*\)/\1/p" "$here/../examples/$example.cxx")
done
while read -r _ line; do
  # shellcheck disable=SC2086
  says "poisson_diagonals $line" 0 'mat owncds.*CONVERGED_RTOL' "$BUILD/bin/poisson_diagonals" $load $line
done < <(sed -n '/Run lines:/,/\*\//s/^ *\(poisson_diagonals .*\)/\1/p' "$here/../examples/poisson_diagonals.cu")
says "poisson_diagonals: with new values" 0 'N 729.*N 729, mat owncds.*set-up [0-9.]+ s .first.*CONVERGED_RTOL' \
  sh -c "'$BUILD/bin/poisson_diagonals' -n 9 $load -mat_type cds -mat_cds_keep_aij no -pc_type saamg -setups 2 -resolve | tr '\n' ' '"
says "poisson_diagonals: of another type" error 'mat_cds_keep_aij no' "$BUILD/bin/poisson_diagonals" -n 5 $load -mat_type cds
RANKS=3 says "darcy with Goza on three ranks" 0 'mpiaijslicedell, pc saamg.*CONVERGED_RTOL' "$BUILD/bin/darcy" -n 15 -permeability lognormal $load -dm_mat_type slicedell -pc_type saamg
says "darcy: no face of that name" error '-dirichlet top' "$BUILD/bin/darcy" -dirichlet top

# elasticity: the run lines of its own comment, on one rank and on two, and what it refuses
elasticity=$BUILD/bin/elasticity
while read -r _ line; do
  line=${line//examples\//$here/../examples/}
  line=${line/hook.vtu/$work/hook.vtu}
  # shellcheck disable=SC2086
  says "elasticity $line" 0 'CONVERGED_RTOL' "$elasticity" $line
  # shellcheck disable=SC2086
  RANKS=2 says "elasticity $line, two ranks" 0 'CONVERGED_RTOL' "$elasticity" $line
done < <(sed -n '/Run lines:/,/\*\//s/^ *\(elasticity .*\)/\1/p' "$here/../examples/elasticity.cxx")
RANKS=2 says "elasticity into baij, two ranks" 0 'CONVERGED_RTOL' "$elasticity" -n 9 -dm_mat_type baij
says "elasticity writes displacement and stress" 0 'von_mises' cat "$work/hook.vtu"
with python3 "the hook's picture is of that output" 0 "^$(grep -c polygon "$here/../examples/hook.svg")\$" \
  bash -c "python3 '$here/../examples/picture.py' '$work/hook.vtu' '$work/hook.svg' && grep -c polygon '$work/hook.svg'"
says "elasticity -soften: one symbolic phase for all steps" 0 'symbolic phase [0-9.]+ s \(1\), .*matrix values [0-9.]+ s \(8\)' "$elasticity" -n 9 -soften 5 -times
says "elasticity -soften: steps copy nothing between host and device" 0 'between host and device: [0-9]+ in the first step, 0 in 7 more' "$elasticity" -n 9 -soften 5 -times
says "elasticity set up again" 0 'set-up from nothing again [0-9.]+ s' "$elasticity" -n 5 -pc_type saamg -setups 2
says "elasticity at Poisson's ratio 0.5" error "Poisson's ratio 0.5 is not between" "$elasticity" -n 3 -poisson 0.5
says "elasticity that hardens" error '[-]soften -5\.? must not be negative' "$elasticity" -n 3 -soften -5
says "elasticity without the face set" error 'no face set 5' "$elasticity" -mesh plex -dm_plex_filename "$here/../examples/hook.msh" -fixed_set 5

# heat: the same; of second order: half the size, a fourth of the error
heat=$BUILD/bin/heat
while read -r _ line; do
  # shellcheck disable=SC2086
  says "heat $line" 0 'CONVERGED_TIME .*error [0-9.]*e-03' "$heat" $line
  # shellcheck disable=SC2086
  RANKS=2 says "heat $line, two ranks" 0 'CONVERGED_TIME .*error [0-9.]*e-03' "$heat" $line
done < <(sed -n '/Run lines:/,/\*\//s/^ *\(heat .*\)/\1/p' "$here/../examples/heat.cxx")
says "heat: steps copy nothing between host and device" 0 'between host and device: [0-9]+ in the first step, 0 in 19 more' "$heat" -n 9 -dm_mat_type cds
says "heat that runs uphill" error '[-]conductivity -1\.? must be positive' "$heat" -n 3 -conductivity -1
says "heat is of second order" 0 'error (1\.[89]|2\.0).e-03' "$heat" -n 17

# the guide: every command of it that is of this tree ends well
while read -r _ line; do
  name="the guide: ${line//-dll_append build\/lib\/libgoza.so/}"
  line=${line//build\//$BUILD/} line=${line//examples\//$here/../examples/}
  ranks=1
  case $line in "mpiexec -n "*) read -r _ _ ranks line <<<"$line" ;; esac
  RANKS=$ranks says "$name" 0 '' bash -c "$line"
done < <(grep -E '^    \$ (mpiexec -n [0-9]+ )?build/' "$here/../examples/README.md")

# locality: the run lines of its own comment, files good and bad, and the view
locality=$BUILD/bin/locality
while read -r _ line; do
  line=${line/pictures/$work/pictures}
  # shellcheck disable=SC2086
  says "locality $line" 0 'useful elements a line' "$locality" $line
done < <(sed -n '/Run lines:/,/\*\//s/^ *\(locality .*\)/\1/p' "$here/../examples/locality.cxx")
says "locality writes JSON" 0 '"nnz": 15625, "mean": 21\.433471, "longest": 27' cat "$work/locality.json"
with python3 "locality writes JSON that others read" 0 '"hit": ' python3 -m json.tool "$work/locality.json"
with python3 "locality: mutated files" 0 ', 0 fail' python3 "$here/fuzz/fuzz_locality.py" "$locality" --count 60
{ echo '%%MatrixMarket matrix coordinate pattern symmetric'; echo '% a comment'; echo '3 3 4'; echo '1 1'; echo '2 2'; echo '3 3'; echo '3 1'; } >"$work/good.mtx"
head -n 6 "$work/good.mtx" >"$work/short.mtx"
{ echo '%%MatrixMarket matrix coordinate real general'; echo '2 3 1'; echo '3 1 5'; } >"$work/outside.mtx"
{ echo '%%MatrixMarket matrix coordinate real general'; echo '2 3 1'; echo '2 3 5'; } >"$work/rectangular.mtx"
{ echo '%%MatrixMarket matrix coordinate real general'; echo '0 0 0'; } >"$work/empty.mtx"
{ echo '%%MatrixMarket matrix coordinate real general'; echo '2000000000 2000000000 2000000000'; echo '1 1 1'; } >"$work/boast.mtx"
echo "no matrix at all" | tee "$work/other.mtx" >"$work/other.txt"
if command -v gzip >/dev/null; then
  gzip -c "$work/good.mtx" >"$work/good.mtx.gz"
  cp "$work/good.mtx.gz" "$work/it's compressed"
  gzip -c "$work/short.mtx" >"$work/short.mtx.gz"
  gzip -c "$work/other.mtx" >"$work/other.mtx.gz"
  { echo '%%MatrixMarket matrix coordinate pattern general'; echo '9000 9000 9000'; for ((i = 1; i <= 9000; i++)); do echo "$i $(((i * 7919) % 9000 + 1))"; done; } | gzip -c | head -c 9000 >"$work/cut.mtx.gz"
  head -c 12 "$work/good.mtx.gz" >"$work/few_bytes.mtx.gz"
  says "locality of a compressed file" 0 'rows 3, columns 3, nonzeros 5,' "$locality" -file "$work/good.mtx.gz"
  says "locality of a compressed file with another name" 0 'rows 3, columns 3, nonzeros 5,' "$locality" -file "$work/it's compressed"
  says "locality: a compressed file whose matrix ends early" error 'ends after 3 of 4 entries' "$locality" -file "$work/short.mtx.gz"
  says "locality: a compressed file that is cut off" error 'ends after [0-9]+ of 9000 entries: its compressed data are damaged, or end early' "$locality" -file "$work/cut.mtx.gz"
  says "locality: a compressed file of a few bytes" error 'its compressed data are damaged, or end early' "$locality" -file "$work/few_bytes.mtx.gz"
  says "locality: a compressed file of something else" error 'does not begin with' "$locality" -file "$work/other.mtx.gz"
elif asked_for "locality of compressed files"; then
  skip "command line: locality of compressed files" "no gzip"
fi
says "locality of a matrix of the gallery" 0 'rows 5776, columns 5776, nonzeros 39826,' "$locality" -gallery triangles_1
says "locality: no such matrix in the gallery" error 'gallery mona_lisa is none of: 27-point_1 ' "$locality" -gallery mona_lisa
says "locality of a lower triangle" 0 'rows 27, columns 27, nonzeros 185,' "$locality" -n 3 -lower -platform c2050
says "locality of two matrices" error 'Give one matrix' "$locality" -n 3 -gallery web_1
for picture in density row_lengths intervals; do
  says "locality draws $picture.svg" 0 '<rect.*fill="#' cat "$work/pictures/$picture.svg"
  with python3 "$picture.svg is XML" 0 '^svg' python3 -c 'import sys, xml.dom.minidom as x; print(x.parse(sys.argv[1]).documentElement.tagName)' "$work/pictures/$picture.svg"
done
says "locality draws an empty matrix" 0 'nonzeros 0,' "$locality" -file "$work/empty.mtx" -svg "$work/nothing"
says "locality of a Matrix Market file" 0 'rows 3, columns 3, nonzeros 5,' "$locality" -file "$work/good.mtx"
says "locality of a rectangular file" 0 'rows 2, columns 3, nonzeros 1,' "$locality" -file "$work/rectangular.mtx"
says "locality of an empty file's matrix" 0 'rows 0, columns 0, nonzeros 0,' "$locality" -file "$work/empty.mtx"
says "locality: a file that ends early" error 'ends after 3 of 4 entries' "$locality" -file "$work/short.mtx"
says "locality: an entry outside the matrix" error 'entry 1 is bad' "$locality" -file "$work/outside.mtx"
says "locality: a file that promises too much" error 'entries are too many|ends after 1 of' "$locality" -file "$work/boast.mtx"
says "locality: no Matrix Market file" error 'does not begin with' "$locality" -file "$work/other.mtx"
says "locality: no file" error 'Cannot (open|locate)' "$locality" -file "$work/none.mtx"
says "a matrix into a PETSc binary file" 0 'iterations' "$ex2" -m 20 -n 20 -ksp_view_mat "binary:$work/ex2.petsc"
says "locality of a PETSc binary file" 0 'rows 400, columns 400, nonzeros 1920, in a row: mean 4.800, most 5, variance 0.180; bandwidth 20, diagonals 5' "$locality" -file "$work/ex2.petsc"
[ ! -e "$work/ex2.petsc" ] || head -c 3000 "$work/ex2.petsc" >"$work/short.petsc"
says "locality: a PETSc binary file that ends early" error 'PETSC ERROR: Read past end of file' "$locality" -file "$work/short.petsc"
# 32-bit numbers, the most significant byte first, and room for values
petsc_file() {
  local file=$1 n
  shift
  for n; do printf "$(printf '%08x' $((n & 0xffffffff)) | sed 's/../\\x&/g')"; done >"$file"
  head -c 64 /dev/zero >>"$file"
}
if [ "$(stat -c %s "$work/ex2.petsc" 2>/dev/null)" = 24656 ]; then # indices of 32 bits
  bad() { # NAME SENTENCE NUMBERS...: rows, columns, entries, row lengths, columns
    local name=$1 sentence=$2
    shift 2
    petsc_file "$work/bad.petsc" 1211216 "$@"
    says "locality of a PETSc binary file: $name" error "$sentence" "$locality" -file "$work/bad.petsc"
  }
  petsc_file "$work/unsorted.petsc" 1211216 2 3 4 3 1 2 0 1 2
  says "locality of a PETSc binary file whose columns do not ascend" 0 'rows 2, columns 3, nonzeros 4,' "$locality" -file "$work/unsorted.petsc"
  bad "a column outside" 'row 1 has an entry in column 3, outside the 3 columns' 2 3 3 1 2 0 1 3
  bad "a negative column" 'row 0 has an entry in column -1, outside' 2 3 3 1 2 -1 1 2
  bad "a column twice" 'row 1 has column 1 twice' 2 3 3 1 2 0 1 1
  bad "a negative row length" 'row 0 has -1 entries' 2 3 3 -1 4 0 1 2
  bad "rows that are longer than the whole" 'row 1 has 3 entries, after 1 of 3' 2 3 3 1 3 0 1 2
  bad "rows that are shorter than the whole" 'the rows have 2 entries, not 3' 2 3 3 1 1 0 1 2
  bad "negative rows" 'are no sparse matrix' -2 3 3 1 2 0 1 2
  bad "dense" 'are no sparse matrix' 2 2 -1 1 2 3 4
  bad "more entries than the file holds" 'Read past end of file: .* of 2 rows and 2000000000 entries' 2 3 2000000000 1 2 0 1 2
  bad "more rows than the file holds" 'Read past end of file' 2147483647 3 3 1 2 0 1 2
fi
says "locality: no PETSc binary file" error 'PETSC ERROR: .*(Not a matrix|Unexpected data)' "$locality" -file "$work/other.txt"
says "locality without a matrix" error 'file or -n or -gallery' "$locality"
RANKS=2 says "locality on two ranks" error 'runs on one rank' "$locality" -n 3
for bad in "-platform abacus" "-n -1" "-value_bytes 3" "-index_bytes 5" "-slice_height 3" "-fold_width 128" "-bs 4" "-most_entries -1" "-json $work/no/such/folder" "-svg $work/no/such/folder"; do
  says "locality $bad" error "${bad%% *}" "$locality" -n 3 $bad
done
for type in slicedell fold cds autoformat; do
  says "-mat_view shows locality ($type)" 0 'csr +spatial index 1\.548, .*temporal index [0-9.]+; hits % [0-9.]+; B/flop' "$ex2" $load -goza_device host -mat_type $type -m 20 -n 20 -mat_view ::ascii_info_detail
done
says "-mat_view ::ascii_info_detail before any product tells the settings in use" 0 '\* slicedell, slices of 8, values of 4 bytes +spatial index' "$ex2" $load -goza_device host -mat_type slicedell -mat_slicedell_slice_height 8 -mat_slicedell_precision single -m 20 -n 20 -mat_view ::ascii_info_detail
says "-mat_view ::ascii_info_detail with a fold width" 0 '\* fold, width 3 +spatial index' "$ex2" $load -goza_device host -mat_type fold -mat_fold_width 3 -mat_fold_order natural -m 20 -n 20 -mat_view ::ascii_info_detail
says "-mat_view ::ascii_info_detail: paper P3's Fold in use" 0 '\* rectangle, width 3 +spatial index' "$ex2" $load -goza_device host -mat_type fold -mat_fold_layout rectangle -mat_fold_width 3 -mat_fold_order natural -m 20 -n 20 -mat_view ::ascii_info_detail
detail="$ex2 $load -goza_device host -mat_type cds -m 20 -n 20 -mat_view ::ascii_info_detail" # the main diagonal is full, 380 of 400 places of the four others
says "-mat_view ::ascii_info_detail with a share: paper P2's models" 0 '\* cds half +spatial index 4\.992, .* B/flop 5\.919;' $detail -mat_cds_share 0.97
says "-mat_view ::ascii_info_detail with a share: our model" 0 '\* cds half +[0-9.]+ to [0-9.]+ us, .* 0\.04064 to 0\.04064 MB' $detail -mat_cds_share 0.97 # 8 x 400 on it, 12 x (1520 + 400) beside it, x, y, y again with row numbers
says "-mat_view ::ascii_info_detail with nodes of another size: the matrix's own" 0 'cds full +[0-9.]+ to [0-9.]+ us, .* 0\.0224 to 0\.0224 MB' $detail -mat_cds_block_size 2
says "-mat_view ::ascii_info_detail with nodes of another size: in use" 0 '\* cds half, blocks of 2 +[0-9.]+ to [0-9.]+ us, .* 0\.03904 to 0\.03904 MB' $detail -mat_cds_block_size 2
says "-mat_view ::ascii_info_detail of a matrix that cds refuses" error 'Goza cds: cannot be built' "$ex2" $load -goza_device host -mat_type cds -mat_cds_max_fill 1 -mat_cds_storage full -m 4000 -n 3 -mat_view ::ascii_info_detail
says "-mat_view ::ascii_info_detail: paper P3's Fold" 0 'rectangle +spatial index [0-9.]+, without padding [0-9.]+' "$ex2" $load -goza_device host -mat_type fold -m 20 -n 20 -mat_view ::ascii_info_detail
says "locality -platform c2050: hits by paper P2's lines beside ours" 0 "by the temporal index alone, figure 4's line: hits [0-9.]+ %, [0-9.]+ GF/s" "$locality" -n 12 -platform c2050
says "-mat_locality_what_if" 0 'what if: +lines read whole GF/s [0-9.]+; 30 % more hits GF/s [0-9.]+; memory that gathers GF/s' "$ex2" $load -goza_device host -mat_type fold -m 20 -n 20 -mat_view ::ascii_info_detail -mat_locality_what_if
says "-goza_platform c2050" 0 'for platform c2050: .* 144 GB/s; paper P2' "$ex2" $load -goza_device host -goza_platform c2050 -mat_type fold -m 20 -n 20 -mat_view ::ascii_info_detail
says "-goza_platform: what is measured here is not called so of another" 0 'us a product here \(median of 7\), which is not platform h200' "$ex2" $load -goza_device host -goza_platform h200 -mat_type fold -m 20 -n 20 -ksp_view_mat ::ascii_info_detail -mat_locality_measure
RANKS=2 says "-ksp_converged_reason of ranks that share a device: once" 0 'told 1 times' \
  sh -c "'$ex2' $load -mat_type cds -ksp_type fusedcg -pc_type saamg -goza_ranks_per_gpu group -m 40 -n 40 -ksp_converged_reason | grep -c 'converged due' | sed 's/.*/told & times/'"
for text in 'Invalid argument' 'goza_platform abacus: platform abacus is no known name'; do
  RANKS=2 says "-goza_platform: no such platform, $text" error "$text" "$ex2" $load -goza_platform abacus
done
RANKS=3 says "-mat_view shows locality, least to most over the ranks" 0 'rows 33 to 34, columns 33 to 34, nonzeros' "$ex2" $load -mat_type slicedell -m 10 -n 10 -mat_view ::ascii_info_detail
says "-mat_view ::ascii_info_detail of a matrix without AIJ" 0 '\* cds (full|half) +spatial index' "$ex2" $load -goza_device host -mat_type cds -mat_cds_keep_aij no -m 20 -n 20 -mat_view ::ascii_info_detail
says "-mat_locality_measure of a matrix without AIJ" 0 'In use: slicedell, slices of 8: predicted [0-9.e+-]+ us, measured [0-9.e+-]+ us' "$ex2" $load -goza_device host -mat_type slicedell -mat_slicedell_keep_aij no -mat_slicedell_slice_height 8 -m 20 -n 20 -ksp_view_mat ::ascii_info_detail -mat_locality_measure
RANKS=2 says "-mat_view behind a DMDA of a matrix without AIJ" 0 'Goza diagonals on host, no AIJ beside them: .* halo ' "$BUILD/petsc/ksp_ksp_tutorials_ex45" $load -goza_device host -dm_mat_type cds -mat_cds_keep_aij no -pc_type jacobi -ksp_view_mat ::ascii_info_detail
says "-help lists -mat_locality_measure of a matrix without AIJ" 0 '-mat_locality_measure' "$BUILD/petsc/ksp_ksp_tutorials_ex45" $load -goza_device host -dm_mat_type cds -mat_cds_keep_aij no -help
RANKS=3 says "-mat_view of fewer rows than ranks" 0 'rows 1, columns 1, nonzeros 1,' "$ex2" $load -mat_type slicedell -m 1 -n 1 -mat_view ::ascii_info_detail
RANKS=2 says "-mat_view behind a DMDA shows locality" 0 'Locality of the diagonal blocks' "$BUILD/petsc/ksp_ksp_tutorials_ex45" $load -dm_mat_type cds -pc_type jacobi -ksp_view_mat ::ascii_info_detail
says "-mat_view shows the model's figures for every format" 0 'fold 16 +[0-9.e+-]+ to [0-9.e+-]+ us' "$ex2" $load -goza_device host -mat_type fold -m 20 -n 20 -mat_view ::ascii_info_detail
says "-mat_locality_measure adds measured time and error" 0 'In use: .*predicted [0-9.e+-]+ us, measured [0-9.e+-]+ us .*[+-][0-9.]+ %' "$ex2" $load -mat_type autoformat -m 20 -n 20 -ksp_view_mat ::ascii_info_detail -mat_locality_measure
RANKS=2 says "-mat_locality_measure on ranks: no error of a model that knows no exchange" 0 'In use: .*predicted [0-9.e+-]+ us for the slowest rank.s block, measured [0-9.e+-]+ us a product with what comes from other ranks \(median of 7\)$' "$ex2" $load -mat_type autoformat -m 20 -n 20 -ksp_view_mat ::ascii_info_detail -mat_locality_measure
says "-mat_locality_measure predicts for the format that is held" 0 'In use: fold, width 16: predicted' "$ex2" $load -mat_type fold -mat_fold_width 16 -m 20 -n 20 -ksp_view_mat ::ascii_info_detail -mat_locality_measure
says "-mat_locality_measure predicts for half precision" 0 'In use: fold, width [0-9]+, values of 2 bytes: predicted' "$ex2" $load -mat_type fold -mat_fold_precision half -m 20 -n 20 -ksp_view_mat ::ascii_info_detail -mat_locality_measure
says "autoformat explains itself" 0 'chosen(: .*measured here, the fastest of [0-9]+| for [a-z0-9]+: .*(predicted against|the only candidate))' "$ex2" $load -mat_type autoformat -m 40 -n 40 -ksp_view_mat ::ascii_info
for option in cds_storage fold_width slicedell_index autoformat_trials locality_measure locality_what_if; do # behind a DM, PETSc has printed the heading of matrices before, for -mat_seqaij_type
  type=${option%%_*}
  says "-help lists -mat_$option behind a DM" 0 "-mat_$option" "$BUILD/petsc/ksp_ksp_tutorials_ex45" $load -dm_mat_type ${type/locality/cds} -help
done
says "-help lists the options of autoformat" 0 'mat_autoformat_candidates' "$ex2" $load -mat_type autoformat -help
says "autoformat: unknown candidate" error 'mat_autoformat_candidates' "$ex2" $load -mat_type autoformat -mat_autoformat_candidates ellpack
says "locality -calibrate writes a platform file" 0 '^bandwidth [0-9.e+]+' "$locality" -goza_device host -calibrate "$work/here.txt"
says "locality -platform: no such platform" error 'Invalid argument' "$locality" -n 5 -platform abacus
says "locality -platform takes that file" 0 'platform [A-Za-z0-9-]+: lines of' "$locality" -n 5 -platform "$work/here.txt"
says "-goza_platform takes that file" 0 'for platform [A-Za-z0-9-]+: lines .*measured on' "$ex2" $load -goza_device host -goza_platform "$work/here.txt" -mat_type fold -m 20 -n 20 -mat_view ::ascii_info_detail
says "autoformat takes that file" 0 'the model for [A-Za-z0-9-]+ expected' "$ex2" $load -goza_device host -mat_type autoformat -goza_platform "$work/here.txt" -ksp_view_mat ::ascii_info
with python3 "league: no smallest problem takes more than 1.6 of the best peer's iterations" 0 'iterations over the best peer' \
  python3 "$here/bench/league.py" --methods saamg --peers "$here/bench/results/league.json" --out "$work/league.json" --most 1.6
printf '#!/bin/sh\necho "------"\necho "the launcher refuses"\nexit 1\n' >"$work/launcher" && chmod +x "$work/launcher"
with python3 "benches tell what a launcher says" 0 "'failed': 'the launcher refuses'" \
  env MPIEXEC="$work/launcher" PYTHONPATH="$here/bench" python3 -c 'import solver_runs; print(solver_runs.solve("darcy", [], 2))'
mkdir -p "$work/cache/goza"
for change in "taken: s/^bandwidth .*/bandwidth 1.5e9/" "measured again where the kernels' costs have come from elsewhere: s/^bandwidth .*/bandwidth 1.5e9/; s/ are those of .*/ are those of another machine/"; do
  [ ! -e "$work/here.txt" ] || sed "${change#*: }" "$work/here.txt" >"$work/cache/goza/platform-$(sed -n 's/^name //p' "$work/here.txt").txt"
  says "a kept calibration is ${change%%: *}" 0 "^$(case $change in taken*) echo yes ;; *) echo no ;; esac)$" \
    sh -c "XDG_CACHE_HOME='$work/cache' '$locality' -goza_device host -n 5 | grep -q ' 1.5 GB/s' && echo yes || echo no"
done
[ ! -e "$work/here.txt" ] || sed 's/^bandwidth .*/bandwidth -3/' "$work/here.txt" >"$work/absurd.txt"
says "-goza_platform refuses an absurd file" error 'bandwidth -3 is not from' "$ex2" $load -mat_type autoformat -goza_platform "$work/absurd.txt"
