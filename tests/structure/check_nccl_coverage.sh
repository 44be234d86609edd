#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_nccl_coverage.sh API_DIR NCCL_H: every function of the header is a row of nccl_api.def, or is listed in nccl_ignored.txt with a
# reason. A new NCCL with a new function fails here and names it.
set -euo pipefail
table=$1/nccl_api.def
ignored=$1/nccl_ignored.txt
status=0
for name in $(grep -oE '\bnccl[A-Z][A-Za-z]*\(' "$2" | tr -d '(' | sort -u); do
    if ! grep -qE "RS_API\([A-Za-z_]+, $name," "$table" && ! grep -qE "^$name +[^ ]" "$ignored"; then
        echo "$name is in $2, but neither in $table nor, with a reason, in $ignored" >&2
        status=1
    fi
done
exit "$status"
