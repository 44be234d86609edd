# SPDX-License-Identifier: Apache-2.0
# Sourced after environment.sh: a build whose progress a person understands.

# plan_build BUILD [TARGET...]: prints what a build in this directory, just configured, would do.
# Ninja first asks whether build.ninja itself is up to date, and with globs that are checked in each build it plans only that. A copy is not asked.
plan_build() {
    local build=$1
    shift
    cp "$build/build.ninja" "$build/plan.ninja" && NINJA_STATUS='[%f/%t] ' ninja -C "$build" -f plan.ninja -n "$@"
}

# build_preset PRESET [TARGET...]: into build/PRESET; without a target everything.
build_preset() {
    local preset=$1 plan=$RINGSIDE_ROOT/build/plan_$1.txt
    local -x NINJA_STATUS='[%f/%t] '
    shift
    cmake --preset "$preset" >"$RINGSIDE_ROOT/build/configure_$preset.log" 2>&1 || {
        cat "$RINGSIDE_ROOT/build/configure_$preset.log" >&2
        fail "configuring the preset $preset failed" "CMake's lines above name what is missing."
    }
    plan_build "$RINGSIDE_ROOT/build/$preset" "$@" >"$plan" || fail "planning the build of the preset $preset failed" "Ninja's lines above say why."
    cmake --build --preset "$preset" ${1:+--target "$@"} 2>&1 | python3 "$RINGSIDE_ROOT/tests/support/build_progress.py" "$plan" ||
        fail "building the preset $preset failed" "The first error above is the one to mend."
}
