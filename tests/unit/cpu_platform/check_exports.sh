#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_exports.sh LIBRARY EXPORTS [NODE]: the library exports exactly the words in EXPORTS, under the symbol version NODE (without one:
# without versions), and besides them only our own (RINGSIDE_PLATFORM).
set -eu
exported=$(mktemp)
trap 'rm -f "$exported"' EXIT
nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | grep -v '@@RINGSIDE_PLATFORM$' | LC_ALL=C sort >"$exported"
tr ' ' '\n' <"$2" | sed "s/\$/${3:+@@$3}/" | LC_ALL=C sort | diff - "$exported"
