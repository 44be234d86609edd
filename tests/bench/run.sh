#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints all benchmarks in one run, each beside its plain counterpart: run.sh [BUILD]. The ratios count; the ns belong to the machine.
# Not part of the suite. Leaves its files in BUILD/bench.
. "$(dirname "${BASH_SOURCE[0]}")/../support/environment.sh"
build=${1:-$RINGSIDE_ROOT/build/release_bench}
here=$RINGSIDE_ROOT/tests/bench

if [ $# -eq 0 ]; then
    stage "Build, optimised" "Into $build."
    need_space 4000
    cmake --preset release -B "$build" -DRINGSIDE_BUILD_TESTS=ON && cmake --build "$build" || fail "the build failed"
fi
build=$(cd "$build" && pwd)
mkdir -p "$build/bench"

stage "Machine"
lscpu | grep -E '^(Model name|CPU\(s\)|L3)' || true

stage "Hooks"
/usr/bin/python3 -B "$here/hook_cost.py" "$build"

stage "A training job" "Emulated GPU: the ratios of CPU time and memory count."
/usr/bin/python3 -B "$here/job_cost.py" "$build"
/usr/bin/python3 -B "$here/lateness_cost.py" "$build"

stage "A pair of LTTng-UST events"
if [ -x "$build/bin/bench/lttng_cost" ] && command -v lttng >/dev/null; then
    bash "$here/lttng_cost.sh" "$build"
else
    echo "not measured: bash tests/support/install_packages.sh --bench installs lttng-tools and liblttng-ust-dev"
fi

stage "Trace" "CPU time of one thread."
"$build/bin/bench/trace_cost" "$build/bench/trace"
"$build/bin/bench/device_cost" "$build/bench/trace/device.db"

stage "Sampling 16 RDMA ports" "CPU time of the thread that does it, on a tree in memory; budget: 1 ms a second."
TMPDIR=/dev/shm "$build/bin/bench/port_cost"

stage "The CPU platform (emulated)" "How exact the device model is, and what an all-reduce really costs."
"$build/bin/bench/platform_cost"

rm -rf "$build/bench/trace"

if [ -x "$build/bin/bench/gui_cost" ]; then
    for millions in 1 10 100; do
        stage "The desktop program on $millions M events" "Without a display: frames are painted into memory."
        rm -rf "$build/bench/shown.ringside"
        "$build/bin/bench/make_run" "$build/bench/shown.ringside" "${millions}000000" 4
        "$build/bin/bench/gui_cost" "$build/bench/shown.ringside"
        rm -rf "$build/bench/shown.ringside"
    done
else
    echo "the desktop program was not measured: bash tests/support/install_packages.sh --gui installs what it needs"
fi

stage "Reports on large runs" "Native and straight from Kineto files."
/usr/bin/python3 -B "$here/reading_cost.py" "$build"

stage "Reports against ranks and steps" "200 device operations a step on each rank; slope 1 is linear."
/usr/bin/python3 -B "$here/scale_cost.py" "$build"
