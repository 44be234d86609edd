#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_versions.sh LIBRARY REAL: every symbol that the library exports has the same name and default version in the real one.
set -eu
ours=$(mktemp)
theirs=$(mktemp)
trap 'rm -f "$ours" "$theirs"' EXIT
nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort >"$ours"
nm -D --defined-only "$2" | awk '$2 != "A" { print $3 }' | sed 's/@\([^@]\)/@@\1/;s/@@@/@@/' | LC_ALL=C sort -u >"$theirs"
test -s "$ours"
LC_ALL=C comm -23 "$ours" "$theirs" | { ! grep .; }
