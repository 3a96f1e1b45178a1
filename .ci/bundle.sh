#!/usr/bin/env bash
# Pack the build folder with every shared library that it needs, for GPU machines without a network:
#
#   make bundle [PETSC_DIR=... PETSC_ARCH=...]        makes $BUILD/goza-bundle.tar.xz
#   tar -xf goza-bundle.tar.xz && goza/run mpiexec -n 2 goza/petsc/ksp_ksp_tutorials_ex45 -dll_append goza/lib/libgoza.so ...
#
# Left out, since every CUDA machine has them: libc and its kin, the driver (libcuda) and the toolkit's libraries.
set -euo pipefail
build=${BUILD:-build}
limit_mb=60 # a lent GPU machine takes 64
out=$build/goza-bundle.tar.xz
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
top=$stage/goza

# 1. Programs and the plugin, in the build folder's own layout; the scripts that run the tests.
mkdir -p "$top/lib" "$top/mpi/bin"
for folder in lib bin test bench petsc; do
  if [ -d "$build/$folder" ]; then cp -a "$build/$folder" "$top/"; fi
done
mkdir -p "$top/source"
cp -a test examples "$top/source/"

# 2. MPI: the launcher, and what it and its library open at run time. MPICH has helpers beside its launcher, Open MPI a folder of components and its messages.
if launcher=$(command -v "${MPIEXEC:-mpiexec}"); then
  launcher=$(readlink -f "$launcher")
  mpi=$(dirname "$(dirname "$launcher")")
  cp "$launcher" "$top/mpi/bin/mpiexec"
  case $("$launcher" --version 2>&1) in
  *"Open MPI"* | *OpenRTE*)
    path_of() { ompi_info --parsable --path "$1" | cut -d: -f3; }
    mkdir -p "$top/mpi/components" "$top/mpi/share"
    cp "$(path_of pkglibdir)"/*.so "$top/mpi/components/"
    cp -a "$(path_of pkgdatadir)" "$top/mpi/share/"
    ;;
  *)
    cp "$mpi"/bin/hydra_* "$top/mpi/bin/"
    if [ -d "$mpi/lib/mpich" ]; then cp -a "$mpi/lib/mpich" "$top/lib/"; fi
    ;;
  esac
fi

# 3. What the loader finds for all of those. (A pattern for what stays out, not a list of what goes in.)
leave='^(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libutil|libcuda|libnvidia.*|libcudart|libcublas.*|libcusparse|libcusolver.*|libcurand|libcufft.*|libnvJitLink|libnvrtc.*|libnvtx.*|libnccl)[.]so'
find "$top" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print0 |
  xargs -0 -n 1 ldd 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u |
  while read -r name path; do
    if [[ $name =~ $leave || $path == "$top"/* ]]; then continue; fi
    if [ -e "$top/lib/mpich/$name" ] || [ -e "$top/lib/$name" ]; then continue; fi
    cp -L "$path" "$top/lib/$name"
  done

# 4. Symbols are a third of the size; the function names that a profiler shows are in the dynamic table.
find "$top" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print0 | xargs -0 strip --strip-debug

# 5. `run COMMAND...`: the environment in which the moved libraries find one another.
cat >"$top/run" <<'RUN'
#!/usr/bin/env bash
# Run a command in the bundle's environment: ./run mpiexec -n 2 bin/poisson -dll_append "$GOZA_LIB" ...
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cuda=${CUDA_HOME:-/usr/local/cuda}
export BUILD=$here GOZA_LIB=$here/lib/libgoza.so PATH=$here/mpi/bin:$here/bin:$PATH MPIEXEC=$here/mpi/bin/mpiexec
export LD_LIBRARY_PATH=$here/lib:$here/lib/mpich:$cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export FI_PROVIDER_PATH=$here/lib/mpich/libfabric UCX_MODULE_DIR=$here/lib/mpich/ucx
if [ -d "$here/mpi/components" ]; then # Open MPI: where it lies now; alone and under a launcher without ssh; more ranks than cores, and root, are meant
  # PMIx has all that is needed built in, and must not take another one's components
  export OPAL_PREFIX=$here/mpi OMPI_MCA_mca_base_component_path=$here/mpi/components OMPI_MCA_ess_singleton_isolated=true OMPI_MCA_plm=isolated PMIX_MCA_pcompress_base_silence_warning=1 PMIX_MCA_mca_base_component_disable_dlopen=1
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
else
  export PETSC_OPTIONS=${PETSC_OPTIONS--use_gpu_aware_mpi 0}
fi
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
exec "$@"
RUN
chmod +x "$top/run"

tar -C "$stage" -cf - goza | xz --lzma2=preset=6,dict=256MiB >"$out" # every test holds the same kernels: the dictionary must reach over them
size=$(du -m "$out" | cut -f1)
echo "bundle: $out, $size MB ($(find "$top/lib" -name '*.so*' -type f | wc -l) libraries)"
if [ "$size" -gt $limit_mb ]; then
  echo "bundle: over $limit_mb MB; the largest files:" >&2
  (cd "$top" && find . -type f -printf '%s %p\n' | sort -rn | head -n 10 >&2)
  exit 1
fi
