#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the reference trainer and the CPU platform for systems as old as the packages run on, with Debian 11's Gloo and OpenBLAS:
# build/portable/trainer_folder, with the shared libraries that a minimal system lacks. For tests; it is not shipped.
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"
. "$RINGSIDE_ROOT/packaging/machine.sh"
. "$RINGSIDE_ROOT/packaging/debian_packages.sh"
cd "$RINGSIDE_ROOT"

output=$RINGSIDE_ROOT/$output
sysroot=$output/trainer_sysroot
folder=$output/trainer_folder
# Gloo, what it needs at run time, and OpenBLAS, of which the static library is taken.
libraries=(libgloo-dev libgloo0 libhiredis0.14 libibverbs1 libnl-3-200 libnl-route-3-200 libopenblas-pthread-dev)
needed=(usr/lib/libgloo.so.0 usr/lib/$triplet/libhiredis.so.0.14 usr/lib/$triplet/libibverbs.so.1
    lib/$triplet/libnl-3.so.200 usr/lib/$triplet/libnl-route-3.so.200)

bash packaging/sysroot.sh "$output/sysroot"
if [ ! -e "$sysroot/complete" ] || [ "$output/sysroot/complete" -nt "$sysroot/complete" ]; then
    rm -rf "$sysroot"
    cp -a "$output/sysroot" "$sysroot"
    download bullseye "$sysroot.packages" "${libraries[@]}"
    unpack "$sysroot.packages" "$sysroot"
    rm -rf "$sysroot.packages"
    # Its CMake files name the library of this machine.
    sed -i "s|\"/usr/lib/|\"$sysroot/usr/lib/|g" "$sysroot"/usr/share/cmake/Gloo/GlooTargets-*.cmake
    # Where an installed package has alternatives.
    headers=$sysroot/usr/include/$triplet
    (cd "$headers" && ln -s openblas-pthread/*.h .)
    ln -s openblas-pthread/cblas.h "$headers/cblas-openblas.h"
    touch "$sysroot/complete"
fi
export RINGSIDE_SYSROOT=$sysroot
cmake -G Ninja -S . -B "$output/trainer" -DCMAKE_TOOLCHAIN_FILE="$RINGSIDE_ROOT/packaging/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DRINGSIDE_PORTABLE=ON -DRINGSIDE_CUDA=OFF -DRINGSIDE_BUILD_GUI=OFF -DRINGSIDE_BUILD_COLLECTOR=OFF -DRINGSIDE_BUILD_TESTS=OFF \
    -DRINGSIDE_OPENBLAS="$sysroot/usr/lib/$triplet/openblas-pthread/libopenblas.a" >"$output/trainer.log" ||
    fail "configuring the trainer failed" "$(tail -5 "$output/trainer.log")"
mapfile -t platform < <(ninja -C "$output/trainer" -t targets all | sed -nE 's/^(ringside_platform_(cudart|cublas|cupti|nccl|nvml)): phony$/\1/p')
cmake --build "$output/trainer" --target ddp_trainer "${platform[@]}" || fail "the trainer does not build"
rm -rf "$folder"
mkdir -p "$folder"
cp "$output/trainer/bin/ddp_trainer" "$folder"
cp -a "$output/trainer/lib/cpu_platform" "$folder"
for library in "${needed[@]}"; do
    cp -L "$sysroot/$library" "$folder/cpu_platform"
done
