#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds and runs the suite. Works from any directory; leaves nothing outside build/.
# README says how long it takes. What takes longer lives in soak.sh.
. "$(dirname "${BASH_SOURCE[0]}")/support/environment.sh"
. "$(dirname "${BASH_SOURCE[0]}")/support/build_progress.sh"
cd "$RINGSIDE_ROOT"
support=$RINGSIDE_ROOT/tests/support

# A run that takes this long ends by itself: whoever runs it may stop it without a word soon afterwards.
time_limit_s=$((${RINGSIDE_SUITE_MINUTES:-75} * 60))

have_cuda() { command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; }

# end_late: what a run beyond its time says.
end_late() {
    print_stage_times
    fail "the suite was stopped after $((time_limit_s / 60)) minutes" "The table above says what took so long." \
        "On a machine that is slower, or busy: RINGSIDE_SUITE_MINUTES=180 bash tests/run.sh"
}

# in_time COMMAND...: runs it, but not beyond the limit.
in_time() {
    local code=0
    timeout --signal=INT --kill-after=20 "$((SECONDS < time_limit_s ? time_limit_s - SECONDS : 1))" "$@" || code=$?
    [ "$SECONDS" -lt "$time_limit_s" ] || end_late
    return $code
}

# Tests that failed beside others and passed alone, a line each.
unstable=
most_unstable=6

# run_failed_again PRESET: the tests that failed just now, one after the other. Fails where one fails again, or where so many
# failed that the machine is not to blame.
run_failed_again() {
    local log=build/$1/Testing/Temporary/LastTestsFailed.log failed
    failed=$(sed 's/^[0-9]*://' "$log" 2>/dev/null) || return 1
    [ -n "$failed" ] && [ "$(wc -l <<<"$failed")" -le "$most_unstable" ] || return 1
    printf '\nFailed beside others, run again alone:\n%s\n' "$failed"
    in_time ctest --preset "$1" --rerun-failed -j1 || return 1
    unstable+=$failed$'\n'
}

# suite PRESET [CTEST ARGUMENTS]
suite() {
    local preset=$1
    shift
    in_time ctest --preset "$preset" "$@" || run_failed_again "$preset" ||
        fail "tests of the preset $preset failed" "Run one again: ctest --preset $preset -R NAME -V" \
            "A random end-to-end test prints its seed: RINGSIDE_TEST_SEED=SEED repeats it."
}

stage "Packages" "What is missing is installed with apt-get; needs root and a network only then."
bash "$support/install_packages.sh" --arm64 --browser --gui --lab --mpi
bash "$support/unpack_kernel.sh" || echo "the test lab.rdma_vm will be skipped" >&2
need_space 3000

stage "Format" "Every source file against .clang-format."
bash "$support/check_format.sh"

stage "Build, preset dev" "Into build/dev; with the CUDA toolkit's headers and nvcc where they are found."
build_preset dev

stage "Tests, preset dev" "Unit, golden, structure, install and end-to-end tests; the GPU is emulated."
suite dev

if have_cuda; then
    stage "Build, preset no-cuda" "As on a machine without the toolkit, with our own minimal declarations: what knows of CUDA, and its tests."
    build_preset no-cuda
    stage "Tests, preset no-cuda" "Unit tests, and the end-to-end slice that the demo shows."
    suite no-cuda -L 'unit|slice'
else
    echo "no CUDA toolkit on this machine: the preset dev already was the build without it"
fi

stage "clang-tidy" "On the files changed since ${RINGSIDE_TIDY_BASE:-the commit before this one}; soak.sh checks all."
in_time bash "$support/check_tidy.sh" || fail "the stage clang-tidy failed" "Its own lines above say why."

print_stage_times
[ -z "$unstable" ] || printf '\nUnstable, each a bug in the test or in what it tests:\n%s' "$unstable"
printf '\nEverything passed. Longer runs: tests/soak.sh. Benchmarks: tests/bench/run.sh.\n'
