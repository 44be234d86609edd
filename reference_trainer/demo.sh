#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job end to end on a machine without a GPU: installs what is missing, builds, trains on 4 emulated ranks under
# the collector with two faults switched on, and lets the report find them. The late rank and its delay are drawn at
# random: DEMO_SEED repeats a draw. Leaves nothing outside build/ and the run directory.
#   bash reference_trainer/demo.sh [RUN DIRECTORY]      default: build/demo/demo.ringside
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/build_progress.sh"

run=$(realpath -m "${1:-$RINGSIDE_ROOT/build/demo/demo.ringside}")
cd "$RINGSIDE_ROOT"
build=$RINGSIDE_ROOT/build/dev
seed=${DEMO_SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
[[ $seed =~ ^[0-9]+$ ]] || fail "DEMO_SEED=$seed is not a whole number" "Give the one that an earlier run printed, or none."
case $run in
*.ringside) ;;
*) fail "the run directory $run does not end in .ringside" "The demo replaces it, so it must be recognisable as a recording." ;;
esac

stage "Packages" "What is missing is installed with apt-get; needs root and a network only then."
bash "$RINGSIDE_ROOT/tests/support/install_packages.sh"
need_space 2000

stage "Build" "The collector, the analyzer, the trainer and the emulated GPU libraries, into build/dev."
build_preset dev ddp_trainer ringside ringside_collector ringside_platform_cudart ringside_platform_cublas ringside_platform_nccl \
    ringside_platform_cupti ringside_platform_nvml

RANDOM=$seed
rank=$((RANDOM % 4))
ms=$((15 + RANDOM % 25))
stage "Training under the collector" "4 ranks, emulated GPUs with the device model on, 60 steps." \
    "Planted: rank $rank comes $ms ms late to every step, and gradients travel in buckets of 0.1 MiB." \
    "DEMO_SEED=$seed repeats this draw."
rm -rf "$run"
mkdir -p "$(dirname "$run")" || fail "cannot create $(dirname "$run")" "Name a writable place for the run directory."
"$build/bin/ringside" record -o "$run" --profile standard -- "$RINGSIDE_ROOT/reference_trainer/on_emulated_gpus.sh" \
    ddp_trainer --nproc 4 --steps 60 --fault "late_rank:rank=$rank,ms=$ms" --fault small_buckets ||
    fail "the recorded training failed" "Its own lines above say why."

stage "Report"
"$build/bin/ringside" report "$run" || fail "the report failed" "The recording is in $run."

stage "Does the report name both planted faults?"
"$build/bin/ringside" report "$run" --format json | python3 -c '
import json, sys
findings = json.load(sys.stdin)["findings"]
late = [finding["ranks"] for finding in findings if finding["rule"] == "late_rank"]
small = any(finding["rule"] == "small_messages" for finding in findings)
print("late rank: planted", sys.argv[1] + ", found", " and ".join(map(str, late)) or "none")
print("small buckets: planted,", "found" if small else "NOT found")
sys.exit(0 if [int(sys.argv[1])] in late and small else 1)' "$rank" ||
    fail "the report does not name what was planted" "DEMO_SEED=$seed repeats this run; the recording is in $run."

stage "Done" "The recording is in $run" "Look again: $build/bin/ringside report $run"
