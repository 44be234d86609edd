#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A machine without Qt: everything else configures, and the summary says that the desktop program is left out and what to install.
#   bash tests/structure/configure_without_qt.sh SOURCE-DIRECTORY CMAKE
. "$(dirname "${BASH_SOURCE[0]}")/../support/environment.sh"

source=$(realpath "${1:?the source directory}")
cmake=${2:?cmake}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" -S "$source" -B "$folder" -G Ninja -DCMAKE_DISABLE_FIND_PACKAGE_Qt6=ON -DRINGSIDE_CUDA=OFF >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; fail "configuring fails without Qt" "CMake's lines are above."; }
grep -q "ringside-gui is left out.*install_packages.sh --gui" "$folder/log" ||
    { cat "$folder/log" >&2; fail "nobody says that ringside-gui is left out" "CMake's lines are above."; }
! grep -q "ringside-gui" "$folder/build.ninja" || fail "ringside-gui is built without Qt" "See gui/CMakeLists.txt."
grep -q "bin/ringside:" "$folder/build.ninja" || fail "ringside is not built without Qt" "See CMakeLists.txt."
