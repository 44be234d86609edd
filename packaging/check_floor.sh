#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails where a binary needs a newer C library than it may, another shared library than the C library's own, or exports or asks
# for a C++ runtime. usage: check_floor.sh VERSION BINARY...
set -euo pipefail
floor=${1:?usage: check_floor.sh VERSION BINARY...}
shift
objdump=${OBJDUMP:-objdump} # of a cross compiler
own='^(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|librt\.so\.1|ld-linux-(x86-64\.so\.2|aarch64\.so\.1))$'
code=0

# versions BINARY: "2.31 pthread_create" a line, of what it needs.
versions() {
    "$objdump" -T "$1" | sed -nE 's/.*\*UND\*.*GLIBC_([0-9.]+)\)? +([^ ]+)$/\1 \2/p' | sort -uV
}

for binary in "$@"; do
    above=$(versions "$binary" | awk -v floor="$floor" '{ split($1, have, "."); split(floor, most, ".")
        if (have[1] + 0 > most[1] + 0 || (have[1] == most[1] && have[2] + 0 > most[2] + 0)) print "    " $2 " (glibc " $1 ")" }')
    needed=$("$objdump" -p "$binary" | awk '$1 == "NEEDED" {print $2}' | grep -Ev "$own" || true)
    runtime=$("$objdump" -T "$binary" | grep -E 'GLIBCXX|CXXABI' | awk '{print "    " $NF}' || true)
    if [ -n "$above$needed$runtime" ]; then
        code=1
        [ -z "$above" ] || printf '%s needs more than glibc %s:\n%s\n' "$binary" "$floor" "$above"
        [ -z "$needed" ] || printf '%s needs shared libraries: %s\n' "$binary" "$needed"
        [ -z "$runtime" ] || printf '%s needs a C++ runtime:\n%s\n' "$binary" "$runtime"
    else
        newest=$(versions "$binary" | tail -1 | cut -d' ' -f1)
        echo "$(basename "$binary"): glibc $newest is enough (floor $floor)"
    fi
done
exit $code
