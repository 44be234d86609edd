#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Keeps a training job from getting slower, in any CI: gate.sh OUTPUT COMMAND...
# Records COMMAND, leaves its reports in OUTPUT, compares it with the run in $GATE_BASELINE (none yet: nothing to compare).
# Its own settings begin with GATE_: those that begin with RINGSIDE_ are read by Ringside, also in the job.
# Exit code: 0 fine, 1 slower or a problem found, 4 inconclusive, else what failed. Copy it and change what you like.
set -euo pipefail
: "${GATE_RINGSIDE:=ringside}" "${GATE_BASELINE:=}" "${GATE_SLOWER:=5%}" "${GATE_FAIL_ON:=problem}"
[ $# -ge 2 ] || { echo "usage: gate.sh OUTPUT COMMAND..." >&2; exit 2; }
output=$1
shift
run=$output/job.ringside
mkdir -p "$output"
rm -rf "$run"

"$GATE_RINGSIDE" record -o "$run" --profile standard -- "$@"

# For people, for the CI system's test page, for code scanning, for a graph over time.
for format in html markdown junit sarif benchmark-json; do
    "$GATE_RINGSIDE" report "$run" --format "$format" -o "$output/report.$format"
done
if [ -n "${GITHUB_ACTIONS:-}" ]; then
    "$GATE_RINGSIDE" report "$run" --format github
    cat "$output/report.markdown" >>"$GITHUB_STEP_SUMMARY"
fi

code=0
if [ -n "$GATE_BASELINE" ]; then
    "$GATE_RINGSIDE" diff "$GATE_BASELINE" "$run" --gate "$GATE_SLOWER" || code=$?
fi
if [ "$GATE_FAIL_ON" != never ] && [ $code -eq 0 ]; then
    "$GATE_RINGSIDE" report "$run" --fail-on "$GATE_FAIL_ON" || code=$?
fi
exit $code
