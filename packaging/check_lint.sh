#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails where lintian or rpmlint says anything of the packages in FOLDER that lintian/ and rpmlint.toml do not give a reason for.
# usage: check_lint.sh FOLDER
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"
folder=${1:?usage: check_lint.sh FOLDER}
for linter in lintian rpmlint; do
    command -v $linter >/dev/null || fail "$linter is missing" "bash tests/support/install_packages.sh --packaging"
done
said=$(for package in "$folder"/*.deb; do lintian --allow-root --tag-display-limit 0 "$package"; done
    rpmlint -c "$RINGSIDE_ROOT/packaging/rpmlint.toml" "$folder"/*.rpm | grep -E ': [EW]: ' || true)
[ -z "$said" ] || fail "the packages are not clean" "$said" "Mend it, or give the reason why not in packaging/lintian or packaging/rpmlint.toml."
echo "lintian and rpmlint have nothing to say of $(find "$folder" -name '*.deb' -o -name '*.rpm' | wc -l) packages"
