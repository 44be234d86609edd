#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packages are a release only where somebody answers for them, and of what is tagged and committed. release.sh SOURCE
set -euo pipefail
source=$(cd "${1:?usage: release.sh SOURCE}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
unset RINGSIDE_PACKAGE_CONTACT

fail() { echo "release: $1" >&2; exit 1; }

# refuses WORDS COMMAND...: it fails, and says so.
refuses() {
    local words=$1 said
    shift
    ! said=$("$@" 2>&1) || fail "'$*' does not refuse where it should say '$words'"
    [[ $said == *"$words"* ]] || fail "'$*' does not say '$words', but: $said"
}
check() { (cd "$work" && bash "$source/packaging/check_release.sh" "${1:-1.2.3}"); }

refuses RINGSIDE_PACKAGE_CONTACT bash "$source/packaging/build.sh" --release

git -C "$work" init -q
printf '# Changelog\n\n## 1.2.3 - 2026-01-31\n\n- First.\n' >"$work/CHANGELOG.md"
git -C "$work" add . && git -C "$work" commit -q -m first && git -C "$work" tag v1.2.3
refuses RINGSIDE_PACKAGE_CONTACT check
for contact in a@example.org "A B" "A B <nobody@localhost>" "<a@example.org>" "A <B> <a@example.org>"; do
    RINGSIDE_PACKAGE_CONTACT=$contact refuses "nobody answers" check
done
export RINGSIDE_PACKAGE_CONTACT="A B <a@example.org>"
check >/dev/null || fail "a release is refused"
refuses "lacks the tag v1.2.4" check 1.2.4
touch "$work/new"
refuses "?? new" check
git -C "$work" add new && git -C "$work" commit -q -m second
refuses "lacks the tag v1.2.3" check
git -C "$work" tag v1.2.4
refuses "CHANGELOG.md has no heading" check 1.2.4
echo "only releases pass"
