#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Uses the packages of build.sh on a minimal Debian or Ubuntu (debootstrap, as root), each as root and as a user without rights: the
# archive from a read-only path with a space, the deb, the wheel where Python is new enough. A program that marks steps is recorded
# and, where its C library is there, a trainer (trainer.sh). An upgrade must keep nothing stale, and removing must leave nothing.
# On bookworm, the deb of ringside-gui (build.sh --gui) is used, too, where there is one; what it needs is downloaded.
# RINGSIDE_MACHINE=aarch64 tries packages of ARM64 on such a system in qemu-user.
# usage: check_on_system.sh xenial|bionic|focal|jammy|noble|bullseye|bookworm|trixie PACKAGES_FOLDER [TRAINER_FOLDER]
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"
. "$RINGSIDE_ROOT/packaging/machine.sh"

usage="usage: check_on_system.sh xenial|bionic|focal|jammy|noble|bullseye|bookworm|trixie PACKAGES_FOLDER [TRAINER_FOLDER]"
suite=${1:?$usage}
packages=$(realpath "${2:?$usage}")
trainer=${3:+$(realpath "$3")}
system=$RINGSIDE_ROOT/$output/$suite
command -v debootstrap >/dev/null || fail "debootstrap is missing" "apt-get install debootstrap"
[ "$(id -u)" -eq 0 ] || fail "a chroot needs root"
[ -z "$tools" ] || . "$RINGSIDE_ROOT/packaging/emulator.sh"

script=() # of debootstrap, which may be older than the suite; those of Ubuntu are all one
case $suite in
    bullseye | bookworm | trixie) mirror=$(bash "$RINGSIDE_ROOT/packaging/debian_mirror.sh") options=(--include=python3-venv) ;;
    focal | jammy | noble) mirror=${RINGSIDE_UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu} options=(--components=main,universe --include=python3-venv) script=(gutsy) ;;
    xenial | bionic) mirror=${RINGSIDE_UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu} options=() ;; # their Python is too old for the wheel
    *) fail "unknown system $suite" "$usage" ;;
