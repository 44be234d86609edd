#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes deb and wheel of a build and uses them: unpacked below a read-only path with a space; installed, upgraded and removed in a
# dpkg root of its own. The long form, on systems of their own, is packaging/check_on_system.sh. packages.sh SOURCE BUILD
set -euo pipefail
source=$(cd "${1:?usage: packages.sh SOURCE BUILD}" && pwd)
build=$(cd "${2:?usage: packages.sh SOURCE BUILD}" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH=1700000000

fail() { echo "packages: $1" >&2; exit 1; }

# use PROGRAM: it records, and finds the collector beside itself.
use() {
    local told
    told=$("$1" version --json) || fail "$1 does not run"
    [[ $told == *"$(dirname "$(dirname "$1")")"*libringside_collector.so* ]] || fail "$1 takes another collector: $told"
    [ "$(cd "$work" && "$1" record -q -o empty.ringside -- echo recorded 2>/dev/null)" = recorded ] || fail "$1 cannot record"
}

cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/debs" -D "CPACK_COMPONENTS_ALL=runtime;development" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip \
    >"$work/cpack.log" 2>&1 || fail "cpack failed: $(tail -3 "$work/cpack.log")"
deb=$(echo "$work"/debs/ringside_*.deb)
contents=$(dpkg-deb -c "$deb")
for file in usr/bin/ringside usr/lib/ringside/libringside_collector.so share/man/man1/ringside-record.1.gz share/ringside/python/ringside/__init__.py \
    share/bash-completion/completions/ringside share/doc/ringside/copyright share/doc/ringside/changelog.gz; do
    [[ $contents == *"$file"* ]] || fail "the deb lacks $file"
done
[[ $contents != *collector.h* ]] || fail "the header belongs to the other package"
[[ $(dpkg-deb -c "$work"/debs/libringside-dev_*.deb) == *usr/include/ringside/collector.h* ]] || fail "the other package lacks the header"
if awk '$2 != "root/root" { exit 1 }' <<<"$contents"; then :; else fail "the deb has files that are not root's"; fi

mkdir "$work/read only"
dpkg-deb -x "$deb" "$work/read only"
chmod -R a-w "$work/read only"
use "$work/read only/usr/bin/ringside"

# An older one with a file that the newer does not have.
dpkg-deb -R "$deb" "$work/old"
sed -i 's/^Version: .*/Version: 0.0.1/' "$work/old/DEBIAN/control"
touch "$work/old/usr/share/ringside/stale"
dpkg-deb --root-owner-group -Znone -b "$work/old" "$work/old.deb" >/dev/null
root=$work/root
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
into_root() { dpkg --root="$root" --log=/dev/null --force-not-root --force-depends --force-script-chrootless "$@" >/dev/null 2>"$work/dpkg.log" || fail "dpkg: $(cat "$work/dpkg.log")"; }
into_root -i "$work/old.deb"
[ -e "$root/usr/share/ringside/stale" ] || fail "the older package was not installed"
into_root -i "$deb"
[ ! -e "$root/usr/share/ringside/stale" ] || fail "an upgrade leaves what the newer package lacks"
use "$root/usr/bin/ringside"
into_root --purge ringside
left=$(find "$root" -mindepth 1 -not -path "$root/var*")
[ -z "$left" ] || fail "removing leaves $left"

cmake --install "$build" --component runtime --prefix "$work/stage" >/dev/null
wheel=$(python3 -B "$source/packaging/wheel.py" "$work/stage" 0.0.1 "$work")
cp "$wheel" "$work/first.whl"
python3 -B "$source/packaging/wheel.py" "$work/stage" 0.0.1 "$work" >/dev/null
cmp "$wheel" "$work/first.whl" || fail "the same tree gives two wheels"
python3 - "$wheel" <<'CHECK' || fail "the wheel is not as its RECORD says"
import base64, hashlib, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
lines = [line.split(",") for line in wheel.read("ringside-0.0.1.dist-info/RECORD").decode().splitlines()]
assert sorted(line[0] for line in lines) == sorted(wheel.namelist())
for name, digest, size in lines[:-1]:
    data = wheel.read(name)
    assert int(size) == len(data) and digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), name
assert wheel.getinfo("ringside/bin/ringside").external_attr >> 16 == 0o100755
CHECK
mkdir "$work/site packages"
python3 -m zipfile -e "$wheel" "$work/site packages"
chmod +x "$work/site packages/ringside/bin/ringside"   # which pip does
use "$work/site packages/ringside/bin/ringside"
(cd / && PYTHONPATH="$work/site packages" python3 -B -m ringside --version) >/dev/null || fail "python -m ringside does not run"
(cd / && PYTHONPATH="$work/site packages" python3 -B -c 'import ringside; ringside.step_begin(1); ringside.step_end()') || fail "the module cannot be imported"
echo "deb and wheel work"
