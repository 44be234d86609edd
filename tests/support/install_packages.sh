#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The one list of Debian packages that Ringside needs to be built and tested. Installs what is missing; where everything is
# there it needs neither root nor a network. `--arm64` adds what builds and runs programs of that processor, `--bench` what only
# the benchmarks compare with, `--browser` one that opens the HTML report, `--gui` what the desktop program and its tests need,
# `--lab` what the machines of tests/lab are made of, `--mpi` what ringside-mpi and the export to OTF2 need, `--packaging` the
# systems that packages are tried on.
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

packages=(
    # building
    build-essential ccache cmake git ninja-build pkg-config
    # libraries
    libarchive-dev libcli11-dev libdw-dev libfmt-dev libibverbs-dev libmicrohttpd-dev libncurses-dev libpugixml-dev libsqlite3-dev libtomlplusplus-dev libzstd-dev nlohmann-json3-dev zlib1g-dev
    # the reference trainer on machines without a GPU
    libgloo-dev libopenblas-dev
    # tests
    clang clang-format clang-tidy fish ibverbs-utils iproute2 libbenchmark-dev libclang-rt-14-dev libgmock-dev libgtest-dev
    libjemalloc2 libtcmalloc-minimal4 mandoc musl-tools procps python3 python3-jsonschema python3-junitparser python3-prometheus-client python3-torch python3-yaml sqlite3 tidy zsh
)
for group in "$@"; do
    case $group in
    --arm64) packages+=(g++-aarch64-linux-gnu googletest qemu-user) ;;
    --bench) packages+=(liblttng-ust-dev lttng-tools valgrind) ;;
    --browser) packages+=(chromium) ;;
    --gui) packages+=(appstream at-spi2-core dbus-daemon desktop-file-utils fonts-dejavu-core gir1.2-atspi-2.0 libqcustomplot-dev pngquant python3-gi qt6-base-dev shared-mime-info xdotool xvfb) ;;
    --packaging) packages+=(debootstrap lintian qemu-user-static rpm rpmlint) ;;
    --lab) packages+=(busybox-static cpio ibverbs-providers kmod libslurm-dev perftest prometheus qemu-system-x86 slurm-client slurmctld slurmd) ;;
    --mpi) packages+=(libopen-trace-format2-dev libopenmpi-dev openmpi-bin otf2-tools) ;;
    *) fail "there is no group of packages '$group'" "Known are --arm64, --bench, --browser, --gui, --lab, --mpi and --packaging." ;;
    esac
done

command -v dpkg-query >/dev/null || fail "this is not a Debian system" \
    "Install the equivalents of these packages yourself: ${packages[*]}"

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    echo "all ${#packages[@]} packages are there"
    exit 0
fi

echo "missing: ${missing[*]}"
[ "$(id -u)" -eq 0 ] || fail "installing packages needs root" "Run as root: apt-get install ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
# Without an answer apt-get only warns and goes on with yesterday's lists; the install below decides.
apt-get -q -o Acquire::Retries=2 update || echo "the package lists could not be refreshed" >&2
apt-get -q -y -o Acquire::Retries=2 --no-install-recommends install "${missing[@]}" || fail "the packages could not be installed" \
    "Look at apt-get's lines above: no network, a mirror that does not answer, or a full disk." \
    "Needed: ${missing[*]}"
