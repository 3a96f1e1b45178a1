#!/usr/bin/env bash
# Install what building, testing and demonstrating Goza needs on Debian 12 and lacks here. Nothing is done when all is there.
set -euo pipefail
want=(g++ pkg-config petsc-dev libpetsc-real3.18-dev libpetsc3.18-dev-examples libopenmpi-dev openmpi-bin libboost-test-dev zlib1g-dev python3 "$@")

if ! command -v dpkg-query >/dev/null; then
  echo "deps: not a Debian machine: Goza needs a C++17 compiler, PETSc, MPI, Boost.Test, zlib and PETSc's example sources" >&2
  exit 0
fi
have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' | awk '$2 == "installed" { print $1 }')
missing=($(comm -23 <(printf '%s\n' "${want[@]}" | sort -u) <(sort -u <<<"$have")))
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

sudo=()
if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
echo "deps: these Debian packages are missing: ${missing[*]}"
echo "deps: installing them by ${sudo[*]:+sudo }apt-get (DEPS=no leaves this out)"
if [ -t 0 ]; then
  echo "deps: Ctrl-C within 5 seconds stops it"
  sleep 5
fi
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
