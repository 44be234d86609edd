#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that build or test: the repository's root, headings, failing clearly, and a compiler cache that
# stays inside build/. Must not change the working directory or install anything.
set -euo pipefail

RINGSIDE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export RINGSIDE_ROOT
export LC_ALL=C.UTF-8
# One cache for every build directory: objects are shared between presets that compile a file the same way.
export CCACHE_DIR=${CCACHE_DIR:-$RINGSIDE_ROOT/build/ccache}
export CCACHE_BASEDIR=$RINGSIDE_ROOT
export CCACHE_NOHASHDIR=1
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

# A heading: what happens next and, in further lines, why.
stage_names=()
stage_seconds=()
stage() {
    stage_names+=("$1")
    stage_seconds+=("$SECONDS")
    printf '\n==== %s [%d s]\n' "$1" "$SECONDS"
    shift
    if [ $# -gt 0 ]; then printf '     %s\n' "$@"; fi
}

# A table of the stages so far, with the seconds of each.
print_stage_times() {
    local index end
    printf '\n%8s  %s\n' seconds stage
    for index in "${!stage_names[@]}"; do
        end=${stage_seconds[index + 1]:-$SECONDS}
        printf '%8d  %s\n' "$((end - stage_seconds[index]))" "${stage_names[index]}"
    done
    printf '%8d  %s\n' "$SECONDS" all
}

# Ends the script: what could not be had, and what to do about it.
fail() {
    printf '\n%s: %s\n' "$(basename "$0")" "$1" >&2
    shift
    if [ $# -gt 0 ]; then printf '  %s\n' "$@" >&2; fi
    exit 1
}

# need_space MEGABYTES: a full disk half-way through a build gives messages nobody understands.
need_space() {
    local free
    mkdir -p "$RINGSIDE_ROOT/build" 2>/dev/null || fail "cannot create $RINGSIDE_ROOT/build" "Is the folder writable for $(id -un)?"
    free=$(df -Pm "$RINGSIDE_ROOT/build" | awk 'NR == 2 {print $4}')
    [ "$free" -ge "$1" ] || fail "$free MB free in $RINGSIDE_ROOT/build, $1 MB are needed" "Free some space and start again."
}
