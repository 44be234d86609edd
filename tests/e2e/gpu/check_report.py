# SPDX-License-Identifier: Apache-2.0
"""What the report of any run on a real GPU must say: check_report.py REPORT.json. Uses the standard library only."""

import json
import sys

# Tiers that a training with NCCL on a GPU must show, whatever was asked for; the device tier is looked at by itself.
TIERS = ("host", "nvtx", "nccl", "sampled")
PARTS = ("compute_ns", "exposed_communication_ns", "exposed_copy_ns", "idle_ns")


def complaints(report):
    if report["run"]["emulated"]:
        yield "the run carries the label emulated"
    if report["run"]["ranks_present"] != [0]:
        yield f"ranks present: {report['run']['ranks_present']}, expected [0]"
    if not report["run"]["tiers"].get("device"):
        yield f"the device tier was not active: {report['issues']}"
    for tier in TIERS:
        if not report["run"]["tiers"].get(tier):
            yield f"the tier {tier} was not active: its reason is in table tier of the run"
    if report["coverage"]["steps"]["total"] < 10:
        yield f"{report['coverage']['steps']['total']} steps found, expected at least 10"
    for rank in report["ranks"]:
        if not rank["compute_ns"]:
            yield f"rank {rank['rank']} shows no compute kernels"
        elif sum(rank[part] for part in PARTS) != rank["step_ns"]:
            yield f"the parts of rank {rank['rank']} do not sum to its step"


if __name__ == "__main__":
    found = list(complaints(json.load(open(sys.argv[1], encoding="utf-8"))))
    for complaint in found:
        print(f"{sys.argv[1]}: {complaint}", file=sys.stderr)
    sys.exit(bool(found))
