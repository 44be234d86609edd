#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_exports.sh LIBRARY: the collector shows intercepted names (also of the ways past exit() and out of calls), what sanitizers ask for, injection entries and ringside_* and nothing else (no C++ runtime, no
# SQLite), and needs no more than the C library. Another name here would replace the program's own.
set -euo pipefail
library=$1
# Read whole: under pipefail, a reader that stops early (grep -q) would make the writer's SIGPIPE a failure.
exports=$(nm -D --defined-only "$library" | awk '{print $3}')
unexpected=$(grep -Ev '^(nccl[A-Z]|cuda[A-Z]|__cuda[A-Z]|cupti[A-Z]|InitializeInjection|ringside_|(_exit|_Exit|quick_exit|f?exec[vlpe]+|_?longjmp|siglongjmp|prctl|__longjmp_chk|__(asan_default_options|tsan_default_suppressions))$)' <<<"$exports" || true)
if [[ -n $unexpected ]]; then
    echo "$library exports what it should not: $unexpected" >&2
    exit 1
fi
for expected in _exit execve cuptiSubscribe ncclAllReduce cudaLaunchKernel __cudaLaunchKernel InitializeInjectionNvtx InitializeInjectionNvtx2 \
    ringside_step_begin; do
    if ! grep -qx "$expected" <<<"$exports"; then
        echo "$library does not export $expected" >&2
        exit 1
    fi
done
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -Ev '^(libc|libm|libdl|libpthread|ld-linux.*)\.so' || true)
if [[ -n $needed ]]; then
    echo "$library needs $needed: link it statically, the job's machine may have another one" >&2
    exit 1
fi
