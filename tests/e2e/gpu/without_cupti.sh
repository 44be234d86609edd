#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command for which this machine has no CUPTI: without_cupti.sh [--loadable] COMMAND... To leave its folder out of
# LD_LIBRARY_PATH is not enough: it lies beside other CUDA libraries, the loader's cache knows it, and PyTorch finds the one of
# its wheel by itself. So in a mount namespace of the command every libcupti is covered by an empty file. PyTorch does not
# start without a libcupti: for --loadable it is covered by a library that can be loaded and has none of its functions.
# Exit 77: this machine allows no mount namespace; 1: a libcupti is still there.
set -euo pipefail

loadable=0
if [ "${1:-}" = --loadable ]; then
    loadable=1
    shift
fi
if [ $# -eq 0 ]; then
    echo "usage: without_cupti.sh [--loadable] COMMAND..." >&2
    exit 2
fi

# All places in which a loader could find one: its path, its cache, the toolkit, Python's packages.
libraries() {
    local folders
    IFS=: read -ra folders <<<"${LD_LIBRARY_PATH:-}"
    mapfile -t -O "${#folders[@]}" folders < <(python3 -c 'import sys; print("\n".join(path for path in sys.path if path))')
    for folder in /usr/local/cuda*/ "${folders[@]}"; do
        if [ -d "$folder" ]; then find -L "$folder" -name 'libcupti*.so*' -type f 2>/dev/null || true; fi
    done
    ldconfig -p 2>/dev/null | awk '/libcupti.*=>/ {print $NF}'
}

if [ "${RINGSIDE_IN_NAMESPACE:-}" != "$$" ]; then
    own=(unshare --mount)
    if [ "$(id -u)" != 0 ]; then own=(unshare --map-root-user --mount); fi
    if ! refused=$("${own[@]}" true 2>&1); then
        echo "skipped: no mount namespace for a machine without CUPTI: $refused"
        exit 77
    fi
    again=()
    if [ "$loadable" = 1 ]; then again=(--loadable); fi
    # exec keeps the process id: a variable of that value comes from here, and not from a caller.
    RINGSIDE_IN_NAMESPACE=$$ exec "${own[@]}" bash "$0" "${again[@]}" "$@"
fi
unset RINGSIDE_IN_NAMESPACE

cover=$(mktemp)
if [ "$loadable" = 1 ]; then
    # A library without functions of its own, since C libraries of 2.34 on hold its old ones themselves.
    cp -L "$(ldconfig -p | awk '/libdl\.so\.2 .*x86-64/ {print $NF; exit}')" "$cover"
fi
mapfile -t found < <(libraries | xargs -r -d '\n' realpath | sort -u)
for library in "${found[@]}"; do
    mount --bind "$cover" "$library"
    cmp -s "$cover" "$library" || { echo "failed: $library is still there" >&2; exit 1; }
done
rm -f "$cover"
echo "without_cupti.sh: ${#found[@]} libraries covered: ${found[*]}" >&2
exec "$@"
