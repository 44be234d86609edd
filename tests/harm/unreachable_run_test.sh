#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a killed process left in memory is removed by the next record only where its run is gone: not where the run's folder cannot be
# looked at for a while. usage: unreachable_run_test.sh BUILD
set -euo pipefail
build=$(cd "${1:?usage: unreachable_run_test.sh BUILD}" && pwd)
[ "${RINGSIDE_INSIDE:-}" ] || {
    unshare --mount true 2>/dev/null || { echo "skipped: this system allows no mount namespaces"; exit 77; }
    RINGSIDE_INSIDE=1 exec unshare --mount bash "$0" "$build"
}
mount -t tmpfs tmpfs /dev/shm
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "unreachable run: $1" >&2; exit 1; }
export LD_LIBRARY_PATH=$build/lib/cpu_platform
record() { "$build/bin/ringside" record -o "$1" -- true 2>&1; }

RINGSIDE_DIR=$folder/run LD_PRELOAD=$build/lib/libringside_collector.so:$build/bin/tests/harm/libcalls_cuda.so sh -c 'kill -9 $$' || true
[ "$(ls /dev/shm)" ] || fail "the killed process left nothing, and this test shows nothing"
mv run away
ln -s run run
said=$(record first)
[ "$(ls /dev/shm)" ] || fail "the rings of a run that cannot be read were removed: $said"
[[ $said == *"cannot be read: Too many levels"* ]] || fail "nobody is told: $said"
rm run
mv away run
said=$(record second)
[ -z "$(ls /dev/shm)" ] || fail "the rings stay: $said"
[[ $said == *"files moved into its run"* ]] || fail "they were not moved: $said"
echo "the rings waited for their run"
