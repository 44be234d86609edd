// SPDX-License-Identifier: Apache-2.0
#include "rule_cases.h"

#include "sampled_rows.h"
#include "settings_cases.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ringside::test {
namespace {

constexpr std::uint64_t kKibibyte = 1024;

/// Compute-bound, overlapping, nobody late: no rule has anything to say.
TrainingRun healthy()
{
    return {};
}

TrainingRun slowNetwork()
{
    TrainingRun run;
    run.bytesPerNs = 1;
    return run;
}

TrainingRun lateRank(std::int64_t ns)
{
    TrainingRun run;
    run.lateRank = 2;
    run.lateNs = ns;
    return run;
}

TrainingRun smallBuckets()
{
    TrainingRun run;
    run.buckets.clear();
    for (int i = 0; i < 48; ++i) {
        run.buckets.push_back((i % 3 == 0 ? 512 : 256) * kKibibyte);
    }
    run.latencyNs = 400'000;
    return run;
}

TrainingRun slowLoader()
{
    TrainingRun run;
    run.dataNs = 30 * kMillisecond;
    return run;
}

TrainingRun synchronized()
{
    TrainingRun run;
    run.synchronize = true;
    run.hostNs = 2 * kMillisecond;
    run.dataNs = 0;
    return run;
}

TrainingRun hostBound()
{
    TrainingRun run;
    run.hostNs = 30 * kMillisecond;
    return run;
}

TrainingRun edited(std::function<void(TraceBuilder&)> edit)
{
    TrainingRun run;
    run.edit = std::move(edit);
    return run;
}

constexpr std::int64_t kSecond = 1'000'000'000;

/// Rank 1 broadcasts where the others reduce.
void callAnother(TraceBuilder& trace)
{
    trace::CollectiveCallRow& call = trace.process(1).collectiveCalls[9];
    call.api = trace.text(1, "ncclBroadcast");
    call.reduction.reset();
    call.peer = 0;
}

/// Rank 3 never comes to the last collective; the others live on for so long.
TrainingRun stayingAway(std::int64_t waitNs, bool noticed)
{
    TrainingRun run;
    run.afterwards = [waitNs, noticed](trace::RunTrace& trace) {
        trace.processes[3].collectiveCalls.pop_back();
        for (trace::ProcessTrace& process : trace.processes) {
            const std::int64_t since = process.collectiveCalls.back().endNs;
            process.process.endNs.reset();
            process.clockSamples.push_back({since + waitNs, since + waitNs, std::nullopt, std::nullopt});
            if (noticed) {
                process.hangs.push_back(
                    {1, since + waitNs, since, std::nullopt, "no collective issued for 30 s"});
            }
        }
    };
    return run;
}

/// A checkpoint of half a second, which the watchdog was too eager about.
TrainingRun pausing()
{
    TrainingRun run;
    run.afterwards = [](trace::RunTrace& trace) {
        const std::int64_t since = trace.processes[0].collectiveCalls.back().endNs;
        trace.processes[0].hangs.push_back(
            {1, since + kSecond / 2, since, since + kSecond / 2, "no collective issued for 0.4 s"});
    };
    return run;
}

void withoutCollectives(TrainingRun& run)
{
    run.deviceTier = false;
    run.afterwards = {};
    run.edit = [](TraceBuilder& trace) {
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            trace.process(rank).collectiveCalls.clear();
        }
    };
}

TrainingRun withBuckets(std::vector<std::uint64_t> buckets, double bytesPerNs = 10)
{
    TrainingRun run;
    run.buckets = std::move(buckets);
    run.bytesPerNs = bytesPerNs;
    return run;
}

/// A map of used parameters travels with the gradients.
TrainingRun withUsedMap(std::uint64_t elements)
{
    const std::uint64_t bytes = elements * sizeof(std::int32_t);
    TrainingRun run = withBuckets({4U << 20U, 8U << 20U, bytes});
    run.edit = [bytes](TraceBuilder& trace) {
        constexpr std::int64_t kInt32 = 2;
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            for (trace::CollectiveCallRow& call : trace.process(rank).collectiveCalls) {
                call.datatype = call.bytes == bytes ? kInt32 : call.datatype;
            }
        }
    };
    return run;
}

