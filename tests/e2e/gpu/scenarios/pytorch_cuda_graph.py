# SPDX-License-Identifier: Apache-2.0
"""Whole training steps in a CUDA graph, down to its last steps."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_report
import gpu_lab

LIMIT_S = 180
STEPS = 1000

gpu_lab.need_torch()
gpu_lab.need_job(gpu_lab.torch_job("cuda_graph.py", "--steps", 20))
run, _ = gpu_lab.record("pytorch_cuda_graph", ["--profile", "standard"], gpu_lab.torch_job("cuda_graph.py", "--steps", STEPS))
check_report.check(run, STEPS)
launches = gpu_lab.query(run, "SELECT count(*) AS launches, count(DISTINCT graph_id) AS graphs FROM graph_launch")[0]
in_graphs = gpu_lab.query(run, "SELECT count(*) AS kernels FROM kernel WHERE graph_id <> 0")[0]
print(launches, in_graphs)
gpu_lab.expect(launches["launches"] == STEPS, f"{launches['launches']} launches of graphs, expected one a step: {STEPS}")
gpu_lab.expect(in_graphs["kernels"] >= STEPS, f"{in_graphs['kernels']} kernels have a graph, expected some of each of {STEPS} steps")
