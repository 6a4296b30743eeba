#!/bin/sh
# Builds the static helper: with musl-gcc where it is installed (50 kB, 80 kB resident), else with the C++ compiler.
# For size: system calls are what these programs spend their time on, and nothing is ever thrown.
# Usage: build-supervisor.sh OUTPUT VERSION [SOURCE...]; with sources, another static executable of these.
set -eu
output=$1
version=$2
shift 2
native=native
[ -d native ] || native=dist/native
[ $# -gt 0 ] || set -- $native/core/*.cc $native/foreign/*.cc $native/supervisor/*.cc
if [ -z "${PROCLEASH_HELPER_CXX:-}" ]; then
  if command -v musl-gcc >/dev/null 2>&1; then
    PROCLEASH_HELPER_CXX='musl-gcc -x c++ -nostdinc++'
  else
    PROCLEASH_HELPER_CXX=${CXX:-g++}
  fi
fi
# shellcheck disable=SC2086 # the compiler comes with its flags
$PROCLEASH_HELPER_CXX -std=c++20 -Os -flto -Wall -Wextra -fno-exceptions -fno-rtti -fno-threadsafe-statics \
  -fno-asynchronous-unwind-tables -fno-unwind-tables -ffunction-sections -fdata-sections -Wl,--gc-sections -s -static \
  -I $native \
  "-DPROCLEASH_VERSION=\"$version\"" "$@" -o "$output"
