# SPDX-License-Identifier: Apache-2.0
"""The lab's matrix: what is done to a training run, and what a report must therefore say.

A scenario states its truth before it is run. A rule that is neither expected nor allowed and yet warns is a false claim; one
that is expected and silent, or names another rank, is a miss. Strengths were chosen from what the fault costs, never from a
threshold."""

import dataclasses

# Measurements of a run's shape: true whenever their figure is, whatever the reason. They are no diagnosis of a fault and count
# neither way.
SYMPTOMS = frozenset(("comm_share_high", "comm_compute_ratio_high", "exposed_communication", "gpu_utilization_low",
                      "gpu_utilization_spread", "wait_dominates", "fp32_gradients", "step_time_jitter"))

# Many small layers in four buckets, and as much work in many more layers and messages.
FEW_BUCKETS = ("--hidden", 256, "--layers", 12, "--bucket-cap-mb", 1)
MANY_LAYERS = ("--hidden", 128, "--layers", 48, "--bucket-cap-mb", 1.5)


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    faults: tuple = ()
    ranks: int = 4
    steps: int = 24
    batch: int = 64                 # of a rank
    options: tuple = ()
    shape: tuple = FEW_BUCKETS
    throttled: tuple = ()           # (rank, factor): its device clocks so much lower
    expect: tuple = ()              # rules that must warn
    where: tuple = ()               # ranks that the first of them must name; empty: none is asked for
    allow: frozenset = frozenset()  # rules that are true of the run, too
    leads: bool = True              # the first of `expect` must be the first cause listed
    mended: tuple = ()              # faults of the training that its cost is measured against, none as a rule
    cost: bool = True               # its cost is compared with the gain of that

    @property
    def healthy(self):
        """The same training without what was done to it."""
        return dataclasses.replace(self, name="", faults=self.mended, mended=(), expect=(), where=(), allow=frozenset(), throttled=(),
                                   leads=True, cost=True)


def late(cause, ms, rank, ranks):
    also = {"host": {"sync_in_loop"}, "data": {"data_loading_stall"}, "compute": {"compute_imbalance"}}[cause]
    return Scenario(f"late_{cause}_{ms}ms_{ranks}", (f"late_rank:rank={rank},ms={ms},by={cause}",), ranks,
                    expect=("late_rank",), where=(rank,), allow=frozenset(also), leads=cause == "compute")


def balanced(ms, ranks):
    """As much more compute on every rank: what is left when batches are made equal."""
    return tuple(f"late_rank:rank={rank},ms={ms:g}" for rank in range(ranks))


def everywhere(name, fault, rule, ranks, **more):
    return Scenario(f"{name}_{ranks}", (fault,), ranks, expect=(rule,), **more)


def of_a_world(ranks):
    """Each fault at two strengths."""
    last = ranks - 1
    for ms in (30, 60):
        yield late("compute", ms, last, ranks)
        yield late("data", ms, 1, ranks)
        yield late("host", ms, 0, ranks)
    for factor in (1.3, 1.6):
        yield Scenario(f"throttled_{factor}_{ranks}", throttled=(last, factor), ranks=ranks, expect=("late_rank", "clock_throttling"),
                       where=(last,), allow=frozenset(("compute_imbalance", "gpu_clock_spread")), leads=False)
    for ms in (60, 100):
        yield everywhere(f"moving_straggler_{ms}ms", f"moving_straggler:ms={ms},seed={ms}", "data_skew", ranks,
                         mended=balanced(ms / ranks, ranks), allow=frozenset(("compute_imbalance", "late_rank")))
    for ms in (100, 200):
        yield everywhere(f"data_skew_{ms}ms", f"data_skew:ms={ms},seed={ms}", "data_skew", ranks,
                         mended=balanced(ms / 2, ranks), allow=frozenset(("compute_imbalance", "late_rank")))
    for mb in (0.02, 0.05):
        yield everywhere(f"small_buckets_{mb}mb", f"small_buckets:mb={mb}", "small_messages", ranks, shape=MANY_LAYERS)
    for every, ms in ((2, 100), (4, 150)):
        yield everywhere(f"data_stall_{ms}ms", f"data_stall:every={every},ms={ms}", "data_loading_stall", ranks)
    for every, ms in ((5, 200), (8, 400)):
        yield Scenario(f"checkpoint_{ms}ms_{ranks}", (f"checkpoint_stall:every={every},ms={ms}",), ranks, steps=34,
                       expect=("step_time_jitter",), where=(0,), allow=frozenset(("sync_in_loop", "late_rank")), leads=False)
    for count in (2, 4):
        yield everywhere(f"sync_every_part_{count}", "sync_every_part", "sync_every_micro_step", ranks,
                         options=("--accumulate", count))
    for tensors in (64, 1000):
        yield everywhere(f"unused_parameters_{tensors}", f"unused_parameters:parameters={tensors}",
                         "unused_parameter_search", ranks)
    for batch in (64, 32):
        yield everywhere(f"no_overlap_{batch}", "no_overlap", "exposed_communication", ranks, batch=batch,
                         leads=False, cost=False)  # a measurement: what is exposed, not what overlap would save
        yield everywhere(f"parameter_server_{batch}", "parameter_server", "parameter_server_pattern", ranks, batch=batch)
        yield everywhere(f"host_sync_{batch}", "host_sync", "sync_in_loop", ranks, batch=batch)


def combinations(ranks):
    """Two faults at once: both must be named."""
    last = ranks - 1
    for name, faults, expect, more in (
            ("late_and_small_buckets", (f"late_rank:rank={last},ms=50", "small_buckets:mb=0.03"), ("late_rank", "small_messages"),
             {"shape": MANY_LAYERS, "where": (last,)}),
            ("late_and_stalls", (f"late_rank:rank={last},ms=50", "data_stall:every=3,ms=120"), ("late_rank", "data_loading_stall"),
             {"where": (last,)}),
            ("parts_and_map", ("sync_every_part", "unused_parameters:parameters=200"),
             ("sync_every_micro_step", "unused_parameter_search"), {"options": ("--accumulate", 2)}),
            ("sync_and_server", ("host_sync", "parameter_server"), ("sync_in_loop", "parameter_server_pattern"), {})):
        yield Scenario(f"{name}_{ranks}", faults, ranks, expect=expect, leads=False, cost=False,
                       allow=frozenset(("compute_imbalance", "small_messages")), **more)


def healthy_runs():
    for ranks in (2, 3, 4):
        yield Scenario(f"healthy_{ranks}", ranks=ranks)
        yield Scenario(f"healthy_many_layers_{ranks}", ranks=ranks, shape=MANY_LAYERS)
        yield Scenario(f"healthy_accumulating_{ranks}", ranks=ranks, options=("--accumulate", 4))
        yield Scenario(f"healthy_fp16_{ranks}", ranks=ranks, options=("--gradients", "fp16"))
        yield Scenario(f"healthy_adam_{ranks}", ranks=ranks, options=("--optimizer", "adam"))


def matrix():
    return [*of_a_world(2), *of_a_world(4), *combinations(2), *combinations(4), *healthy_runs()]


SHORT = ("late_compute_60ms_4", "late_data_60ms_2", "late_host_60ms_4", "small_buckets_0.02mb_4", "data_stall_100ms_4",
         "sync_every_part_4_2", "unused_parameters_1000_2", "host_sync_64_2", "healthy_2", "healthy_accumulating_4")
