// SPDX-License-Identifier: Apache-2.0
// Random jobs of several process groups in the form of PyTorch's profiler: one file per rank, with batches of
// sends and receives as one kernel without a description.
#include "import/open_run.h"
#include "parallel_draw.h"
#include "report/report.h"
#include "support/said.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

namespace {

using namespace ringside;
using namespace ringside::test;

/// Members of each communicator, by hash.
std::map<std::uint64_t, std::vector<int>> membersOf(const trace::RunTrace& run)
{
    std::map<std::uint64_t, std::map<std::int64_t, int>> places;
    for (std::size_t rank = 0; rank < run.processes.size(); ++rank) {
        for (const trace::CommunicatorRow& row : run.processes[rank].communicators) {
            places[row.hash][row.rank] = static_cast<int>(rank);
        }
    }
    std::map<std::uint64_t, std::vector<int>> members;
    for (const auto& [hash, byPlace] : places) {
        for (const auto& [place, rank] : byPlace) {
            members[hash].push_back(rank);
        }
    }
    return members;
}

std::string microseconds(std::int64_t ns)
{
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

class ProfilerFile final {
public:
    ProfilerFile(const trace::RunTrace& run, std::size_t rank)
        : m_process(run.processes[rank]), m_rank(rank), m_members(membersOf(run))
    {}

    std::string text()
    {
        for (const trace::StepRow& step : m_process.steps) {
            complete("user_annotation", fmt::format("ProfilerStep#{}", step.number), step.startNs, step.endNs,
                     "", 1);
        }
        for (const trace::CollectiveCallRow& call : m_process.collectiveCalls) {
            m_callsOf[call.groupId != 0 ? call.groupId : call.id].push_back(&call);
        }
        for (std::size_t i = 0; i < m_process.callCorrelations.size(); ++i) {
            m_workOf[m_process.callCorrelations.correlation[i]] =
                static_cast<std::int64_t>(m_process.callCorrelations.call[i]);
        }
        addLaunches();
        addKernels();
        return fmt::format(R"({{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": {}, )"
                           R"("world_size": {}}}, "baseTimeNanoseconds": 1711964646000000000, )"
                           R"("traceEvents": [{}]}})",
                           m_rank, m_members.at(0x52494E47).size(), m_events);
    }

private:
    using Calls = std::vector<const trace::CollectiveCallRow*>;

    const Calls* callsOf(std::uint32_t correlation) const
    {
        const auto work = m_workOf.find(correlation);
        return work == m_workOf.end() ? nullptr : &m_callsOf.at(work->second);
    }
    [[nodiscard]] bool isMessage(const Calls& calls) const
    {
        return m_process.text(calls.front()->api) != "ncclAllReduce" && !isExchange(calls);
    }
    [[nodiscard]] bool isExchange(const Calls& calls) const
    {
        return std::ranges::any_of(
            calls, [&](const auto* call) { return call->peer && row(*call).rank == *call->peer; });
    }
    [[nodiscard]] const trace::CommunicatorRow& row(const trace::CollectiveCallRow& call) const
    {
        return m_process.communicators[static_cast<std::size_t>(call.communicator - 1)];
    }

    [[nodiscard]] std::string describe(std::string_view name, const trace::CollectiveCallRow& call) const
    {
        const trace::CommunicatorRow& group = row(call);
        return fmt::format(R"("Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {}, )"
                           R"("Group size": {}, "dtype": "Float", "Process Group Name": "{}", )"
                           R"("Process Group Ranks": "[{}]")",
                           name, *call.count, *call.count, group.size, group.hash,
                           fmt::join(m_members.at(group.hash), ", "));
    }

    void complete(std::string_view category, std::string_view name, std::int64_t start, std::int64_t end,
                  const std::string& arguments, std::int64_t tid)
    {
        m_events += fmt::format(R"({}{{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {}, )"
                                R"("ts": {}, "dur": {}, "args": {{{}}}}})",
                                m_events.empty() ? "" : ",\n", category, name, category == "kernel" ? 0 : 77,
                                tid, microseconds(start), microseconds(end - start), arguments);
    }

