#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The machine's file system, in its memory: busybox, the tools of iproute2 and perftest, the build's ringside and collector, the
# libraries that these need, and modules of the kernel.   make_initrd.sh BUILD KERNEL INITRD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 kernel=$2 initrd=$3
PATH=$PATH:/usr/sbin:/sbin
root=$(mktemp -d "$(dirname "$initrd")/root.XXXXXX")
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,dev,etc/libibverbs.d,lab/scenarios,lib64,modules,proc,run,sbin,sys,tmp,usr/bin,usr/lib}

# add_libraries PROGRAM: those that it is linked to, where the loader of the same system looks for them.
add_libraries() {
    local library
    while read -r library; do
        mkdir -p "$root$(dirname "$library")"
        cp -Lu "$library" "$root$library"
    done < <(ldd "$1" | grep -oE '/[^ ]+')
}

# add_program PROGRAM...: without symbols for debuggers.
add_program() {
    local program
    for program in "$@"; do
        strip -o "$root/usr/bin/$(basename "$program")" "$(realpath "$program")"
        add_libraries "$(realpath "$program")"
    done
}

cp "$(command -v busybox)" "$root/bin/busybox"
for applet in $("$root/bin/busybox" --list | grep -vxE "busybox|sh"); do ln -s busybox "$root/bin/$applet"; done
# Not busybox's own shell: it prefers its applets to programs of the same name, such as ip.
add_program "$(command -v dash)" "$(command -v ip)" "$(command -v tc)" "$(command -v rdma)" "$(command -v ib_write_bw)" \
    "$(command -v ib_write_lat)" "$build/bin/ringside"
for library in "$build"/lib/libringside_collector.so "$build"/lib/lab/libmark_steps.so; do
    strip -o "$root/usr/lib/$(basename "$library")" "$library"
    add_libraries "$library"
done

# libibverbs loads the driver of a device by itself.
driver=$(dpkg -L ibverbs-providers | grep '/librxe-rdmav[0-9]*\.so$')
mkdir -p "$root$(dirname "$driver")"
cp -L "$driver" "$root$driver"
echo "driver rxe" >"$root/etc/libibverbs.d/rxe.driver"

release=$(basename "$kernel"/lib/modules/*)
for module in crc32_generic rdma_rxe ib_uverbs veth bridge sch_netem sch_prio sch_tbf cls_u32; do
    modprobe -d "$kernel" -S "$release" --show-depends "$module" | awk '$1 == "insmod" {print $2}'
done | awk '!seen[$0]++' | while read -r file; do
    cp "$file" "$root/modules/"
    basename "$file" >>"$root/modules/order"
done

ln -s ../usr/bin/dash "$root/bin/sh"
cp "$here"/guest/{hosts,job}.sh "$root/lab/"
cp "$here"/scenarios/*.sh "$root/lab/scenarios/"
cp "$here/guest/init.sh" "$root/init"
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet) >"$initrd"
