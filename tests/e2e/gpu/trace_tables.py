# SPDX-License-Identifier: Apache-2.0
"""Reads torch.profiler's trace (Kineto JSON) and a run of ours into the same tables, in ns since 1970, to be compared. Names of
both are brought to one form."""

import collections
import gzip
import json
import pathlib
import re

# launch: (name, start) of the call that caused device work, None without one. size: elements of a collective, bytes of a copy.
Event = collections.namedtuple("Event", "name start_ns end_ns launch size", defaults=(None, None))
# steps: {number: (start, end)}; utilization: [(time, percent)]; device: {"name", "memory_bytes"}
Tables = collections.namedtuple("Tables", "kernels copies calls ranges collectives operations steps utilization device")

# A range that the job gives to NVTX and to torch.profiler: the profiler's own ProfilerStep#N is late by one in some versions.
STEP = re.compile(r"job:step#(\d+)$")
COLLECTIVES = {"allreduce": "AllReduce", "allreduce_coalesced": "AllReduce", "_allgather_base": "AllGather", "all_gather": "AllGather",
               "allgather": "AllGather", "allgather_into_tensor_coalesced": "AllGather", "_reduce_scatter_base": "ReduceScatter",
               "reduce_scatter": "ReduceScatter", "reduce_scatter_tensor_coalesced": "ReduceScatter", "broadcast": "Broadcast",
               "_broadcast_oop": "Broadcast", "reduce": "Reduce", "_reduce_oop": "Reduce"}


def call_name(name):
    """cudaLaunchKernel of __cudaLaunchKernel_ptsz and cudaLaunchKernel_v7000."""
    return re.sub(r"(_ptsz|_ptds|_v\d+)+$", "", name.lstrip("_"))


def collective_name(name):
    """AllReduce of ncclAllReduce; NCCL has an old and a new broadcast."""
    return re.sub("^Bcast$", "Broadcast", name.removeprefix("nccl"))


def kernel_name(name):
    """Tools differ in spaces and in the type that a function returns."""
    return name.replace(" ", "").removeprefix("void")


def copy_name(name):
    return "set" if name.startswith("Memset") else "copy"


def read_json(path):
    path = pathlib.Path(path)
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as text:
        return json.load(text)


def read_kineto(path):
    trace = read_json(path)
    base_ns = int(trace.get("baseTimeNanoseconds", 0))
    whole = [event for event in trace["traceEvents"] if event.get("ph") == "X" and "cat" in event]
    launches = {}

    def event(each, name, size=None):
        start_ns = base_ns + round(each["ts"] * 1000)
        launch = launches.get(each.get("args", {}).get("correlation"))
        return Event(name, start_ns, start_ns + round(each["dur"] * 1000), launch, size)

    def events(categories, name, size=lambda args: None):
        found = (event(each, name(each["name"]), size(each.get("args", {}))) for each in whole if each["cat"] in categories)
        return sorted(found, key=lambda found: found.start_ns)

    # A call of the driver within one of the runtime may have the same correlation: the runtime's counts.
    for category in ("cuda_driver", "cuda_runtime"):
        for each in (each for each in whole if each["cat"] == category):
            called = event(each, call_name(each["name"]))
            launches[each["args"].get("correlation")] = (called.name, called.start_ns)
    ranges = events(("user_annotation",), str)
    collectives = [event(each, COLLECTIVES.get(each["args"].get("Collective name"), each["args"].get("Collective name")),
                         each["args"].get("In msg nelems")) for each in whole
                   if each["name"] == "record_param_comms" and each.get("args", {}).get("In msg nelems")]
    collectives.sort(key=lambda each: each.start_ns)
    device = (trace.get("deviceProperties") or [{}])[0]
    return Tables(kernels=events(("kernel",), kernel_name),
                  copies=events(("gpu_memcpy", "gpu_memset"), copy_name, lambda args: args["bytes"]),
                  calls=[each._replace(launch=None) for each in events(("cuda_runtime",), call_name)], ranges=ranges,
                  collectives=collectives, operations=collectives, steps=steps_of(ranges), utilization=[],
                  device={"name": device.get("name"), "memory_bytes": device.get("totalGlobalMem")})


def steps_of(ranges):
    return {int(found[1]): (each.start_ns, each.end_ns) for each in ranges if (found := STEP.match(each.name))}


def read_run(query):
    """`query`: a function from SQL to rows of a run of one process, as {column: value}."""
    clock = query("SELECT realtime_ns - monotonic_ns AS offset_ns FROM clock_sample ORDER BY monotonic_ns DESC LIMIT 1")
    offset_ns = clock[0]["offset_ns"]
    launches = {row["correlation"]: (call_name(row["name"]), row["start_ns"] + offset_ns) for row in query(
        "SELECT text AS name, start_ns, correlation FROM launch JOIN string USING (process_id) WHERE string.id = api_id "
        "ORDER BY text LIKE 'cuda%' OR text LIKE '\\_\\_cuda%' ESCAPE '\\'")}

    def events(sql, name):
        return [Event(name(row["name"]), row["start_ns"] + offset_ns, row["end_ns"] + offset_ns, launches.get(row.get("correlation")),
                      row.get("size")) for row in query(sql + " ORDER BY start_ns")]

    ranges = events("SELECT text AS name, start_ns, end_ns FROM user_range JOIN string USING (process_id) "
                    "WHERE string.id = name_id AND end_ns IS NOT NULL", str)
    device = query("SELECT name, memory_bytes FROM device ORDER BY ordinal LIMIT 1")
    return Tables(
        kernels=events("SELECT demangled(text) AS name, start_ns, end_ns, correlation FROM kernel JOIN string USING (process_id) "
                       "WHERE string.id = name_id", kernel_name),
        copies=events("SELECT CASE kind WHEN 255 THEN 'Memset' ELSE 'Memcpy' END AS name, start_ns, end_ns, correlation, bytes AS size "
                      "FROM copy", copy_name),
        calls=events("SELECT text AS name, start_ns, end_ns FROM api_call JOIN string USING (process_id) WHERE string.id = api_id",
                     call_name),
        ranges=ranges,
        collectives=events("SELECT text AS name, start_ns, end_ns, count AS size FROM collective_call JOIN string USING (process_id) "
                           "WHERE string.id = api_id", collective_name),
        operations=events("SELECT text AS name, start_ns, end_ns FROM nccl_operation JOIN string USING (process_id) "
                          "WHERE string.id = function_id", collective_name),
        steps=steps_of(ranges),
        utilization=[(row["time_ns"] + offset_ns, row["value"]) for row in query(
            "SELECT time_ns, value FROM sample JOIN series USING (process_id) WHERE series.id = series_id "
            "AND metric = 'gpu_utilization_percent' ORDER BY time_ns")],
        device=device[0] if device else {})
