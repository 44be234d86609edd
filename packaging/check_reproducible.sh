#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the packages twice more, from copies of HEAD in folders of different names and without a compiler cache, and compares every
# byte. Takes twice as long as build.sh, and 3 GB below build/reproducible, which are removed where all is equal.
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"
cd "$RINGSIDE_ROOT"

folder=$RINGSIDE_ROOT/build/reproducible
copies=("$folder/one" "$folder/two-with-a-longer-name")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH CCACHE_DISABLE=1
rm -rf "$folder"
for copy in "${copies[@]}"; do
    mkdir -p "$copy"
    git archive HEAD | tar -x -C "$copy"
    [ ! -e build/portable/sysroot/complete ] || { mkdir -p "$copy/build/portable" && cp -a build/portable/sysroot "$copy/build/portable"; }
    stage "Build in $copy"
    bash "$copy/packaging/build.sh" >"$copy.log" 2>&1 || fail "the build in $copy failed" "$(tail -5 "$copy.log")"
done
if ! diff -r "${copies[0]}/build/portable/packages" "${copies[1]}/build/portable/packages"; then
    fail "two builds of the same sources differ" "Both are left in $folder; diffoscope shows what differs."
fi
cat "${copies[0]}/build/portable/packages/SHA256SUMS"
rm -rf "$folder"
echo "two builds in different folders gave the same bytes"
