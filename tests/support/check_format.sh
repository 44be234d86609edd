#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that every source file in the repository is formatted as .clang-format says; changes nothing.
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$RINGSIDE_ROOT"

mapfile -t files < <(git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' '*.c')
[ ${#files[@]} -gt 0 ] || fail "git lists no source files" "Run it inside a clone of the repository."
# One call for many files, as most of a call is reading .clang-format; which file it is stands before the colon.
report=$(printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 100 clang-format --dry-run 2>&1) ||
    fail "clang-format could not read all files" "${report:-It said nothing.}"
mapfile -t unformatted < <(sed -nE 's/^([^:]+):[0-9]+:[0-9]+: warning: code should be clang-formatted.*/\1/p' <<<"$report" | sort -u)
[ ${#unformatted[@]} -eq 0 ] || fail "${#unformatted[@]} of ${#files[@]} files are not formatted" \
    "Mend them with: clang-format -i ${unformatted[*]}"
echo "${#files[@]} files are formatted"
