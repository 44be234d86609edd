#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy on the files changed since RINGSIDE_TIDY_BASE (default: the commit before this one) and not yet committed;
# with --all on every file that the preset dev compiles. A change of more than 60 files is checked in its 60 first ones, and says so:
# the whole tree takes 25 minutes on 2 cores. Each file is read alone, so that a missing #include shows, too.
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
all=no
case "${1:-}" in
    --all) all=yes ;;
    "") ;;
    *) fail "unknown option $1" "usage: check_tidy.sh [--all]" ;;
esac
cd "$RINGSIDE_ROOT"

# The flags of each file by itself; in build/dev several are compiled as one.
build=$RINGSIDE_ROOT/build/tidy
cmake --preset dev -B "$build" -DRINGSIDE_UNITY=OFF >/dev/null || fail "configuring build/tidy failed" "CMake's lines above name what is missing."
# What Qt's generator makes of headers and tests is included by them.
mapfile -t generated < <(ninja -C "$build" -t targets all | sed -nE 's|^([a-z_-]+_autogen): phony$|\1|p')
[ ${#generated[@]} -eq 0 ] || ninja -C "$build" "${generated[@]}" >/dev/null || fail "Qt's generator failed" "Run it again: ninja -C build/tidy ${generated[0]}"

changed_files() {
    local base=${RINGSIDE_TIDY_BASE:-HEAD~1}
    if git rev-parse -q --verify "$base^{commit}" >/dev/null; then
        git diff --name-only --diff-filter=d "$base" -- '*.cpp'
    else
        git ls-files '*.cpp' # a shallow clone, or the first commit: nothing to compare with
    fi
}
list_files() { if [ "$all" = yes ]; then git ls-files '*.cpp'; else changed_files; fi; }

# Only what this build compiles: without the toolkit, for instance, some files have no flags.
mapfile -t files < <(list_files | python3 -c '
import json, os, sys
compiled = {os.path.realpath(entry["file"]) for entry in json.load(open(sys.argv[1]))}
print("\n".join(name for name in sys.stdin.read().split() if os.path.realpath(name) in compiled))
' "$build/compile_commands.json" | sed '/^$/d')
most=60
if [ "$all" = no ] && [ ${#files[@]} -gt $most ]; then
    echo "${#files[@]} files changed; $most are checked here, the rest by soak.sh"
    files=("${files[@]:0:$most}")
fi
if [ ${#files[@]} -eq 0 ]; then
    echo "no compiled file changed"
    exit 0
fi
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build" 2>/dev/null ||
    fail "clang-tidy found something" "The lines above say what; the checks stand in .clang-tidy."
echo "${#files[@]} files are tidy"
