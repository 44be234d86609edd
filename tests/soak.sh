#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What takes too long for run.sh: sanitizers, fuzzing, many kills, repeated demos, clang-tidy on everything. With --short about
# a quarter of an hour, without it hours. Works from any directory; leaves nothing outside build/ and the run directories.
. "$(dirname "${BASH_SOURCE[0]}")/support/environment.sh"
cd "$RINGSIDE_ROOT"

fuzz_seconds=600 kills=200 faults=500 closer_seconds=200 demos=10 tidy=--all scenarios= harm=--all repeat=yes
case "${1:-}" in
    --short) fuzz_seconds=30 kills=40 faults=60 closer_seconds=20 demos=2 tidy= scenarios=--short harm=--short repeat= ;;
    "") ;;
    *) fail "unknown option $1" "usage: soak.sh [--short]" ;;
esac

sanitized_suite() {
    cmake --preset "$1" && cmake --build --preset "$1" && ctest --preset "$1" || fail "the preset $1 failed" \
        "Run one test again: ctest --preset $1 -R NAME -V"
}

stage "Packages"
bash tests/support/install_packages.sh --browser --gui --lab
bash tests/support/unpack_kernel.sh || echo "the scenarios of RDMA will be skipped" >&2
need_space 8000

stage "Address and undefined-behaviour sanitizers" "Everything that is not injected into other processes."
sanitized_suite asan
stage "Thread sanitizer" "The unit tests."
sanitized_suite tsan

stage "Release" "What packages are made of: -O3 shows warnings that the preset dev does not. Each file alone, which shows a missing #include."
cmake --preset release -DRINGSIDE_BUILD_TESTS=ON -DRINGSIDE_UNITY=OFF && cmake --build --preset release || fail "building the preset release failed"

stage "Packages for other systems" "Built, and used on a minimal Ubuntu 18.04, and Debian 11 and 12 with a trainer."
bash tests/support/install_packages.sh --packaging
bash packaging/build.sh || fail "the packages could not be built"
bash packaging/trainer.sh || fail "the trainer for older systems could not be built"
for release in bionic bullseye bookworm; do
    bash packaging/check_on_system.sh $release build/portable/packages build/portable/trainer_folder || fail "the packages do not work on $release"
done

if [ -n "$repeat" ]; then
    stage "Reproducible" "Two builds in folders of different names, without a compiler cache."
    bash packaging/check_reproducible.sh || fail "two builds of the packages differ"
fi

stage "Fuzzing, $fuzz_seconds s a target" "libFuzzer with clang; new inputs stay in build/fuzz/corpus."
cmake --preset no-cuda -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang -DRINGSIDE_BUILD_FUZZERS=ON \
    -DRINGSIDE_WERROR=OFF -DRINGSIDE_BUILD_TRAINER=OFF -DRINGSIDE_BUILD_COLLECTOR=OFF '-DRINGSIDE_TEST_FOLDERS=support;fuzz' ||
    fail "configuring the fuzzers failed"
mapfile -t targets < <(sed -nE 's/^ringside_add_(importer_)?fuzz_target\(([a-z_]+).*/\2/p' tests/fuzz/CMakeLists.txt)
cmake --build build/fuzz --target fuzz_seeds "${targets[@]/#/fuzz_}" || fail "building the fuzzers failed"
build/fuzz/bin/fuzz_seeds build/fuzz/corpus || fail "making the first inputs failed"
for target in "${targets[@]}"; do
    corpus=build/fuzz/corpus/$target
    mkdir -p "$corpus"
    build/fuzz/bin/fuzz_"$target" -max_total_time="$fuzz_seconds" -timeout=25 -rss_limit_mb=3000 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/$target-" "$corpus" 2>&1 | tail -20 || fail "the fuzz target $target found something" \
        "The input that broke it is build/fuzz/$target-*; make a test of it when it is mended."
done

stage "Build, preset dev"
cmake --preset dev && cmake --build --preset dev || fail "building the preset dev failed"

stage "SIGKILL at $kills random moments"
RINGSIDE_TEST_KILLS=$kills RINGSIDE_BUILD_DIR=build/dev /usr/bin/python3 -B tests/e2e/kill_test.py || fail "a kill lost a record"

stage "Real RDMA in a small machine" "All scenarios; the suite plays four."
bash tests/lab/rdma_vm/run.sh || [ $? -eq 77 ] || fail "a tool misjudged an RDMA port" "One scenario again: tests/lab/rdma_vm/run.sh NAME"

stage "The harm matrix" "Programs and environments, each plain and recorded."
RINGSIDE_BUILD_DIR=build/dev /usr/bin/python3 -B tests/harm/run.py $harm || fail "the collector did harm" \
    "The lines above say to which case; one again: tests/harm/run.py --only NAME"

stage "$faults runs whose system calls fail" "Full disks, broken disks, short writes under the collector, at random."
RINGSIDE_TEST_FAULTS=$faults build/dev/bin/no_harm_test --gtest_filter='*aFaultySystem' || fail "the collector did harm, or lost records silently"

stage "Descriptors closed at random, $closer_seconds s in each of 3 modes" "The program's files must hold what it wrote, and nothing else."
RINGSIDE_TEST_CLOSER_SECONDS=$closer_seconds build/dev/bin/descriptors_test || fail "the collector touched a file of the program, or lost records silently"

stage "$demos demo runs" "Rank and strength are drawn each time; the report must name them each time."
for ((run = 1; run <= demos; ++run)); do
    bash reference_trainer/demo.sh || fail "demo run $run of $demos failed"
done

stage "The lab's score" "What reports say of runs with known faults; needs a machine without other work."
RINGSIDE_BUILD_DIR=build/dev /usr/bin/python3 -B tests/lab/score.py $scenarios || fail "diagnoses are wrong too often" \
    "The lines above say of which scenario; one again: tests/lab/score.py --only NAME"

stage "clang-tidy"
bash tests/support/check_tidy.sh $tidy

stage "Done" "Everything passed in $SECONDS s."
