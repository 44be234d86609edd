#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All of Ringside that needs no window, built for ARM64 by Debian's cross compiler and run in qemu-user: unit and golden tests, and
# recorded runs whose reports are those of the same run on this machine (build/dev/bin/ringside, or that of RINGSIDE_BUILD_DIR). Not a
# part of the suite: 30 minutes on 2 cores without a compiler cache. What an emulator on x86-64 does not show: weak memory order,
# pages of 64 KiB, ptrace (stacks), and speed.
. "$(dirname "${BASH_SOURCE[0]}")/../support/environment.sh"
export RINGSIDE_MACHINE=aarch64
bash "$RINGSIDE_ROOT/tests/support/install_packages.sh" --arm64
. "$RINGSIDE_ROOT/packaging/machine.sh"
. "$RINGSIDE_ROOT/packaging/debian_packages.sh"
cd "$RINGSIDE_ROOT"
folder=build/cross-$machine
sysroot=$RINGSIDE_ROOT/$folder/sysroot

stage "Trainer" "The reference trainer and the CPU platform, with Debian 11's Gloo and OpenBLAS."
bash packaging/trainer.sh

stage "Build" "The collector, ringside and tests."
if [ ! -e "$sysroot/complete.tests" ]; then
    rm -rf "$sysroot"
    mkdir -p "$folder"
    cp -a "$output/sysroot" "$sysroot"
    download bookworm "$sysroot.packages" libgtest-dev libgmock-dev
    unpack "$sysroot.packages" "$sysroot"
    rm -rf "$sysroot.packages"
    touch "$sysroot/complete.tests"
fi
export RINGSIDE_SYSROOT=$sysroot
cmake -G Ninja -S . -B "$folder/build" -DCMAKE_TOOLCHAIN_FILE="$RINGSIDE_ROOT/packaging/toolchain.cmake" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG" -DRINGSIDE_WERROR=ON -DRINGSIDE_PORTABLE=ON -DRINGSIDE_CUDA=OFF -DRINGSIDE_BUILD_GUI=OFF \
    -DRINGSIDE_BUILD_TRAINER=OFF "-DRINGSIDE_TEST_FOLDERS=support;unit/trace;unit/collector;golden" >"$folder/configure.log" ||
    fail "configuring the tests failed" "$(tail -5 "$folder/configure.log")"
cmake --build "$folder/build" --target ringside ringside_collector trace_test record_test golden_rules_test || fail "it does not build for $machine"

stage "Unit and golden tests"
# Left out: what starts a program of the other processor, or lets one of this machine load ours. And one that asks for the state of its
# own process, which the emulator leaves out of /proc/PID/stat.
ctest --test-dir "$folder/build" -j2 --output-on-failure \
    -E '_NOT_BUILT|^collector\.(record_|python_)|ComeWithTheExtensionInPlainSqlite|recoveryDetectsThatTheProcessRuns' || fail "tests failed in the emulator"

stage "Recorded runs"
"$(command -v python3)" -B tests/arm64/recorded.py "$folder/build" "$output/trainer_folder" || fail "recorded runs failed in the emulator"
print_stage_times
