# SPDX-License-Identifier: Apache-2.0
"""Training steps in bf16 in a CUDA graph, NCCL's all-reduce inside, copies on a side stream: every kernel of every launch."""

import check_graphs
import gpu_lab

gpu_lab.need_torch()
check_graphs.check("graphs", lambda steps: gpu_lab.torch_job("cuda_graph.py", "--steps", steps), steps=500)