    void addLaunches()
    {
        const trace::LaunchColumns& launches = m_process.launches;
        for (std::size_t i = 0; i < launches.size(); ++i) {
            const Calls* const calls = callsOf(launches.correlation[i]);
            if (calls != nullptr && isMessage(*calls)) {
                for (const trace::CollectiveCallRow* const call : *calls) {
                    const bool sends = m_process.text(call->api) == "ncclSend";
                    const int peer = m_members.at(row(*call).hash)[static_cast<std::size_t>(*call->peer)];
                    complete("cpu_op", "record_param_comms", launches.startNs[i], launches.startNs[i],
                             describe(sends ? "send" : "recv", *call) +
                                 fmt::format(R"(, "{} Rank": {})", sends ? "Dst" : "Src", peer),
                             1);
                }
            }
            complete("cuda_runtime", "cudaLaunchKernel", launches.startNs[i], launches.endNs[i],
                     fmt::format(R"("correlation": {})", launches.correlation[i]), 1);
        }
    }

    void addKernels()
    {
        const trace::KernelColumns& kernels = m_process.kernels;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            std::string arguments = fmt::format(R"("device": 0, "stream": {}, "correlation": {})",
                                                kernels.stream[i], kernels.correlation[i]);
            const Calls* const calls = callsOf(kernels.correlation[i]);
            if (calls != nullptr && !isMessage(*calls)) {
                arguments +=
                    ", " + describe(isExchange(*calls) ? "all_to_allv" : "allreduce", *calls->front());
            }
            complete("kernel", m_process.text(kernels.name[i]), kernels.startNs[i], kernels.endNs[i],
                     arguments, kernels.stream[i]);
        }
    }

    const trace::ProcessTrace& m_process;
    std::size_t m_rank;
    std::map<std::uint64_t, std::vector<int>> m_members;
    std::map<std::int64_t, Calls> m_callsOf; ///< by call or group
    std::map<std::uint32_t, std::int64_t> m_workOf;
    std::string m_events;
};

report::Report importedReport(const DrawnParallelJob& job)
{
    const trace::RunTrace run = playParallelJob(job.shape, job.fault).run();
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / fmt::format("parallel_kineto_{}", ::getpid());
    std::filesystem::create_directories(folder);
    for (std::size_t rank = 0; rank < run.processes.size(); ++rank) {
        std::ofstream(folder / fmt::format("rank{}.json", rank)) << ProfilerFile(run, rank).text();
    }
    importers::Progress nobody;
    trace::RunTrace imported = importers::openRun({folder}, nobody);
    std::filesystem::remove_all(folder);
    return report::buildReport(std::move(imported), {});
}

TEST(ParallelKineto, BatchesOfMessagesAreMatchedAndTheOriginIsNamed)
{
    std::size_t messages = 0;
    for (std::uint64_t seed = 1; seed < 29; ++seed) {
        DrawnParallelJob job = ParallelJobDrawer(seed).draw();
        if (job.shape.ranks() > 16 || job.rule == "step_time_jitter") {
            continue;
        }
        const report::Report report = importedReport(job);
        messages += report.model.messages.size();
        std::string found;
        for (const rules::Finding& finding : report.findings) {
            found += finding.rule + ": " + said(finding.title) + "\n";
        }
        for (const trace::IssueRow& issue : report.issues) {
            found += "(" + issue.id + ": " + issue.message + ")\n";
        }
        const auto origin = std::ranges::find(report.findings, job.rule, &rules::Finding::rule);
        if (!job.rule.empty()) {
            ASSERT_NE(origin, report.findings.end()) << seed << " " << wordsOf(job.shape) << "\n" << found;
            EXPECT_TRUE(job.ranks.empty() || origin->ranks == job.ranks) << seed << " " << found;
        }
    }
    EXPECT_GT(messages, 1000U);
}

} // namespace
