# SPDX-License-Identifier: Apache-2.0
"""The summary of the matrix in tests/README.md."""

import collections


def of(cases):
    """A row a kind: how many cases, how many of them only in soak.sh, and in how many something is recorded."""
    kinds = collections.defaultdict(list)
    for case in cases:
        kinds[case.kind].append(case)
    lines = ["| kind | cases | only in `soak.sh` | with CUDA calls recorded |", "|---|---|---|---|"]
    lines += [_row(f"[{kind}](harm/matrix/{kind}.toml)", each) for kind, each in sorted(kinds.items())]
    return "\n".join([*lines, _row("all", cases)])


def _row(title, cases):
    return f"| {title} | {len(cases)} | {sum(case.long for case in cases)} | {sum(case.records for case in cases)} |"