/// Parameters go out and gradients come back, instead of all-reduces.
TrainingRun dataParallel()
{
    TrainingRun run = withBuckets({8U << 20U, 8U << 20U});
    run.overlap = false;
    run.edit = [](TraceBuilder& trace) {
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            for (trace::CollectiveCallRow& call : trace.process(rank).collectiveCalls) {
                call.api = trace.text(rank, call.sequence % 2 == 0 ? "ncclBroadcast" : "ncclReduce");
                call.peer = 0;
            }
        }
    };
    return run;
}

/// In every fourth step the network is so many times as fast.
TrainingRun atTimesFaster(double speed, Edit edit = {})
{
    TrainingRun run;
    run.bytesPerNs = 2;
    run.networkSpeed = [speed](std::int64_t step) { return step % 4 == 0 ? speed : 1.0; };
    run.edit = std::move(edit);
    return run;
}

TrainingRun withoutNccl()
{
    return edited([](TraceBuilder& trace) {
        renamed("ncclDevKernel", "reduce_kernel")(trace);
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            trace.process(rank).communicators.clear();
            trace.process(rank).collectiveCalls.clear();
            trace.process(rank).callCorrelations = {};
        }
    });
}

TrainingRun onTwoHosts(double latencyNs)
{
    TrainingRun run = withBuckets({32 * kKibibyte, 8U << 20U});
    run.hosts = 2;
    run.latencyNs = latencyNs;
    return run;
}

TrainingRun evaluating()
{
    TrainingRun run;
    run.extraNs = [](std::int64_t step, int) { return step % 6 == 0 ? 20 * kMillisecond : 1000; };
    return run;
}

/// Steps of the device tier's window are longer.
TrainingRun inWindow(std::int64_t extraNs)
{
    constexpr std::int64_t kLast = 24;
    TrainingRun run;
    run.steps = 48;
    run.synchronize = true;
    run.jitterNs = 10'000;
    run.extraNs = [extraNs](std::int64_t step, int) { return step <= kLast ? extraNs : 1000; };
    run.edit = windowUntil(kLast);
    return run;
}

TrainingRun copying(Edit edit)
{
    TrainingRun run;
    run.copyBytes = 4U << 20U;
    run.edit = std::move(edit);
    return run;
}

/// In each step another rank's batch is longer.
TrainingRun skewed()
{
    TrainingRun run;
    run.extraNs = [](std::int64_t step, int rank) {
        return (step + rank) % 4 == 0 ? 8 * kMillisecond : 1000;
    };
    return run;
}

Edit memoryUsed(std::int64_t gibibytes)
{
    return gauge("memory_used_bytes", [gibibytes](int, double) { return gibibytes << 30U; });
}

/// Rank 1's clock, with the reasons that NVML gives, from `from` on.
Edit throttled(double from, std::int64_t reasons, std::int64_t mhz)
{
    const auto held = [from](int rank, double place) { return rank == 1 && place >= from; };
    return all(
        {gauge("clock_event_reasons",
               [=](int rank, double place) { return held(rank, place) ? reasons : 0; }),
         gauge("sm_clock_mhz", [=](int rank, double place) { return held(rank, place) ? mhz : 1410; })});
}

Edit growing(const char* metric, std::int64_t whole)
{
    return counter(
        metric, [whole](int, double place) { return 7 + std::llround(place * static_cast<double>(whole)); });
}

Edit waitingForCpu(std::int64_t wholeNs)
{
    return sampled("process", "recording threads", "run_delay_ns", "counter", [wholeNs](int, double place) {
        return std::llround(place * static_cast<double>(wholeNs));
    });
}

/// Two NUMA nodes; the ranks may run on these CPUs.
Edit placed(const char* cpus)
{
    return [cpus](TraceBuilder& trace) {
        trace.setting("process", "cpus_allowed", cpus)
            .setting("machine", "cpus_online", "0-7")
            .setting("machine", "numa_node0_cpus", "0-3")
            .setting("machine", "numa_node1_cpus", "4-7")
            .setting("device", "gpu0_numa_node", "0");
    };
}

Edit sharedMemory(const char* bytes)
{
    return [bytes](TraceBuilder& trace) { trace.setting("machine", "shm_bytes", bytes); };
}

TrainingRun with(TrainingRun run, Edit edit)
{
    run.edit = std::move(edit);
    return run;
}

void withoutEdit(TrainingRun& run)
{
    run.edit = {};
}

