#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails where the checkout that it is called in is no release of VERSION: somebody must answer for it, its tag must be the version, and
# nothing may differ from what is committed. usage: check_release.sh VERSION
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"
version=${1:?usage: check_release.sh VERSION}
contact=${RINGSIDE_PACKAGE_CONTACT:-}

[[ $contact =~ ^[^\<\>]*[^\<\>\ ]\ \<[^@\<\>\ ]+@[^@\<\>\ ]+\.[^@\<\>\ ]+\>$ ]] ||
    fail "nobody answers for this release: RINGSIDE_PACKAGE_CONTACT is '$contact'" "Set it in the environment: 'NAME <MAIL>', where users can write to."
tag=$(git tag --points-at HEAD --list "v$version")
[ -n "$tag" ] || fail "HEAD is not version $version: it lacks the tag v$version" "git tag v$version"
changed=$(git status --porcelain)
[ -z "$changed" ] || fail "these files are not as committed" "$changed"
grep -q "^## $version - " CHANGELOG.md || fail "CHANGELOG.md has no heading '## $version - DATE'"
echo "a release of version $version by $contact"
