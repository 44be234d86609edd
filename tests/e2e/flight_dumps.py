# SPDX-License-Identifier: Apache-2.0
"""Dumps of PyTorch's flight recorder (version 2.10), as the values that it pickles."""

DATE_NS = 1_763_700_000_000_000_000


def flight_entry(number, state, name="nccl:all_reduce"):
    created = DATE_NS + number * 50_000_000
    return {
        "frames": [{"name": "train_step", "filename": "train.py", "line": 40}], "record_id": number - 1, "pg_id": 0,
        "process_group": ("0", "default_pg"), "collective_seq_id": number, "p2p_seq_id": 0, "op_id": number,
        "profiling_name": name, "time_created_ns": created, "input_sizes": [[4, 250]], "input_dtypes": ["Float"],
        "output_sizes": [[4, 250]], "output_dtypes": ["Float"], "state": state,
        "time_discovered_started_ns": created + 1000,
        "time_discovered_completed_ns": created + 2000 if state == "completed" else None,
        "retired": state == "completed", "timeout_ms": 600_000, "is_p2p": False}


def flight_dump(numbers, waiting=None, world=3):
    entries = [flight_entry(number, "completed") for number in numbers]
    return {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(world)))}},
            "pg_status": {"0": {"last_enqueued_collective": len(entries)}}, "entries": entries + (waiting or [])}
