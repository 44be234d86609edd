# SPDX-License-Identifier: Apache-2.0
# Sourced, as root, after machine.sh: lets the kernel start programs of $machine by qemu-user-static, in chroots too, until the script
# ends. Debian registers the emulator by itself where systemd runs.
registered=/proc/sys/fs/binfmt_misc
[ -e "$registered/register" ] || mount -t binfmt_misc none "$registered" || fail "the kernel has no binfmt_misc" "modprobe binfmt_misc"
if ! grep -qs "^interpreter .*qemu-$machine" "$registered"/*; then
    emulator=$(command -v "qemu-$machine-static") || fail "qemu-$machine-static is missing" "bash tests/support/install_packages.sh --packaging"
    # An ELF file of 64 bits, a program or a library. 0xb7: EM_AARCH64. F: the emulator is opened now, so that a chroot needs no copy.
    printf '%s' ":ringside-$machine:M::\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00:$(
        )\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:$emulator:F" >"$registered/register"
    trap 'echo -1 >"$registered/ringside-$machine"' EXIT
fi
export QEMU_LD_PREFIX=/usr/$triplet # the C library of the cross compiler, for programs outside of a chroot
