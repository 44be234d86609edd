#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the plan of this folder on a machine with a GPU: run.sh [--list] [--within SECONDS] [--pack FOLDER] [NAME...]; README.md
# says how. Installs and builds nothing. Exit 77: no GPU here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
gpu_found() { [ -e /dev/nvidia0 ] || nvidia-smi -L >/dev/null 2>&1; }
if [[ " $* " != *" --list "* ]] && ! gpu_found; then
    echo "no NVIDIA GPU here: neither nvidia-smi nor /dev/nvidia0; nothing was run"
    exit 77
fi
exec python3 -B "$here/plan.py" "$@"
