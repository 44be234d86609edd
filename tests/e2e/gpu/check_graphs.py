# SPDX-License-Identifier: Apache-2.0
"""Checks a recorded job whose steps are launches of one CUDA graph."""

import check_report
import gpu_lab

LAUNCHES_SQL = "SELECT count(*) AS launches, count(DISTINCT graph_id) AS graphs FROM graph_launch"
KERNELS_SQL = """SELECT count(*) AS launches, min(kernels) AS least, max(kernels) AS most FROM
  (SELECT count(*) AS kernels FROM kernel WHERE graph_id <> 0 GROUP BY correlation)"""
SIDE_SQL = "SELECT count(DISTINCT stream) AS streams, count(*) AS copies FROM copy WHERE graph_id = 0 AND kind = 1"
NCCL_SQL = """SELECT count(*) AS kernels FROM kernel JOIN string USING (process_id)
  WHERE string.id = name_id AND text LIKE '%nccl%' AND graph_id <> 0"""


def check_process(file, steps, nccl_kernels):
    launched, kernels, side, nccl = (gpu_lab.one(file, sql) for sql in (LAUNCHES_SQL, KERNELS_SQL, SIDE_SQL, NCCL_SQL))
    gpu_lab.expect(launched["launches"] == steps, f"{launched['launches']} launches of graphs, expected one a step: {steps}")
    gpu_lab.expect(kernels["launches"] == steps and kernels["least"] == kernels["most"],
                   f"kernels a launch: {kernels['least']} to {kernels['most']} in {kernels['launches']} launches, expected as many in each "
                   f"of {steps}")
    gpu_lab.expect(side["copies"] >= steps, f"{side['copies']} copies beside the graph, expected one a step: {steps}")
    gpu_lab.expect(nccl["kernels"] >= steps or not nccl_kernels, f"{nccl['kernels']} kernels of NCCL in graphs, expected one a step")
    return kernels["least"]


def check(name, job, steps, nccl_kernels=False):
    """`job`: a function from a number of steps to the words of the job."""
    run, _ = gpu_lab.record(name, ["--profile", "standard"], job(steps))
    files = gpu_lab.process_files(run)
    check_report.check(run, steps if len(files) == 1 else None, ranks=tuple(range(len(files))))
    counts = [check_process(file, steps, nccl_kernels) for file in files]
    print(f"{steps} launches of graphs, {counts} kernels each")
