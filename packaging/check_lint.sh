#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails where lintian or rpmlint says anything of the packages in FOLDER that lintian/ and rpmlint.toml do not give a reason for, where
# one of them did not read every package, and where there are none of its kind.
# usage: check_lint.sh FOLDER
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"
folder=${1:?usage: check_lint.sh FOLDER}
for linter in lintian rpmlint; do
    command -v $linter >/dev/null || fail "$linter is missing" "bash tests/support/install_packages.sh --packaging"
done
shopt -s nullglob
debs=("$folder"/*.deb) rpms=("$folder"/*.rpm)

for package in "${debs[@]}"; do
    code=0
    said=$(lintian --allow-root --tag-display-limit 0 "$package" 2>&1) || code=$?
    [ $code -ne 1 ] || fail "lintian could not read $package" "$said"
    [ -z "$said" ] || fail "$package is not clean" "$said" "Mend it, or give the reason why not in packaging/lintian."
done
said=$(rpmlint -c "$RINGSIDE_ROOT/packaging/rpmlint.toml" "${rpms[@]}" 2>&1 || true)
found=$(grep -E ': [EW]: ' <<<"$said" || true)
[ -z "$found" ] || fail "the rpms are not clean" "$found" "Mend it, or give the reason why not in packaging/rpmlint.toml."
[ ${#debs[@]} -gt 0 ] && [ ${#rpms[@]} -gt 0 ] || fail "$folder has ${#debs[@]} debs and ${#rpms[@]} rpms" "bash packaging/build.sh makes both."
grep -q " ${#rpms[@]} packages and .* checked" <<<"$said" || fail "rpmlint did not read all ${#rpms[@]} rpms" "$said"
echo "lintian and rpmlint have nothing to say of ${#debs[@]} debs and ${#rpms[@]} rpms"
