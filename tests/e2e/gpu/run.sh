#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job on a real GPU, one rank: the reference trainer with the vendor's CUDA, NCCL and CUPTI, and a PyTorch DDP script,
# each recorded and reported; the trainer also in a window, by CUDA events, into the flight recorder, and looked at while it
# runs. Installs and builds nothing: BUNDLE is what bundle.sh made elsewhere.
#   run.sh [BUNDLE] [OUT]    exit 77: no GPU here
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bundle=${1:-$here/../../../build/gpu_bundle}
out=${2:-$bundle/out}

fail() { echo "gpu/run.sh: $1" >&2; exit 1; }

if ! nvidia-smi -L >/dev/null 2>&1 && [ ! -e /dev/nvidia0 ]; then
    echo "no NVIDIA GPU here: neither nvidia-smi nor /dev/nvidia0; nothing was run"
    exit 77
fi
[ -x "$bundle/bin/ringside" ] || fail "no bundle in $bundle; make one where the project is built: tests/e2e/gpu/bundle.sh BUILD"
bundle=$(cd "$bundle" && pwd)
mkdir -p "$out"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true

# The CUDA libraries: the toolkit's, or those that came with PyTorch as Python packages.
cuda_libraries() {
    for folder in /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64; do
        if [ -d "$folder" ]; then printf '%s:' "$folder"; fi
    done
    python3 - <<'PYTHON' 2>/dev/null || true
import glob, nvidia
print(":".join(sorted(path for root in nvidia.__path__ for path in glob.glob(root + "/*/lib"))), end="")
PYTHON
}
libraries=$(cuda_libraries)

# Ringside's own programs run with the libraries that were carried along, the job with the vendor's.
ringside() { LD_LIBRARY_PATH="$bundle/lib/carried" "$bundle/bin/ringside" "$@"; }

# What the tiers below the report brought, to be looked at: counts, and why a tier was not active.
show_tiers() {
    local file
    for file in "$1"/*.db; do
        ringside query "$file" "SELECT tier, active, reason FROM tier"
        ringside query "$file" "SELECT (SELECT count(*) FROM nccl_operation) AS nccl_operations, (SELECT count(*) FROM channel_time) AS channel_times,
            (SELECT count(*) FROM sample) AS samples, (SELECT count(*) FROM kernel) AS kernels, (SELECT coalesce(sum(records), 0) FROM dropped) AS dropped"
    done
}

# record NAME OPTIONS -- COMMAND...: into a new run of that name
record() {
    local name=$1
    shift
    echo "== $name: $*"
    rm -rf "$out/$name.ringside"
    ringside record -o "$out/$name.ringside" "$@" || fail "$name ended with code $?"
}

# record_and_check NAME PROFILE COMMAND...
record_and_check() {
    local name=$1 profile=$2
    shift 2
    record "$name" --profile "$profile" -- env LD_LIBRARY_PATH="$libraries" "$@"
    check "$name"
}

# check NAME: the report of that run must be what a GPU run gives
check() {
    local name=$1
    ringside report "$out/$name.ringside" | tee "$out/$name.txt"
    ringside report "$out/$name.ringside" --format json >"$out/$name.json"
    show_tiers "$out/$name.ringside" | tee "$out/$name.tiers"
    python3 "$here/check_report.py" "$out/$name.json" || fail "the report of $name is not what a GPU run must give"
}

trainer=(env LD_LIBRARY_PATH="$libraries:$bundle/lib/carried" "$bundle/bin/ddp_trainer" --nproc 1)

# Kernels of 40 steps in the middle, and of no others.
window() {
    record trainer_window --profile standard --start-step 50 --steps 40 -- "${trainer[@]}" --steps 200
    check trainer_window
    ringside query "$out/trainer_window.ringside" "SELECT level, step, start_ns, end_ns FROM window"
}

# What stands in for CUPTI where it cannot be used: here its folder is left out of the library path. Where the system finds it
# all the same, the table says that events were not needed.
events() {
    local without_cupti
    without_cupti=$(tr ':' '\n' <<<"$libraries" | grep -vi cupti | paste -sd:)
    record trainer_events --profile standard --cuda-events -- env LD_LIBRARY_PATH="$without_cupti:$bundle/lib/carried" \
        "$bundle/bin/ddp_trainer" --nproc 1 --steps 200
    ringside report "$out/trainer_events.ringside" | tee "$out/trainer_events.txt"
    ringside query "$out/trainer_events.ringside" "SELECT tier, active, reason FROM tier"
    ringside query "$out/trainer_events.ringside" "SELECT count(*) AS event_times, min(end_ns - start_ns) AS shortest_ns, max(uncertainty_ns) AS worst_ns FROM event_time"
}

# A job that is looked at, then asked to write down what its flight recorder holds, then goes on to its end.
flight_recorder() {
    rm -rf "$out/trainer_flight.ringside"
    ringside record -o "$out/trainer_flight.ringside" --profile standard --keep-last 20s -- "${trainer[@]}" --steps 20000 &
    local job=$!
    sleep 8
    ringside hang "$out/trainer_flight.ringside" | tee "$out/trainer_flight.hang" || true
    ringside record --attach-control "$out/trainer_flight.ringside" dump || fail "the flight recorder was not written down"
    wait "$job" || fail "trainer_flight ended with code $?"
    ringside report "$out/trainer_flight.ringside" | tee "$out/trainer_flight.txt"
}

if [ -x "$bundle/bin/ddp_trainer" ]; then
    for profile in standard deep; do
        record_and_check "trainer_$profile" "$profile" "${trainer[@]}" --steps 200 --json "$out/trainer_result.json"
    done
    window
    events
    flight_recorder
fi
if python3 -c 'import torch; raise SystemExit(not torch.cuda.is_available())' 2>/dev/null; then
    record_and_check pytorch standard env -u LD_LIBRARY_PATH MASTER_ADDR=127.0.0.1 MASTER_PORT=29517 RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 \
        python3 "$here/ddp_torch.py"
else
    echo "PyTorch with CUDA is not installed here: the DDP script was left out"
fi
