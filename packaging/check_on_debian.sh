#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Uses the archive of build.sh on a minimal Debian 11 (debootstrap, as root): from a path with a space, read-only, as a user without
# rights, and the collector preloaded into what is there. A second argument names a folder with a trainer and its libraries
# (ddp_trainer, cpu_platform/) that run there; it is then recorded and reported on.
# usage: check_on_debian11.sh ARCHIVE [TRAINER_FOLDER]
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"

archive=$(realpath "${1:?usage: check_on_debian11.sh ARCHIVE [TRAINER_FOLDER]}")
trainer=${2:+$(realpath "$2")}
system=$RINGSIDE_ROOT/build/portable/debian11
command -v debootstrap >/dev/null || fail "debootstrap is missing" "apt-get install debootstrap"
[ "$(id -u)" -eq 0 ] || fail "a chroot needs root"

[ -e "$system.complete" ] || {
    rm -rf "$system"
    debootstrap --variant=minbase bullseye "$system" "$(bash "$RINGSIDE_ROOT/packaging/debian_mirror.sh")" >"$system.log" 2>&1 ||
        fail "debootstrap failed" "$(tail -3 "$system.log")"
    touch "$system.complete"
}
rm -rf "$system/opt/ring side"
mkdir -p "$system/opt/ring side"
tar -C "$system/opt/ring side" --strip-components=1 -xzf "$archive"
[ -z "$trainer" ] || { rm -rf "$system/opt/trainer" && cp -a "$trainer" "$system/opt/trainer"; }

# Mounts end with this script's own namespace.
exec unshare --mount --fork bash -euo pipefail -s "$system" "${trainer:+trainer}" <<'INSIDE'
system=$1
mount -t proc proc "$system/proc"
mount -t tmpfs -o mode=1777 tmpfs "$system/dev/shm"
mount --bind "$system/opt/ring side" "$system/opt/ring side"
mount -o remount,bind,ro "$system/opt/ring side"
inside() { chroot "$system" /usr/sbin/runuser -u nobody -- env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 HOME=/tmp/nobody bash -euo pipefail -c "$1"; }
chroot "$system" bash -c 'rm -rf /tmp/nobody && mkdir -m 700 /tmp/nobody && chown nobody /tmp/nobody'
echo "C library: $(chroot "$system" ldd --version | head -1)"
inside '"/opt/ring side/bin/ringside" --version'
inside 'cp "/opt/ring side/lib/ringside/libringside_collector.so" /tmp/nobody/ && LD_PRELOAD=/tmp/nobody/libringside_collector.so /bin/echo preloaded'
inside 'cd /tmp/nobody && "/opt/ring side/bin/ringside" record -o empty.ringside -- /bin/echo recorded'
inside '"/opt/ring side/bin/ringside" rules | grep -c . && "/opt/ring side/bin/ringside" doctor'
[ "${2:-}" = trainer ] || exit 0
inside 'cd /tmp/nobody && export LD_LIBRARY_PATH=/opt/trainer/cpu_platform
    "/opt/ring side/bin/ringside" record -o run.ringside -- /opt/trainer/ddp_trainer --nproc 2 --steps 20
    "/opt/ring side/bin/ringside" report run.ringside
    "/opt/ring side/bin/ringside" hang run.ringside
    "/opt/ring side/bin/ringside" query run.ringside "SELECT count(*) FROM kernel"'
INSIDE
