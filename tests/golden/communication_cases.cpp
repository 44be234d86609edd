// SPDX-License-Identifier: Apache-2.0
// Rules about communication.
#include "rule_cases.h"
#include "sampled_rows.h"
#include "support/durations.h"
#include "usual_runs.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/ring.h>

namespace ringside::test {
namespace {

constexpr std::uint64_t kKibibyte = 1024;

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

using ringside::test::kSecond;

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

/// Rank 2 was killed, and the others gave up; rank 3 was not watched, but lived a second more.
TrainingRun withADeath()
{
    TrainingRun run;
    run.afterwards = [](trace::RunTrace& trace) {
        constexpr int kExitOne = 1 << 8;
        constexpr int kKilled = 9;
        for (std::size_t rank = 0; rank < trace.processes.size(); ++rank) {
            trace::ProcessTrace& process = trace.processes[rank];
            const std::int64_t endNs = *process.process.endNs;
            process.process.endNs.reset();
            process.settings = rank == 3   ? std::vector<trace::SettingRow>()
                               : rank == 2 ? trace::goneSettings({endNs + 4'000'000, kKilled})
                                           : trace::goneSettings({endNs + 9'000'000, kExitOne});
        }
        trace::ProcessTrace& last = trace.processes[3];
        last.issues.push_back({trace::Issue::ProcessKilled, 1, "it left its rings"});
        const std::int64_t livedNs = last.collectiveCalls.back().endNs + kSecond;
        last.clockSamples.push_back({livedNs, livedNs, std::nullopt, std::nullopt});
    };
    return run;
}

/// All ended without closing their traces, in ways that are no death: rank 0 was seen to end with code 0,
/// rank 1 said so, rank 2 became another program, and rank 3 had no room on its disk and ended with nobody
/// looking.
TrainingRun withoutADeath()
{
    TrainingRun run;
    run.afterwards = [](trace::RunTrace& trace) {
        for (trace::ProcessTrace& process : trace.processes) {
            const std::int64_t endNs = *process.process.endNs;
            process.process.endNs.reset();
            process.settings = trace::goneSettings({endNs + 4'000'000, std::nullopt});
            process.issues.push_back({trace::Issue::ProcessKilled, 1, "it left its rings"});
        }
        auto& processes = trace.processes;
        processes[0].settings = trace::goneSettings({processes[0].collectiveCalls.back().endNs + kSecond, 0});
        processes[1].settings = trace::ownEndSettings(trace::kOwnExit);
        processes[2].settings = trace::ownEndSettings(trace::kOwnExec);
        processes[3].issues = {{trace::Issue::RecordingStopped, 1, "the disk is full"}};
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

/// Two backward passes a step, each of which sends all gradients and waits for them.
TrainingRun reducedTwice()
{
    TrainingRun run = withBuckets({4U << 20U, 8U << 20U, 4U << 20U, 8U << 20U}, 2);
    run.overlap = false;
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

/// `backend`: what a profiler's trace says of the process group; empty: nothing.
TrainingRun withoutNccl(const std::string& backend)
{
    return edited([backend](TraceBuilder& trace) {
        renamed("ncclDevKernel_AllReduce", "reduce_kernel")(trace);
        if (!backend.empty()) {
            trace.process(0).settings.push_back({"kineto", "backend", backend});
        }
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

void withoutRanks(TrainingRun& run)
{
    run.afterwards = [](trace::RunTrace& trace) { trace.processes.clear(); };
}

} // namespace

std::vector<RuleCase> communicationCases()
{
    return {
        {"algorithm_mismatch",
         atTimesFaster(4, algorithms(4)),
         atTimesFaster(1.1, algorithms(4)),
         {"algorithm_mismatch.factor=10"},
         {"algorithm_mismatch.factor=0.9"},
         withoutEdit},
        {"backend_not_nccl", withoutNccl("cpu:gloo"), withoutNccl("cpu:gloo,cuda:nccl"), {}, {}},
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
        {"fp32_gradients",
         slowNetwork(),
         healthy(),
         {"fp32_gradients.share=0.9"},
         {"fp32_gradients.share=0.001"}},
        {"hang",
         stayingAway(30 * kSecond, true),
         pausing(),
         {"hang.min_s=60"},
         {"hang.min_s=0.1"},
         withoutRanks},
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
        {"parameter_server_pattern", dataParallel(), healthy(), {"parameter_server_pattern.part=1.1"}, {}},
        {"rank_died", withADeath(), withoutADeath(), {}, {}, withoutRanks},
        {"slow_link",
         edited(proxyMessages(0.4)),
         edited(proxyMessages(0.9)),
         {"slow_link.part=0.3"},
         {"slow_link.part=0.95"},
         withoutEdit},
        {"small_messages",
         smallBuckets(),
         healthy(),
         {"small_messages.min_messages=100"},
         {"small_messages.min_messages=1", "small_messages.min_message_bytes=1e9",
          "small_messages.min_latency_share=0"}},
        {"sync_every_micro_step", reducedTwice(), healthy(), {"sync_every_micro_step.repeats=3"}, {}},
        {"unused_parameter_search",
         withUsedMap(64),
         withUsedMap(8),
         {"unused_parameter_search.min_elements=100"},
         {"unused_parameter_search.min_elements=4"}},
    };
}

} // namespace ringside::test
