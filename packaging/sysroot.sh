#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Unpacks what portable binaries are linked with into build/portable/sysroot: the C library of Debian 11, whose version is the
# floor of the tools, and the static libraries of Debian 12, of which SQLite and fmt are new enough. Nothing is installed.
# usage: sysroot.sh FOLDER
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"

sysroot=${1:?usage: sysroot.sh FOLDER}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(bash "$RINGSIDE_ROOT/packaging/debian_mirror.sh")
c_library=(libc6 libc6-dev)
libraries=(linux-libc-dev libacl1-dev libarchive-dev libbz2-1.0 libbz2-dev libcli11-dev libdw-dev libelf-dev libfmt-dev liblz4-dev liblzma-dev
    libpugixml-dev libsqlite3-dev libtomlplusplus-dev libxml2-dev libzstd-dev nettle-dev nlohmann-json3-dev zlib1g-dev)

# download SUITE PACKAGE...: into $sysroot.packages, with lists of its own: the machine's are left alone.
download() {
    local suite=$1 lists=$sysroot.lists/$1
    shift
    mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial" "$sysroot.packages"
    : >"$lists/status"
    echo "deb [arch=amd64 signed-by=$keyring] $mirror $suite main" >"$lists/sources.list"
    local options=(-q -o "Dir::Etc::SourceList=$lists/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$lists/lists"
        -o "Dir::Cache=$lists/cache" -o "Dir::State::status=$lists/status" -o APT::Sandbox::User=root -o Acquire::Retries=2)
    apt-get "${options[@]}" update >/dev/null && (cd "$sysroot.packages" && apt-get "${options[@]}" download "$@" >/dev/null) ||
        fail "the packages of $suite could not be downloaded" "Wanted from $mirror: $*" "Another mirror: set RINGSIDE_DEBIAN_MIRROR."
}

# The linker would follow an absolute link out of the sysroot, to the C library of this machine.
make_links_relative() {
    local link target
    find "$sysroot" -type l -lname '/*' | while read -r link; do
        target=$(readlink "$link")
        ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$sysroot$target")" "$link"
    done
}

[ -e "$sysroot/complete" ] && exit 0
rm -rf "$sysroot" "$sysroot.packages" "$sysroot.lists"
mkdir -p "$sysroot"
download bullseye "${c_library[@]}"
download bookworm "${libraries[@]}"
for package in "$sysroot.packages"/*.deb; do
    dpkg-deb --extract "$package" "$sysroot"
done
make_links_relative
(cd "$sysroot.packages" && sha256sum -- *.deb) >"$sysroot/packages.sha256"
rm -rf "$sysroot.packages" "$sysroot.lists"
touch "$sysroot/complete"
