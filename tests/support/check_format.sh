#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that every source file in the repository is formatted as .clang-format says; changes nothing.
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$RINGSIDE_ROOT"

mapfile -t files < <(git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' '*.c')
[ ${#files[@]} -gt 0 ] || fail "git lists no source files" "Run it inside a clone of the repository."
unformatted=()
for file in "${files[@]}"; do
    clang-format --dry-run -Werror "$file" 2>/dev/null || unformatted+=("$file")
done
[ ${#unformatted[@]} -eq 0 ] || fail "${#unformatted[@]} of ${#files[@]} files are not formatted" \
    "Mend them with: clang-format -i ${unformatted[*]}"
echo "${#files[@]} files are formatted"
