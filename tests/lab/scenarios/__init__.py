# SPDX-License-Identifier: Apache-2.0
"""The lab's matrix: faults of a training run with the expected report. One file per kind, each with a function scenarios().
Strengths were chosen by the cost of the fault, never by a threshold."""

import importlib
import pkgutil

SHORT = ("late_compute_60ms_4", "late_data_60ms_2", "late_host_60ms_4", "small_buckets_0.02mb_4", "data_stall_100ms_4", "no_overlap_64_4",
         "sync_every_part_4_2", "unused_parameters_98_2", "host_sync_64_2", "healthy_2", "healthy_accumulating_4",
         "slow_direction_100mbit_4", "full_disk_1m", "unmarked_fsdp_clipping")
SHORT_BUSY = ("healthy_2", "healthy_fp16_3", "healthy_accumulating_4", "healthy_no_marks_2", "healthy_transformer_2")


def matrix():
    kinds = sorted(each.name for each in pkgutil.iter_modules(__path__, f"{__name__}."))
    return [scenario for kind in kinds for scenario in importlib.import_module(kind).scenarios()]
