#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The desktop program on a real X server, with real keys: a run of the trainer with a late rank is recorded and opened, Ctrl+2 and
# Enter activate the first finding, and what the timeline then shows must contain the finding's evidence.
#   bash tests/gui/smoke.sh BUILD-DIRECTORY
. "$(dirname "${BASH_SOURCE[0]}")/../support/environment.sh"

build=$(realpath "${1:?the build directory}")
folder=$(mktemp -d)
display_process=
gui_process=
cleanup() {
    for process in $gui_process $display_process; do
        kill "$process" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap cleanup EXIT

run=$folder/late.ringside
"$build/bin/ringside" record -o "$run" --profile standard -- env \
    "LD_LIBRARY_PATH=$build/lib/cpu_platform${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    "RINGSIDE_DEVICE_MODEL=$RINGSIDE_ROOT/reference_trainer/cpu_platform/device_models/a100_like.conf" OPENBLAS_NUM_THREADS=1 \
    "$build/bin/ddp_trainer" --nproc 2 --steps 20 --fault late_rank:rank=1,ms=30 >"$folder/record.log" 2>&1 ||
    { cat "$folder/record.log" >&2; fail "the trainer could not be recorded" "Its last lines are above."; }
"$build/bin/ringside" report "$run" --format json >"$folder/report.json"

Xvfb -screen 0 1400x900x24 -nolisten tcp -displayfd 3 3>"$folder/display" 2>"$folder/xvfb.log" &
display_process=$!
wait_until() { # TEXT COMMAND...: up to a minute
    local what=$1
    shift
    for _ in $(seq 300); do
        "$@" && return
        sleep 0.2
    done
    cat "$folder"/*.log >&2
    fail "waited for $what, in vain" "The programs' lines are above."
}
wait_until "the X server" test -s "$folder/display"
DISPLAY=:$(cat "$folder/display")
export DISPLAY
export XDG_CONFIG_HOME=$folder/config XDG_RUNTIME_DIR=$folder
QT_QPA_PLATFORM=xcb QT_LOGGING_RULES=ringside.timeline.debug=true "$build/bin/ringside-gui" --light "$run" 2>"$folder/gui.log" &
gui_process=$!
wait_until "the timeline" grep -qs shows "$folder/gui.log"
before=$(grep -c shows "$folder/gui.log")
window=$(xdotool search --onlyvisible --pid "$gui_process" | tail -1)
xdotool windowfocus --sync "$window"
xdotool key --window "$window" ctrl+2
xdotool key --window "$window" Home Return
has_moved() { [ "$(grep -c shows "$folder/gui.log")" -gt "$before" ]; }
wait_until "the timeline to move" has_moved
/usr/bin/python3 - "$folder/report.json" "$folder/gui.log" <<'PYTHON' || fail "the timeline does not show the first finding's evidence" "What it showed and what it should is above."
import json, sys
finding = json.load(open(sys.argv[1]))["findings"][0]
evidence = finding["evidence"][0]
start, end = [int(word) for word in [line for line in open(sys.argv[2]) if "shows" in line][-1].split()[-2:]]
print(finding["rule"], "evidence", evidence["start_ns"], evidence["end_ns"], "shown", start, end)
sys.exit(0 if start <= evidence["start_ns"] and evidence["end_ns"] <= end and end - start < 4e9 else 1)
PYTHON
