// SPDX-License-Identifier: Apache-2.0
// Rules about GPUs, memory and hosts.
#include "rule_cases.h"
#include "sampled_rows.h"
#include "usual_runs.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ringside::test {
namespace {

TrainingRun copying(Edit edit)
{
    TrainingRun run;
    run.copyBytes = 4U << 20U;
    run.edit = std::move(edit);
    return run;
}

/// Each step waits for its batch.
TrainingRun copyBound()
{
    TrainingRun run = copying({});
    run.copyNs = 15 * kMillisecond;
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

/// Half full after warm-up, but for a piece that the allocator takes and keeps later.
Edit memoryOfAPlateau()
{
    return gauge("memory_used_bytes", [](int, double place) {
        return std::llround(std::min(place * 4, 1.0) * 8e9) + (place > 0.6 ? 100'000'000 : 0);
    });
}

/// A snapshot of rank 1's allocator. 27 MiB are free, in pieces of at most `largestMi`; 20 MiB were asked for
/// in vain, unless `failed` is false.
Edit memorySnapshot(std::int64_t largestMi, bool failed)
{
    return [=](TraceBuilder& trace) {
        constexpr std::int64_t kMi = 1 << 20;
        trace::ProcessTrace& process = trace.process(1);
        trace::MemoryStateRow& now = process.memoryStates.emplace_back();
        now = {1,        0,        "snapshot",      {}, {}, 50 * kMi, 80 * kMi, 52 * kMi,
               53 * kMi, 27 * kMi, largestMi * kMi, {}, {}};
        if (failed) {
            trace::MemoryStateRow state = now;
            state.id = 2;
            state.moment = "out_of_memory";
            state.timeNs = process.steps.back().startNs;
            state.wantedBytes = 20 * kMi;
            state.deviceFreeBytes = 3 * kMi;
            process.memoryStates.push_back(state);
            process.memoryHolders = {{2, trace.text(1, "block.py:40 forward"), 0, 40 * kMi, 6}};
        }
    };
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

Edit constant(const trace::SeriesMetric& metric, std::int64_t value)
{
    return gauge(metric, [value](int, double) { return value; });
}

/// Rank 1's; its generation is the highest only while it works.
Edit pcieLink(std::int64_t lanes, std::int64_t generation)
{
    return all({gauge("pcie_lanes", [lanes](int rank, double) { return rank == 1 ? lanes : 16; }),
                gauge("pcie_generation",
                      [generation](int rank, double place) {
                          return place < 0.1 ? 1 : rank == 1 ? generation : 4;
                      }),
                constant("pcie_lanes_max", 16), constant("pcie_generation_max", 4)});
}

Edit growing(const trace::SeriesMetric& metric, std::int64_t whole)
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

std::vector<RuleCase> gpuCases()
{
    return {
        {"clock_throttling",
         edited(throttled(0.5, 0x40, 900)),
         edited(throttled(0.93, 0x40, 1390)),
         {"clock_throttling.time_share=0.9"},
         {"clock_throttling.time_share=0.01", "clock_throttling.clock_part=1"},
         withoutEdit},
        {"gpu_temperature_high",
         edited(all({constant("temperature_slowdown_celsius", 87), constant("temperature_celsius", 85),
                     growing("thermal_violation_ns", 40'000'000)})),
         edited(all({constant("temperature_slowdown_celsius", 87), constant("temperature_celsius", 70),
                     growing("thermal_violation_ns", 0)})),
         {},
         {"gpu_temperature_high.margin=20"},
         withoutEdit},
        {"gpu_clock_spread",
         edited(gauge("sm_clock_mhz", [](int rank, double) { return rank == 1 ? 1200 : 1400; })),
         edited(gauge("sm_clock_mhz", [](int rank, double) { return rank == 1 ? 1390 : 1400; })),
         {"gpu_clock_spread.part=0.5", "gpu_clock_spread.part_low=0.5"},
         {"gpu_clock_spread.part=1"},
         withoutEdit},
        {"pcie_errors",
         edited(growing("pcie_replays", 200)),
         edited(growing("pcie_replays", 10)),
         {"pcie_errors.replays_a_minute=1000"},
         {"pcie_errors.replays_a_minute=1"},
         withoutEdit},
        {"ecc_errors",
         edited(all({growing("ecc_corrected_errors", 500), growing("ecc_uncorrected_errors", 1)})),
         edited(growing("ecc_corrected_errors", 5)),
         {"ecc_errors.corrected=1e6", "ecc_errors.uncorrected=10"},
         {"ecc_errors.corrected=1"},
         withoutEdit},
        {"memory_near_limit",
         edited(memoryUsed(16)),
         edited(memoryOfAPlateau()),
         {"memory_near_limit.part=1.1"},
         {"memory_near_limit.part=0.1"},
         withoutEdit},
        {"nvlink_errors",
         edited(growing("nvlink_replays", 20)),
         edited(all({growing("nvlink_replays", 0), constant("nvlink_links_up", 12)})),
         {"nvlink_errors.errors=100"},
         {},
         withoutEdit},
        {"nvlink_fabric",
         edited(all({constant("fabric_state", 2), constant("fabric_status", 0)})),
         edited(all({constant("fabric_state", 3), constant("fabric_status", 0)})),
         {},
         {},
         withoutEdit},
        {"persistence_mode",
         edited(constant("persistence_mode", 0)),
         edited(constant("persistence_mode", 1)),
         {},
         {},
         withoutEdit},
        {"out_of_memory",
         edited(memorySnapshot(9, true)),
         edited(memorySnapshot(9, false)),
         {},
         {},
         withoutEdit},
        {"pcie_link_degraded", edited(pcieLink(8, 3)), edited(pcieLink(16, 4)), {}, {}, withoutEdit},
        {"row_remap",
         edited(all({constant("row_remap_pending", 1), constant("remapped_rows_uncorrected", 20)})),
         edited(all({constant("row_remap_pending", 0), constant("remapped_rows_uncorrected", 20)})),
         {},
         {"row_remap.rows=20"},
         withoutEdit},
        {"xid_errors", edited(xid(79)), edited(memoryUsed(8)), {}, {}, withoutEdit},
    };
}

std::vector<RuleCase> hostCases()
{
    return {
        {"allocation_churn",
         edited(frees(1)),
         edited(frees(2)),
         {"allocation_churn.calls_per_step=10"},
         {"allocation_churn.calls_per_step=0.1"}},
        {"compute_imbalance",
         lateRank(8 * kMillisecond),
         healthy(),
         {"compute_imbalance.excess=5"},
         {"compute_imbalance.excess=-0.5", "compute_imbalance.least_steps=-1"}},
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
        {"data_skew", skewed(), healthy(), {"data_skew.excess=5"}, {"data_skew.excess=-1"}},
        {"exposed_copy", copyBound(), copying({}), {"exposed_copy.share=0.9"}, {"exposed_copy.share=0.001"}},
        {"pageable_copy",
         copying(holdCopies),
         copying({}),
         {"pageable_copy.share=0.9"},
         {"pageable_copy.share=-1", "pageable_copy.held_part=0.001"}},
        {"shm_small",
         edited(sharedMemory("67108864")),
         edited(sharedMemory("8589934592")),
         {"shm_small.min_bytes=1000"},
         {"shm_small.min_bytes=1e12"},
         withoutEdit},
        {"small_batch",
         with(slowNetwork(), memoryUsed(4)),
         edited(memoryUsed(4)),
         {"small_batch.exposed_share=0.9"},
         {"small_batch.exposed_share=0.001"},
         withoutEdit},
        {"tensor_cores_unused",
         edited(onGpu("NVIDIA A100-SXM4-80GB")),
         edited(all({onGpu("NVIDIA A100-SXM4-80GB"), renamed("sgemm", "ampere_bf16_s16816gemm_bf16")})),
         {"tensor_cores_unused.share=1.1"},
         {"tensor_cores_unused.share=-1"}},
    };
}

} // namespace

std::vector<RuleCase> deviceCases()
{
    std::vector<RuleCase> cases = gpuCases();
    std::ranges::move(hostCases(), std::back_inserter(cases));
    return cases;
}

} // namespace ringside::test
