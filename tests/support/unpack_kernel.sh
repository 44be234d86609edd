#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Debian's kernel for machines of the lab: downloads the package that linux-image-amd64 stands for, and unpacks the kernel and
# the modules of soft-RoCE and of emulated networks into build/lab/kernel. Installs nothing; where it is there already, it
# needs no network.
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
target=$RINGSIDE_ROOT/build/lab/kernel

# Debian's cloud kernels have no rdma_rxe.
package=$(apt-cache depends linux-image-amd64 2>/dev/null | awk '$1 == "Depends:" && $2 ~ /^linux-image-/ {print $2; exit}')
[ -n "$package" ] || fail "apt knows no package linux-image-amd64" "This needs Debian on amd64, and package lists: apt-get update"
if [ "$(cat "$target/package" 2>/dev/null)" = "$package" ]; then
    echo "$package is unpacked already"
    exit 0
fi

need_space 300
download=$(mktemp -d "$RINGSIDE_ROOT/build/kernel.XXXXXX")
trap 'rm -rf "$download"' EXIT
(cd "$download" && apt-get -q -o Acquire::Retries=2 -o APT::Sandbox::User=root download "$package") ||
    fail "$package could not be downloaded" "Look at apt-get's lines above; apt-get update may be needed."
mkdir "$download/kernel"
dpkg-deb --fsys-tarfile "$download"/*.deb | tar -x -C "$download/kernel" --wildcards './boot/vmlinuz-*' './lib/modules/*/modules.*' \
    './lib/modules/*/kernel/crypto/*' './lib/modules/*/kernel/lib/*' './lib/modules/*/kernel/net/*' \
    './lib/modules/*/kernel/drivers/infiniband/*' './lib/modules/*/kernel/drivers/net/veth.ko' ||
    fail "$package could not be unpacked"
depmod -b "$download/kernel" "$(basename "$download"/kernel/lib/modules/*)" || fail "depmod failed" "It comes with the package kmod."
echo "$package" >"$download/kernel/package"
rm -rf "$target"
mkdir -p "$(dirname "$target")"
mv "$download/kernel" "$target"
echo "$package is unpacked in $target"
