#!/usr/bin/env bash
# portable.sh LIBRARY: that it runs on any processor of its kind. Instructions of AVX are in functions that the loader takes on processors which have them (core/launch/host_loop.hpp), and in no others; 77: it cannot be told here.
set -euo pipefail
library=$1
if [ "$(uname -m)" != x86_64 ] || ! command -v objdump >/dev/null; then
  echo "no x86-64, or no objdump"
  exit 77
fi
if grep -qE -- '-march=|-fsanitize=' "$(dirname "$library")/../obj/flags" 2>/dev/null; then
  echo "the build is for one kind of processor, or has sanitizers"
  exit 77
fi
objdump -d --no-show-raw-insn "$library" | awk '
  /^[0-9a-f]+ <.*>:$/ { name = $2 }
  /%[yz]mm[0-9]|^ +[0-9a-f]+:\tv(mov|add|sub|mul|div|fm|fnm|cvt|xor|and|or|p|sqrt|broadcast|gather|unpck|shuf|insert|extract|perm|blend|max|min|ucomi|comi|cmp|zero)/ {
    if (name ~ /cuda/) next # the static runtime of CUDA looks at the processor itself
    if (name ~ /[.]arch_x86_64_v3/) there[name] = 1
    else wrong[name] = 1
  }
  END {
    for (n in there) functions++
    for (n in wrong) { print "AVX in " n; failed = 1 }
    if (!functions) { print "no function has AVX at all"; failed = 1 }
    if (!failed) print "portable: " functions " functions have AVX, each beside one for any processor"
    exit failed
  }'
