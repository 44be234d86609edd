# SPDX-License-Identifier: Apache-2.0
# Sourced after environment.sh: a build whose progress a person understands.

# Reads what ninja prints. Says how many files of how many are compiled and about how long the rest takes: on a terminal in one
# line, elsewhere in a line for each tenth. Everything that is no progress, such as a compiler's error, passes through.
show_build_progress() {
    local line done total left text tenth=0 began=$SECONDS terminal=no
    [ -t 1 ] && [ "${TERM:-dumb}" != dumb ] && terminal=yes
    while IFS= read -r line; do
        if ! [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
            printf '%s\n' "$line"
            continue
        fi
        done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
        text="built $done of $total in $((SECONDS - began)) s"
        # The first few say little: large and small files take turns.
        if [ "$done" -lt "$total" ] && [ $((done * 20)) -ge "$total" ]; then
            left=$(((SECONDS - began) * (total - done) / done))
            text+=", about $left s to go"
        fi
        if [ $terminal = yes ]; then
            printf '\r\033[K     %s' "$text"
        elif [ $((done * 10 / total)) -gt $tenth ]; then
            tenth=$((done * 10 / total))
            printf '     %s\n' "$text"
        fi
    done
    if [ $terminal = yes ]; then printf '\n'; fi
}

# build_preset PRESET [TARGET...]: into build/PRESET; without a target everything.
build_preset() {
    local preset=$1
    shift
    cmake --preset "$preset" >"$RINGSIDE_ROOT/build/configure_$preset.log" 2>&1 || {
        cat "$RINGSIDE_ROOT/build/configure_$preset.log" >&2
        fail "configuring the preset $preset failed" "CMake's lines above name what is missing."
    }
    NINJA_STATUS='[%f/%t] ' cmake --build --preset "$preset" ${1:+--target "$@"} 2>&1 | show_build_progress ||
        fail "building the preset $preset failed" "The first error above is the one to mend."
}