void withoutRanks(TrainingRun& run)
{
    run.afterwards = [](trace::RunTrace& trace) { trace.processes.clear(); };
}

} // namespace

std::vector<RuleCase> ruleCases()
{
    std::vector<RuleCase> cases = {
        {"algorithm_mismatch",
         atTimesFaster(4, algorithms(4)),
         atTimesFaster(1.1, algorithms(4)),
         {"algorithm_mismatch.factor=10"},
         {"algorithm_mismatch.factor=0.9"},
         withoutEdit},
        {"allocation_churn",
         edited(frees(1)),
         edited(frees(2)),
         {"allocation_churn.calls_per_step=10"},
         {"allocation_churn.calls_per_step=0.1"}},
        {"backend_not_nccl", withoutNccl(), healthy(), {}, {}},
        {"clock_throttling",
         edited(throttled(0.5, 0x40, 900)),
         edited(throttled(0.93, 0x4, 1390)),
         {"clock_throttling.time_share=0.9"},
         {"clock_throttling.time_share=0.01", "clock_throttling.clock_part=1"},
         withoutEdit},
        {"collective_bandwidth_low",
         atTimesFaster(4),
         healthy(),
         {"collective_bandwidth_low.part=0.1"},
         {"collective_bandwidth_low.part=1.01"}},
        {"collective_mismatch", edited(callAnother), healthy(), {}, {}, withoutCollectives},
        {"collective_missing_rank",
         stayingAway(30 * kSecond, false),
         stayingAway(kSecond, false),
         {"collective_missing_rank.stuck_after_s=60"},
         {"collective_missing_rank.stuck_after_s=0.5"},
         withoutCollectives},
        {"comm_compute_ratio_high",
         slowNetwork(),
         healthy(),
         {"comm_compute_ratio_high.ratio=2"},
         {"comm_compute_ratio_high.ratio=0.001"}},
        {"comm_share_high",
         slowNetwork(),
         healthy(),
         {"comm_share_high.share=0.9"},
         {"comm_share_high.share=0.001"}},
        {"compute_imbalance",
         lateRank(8 * kMillisecond),
         healthy(),
         {"compute_imbalance.excess=5"},
         {"compute_imbalance.excess=-0.5"}},
        {"cpu_affinity",
         edited(placed("4-5")),
         edited(placed("0-3")),
         {},
         {"cpu_affinity.min_cpus=8"},
         withoutEdit},
        {"cpu_contention",
         edited(waitingForCpu(200 * kMillisecond)),
         edited(waitingForCpu(2 * kMillisecond)),
         {"cpu_contention.delay_share=1.1"},
         {"cpu_contention.delay_share=0.001"},
         withoutEdit},
        {"data_loading_stall",
         slowLoader(),
         healthy(),
         {"data_loading_stall.share=0.9"},
         {"data_loading_stall.share=-1"}},
        {"data_skew",
         skewed(),
         healthy(),
         {"data_skew.excess=5"},
         {"data_skew.excess=-1", "data_skew.balanced=100"}},
        {"ecc_errors",
         edited(all({growing("ecc_corrected_errors", 500), growing("ecc_uncorrected_errors", 1)})),
         edited(growing("ecc_corrected_errors", 5)),
         {"ecc_errors.corrected=1e6", "ecc_errors.uncorrected=10"},
         {"ecc_errors.corrected=1"},
         withoutEdit},
        {"exposed_communication",
         slowNetwork(),
         healthy(),
         {"exposed_communication.share=0.9"},
         {"exposed_communication.share=0.001"}},
        {"fp32_gradients",
         slowNetwork(),
         healthy(),
         {"fp32_gradients.share=0.9"},
         {"fp32_gradients.share=0.001"}},
        {"gpu_utilization_low",
         hostBound(),
         healthy(),
         {"gpu_utilization_low.utilization=0.1"},
         {"gpu_utilization_low.utilization=1.01"}},
        {"gpu_utilization_spread",
         lateRank(10 * kMillisecond),
         healthy(),
         {"gpu_utilization_spread.spread=0.9"},
         {"gpu_utilization_spread.spread=0"}},
        {"hang",
         stayingAway(30 * kSecond, true),
         pausing(),
         {"hang.min_s=60"},
         {"hang.min_s=0.1"},
         withoutRanks},
        {"host_bound", hostBound(), healthy(), {"host_bound.share=0.9"}, {"host_bound.share=-1"}},
        {"inter_node_latency_high",
         onTwoHosts(6e6),
         onTwoHosts(30e3),
         {"inter_node_latency_high.latency_ms=50"},
         {"inter_node_latency_high.latency_ms=0.001"}},
        {"large_last_bucket",
         withBuckets({4U << 20U, 32U << 20U}, 5),
         healthy(),
         {"large_last_bucket.share=0.9"},
         {"large_last_bucket.share=0.001"}},
        {"late_rank",
         lateRank(8 * kMillisecond),
         healthy(),
         {"late_rank.lost_share=0.9"},
         {"late_rank.lost_share=0", "late_rank.chance=1"}},
        {"memory_near_limit",
         edited(memoryUsed(16)),
         edited(memoryUsed(8)),
         {"memory_near_limit.part=1.1"},
         {"memory_near_limit.part=0.1"},
         withoutEdit},
        {"nvlink_errors",
         edited(growing("nvlink_replays", 20)),
         edited(growing("nvlink_replays", 0)),
         {"nvlink_errors.errors=100"},
         {},
         withoutEdit},
        {"pageable_copy",
         copying(holdCopies),
         copying({}),
         {"pageable_copy.share=0.9"},
         {"pageable_copy.share=-1", "pageable_copy.held_part=0.001"}},
        {"parameter_server_pattern", dataParallel(), healthy(), {"parameter_server_pattern.part=1.1"}, {}},
        {"profiler_overhead",
         inWindow(2 * kMillisecond),
         inWindow(100'000),
         {"profiler_overhead.share=0.9"},
         {"profiler_overhead.share=0.001"},
         withoutEdit},
        {"shm_small",
         edited(sharedMemory("67108864")),
         edited(sharedMemory("8589934592")),
         {"shm_small.min_bytes=1000"},
         {"shm_small.min_bytes=1e12"},
         withoutEdit},
        {"slow_link",
         edited(proxyMessages(0.4)),
         edited(proxyMessages(0.9)),
         {"slow_link.part=0.3"},
         {"slow_link.part=0.95"},
         withoutEdit},
        {"small_batch",
         with(slowNetwork(), memoryUsed(4)),
         edited(memoryUsed(4)),
         {"small_batch.exposed_share=0.9"},
         {"small_batch.exposed_share=0.001"},
         withoutEdit},
        {"small_messages",
         smallBuckets(),
         healthy(),
         {"small_messages.min_messages=100"},
         {"small_messages.min_messages=1", "small_messages.min_message_bytes=1e9",
          "small_messages.min_latency_share=0"}},
        {"step_time_jitter",
         evaluating(),
         healthy(),
         {"step_time_jitter.ratio=10"},
         {"step_time_jitter.ratio=0.5"}},
        {"sync_every_micro_step",
         withBuckets({4U << 20U, 8U << 20U, 4U << 20U, 8U << 20U}, 2),
         healthy(),
         {"sync_every_micro_step.repeats=3"},
         {}},
        {"sync_in_loop",
         synchronized(),
         healthy(),
         {"sync_in_loop.cost_share=0.9"},
         {"sync_in_loop.cost_share=0", "sync_in_loop.calls_per_step=0"}},
        {"tensor_cores_unused",
         edited(onGpu("NVIDIA A100-SXM4-80GB")),
         edited(all({onGpu("NVIDIA A100-SXM4-80GB"), renamed("sgemm", "ampere_bf16_s16816gemm_bf16")})),
         {"tensor_cores_unused.share=1.1"},
         {"tensor_cores_unused.share=-1"}},
        {"unused_parameter_search",
         withUsedMap(64),
         withUsedMap(8),
         {"unused_parameter_search.min_elements=100"},
         {"unused_parameter_search.min_elements=4"}},
        {"wait_dominates",
         lateRank(10 * kMillisecond),
         healthy(),
         {"wait_dominates.share=0.99"},
         {"wait_dominates.share=0", "wait_dominates.min_step_share=0"}},
        {"xid_errors", edited(xid(79)), edited(memoryUsed(8)), {}, {}, withoutEdit},
    };
    std::ranges::move(settingsCases(), std::back_inserter(cases));
    return cases;
}

} // namespace ringside::test
