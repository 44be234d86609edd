# SPDX-License-Identifier: Apache-2.0
"""What differs between the tables of two tools (trace_tables.py) of the same run, beyond the tolerances stated here. One of two
clients of CUPTI has the device at a time, so device work is compared by what a step does, in whichever steps each tool saw it;
calls, ranges and collectives, which both see at the same time, one to one within the other tool's steps."""

import bisect
import collections
import statistics

DEVICE_SHARE, DEVICE_NS = 0.10, 2_000  # of the median length of a kernel or copy; the larger of the two holds
HOST_SHARE, HOST_NS = 0.25, 20_000  # of the median length of a call or range: one tool's measuring lies inside the other's
CLOCK_NS = 1_000_000  # between the starts of the same steps
PAIR_NS = 200_000  # between the starts of one event in both, after the clocks' difference
LOOKED_NS = 20_000_000  # between launches of a tool that looked all the time
LAUNCHED_SHARE = 0.01  # of device work whose launch is known
UTILIZATION_POINTS = 25
MEMORY_SHARE = 0.05
SAMPLES = 3  # fewer are not compared
APART_SHARE = 0.01  # of the events of one name that may start further apart
# Both must have all of these. Of other calls we have those that go through the process's CUDA runtime: cuBLAS and NCCL have one of
# their own within, which CUPTI sees. The work that they launch is compared as device work.
MUST_HAVE = ("cudaMemcpy", "cudaGraphLaunch")
WAITING = "nccl"  # kernels as long as they wait for other ranks: their lengths differ from step to step
RANGE = "job:"  # ranges that a job gives to NVTX and to torch.profiler


def by_name(events):
    groups = collections.defaultdict(list)
    for event in events:
        groups[event.name].append(event)
    return groups


def length_ns(events):
    return statistics.median(event.end_ns - event.start_ns for event in events)


def is_off(theirs, ours, share, least):
    return abs(theirs - ours) > max(share * theirs, least)


def span(steps):
    return min(start for start, _ in steps.values()), max(end for _, end in steps.values())


def within(events, start_ns, end_ns):
    starts = [event.start_ns for event in events]
    return events[bisect.bisect_left(starts, start_ns):bisect.bisect_right(starts, end_ns)]


def clock_offset_ns(theirs, ours):
    """What to add to our times; the starts of the same steps tell. None: no step is in both."""
    both = theirs.steps.keys() & ours.steps.keys()
    return round(statistics.median(theirs.steps[step][0] - ours.steps[step][0] for step in both)) if both else None


def work_of_steps(events, steps):
    """A list for each step in which there is work: its events, by when they were launched."""
    work = collections.defaultdict(list)
    numbers = sorted(steps)
    starts = [steps[number][0] for number in numbers]
    for event in events:
        if event.launch:
            at = bisect.bisect_right(starts, event.launch[1]) - 1
            if at >= 0 and event.launch[1] <= steps[numbers[at]][1]:
                work[numbers[at]].append(event)
    return list(work.values())


def usual(work):
    """{name: (count a step, median ns, launched by, bytes)} over steps."""
    events = by_name(event for step in work for event in step)
    counts = [collections.Counter(event.name for event in step) for step in work]
    return {name: (statistics.median(count[name] for count in counts), length_ns(found),
                   collections.Counter(event.launch[0] for event in found).most_common(1)[0][0],
                   statistics.median(event.size or 0 for event in found)) for name, found in events.items()}


def without_launch(events):
    """How many have none, though what ran before and after was launched at about the same time. What was launched while the tool did not
    look may run when it looks: first or last, or between work of launches that are further apart."""
    count, waiting, before_ns = 0, 0, None
    for event in events:
        if event.launch is None:
            waiting += 1
            continue
        if before_ns is not None and event.launch[1] - before_ns <= LOOKED_NS:
            count += waiting
        waiting, before_ns = 0, event.launch[1]
    return count


