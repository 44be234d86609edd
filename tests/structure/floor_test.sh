#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The gate of packaging/check_floor.sh lets through what runs on an old C library, and names what does not:
# floor_test.sh CHECK_FLOOR C_COMPILER CXX_COMPILER
set -euo pipefail
check=$1 cc=$2 cxx=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "floor test: $1" >&2; exit 1; }
build() { # NAME COMPILER OPTIONS...: a shared library of what stands on standard input
    local name=$1 compiler=$2
    shift 2
    "$compiler" -shared -fPIC -x "$([ "$compiler" = "$cc" ] && echo c || echo c++)" - -o "$folder/$name" "$@"
}

build old.so "$cc" <<<'#include <unistd.h>
int old(void) { return (int)write(1, "", 0); }'
bash "$check" 2.28 "$folder/old.so" >/dev/null || fail "a library that calls write() is refused"

build new.so "$cc" <<<'int getentropy(void*, unsigned long); int young(void) { return getentropy(0, 0); }'
bash "$check" 2.25 "$folder/new.so" >/dev/null || fail "getentropy is of glibc 2.25, and refused there"
! said=$(bash "$check" 2.24 "$folder/new.so") || fail "getentropy is let through below glibc 2.25"
[[ $said == *"getentropy (glibc 2.25)"* ]] || fail "getentropy is not named, but: $said"
! bash "$check" 2.9 "$folder/new.so" >/dev/null || fail "2.25 is taken for less than 2.9"

build runtime.so "$cxx" <<<'#include <string>
std::string text(int n) { return std::to_string(n) + "text that is long enough to be allocated"; }'
! said=$(bash "$check" 2.99 "$folder/runtime.so") || fail "a shared C++ runtime is let through"
[[ $said == *libstdc++* ]] || fail "the C++ runtime is not named, but: $said"
echo "the gate tells them apart"
