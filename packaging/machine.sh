# SPDX-License-Identifier: Apache-2.0
# Sourced: for which processor packages are built: RINGSIDE_MACHINE, x86_64 or aarch64; by default this machine's own.
machine=${RINGSIDE_MACHINE:-$(uname -m)}
export RINGSIDE_MACHINE=$machine   # toolchain.cmake reads it, whenever the build configures itself anew
case $machine in
    x86_64) debian_machine=amd64 ;;
    aarch64) debian_machine=arm64 ;;
    *) fail "packages of the processor $machine are not built" "Set RINGSIDE_MACHINE to x86_64 or aarch64." ;;
esac
triplet=$machine-linux-gnu
output=build/portable$([ "$machine" = x86_64 ] || echo "-$machine") # below RINGSIDE_ROOT
# Programs of the compiler: this machine's own, or a cross compiler's.
tools=
if [ "$machine" != "$(uname -m)" ]; then
    tools=$triplet-
    command -v "${tools}g++" >/dev/null && command -v "qemu-$machine" >/dev/null ||
        fail "there is no cross compiler for $machine" "bash tests/support/install_packages.sh --arm64"
fi
