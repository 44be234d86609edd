#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles for ARM64 what depends on the processor, and runs the tests of rings and clock in an emulator. Seconds with a warm compiler
# cache. It needs no other library of that processor: the sources of googletest are Debian's. rings.sh SOURCE FOLDER
set -euo pipefail
source=$1
folder=$2
googletest=/usr/src/googletest/googletest
compiler=aarch64-linux-gnu-g++
command -v $compiler >/dev/null && command -v qemu-aarch64 >/dev/null && [ -e $googletest/src/gtest-all.cc ] || {
    echo "skipped: it needs the packages g++-aarch64-linux-gnu, qemu-user and googletest (install_packages.sh --arm64)"
    exit 77
}
cd "$source"
mkdir -p "$folder"
run=($googletest/src/gtest-all.cc $googletest/src/gtest_main.cc tests/arm64/clock_test.cpp tests/unit/collector/ring_test.cpp
    tests/unit/collector/in_flight_test.cpp collector/record/ring.cpp collector/record/clock.cpp analyzer/trace/write/ring_view.cpp)
compiled=(collector/intercept/jumps.cpp analyzer/stacks/collect.cpp analyzer/stacks/thread_snapshot.cpp)
# Headers of libraries are the same for all processors; the cross compiler's own C library comes first.
compile=($(command -v ccache || true) $compiler -std=c++20 -O1 -Wall -Wextra -Werror -pthread -I collector -I analyzer -I analyzer/include
    -isystem $googletest/include -I $googletest -idirafter /usr/include -c)
object() { echo "$folder/$(basename "$1").o"; }
for file in "${run[@]}" "${compiled[@]}"; do
    echo "$file" "$(object "$file")"
done | xargs -P 2 -n 2 bash -c '"${@:1:$#-2}" "${@: -2:1}" -o "${@: -1}"' compile "${compile[@]}"
$compiler -static -pthread -o "$folder/rings" $(for file in "${run[@]}"; do object "$file"; done)
exec qemu-aarch64 "$folder/rings"