esac
[ -e "$system.complete" ] || {
    rm -rf "$system"
    debootstrap --arch="$debian_machine" --variant=minbase "${options[@]}" "$suite" "$system" "$mirror" "${script[@]}" >"$system.log" 2>&1 || fail "debootstrap failed" "$(tail -3 "$system.log")"
    touch "$system.complete"
}
rm -rf "$system/opt"
mkdir -p "$system/opt/ring side" "$system/opt/packages"
cp "$packages"/ringside-*.tar.gz "$packages"/ringside_*.deb "$packages"/libringside-dev_*.deb "$packages"/ringside-*.whl "$system/opt/packages"
tar -C "$system/opt/ring side" --strip-components=1 -xzf "$packages"/ringside-*.tar.gz
# It is made of Debian 11's libraries.
c_library=$(chroot "$system" getconf GNU_LIBC_VERSION)
if [ -n "$trainer" ] && [ "$(printf '%s\n' "${c_library#glibc }" 2.31 | sort -V | head -1)" != 2.31 ]; then
    echo "== $c_library is too old for the trainer: only marked steps are recorded"
    trainer=
fi
[ -z "$trainer" ] || cp -a "$trainer" "$system/opt/trainer"

# Linked with the sysroot's C library, as the packages are.
sysroot=$RINGSIDE_ROOT/$output/sysroot
libraries=$sysroot/usr/lib/$triplet
"${tools}gcc" -x c - -o "$system/opt/marks" -I"$RINGSIDE_ROOT/collector/include" --sysroot="$sysroot" -B"$libraries" -L"$libraries" -L"$sysroot/lib/$triplet" <<'MARKS'
#include <ringside/collector.h>
#include <unistd.h>
int main(void)
{
    for (int step = 1; step <= 20; ++step) {
        RINGSIDE_STEP_BEGIN(step);
        usleep(1000);
        RINGSIDE_STEP_END();
    }
    return 0;
}
MARKS

# No system of their kind can be had here: the rpms are installed into, and removed from, a root of their own on this machine.
check_rpm() {
    local root
    command -v rpm >/dev/null || fail "rpm is missing" "bash tests/support/install_packages.sh --packaging"
    root=$(mktemp -d)
    rpm --root "$root" --initdb && rpm --root "$root" --nodeps --nosignature --ignorearch -i "$packages"/*.rpm 2>/dev/null || fail "the rpms cannot be installed"
    "$root/usr/bin/ringside" version --json | grep "$root/usr/lib/ringside" >/dev/null || fail "the rpm's program does not find its collector"
    rpm --root "$root" -e ringside libringside-dev 2>/dev/null
    [ -z "$(find "$root/usr" -not -type d)" ] || fail "removing the rpms leaves $(find "$root/usr" -not -type d)"
    rm -rf "$root"
    echo "== rpm, in a root of its own: installed, run, removed"
}
check_rpm

# Mounts end with this script's own namespace.
if [ "$suite" = bookworm ] && compgen -G "$packages/ringside-gui_*.deb" >/dev/null; then
    mkdir "$system/opt/gui"
    cp "$packages"/ringside-gui_*.deb "$system/opt/gui"
fi
unshare --mount --fork bash -euo pipefail -s "$system" "${trainer:+trainer}" <<'INSIDE'
system=$1 trainer=${2:-}
mount -t proc proc "$system/proc"
mount -t tmpfs -o mode=1777 tmpfs "$system/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$system/tmp"
mount --bind "$system/opt/ring side" "$system/opt/ring side"
mount -o remount,bind,ro "$system/opt/ring side"
as() { # USER SCRIPT ARGUMENT...
    local user=$1 script=$2
    shift 2
    chroot "$system" runuser -u "$user" -- env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 HOME=/tmp bash -euo pipefail -c "$script" bash "$@"
}
files() { (cd "$system" && find . -xdev -not -path './var/lib/dpkg/*' -not -path './var/log/*' -not -path './var/cache/*' -not -path './opt/*' | sort); }

# use NAME PROGRAM: what a user does with it.
use() { # pipes are read to their ends: a program that writes into a closed one dies
    local user
    for user in root nobody; do
        echo "== $1 as $user: $(as $user '"$1" --version' "$2"), $(chroot "$system" ldd --version | head -1)"
        as $user 'cd "$(mktemp -d)"
            "$1" record -o empty.ringside -- /bin/echo recorded 2>/dev/null | grep -x recorded >/dev/null
            "$1" rules | grep late_rank >/dev/null; "$1" doctor >/dev/null; "$1" version --json >/dev/null
            # A variable for the loader cannot hold the space in a path: the message asks for a link.
            ln -s "$("$1" version --json | sed -nE "s/.*\"([^\"]*libringside_collector.so)\".*/\1/p")" collector.so
            (variables=$(RINGSIDE_COLLECTOR=$PWD/collector.so "$1" env -o "$PWD/marks.ringside"); eval "$variables"; /opt/marks)
            "$1" query marks.ringside "SELECT count(*) FROM step_mark" --format csv | tail -1 | grep -x 20 >/dev/null
            "$1" report marks.ringside | grep marks.ringside >/dev/null; "$1" hang marks.ringside >/dev/null' "$2"
        [ -n "$trainer" ] || continue
        as $user 'cd "$(mktemp -d)" && export LD_LIBRARY_PATH=/opt/trainer/cpu_platform
            "$1" record -o run.ringside -- /opt/trainer/ddp_trainer --nproc 2 --steps 20 >/dev/null
            "$1" report run.ringside | sed -n 1,3p
            "$1" hang run.ringside | sed -n 1,2p
            "$1" query run.ringside "SELECT count(*) AS kernels FROM kernel" --format csv | tail -1 | grep -E "^[1-9]" >/dev/null' "$2"
    done
}
# nothing_left BEFORE
nothing_left() { diff "$1" <(files) || { echo "removing left these files" >&2; exit 1; }; }

use "archive, read-only" "/opt/ring side/bin/ringside"

before=$(mktemp)
files >"$before"
# An older version with a file that the newer does not have.
as root 'cd /tmp && dpkg-deb -R /opt/packages/ringside_*.deb old && sed -i "s/^Version: .*/Version: 0.0.1/" old/DEBIAN/control
    echo stale >old/usr/share/ringside/stale && dpkg-deb -b old old.deb >/dev/null && dpkg -i old.deb >/dev/null && test -e /usr/share/ringside/stale
    dpkg -i /opt/packages/*.deb >/dev/null && ! test -e /usr/share/ringside/stale'
use deb ringside
as root 'dpkg --purge ringside libringside-dev >/dev/null'
nothing_left "$before"

if chroot "$system" python3 -c "import sys; sys.exit(sys.version_info < (3, 8))" 2>/dev/null; then
    as root 'python3 -m venv /tmp/python && find /tmp/python -type f | sort >/tmp/before && /tmp/python/bin/pip -q install --no-index /opt/packages/*.whl'
    as nobody 'cd /tmp && python/bin/python -B -m ringside --version && python/bin/python -B -c "import ringside; ringside.step_begin(1); ringside.step_end()"'
    use wheel /tmp/python/bin/ringside
    # pip leaves empty folders, and Python what it compiled.
    as root '/tmp/python/bin/pip -q uninstall -y ringside && comm -13 /tmp/before <(find /tmp/python -type f -not -name "*.pyc" | sort) | { ! grep .; }'
    nothing_left "$before"
else
    echo "== wheel: left out, there is no Python 3.8"
fi
if [ -d "$system/opt/gui" ]; then
    as root 'export DEBIAN_FRONTEND=noninteractive; apt-get -q update && apt-get -q -y --no-install-recommends install /opt/gui/*.deb' >/dev/null 2>&1
    for user in root nobody; do
        as $user 'cd "$(mktemp -d)" && "/opt/ring side/bin/ringside" record -q -o run.ringside -- /opt/marks
            ringside-gui run.ringside --export picture.png 2>/dev/null; head -c 4 picture.png | grep -a PNG >/dev/null
            code=0; QT_QPA_PLATFORM=offscreen timeout 5 ringside-gui run.ringside 2>/dev/null || code=$?; [ $code -eq 124 ]'
        echo "== ringside-gui as $user: opens a run, and writes a picture of it"
    done
    as root 'apt-get -q -y purge ringside-gui && apt-get -q -y autoremove --purge' >/dev/null 2>&1
    left=$(find "$system" -xdev -name '*ringside*' -not -path "$system/var/lib/dpkg/*" -not -path "$system/opt/*")
    [ -z "$left" ] || { echo "removing ringside-gui left $left" >&2; exit 1; }
fi
echo "all packages work on $(. "$system/etc/os-release" && echo "$PRETTY_NAME"), and leave nothing"
INSIDE