def device_differences(what, theirs, ours, their_steps, our_steps, lengths):
    for tool, events in (("torch", theirs), ("ringside", ours)):
        without = without_launch(events)
        if without > LAUNCHED_SHARE * len(events):
            yield f"{what}: {tool} has no launch of {without} of {len(events)}"
    left, right = usual(work_of_steps(theirs, their_steps)), usual(work_of_steps(ours, our_steps))
    if not left or not right:
        yield f"{what}: no step has any in {'torch' if not left else 'ringside'}"
        return
    for name in sorted(left.keys() | right.keys()):
        count, ns, call, size = left.get(name, (0, 0, "", 0))
        our_count, our_ns, our_call, our_size = right.get(name, (0, 0, "", 0))
        if count != our_count:
            yield f"{what} {name}: torch has {count:g} a step, ringside {our_count:g}"
        elif count and lengths and not name.startswith(WAITING) and is_off(ns, our_ns, DEVICE_SHARE, DEVICE_NS):
            yield f"{what} {name}: median of torch {ns:g} ns, of ringside {our_ns:g} ns"
        elif count and (call, size) != (our_call, our_size):
            yield f"{what} {name}: launched by {call} with {size:g} bytes in torch, by {our_call} with {our_size:g} in ringside"


def is_part(name):
    """Of calls of that name we may have fewer."""
    return name.startswith("cuda") and not name.startswith(MUST_HAVE)


def pairs(theirs, ours):
    """(pairs, only theirs, only ours) of events of one name, both sorted by start."""
    if len(theirs) == len(ours):
        return list(zip(theirs, ours)), [], []
    found, missing, extra = [], [], []
    left, right = 0, 0
    while left < len(theirs) and right < len(ours):
        distance = theirs[left].start_ns - ours[right].start_ns
        if abs(distance) <= PAIR_NS:
            found.append((theirs[left], ours[right]))
        (missing if distance < -PAIR_NS else extra if distance > PAIR_NS else []).append(theirs[left] if distance < 0 else ours[right])
        left, right = left + (distance <= PAIR_NS), right + (distance >= -PAIR_NS)
    return found, missing + theirs[left:], extra + ours[right:]


def host_differences(what, theirs, ours, compare_lengths=True):
    left, right = by_name(theirs), by_name(ours)
    for name in sorted(left.keys() | right.keys()):
        found, missing, extra = pairs(left.get(name, []), right.get(name, []))
        if extra or (missing and not is_part(name)):
            yield (f"{what} {name}: torch has {len(left.get(name, []))}, ringside {len(right.get(name, []))}; "
                   f"{len(missing)} only in torch, {len(extra)} only in ringside")
            continue
        apart = sum(abs(a.start_ns - b.start_ns) > PAIR_NS for a, b in found)
        if apart > APART_SHARE * len(found):
            yield f"{what} {name}: {apart} of {len(found)} start more than {PAIR_NS} ns apart"
        lengths = [length_ns([pair[side] for pair in found]) if found else 0 for side in (0, 1)]
        if compare_lengths and is_off(*lengths, HOST_SHARE, HOST_NS):
            yield f"{what} {name}: median of torch {lengths[0]:g} ns, of ringside {lengths[1]:g} ns"
        sizes = [(a.size, b.size) for a, b in found if None not in (a.size, b.size) and a.size != b.size]
        if sizes:
            yield (f"{what} {name}: {len(sizes)} of {len(found)} have another size, "
                   f"the first {sizes[0][0]} in torch, {sizes[0][1]} in ringside")


def busy_percent(kernels, start_ns, end_ns):
    busy, reached = 0, start_ns
    for kernel in kernels:
        busy += max(0, min(kernel.end_ns, end_ns) - max(kernel.start_ns, reached))
        reached = max(reached, kernel.end_ns)
    return 100 * busy / (end_ns - start_ns)


