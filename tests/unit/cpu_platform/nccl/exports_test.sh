#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The emulated NCCL exports exactly the names of the real one: a function NAME as pNAME and, weak, as NAME. And it calls its own
# public functions through the PLT, so that an interposer sees them.
# Usage: exports_test.sh LIBRARY LIST_OF_FUNCTIONS
set -euo pipefail
library=$1
expected=$2
failed=0

expect() { sed 's/.*/W &\nT p&/' "$expected"; echo "T ncclResetDebugInitInternal"; }
if ! diff <(expect | LC_ALL=C sort) <(nm -D --defined-only "$library" | awk '{print $2, $3}' | LC_ALL=C sort); then
    echo "the exports of $library differ from $expected (<: missing, >: too many or of the wrong kind)" >&2
    failed=1
fi
dynamic=$(readelf -d "$library") # read whole: grep -q stops early, and pipefail makes that a failure
if ! grep -q 'SONAME.*\[libnccl\.so\.2\]' <<<"$dynamic"; then
    echo "$library: the SONAME is not libnccl.so.2" >&2
    failed=1
fi
relocations=$(readelf -r --wide "$library")
for name in ncclBroadcast ncclGetUniqueId ncclCommGetAsyncError; do
    if ! grep -qE "R_[A-Z0-9_]*(JU?MP_SLOT?|GLOB_DAT).* $name( |\$)" <<<"$relocations"; then
        echo "$library: $name is not called through the PLT" >&2
        failed=1
    fi
done
exit $failed
