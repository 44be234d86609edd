#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds and runs the suite. Works from any directory; leaves nothing outside build/.
# About half an hour on 2 cores from nothing, incremental afterwards. What takes longer lives in soak.sh.
. "$(dirname "${BASH_SOURCE[0]}")/support/environment.sh"
cd "$RINGSIDE_ROOT"
support=$RINGSIDE_ROOT/tests/support

have_cuda() { command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; }

# build PRESET
build() {
    cmake --preset "$1" || fail "configuring the preset $1 failed" "CMake's lines above name what is missing."
    cmake --build --preset "$1" || fail "building the preset $1 failed" "The first error above is the one to mend."
}

# suite PRESET [CTEST ARGUMENTS]
suite() {
    local preset=$1
    shift
    ctest --preset "$preset" "$@" || fail "tests of the preset $preset failed" "Run one again: ctest --preset $preset -R NAME -V" \
        "A random end-to-end test prints its seed: RINGSIDE_TEST_SEED=SEED repeats it."
}

stage "Packages" "What is missing is installed with apt-get; needs root and a network only then."
bash "$support/install_packages.sh" --gui --lab
bash "$support/unpack_kernel.sh" || echo "the test lab.rdma_vm will be skipped" >&2
need_space 3000

stage "Format" "Every source file against .clang-format."
bash "$support/check_format.sh"

stage "Build, preset dev" "Into build/dev; with the CUDA toolkit's headers and nvcc where they are found."
build dev

stage "Tests, preset dev" "Unit, golden, structure, install and end-to-end tests; the GPU is emulated."
suite dev

if have_cuda; then
    stage "Build, preset no-cuda" "The same sources as on a machine without the toolkit: our own minimal declarations."
    build no-cuda
    stage "Tests, preset no-cuda" "Unit and golden tests, and the end-to-end slice that the demo shows."
    suite no-cuda -L 'unit|golden|slice'
else
    echo "no CUDA toolkit on this machine: the preset dev already was the build without it"
fi

stage "clang-tidy" "On the files changed since ${RINGSIDE_TIDY_BASE:-the commit before this one}; soak.sh checks all."
bash "$support/check_tidy.sh" "$RINGSIDE_ROOT/build/dev"

stage "Done" "Everything passed in $SECONDS s. Longer runs: tests/soak.sh. Benchmarks: tests/bench/run.sh."
