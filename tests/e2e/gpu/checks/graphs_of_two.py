# SPDX-License-Identifier: Apache-2.0
"""The same of two ranks on one GPU, where NCCL's kernels are nodes of the graph."""

import check_graphs
import gpu_lab

gpu_lab.need_torch()
check_graphs.check("graphs_of_two", lambda steps: gpu_lab.torch_job("two_ranks.py", gpu_lab.JOBS / "cuda_graph.py", "--width", 512,
                                                                     "--steps", steps), steps=60, nccl_kernels=True)
