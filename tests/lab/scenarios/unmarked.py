# SPDX-License-Identifier: Apache-2.0
"""Data, sharded, tensor, sequence, pipeline and expert parallel jobs without step marks. What is guessed of a pattern that is
ambiguous without the optimizer is the unit tests' business."""

from scoring.unmarked import Unmarked

PATTERNS = ("DDP, transformer", "DDP, llama", "DDP, equal buckets", "DDP, accumulation 8", "FSDP", "FSDP, clipping", "FSDP, accumulation 8",
            "tensor parallel", "tensor x data parallel, accumulation", "sequence parallel", "pipeline 1F1B",
            "pipeline interleaved x data parallel", "pipeline x data parallel", "experts", "ZeRO 2", "CUDA graph", "DDP, losses logged",
            "FSDP, losses logged", "tensor parallel, losses logged", "FSDP, evaluations", "tensor parallel, evaluations",
            "pipeline x data parallel, checkpoints", "DDP, llama, checkpoints", "DDP, evaluations that gather")


def scenarios():
    return [Unmarked(pattern) for pattern in PATTERNS]
