#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs lttng_cost inside a session of its own: lttng_cost.sh BUILD. The session daemon is started here, with its home and
# its trace in BUILD/bench, and ended here; one that already runs is used and left alone.
set -euo pipefail
build=$(cd "${1:?usage: lttng_cost.sh BUILD}" && pwd)
export LTTNG_HOME=$build/bench/lttng
session=ringside_bench_$$
rm -rf "$LTTNG_HOME"
mkdir -p "$LTTNG_HOME"

daemon=
if ! lttng list >/dev/null 2>&1; then
    lttng-sessiond --no-kernel >"$LTTNG_HOME/daemon.log" 2>&1 &
    daemon=$!
    for _ in $(seq 50); do lttng list >/dev/null 2>&1 && break || sleep 0.1; done
fi
finish() {
    lttng -q destroy "$session" >/dev/null 2>&1 || true
    if [ -n "$daemon" ]; then kill "$daemon" && wait "$daemon" || true; fi
    rm -rf "$LTTNG_HOME"
}
trap finish EXIT

lttng -q create "$session" --output="$LTTNG_HOME/trace"
lttng -q enable-channel --userspace --subbuf-size=8M --num-subbuf=4 events
lttng -q enable-event --userspace --channel=events 'ringside_bench:*'
lttng -q start
LTTNG_UST_REGISTER_TIMEOUT=5000 "$build/bin/bench/lttng_cost"
