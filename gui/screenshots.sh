#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The pictures that the README shows: records a run of the trainer with a late rank and lets the program paint it, without a
# display. Small on purpose: few, with 256 colours, none larger than 150 KB.
#   bash gui/screenshots.sh BUILD-DIRECTORY [FOLDER]      default folder: gui/screenshots
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"

build=$(realpath "${1:?the build directory}")
pictures=$(realpath -m "${2:-$RINGSIDE_ROOT/gui/screenshots}")
command -v pngquant >/dev/null || fail "pngquant is missing" "Run: bash tests/support/install_packages.sh --gui"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$pictures"

stage "Recording" "4 emulated ranks, of which rank 2 comes 25 ms late to every step."
run=$folder/demo.ringside
"$build/bin/ringside" record -o "$run" --profile standard -- env \
    "LD_LIBRARY_PATH=$build/lib/cpu_platform${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    "RINGSIDE_DEVICE_MODEL=$RINGSIDE_ROOT/reference_trainer/cpu_platform/device_models/a100_like.conf" OPENBLAS_NUM_THREADS=1 \
    "$build/bin/ddp_trainer" --nproc 4 --steps 40 --fault late_rank:rank=2,ms=25 >"$folder/record.log" 2>&1 ||
    { cat "$folder/record.log" >&2; fail "the trainer could not be recorded" "Its last lines are above."; }

picture() { # NAME VIEW APPEARANCE
    "$build/bin/ringside-gui" "--$3" --view "$2" --export "$folder/$1.png" "$run"
    pngquant --force --speed 1 --strip --output "$pictures/$1.png" 256 "$folder/$1.png"
    local bytes
    bytes=$(stat -c %s "$pictures/$1.png")
    [ "$bytes" -le 150000 ] || fail "$pictures/$1.png has $bytes bytes" "Make it smaller: the README is read over networks."
    echo "$pictures/$1.png: $bytes bytes"
}
stage "Painting"
picture overview_light findings light
picture overview_dark findings dark
picture ranks_and_steps_light heat_map light
