#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Real RDMA without an adapter: boots a small machine in qemu with soft-RoCE, plays scenarios in it, and compares what Ringside's
# tools say with what each scenario expects.
#   run.sh [--short | SCENARIO...]    all of scenarios/ without arguments (six minutes), with --short four that counters see (two);
#                                     RINGSIDE_BUILD_DIR names the build; exit 77: cannot be run here
. "$(dirname "${BASH_SOURCE[0]}")/../../support/environment.sh"
here=$RINGSIDE_ROOT/tests/lab/rdma_vm
build=$(realpath "${RINGSIDE_BUILD_DIR:-$RINGSIDE_ROOT/build/dev}")
machine=$build/lab/rdma_vm
kernel=$RINGSIDE_ROOT/build/lab/kernel

skip() {
    echo "skipped: $1. bash tests/support/install_packages.sh --lab and bash tests/support/unpack_kernel.sh bring it."
    exit 77
}
for tool in qemu-system-x86_64 busybox cpio modprobe ip tc rdma ib_write_bw; do
    PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || skip "there is no $tool"
done
compgen -G "$kernel/boot/vmlinuz-*" >/dev/null || skip "Debian's kernel is not in $kernel"
for product in bin/ringside lib/libringside_collector.so lib/lab/libmark_steps.so; do
    [ -e "$build/$product" ] || fail "$build/$product is missing" "Build the targets ringside, ringside_collector and mark_steps first."
done

scenarios=("$@")
if [ "${1:-}" = --short ]; then
    scenarios=(clean flap killed_peer loss)
elif [ ${#scenarios[@]} -eq 0 ]; then
    mapfile -t scenarios < <(basename -s .sh "$here"/scenarios/*.sh)
fi
for scenario in "${scenarios[@]}"; do
    [ -e "$here/scenarios/$scenario.sh" ] || fail "there is no scenario '$scenario'" "There are: $(basename -s .sh "$here"/scenarios/*.sh | tr '\n' ' ')"
done

rm -rf "$machine"
mkdir -p "$machine/results"
bash "$here/make_initrd.sh" "$build" "$kernel" "$machine/initrd" || fail "the machine's file system could not be made"

# Emulated by software: KVM is not there in most places where tests run. One processor is enough for one job.
names=$(IFS=, && echo "${scenarios[*]}")
timeout --foreground 900 qemu-system-x86_64 -accel tcg -cpu max -m 1024 -nodefaults -display none -no-reboot \
    -kernel "$kernel"/boot/vmlinuz-* -initrd "$machine/initrd" \
    -append "console=ttyS0 quiet panic=-1 lab.scenarios=$names" \
    -serial "file:$machine/console" -serial "file:$machine/results.tar" ||
    fail "the machine did not end by itself" "Its console: $machine/console"
tar -x -C "$machine/results" -f "$machine/results.tar" ||
    fail "the machine sent no results" "Its console: $machine/console"
/usr/bin/python3 -B "$here/judge.py" "$here/scenarios" "$machine/results" "${scenarios[@]}"
