#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds archive, deb, rpm and wheel in build/portable/packages/: collector, command line and SQLite extension that run on any Linux
# with glibc 2.17. 6 to 8 minutes on 2 cores. README.md in this folder says how.
# RINGSIDE_MACHINE=aarch64 builds for ARM64, in build/portable-aarch64/, with Debian's cross compiler where this is no such machine.
# With --gui also ringside-gui as a deb, of this machine's libraries: for Debian 12 only.
# With --release only what may be published: check_release.sh says what that needs. Without it, packages name nobody who answers for them.
. "$(dirname "${BASH_SOURCE[0]}")/../tests/support/environment.sh"
. "$RINGSIDE_ROOT/packaging/machine.sh"
cd "$RINGSIDE_ROOT"
gui= release=
for option in "$@"; do
    case $option in
        --gui) gui=yes ;;
        --release) release=yes ;;
        *) fail "unknown option $option" "usage: build.sh [--gui] [--release]" ;;
    esac
done

version=$(sed -nE 's/^project\(Ringside VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
name=ringside-$version-$machine
stage_folder=$output/$name
contact=(-URINGSIDE_PACKAGE_CONTACT) # of an earlier release
if [ -n "$release" ]; then
    bash packaging/check_release.sh "$version"
    bash tests/support/install_packages.sh --packaging
    contact=("-DRINGSIDE_PACKAGE_CONTACT=$RINGSIDE_PACKAGE_CONTACT")
fi
# The same sources give the same archive.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH

stage "Sysroot" "The C library of Debian 11 and the static libraries of Debian 12, unpacked, not installed."
export RINGSIDE_SYSROOT=$RINGSIDE_ROOT/$output/sysroot
bash packaging/sysroot.sh "$RINGSIDE_SYSROOT"

stage "Build"
cmake -G Ninja -S . -B "$output/build" -DCMAKE_TOOLCHAIN_FILE="$RINGSIDE_ROOT/packaging/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DRINGSIDE_PORTABLE=ON -DRINGSIDE_CUDA=OFF -DRINGSIDE_BUILD_GUI=OFF -DRINGSIDE_BUILD_TRAINER=OFF -DRINGSIDE_BUILD_TESTS=OFF "${contact[@]}" ||
    fail "configuring the portable build failed"
rm -rf "$output/build/analyzer/documents" "$output/build/packaging" # they hold the date
cmake --build "$output/build" || fail "the portable build failed"

stage "Floor" "No binary needs a newer C library, or another shared library."
OBJDUMP=${tools}objdump bash packaging/check_floor.sh 2.17 "$output/build/lib/libringside_collector.so" "$output/build/bin/ringside" "$output/build/lib/ringside_sqlite.so" ||
    fail "a binary is above the floor" "Give it what it asks for in packaging/older_libc.cpp, or do without."

stage "Packages" "Of one installed tree: an archive and a wheel; of its parts: deb and rpm."
rm -rf "$stage_folder" "$output/packages"
mkdir -p "$output/packages"
cmake --install "$output/build" --strip --prefix "$stage_folder" >/dev/null
install -m 644 LICENSE "$stage_folder"
ln -s share/doc/ringside/README.md "$stage_folder/README.md" # its links are those of its folder
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$output" -cf - "$name" | gzip -n -9 >"$output/packages/$name.tar.gz"
"$(command -v python3)" -B packaging/wheel.py "$stage_folder" "$version" "$output/packages" "$machine"
cpack --config "$output/build/CPackConfig.cmake" -G "DEB;RPM" -B "$output/cpack" >"$output/cpack.log" || fail "cpack failed" "$(tail -5 "$output/cpack.log")"
mv "$output"/cpack/*.deb "$output"/cpack/*.rpm "$output/packages"
if [ -n "$gui" ]; then
    cmake --preset release -B "$output/gui" -DRINGSIDE_BUILD_TRAINER=OFF -DRINGSIDE_BUILD_COLLECTOR=OFF -DRINGSIDE_CLUSTER=OFF "${contact[@]}" >/dev/null &&
        cmake --build "$output/gui" --target ringside-gui ringside_changelog_gui || fail "ringside-gui does not build"
    cpack --config "$output/gui/CPackConfig.cmake" -G DEB -B "$output/cpack" -D CPACK_COMPONENTS_ALL=gui >"$output/cpack.log" ||
        fail "cpack failed" "$(tail -5 "$output/cpack.log")"
    mv "$output"/cpack/ringside-gui_*.deb "$output/packages"
fi
if command -v lintian >/dev/null && command -v rpmlint >/dev/null; then
    bash packaging/check_lint.sh "$output/packages" || fail "the packages are not as they should be"
fi
(cd "$output/packages" && sha256sum -- * >SHA256SUMS)
du -h "$output/packages"/*
print_stage_times
