# SPDX-License-Identifier: Apache-2.0
"""Faults that the trainer makes by itself, each alone. One function per fault returns the expected report for any strength."""

from scoring.scenario import FEW_BUCKETS, MANY_LAYERS, Scenario


WIDE_LAYERS = ("--hidden", 512, "--layers", 8, "--bucket-cap-mb", 1)  # 8.5 MiB of gradients
LITTLE_COMPUTE = ("--hidden", 64, "--layers", 2, "--bucket-cap-mb", 1)  # of a sample, beside its copy


def late(cause, ms, rank, ranks, **more):
    also = {"host": {"sync_in_loop"}, "data": {"data_loading_stall"}, "compute": {"compute_imbalance"}}[cause]
    return Scenario(f"late_{cause}_{ms}ms_{ranks}", (f"late_rank:rank={rank},ms={ms},by={cause}",), ranks,
                    expect=("late_rank",), where=(rank,), allow=frozenset(also), leads=cause == "compute", **more)


def balanced(ms, ranks):
    """As much more compute on every rank: what is left when batches are made equal."""
    return tuple(f"late_rank:rank={rank},ms={ms:g}" for rank in range(ranks))


def everywhere(name, fault, rule, ranks, **more):
    return Scenario(f"{name}_{ranks}", (fault,), ranks, expect=(rule,), **more)


def throttled(factor, rank, ranks, **more):
    return Scenario(f"throttled_{factor}_{ranks}", throttled=(rank, factor), ranks=ranks, expect=("late_rank", "clock_throttling"),
                    where=(rank,), allow=frozenset(("compute_imbalance", "gpu_clock_spread")), leads=False, **more)


def moving_straggler(ms, ranks, **more):
    return everywhere(f"moving_straggler_{ms}ms", f"moving_straggler:ms={ms},seed={ms}", "data_skew", ranks,
                      mended=balanced(ms / ranks, ranks), allow=frozenset(("compute_imbalance", "late_rank")), **more)


def data_skew(ms, ranks, **more):
    return everywhere(f"data_skew_{ms}ms", f"data_skew:ms={ms},seed={ms}", "data_skew", ranks,
                      mended=balanced(ms / 2, ranks), allow=frozenset(("compute_imbalance", "late_rank")), **more)


def small_buckets(mb, ranks, shape=MANY_LAYERS):
    return everywhere(f"small_buckets_{mb}mb", f"small_buckets:mb={mb}", "small_messages", ranks, shape=shape)


def huge_buckets(batch, ranks, shape=WIDE_LAYERS):
    return everywhere(f"huge_buckets_{batch}", "huge_buckets", "large_last_bucket", ranks, batch=batch, shape=shape)


def data_stall(every, ms, ranks, **more):
    return everywhere(f"data_stall_{ms}ms", f"data_stall:every={every},ms={ms}", "data_loading_stall", ranks, **more)


def checkpoint(every, ms, ranks, **more):
    return Scenario(f"checkpoint_{ms}ms_{ranks}", (f"checkpoint_stall:every={every},ms={ms}",), ranks, steps=82,
                    expect=("step_time_jitter",), where=(0,), allow=frozenset(("sync_in_loop", "late_rank")), leads=False, **more)


def sync_every_part(count, ranks, **more):
    return everywhere(f"sync_every_part_{count}", "sync_every_part", "sync_every_micro_step", ranks,
                      options=("--accumulate", count), **more)


def unused_parameters(tensors, ranks, shape):
    return Scenario(f"unused_parameters_{tensors}_{ranks}", ranks=ranks, shape=shape, wrong=("--find-unused-parameters",),
                    expect=("unused_parameter_search",))


def allocation_churn(count, mb, ranks, **more):
    """Worth less than what two trainings differ by, so that its gain cannot be measured. Allocating delays backward and with it the
    last message."""
    return everywhere(f"allocation_churn_{count}", f"allocation_churn:count={count},mb={mb}", "allocation_churn", ranks, cost=False,
                      allow=frozenset(("large_last_bucket",)), **more)


def pageable_copies(batch, ranks):
    """The processor copies each byte twice, and more ranks than it has cores really wait for it."""
    return Scenario(f"pageable_copies_{batch}_{ranks}", ranks=ranks, batch=batch, shape=LITTLE_COMPUTE, wrong=("--no-pin-memory",),
                    expect=("pageable_copy",), allow=frozenset(("cpu_contention", "exposed_copy", "late_rank")), cost=False)


def of_little_batches(batch):
    """The last message holds one tensor of 1.4 MiB, which is large for as little compute as 32 samples are."""
    return {"batch": batch, "allow": frozenset(("large_last_bucket",) if batch <= 32 else ())}


def no_overlap(batch, ranks):
    """A measurement: what is exposed, not what overlap would save."""
    return everywhere(f"no_overlap_{batch}", "no_overlap", "exposed_communication", ranks, leads=False, cost=False,
                      **of_little_batches(batch))


def parameter_server(batch, ranks):
    return everywhere(f"parameter_server_{batch}", "parameter_server", "parameter_server_pattern", ranks, **of_little_batches(batch))


def host_sync(batch, ranks):
    return everywhere(f"host_sync_{batch}", "host_sync", "sync_in_loop", ranks, **of_little_batches(batch))


def of_a_world(ranks):
    """Each at two strengths."""
    last = ranks - 1
    for ms in (30, 60):
        yield late("compute", ms, last, ranks)
        yield late("data", ms, 1, ranks)
        yield late("host", ms, 0, ranks)
    yield from (throttled(factor, last, ranks) for factor in (1.3, 1.6))
    yield from (moving_straggler(ms, ranks) for ms in (60, 100))
    yield from (data_skew(ms, ranks) for ms in (100, 200))
    yield from (small_buckets(mb, ranks) for mb in (0.02, 0.05))
    yield from (huge_buckets(batch, ranks) for batch in (32, 16))
    yield from (data_stall(every, ms, ranks) for every, ms in ((2, 100), (4, 150)))
    yield from (checkpoint(every, ms, ranks) for every, ms in ((5, 200), (8, 400)))
    yield from (sync_every_part(count, ranks) for count in (2, 4))
    yield from (unused_parameters(tensors, ranks, shape) for tensors, shape in ((26, FEW_BUCKETS), (98, MANY_LAYERS)))
    yield from (allocation_churn(count, mb, ranks) for count, mb in ((8, 4), (32, 16)))
    yield from (pageable_copies(batch, ranks) for batch in (1024, 2048))
    yield from (fault(batch, ranks) for batch in (64, 32) for fault in (no_overlap, parameter_server, host_sync))


def scenarios():
    return [*of_a_world(2), *of_a_world(4)]
