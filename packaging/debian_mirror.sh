#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the Debian mirror that this machine's packages come from, or RINGSIDE_DEBIAN_MIRROR.
set -euo pipefail
mirror=${RINGSIDE_DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' | grep -v security | head -1)}
[ -n "$mirror" ] || { echo "debian_mirror.sh: no Debian mirror is configured here: set RINGSIDE_DEBIAN_MIRROR" >&2; exit 1; }
echo "$mirror"
