#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The gate of packaging/check_lint.sh names what is wrong with a package, and lets no empty folder through. lint.sh SOURCE
set -euo pipefail
source=$(cd "${1:?usage: lint.sh SOURCE}" && pwd)
for linter in lintian rpmlint; do
    command -v $linter >/dev/null || { echo "lint: $linter is missing"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refuses WORDS FOLDER
refuses() {
    local said
    ! said=$(bash "$source/packaging/check_lint.sh" "$2" 2>&1) || { echo "lint: '$2' passes, and should not: $1" >&2; exit 1; }
    [[ $said == *"$1"* ]] || { echo "lint: it should say '$1', but says: $said" >&2; exit 1; }
}

mkdir -p "$work/none" "$work/debs" "$work/tree/DEBIAN" "$work/tree/usr/bin"
refuses "has 0 debs and 0 rpms" "$work/none"
printf 'Package: ringside\nVersion: 1.0\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: short\n' >"$work/tree/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/tree" "$work/debs/ringside.deb" >/dev/null
refuses no-copyright-file "$work/debs"
echo text >"$work/debs/ringside.deb"
refuses "lintian" "$work/debs"
echo "what is wrong with packages is named"
