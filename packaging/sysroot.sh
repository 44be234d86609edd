#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Unpacks what portable binaries are linked with into build/portable/sysroot: the C library of Debian 11, whose version is the
# floor of the tools, and the static libraries of Debian 12, of which SQLite and fmt are new enough. Nothing is installed.
# usage: sysroot.sh FOLDER
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"
. "$RINGSIDE_ROOT/packaging/machine.sh"
. "$RINGSIDE_ROOT/packaging/debian_packages.sh"

sysroot=${1:?usage: sysroot.sh FOLDER}
c_library=(libc6 libc6-dev)
mapfile -t linked < <(sed -nE 's/^([a-z0-9.+-]+) .*/\1/p' "$RINGSIDE_ROOT/packaging/static_libraries.txt")
libraries=(linux-libc-dev libbz2-1.0 "${linked[@]}")

[ -e "$sysroot/complete" ] && exit 0
rm -rf "$sysroot"
mkdir -p "$sysroot"
download bullseye "$sysroot.packages" "${c_library[@]}"
download bookworm "$sysroot.packages" "${libraries[@]}"
unpack "$sysroot.packages" "$sysroot"
# Of that package only the copyright file is wanted, to which libbz2-dev's is a link: the linker is to find the static library.
rm "$sysroot"/lib/$triplet/libbz2.so.*
(cd "$sysroot.packages" && sha256sum -- *.deb) >"$sysroot/packages.sha256"
rm -rf "$sysroot.packages"
touch "$sysroot/complete"
