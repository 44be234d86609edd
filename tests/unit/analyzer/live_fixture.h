// SPDX-License-Identifier: Apache-2.0
// Running jobs as their snapshots describe them.
#pragma once
#include "live/snapshot.h"

#include <fmt/format.h>

namespace ringside::live::test {

constexpr std::int64_t kNowMs = 1'800'000'000'000;
constexpr std::int64_t kNsAMs = 1'000'000;

/// What the fixture's ranks do in a step of 100 ms. `lateMs`: longer compute of one of them.
struct JobOptions {
    int ranks = 4;
    int steps = 32;
    int lateRank = -1;
    std::int64_t lateMs = 0;
    bool device = true;
    bool nccl = false; ///< NCCL times its own kernels
    std::int64_t firstNumber = 1;
};

inline Step stepOf(const JobOptions& options, int rank, std::int64_t number)
{
    const bool anyLate = options.lateRank >= 0;
    const std::int64_t lateMs = rank == options.lateRank ? options.lateMs : 0;
    const std::int64_t waitedMs = anyLate && rank != options.lateRank ? options.lateMs : 0;
    Step step;
    step.id = number;
    step.number = number;
    step.isMarked = true;
    step.stepNs = (100 + (anyLate ? options.lateMs : 0)) * kNsAMs;
    step.endMs = kNowMs + (number - options.firstNumber - options.steps) * 100;
    step.blockingNs = (60 + waitedMs) * kNsAMs;
    step.collectives = 2;
    if (options.nccl) {
        step.ncclNs = (30 + waitedMs) * kNsAMs;
    }
    if (options.device) {
        step.device = 0;
        step.deviceStepNs = step.stepNs;
        step.computeNs = (60 + lateMs) * kNsAMs;
        step.communicationNs = (30 + waitedMs) * kNsAMs;
        step.exposedCommunicationNs = *step.communicationNs;
        step.exposedCopyNs = 0;
        step.idleNs = 10 * kNsAMs;
    }
    return step;
}

/// One host, one process a rank.
inline RunNow runOf(const JobOptions& options)
{
    RunNow run;
    run.path = "job.ringside";
    run.readMs = kNowMs;
    Snapshot host;
    host.host = "node1";
    host.writtenMs = kNowMs;
    for (int rank = 0; rank < options.ranks; ++rank) {
        Process process;
        process.name = fmt::format("node1-{}", 100 + rank);
        process.pid = 100 + rank;
        process.atMs = kNowMs;
        process.level = options.device ? "standard" : "light";
        process.steps = options.steps;
        process.ranks.push_back({rank, options.ranks, 0});
        process.communicators.push_back({"abcd", rank, options.ranks, 64, kNowMs - 50});
        for (std::int64_t i = 0; i < options.steps; ++i) {
            process.recentSteps.push_back(stepOf(options, rank, options.firstNumber + i));
        }
        host.processes.push_back(std::move(process));
    }
    run.hosts.push_back(std::move(host));
    return run;
}

} // namespace ringside::live::test
