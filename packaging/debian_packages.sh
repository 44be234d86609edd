# SPDX-License-Identifier: Apache-2.0
# Sourced: Debian's packages without installing them, of any of its releases, for the processor of machine.sh (sourced before).

# download SUITE FOLDER PACKAGE...: into FOLDER, with lists of its own: the machine's are left alone.
download() {
    local suite=$1 folder=$2 lists=$2.lists/$1 mirror
    shift 2
    mirror=$(bash "$RINGSIDE_ROOT/packaging/debian_mirror.sh")
    mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial" "$folder"
    : >"$lists/status"
    echo "deb [arch=$debian_machine signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$lists/sources.list"
    local options=(-q -o "APT::Architecture=$debian_machine" -o "APT::Architectures=$debian_machine" -o "Dir::Etc::SourceList=$lists/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$lists/lists"
        -o "Dir::Cache=$lists/cache" -o "Dir::State::status=$lists/status" -o APT::Sandbox::User=root -o Acquire::Retries=2)
    apt-get "${options[@]}" update >/dev/null && (cd "$folder" && apt-get "${options[@]}" download "$@" >/dev/null) ||
        fail "the packages of $suite could not be downloaded" "Wanted from $mirror: $*" "Another mirror: set RINGSIDE_DEBIAN_MIRROR."
    rm -rf "$folder.lists"
}

# unpack FOLDER ROOT: absolute links become relative ones; the linker would follow them to the C library of this machine.
unpack() {
    local package link target
    for package in "$1"/*.deb; do
        dpkg-deb --extract "$package" "$2"
    done
    find "$2" -type l -lname '/*' | while read -r link; do
        target=$(readlink "$link")
        ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$2$target")" "$link"
    done
}