def nvml_differences(theirs, ours, start_ns, end_ns):
    samples = [value for time_ns, value in ours.utilization if start_ns <= time_ns <= end_ns]
    busy = busy_percent(theirs.kernels, start_ns, end_ns)
    if len(samples) >= SAMPLES and abs(statistics.mean(samples) - busy) > UTILIZATION_POINTS:
        yield f"utilization: NVML says {statistics.mean(samples):.0f} %, torch's kernels fill {busy:.0f} %"
    name, memory_bytes = theirs.device["name"], theirs.device["memory_bytes"]
    if name is not None and name != ours.device.get("name"):
        yield f"device: {name} in torch, {ours.device.get('name')} in ringside"
    if memory_bytes and is_off(memory_bytes, ours.device.get("memory_bytes") or 0, MEMORY_SHARE, 0):
        yield f"device: {memory_bytes} bytes of memory in torch, {ours.device.get('memory_bytes')} in ringside"


def shifted(ours, offset_ns):
    def moved(events):
        return [event._replace(start_ns=event.start_ns + offset_ns, end_ns=event.end_ns + offset_ns) for event in events]
    return ours._replace(calls=moved(ours.calls), ranges=moved(ours.ranges), collectives=moved(ours.collectives),
                         operations=moved(ours.operations),
                         utilization=[(time_ns + offset_ns, percent) for time_ns, percent in ours.utilization])


def compared_calls(calls, others):
    """Those that must be in both, and those that are."""
    names = {call.name for call in others}
    return [call for call in calls if call.name.startswith(MUST_HAVE) or call.name in names]


def host_tables(theirs, ours, offset_ns):
    """Of both: calls, ranges, collectives and operations within the other tool's steps, by its clock."""
    return ([within(events, *span(theirs.steps)) for events in (tables.calls, tables.ranges, tables.collectives, tables.operations)]
            for tables in (theirs, shifted(ours, offset_ns)))


def differences(theirs, ours, lengths=True):
    """All, as sentences, of Tables of torch.profiler and of ringside. Without `lengths`, those of device work are not compared: where
    processes share a GPU in turns, they depend on the others."""
    offset_ns = clock_offset_ns(theirs, ours)
    if offset_ns is None:
        return ["steps: no step is in both traces"]
    found = []
    if abs(offset_ns) > CLOCK_NS:
        found.append(f"clocks: {offset_ns} ns apart")
    found += device_differences("kernel", theirs.kernels, ours.kernels, theirs.steps, ours.steps, lengths)
    found += device_differences("copy", theirs.copies, ours.copies, theirs.steps, ours.steps, lengths) if theirs.copies or ours.copies else []
    found += nvml_differences(theirs, shifted(ours, offset_ns), *span(theirs.steps))
    theirs, ours = host_tables(theirs, ours, offset_ns)
    found += host_differences("call", compared_calls(theirs[0], ours[0]), compared_calls(ours[0], theirs[0]))
    found += host_differences("range", *([each for each in ranges if each.name.startswith(RANGE)] for ranges in (theirs[1], ours[1])))
    # torch.profiler times the whole of its own collective, of which NCCL's call is a part.
    found += host_differences("collective", theirs[2], ours[2], compare_lengths=False)
    # NCCL tells of none where the communicator has one rank.
    found += host_differences("operation", theirs[3], ours[3], compare_lengths=False) if ours[3] else []
    return found


def compared(theirs, ours):
    """What was there to compare, as sentences."""
    for name in ("kernels", "copies", "calls", "ranges", "collectives", "operations", "utilization", "steps"):
        yield f"{name}: torch {len(getattr(theirs, name))}, ringside {len(getattr(ours, name))}"
    offset_ns = clock_offset_ns(theirs, ours)
    if offset_ns is None:
        return
    yield f"clocks: {offset_ns} ns apart"
    left, right = (by_name(tables[0]) for tables in host_tables(theirs, ours, offset_ns))
    for name in sorted(left.keys() | right.keys()):
        yield f"calls within torch's steps, {name}: torch {len(left.get(name, []))}, ringside {len(right.get(name, []))}"
