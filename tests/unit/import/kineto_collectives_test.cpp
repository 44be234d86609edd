// SPDX-License-Identifier: Apache-2.0
// Collectives in files of the PyTorch profiler.
#include "hang/hang.h"
#include "kineto_file.h"
#include "support/said.h"

namespace ringside::importers {
namespace {

TEST_F(KinetoFile, CollectivesComeFromTheArgumentsOfTheirKernels)
{
    Events events;
    events.kernel(kAllReduce, 1, 100, 120, 30, 40, ncclArguments("allreduce", 1000, ", \"Seq\": 11"))
        .kernel("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL()", 2, 200, 220, 30, 40,
                R"("Collective name": "_reduce_scatter_base", "In msg nelems": 8, "Out msg nelems": 4, )"
                R"("Group size": 2, "dtype": "BFloat16", "Process Group Name": "0", )"
                R"("Process Group Ranks": "[0, 1]", "Seq": 12)")
        .kernel("ncclDevKernel_SendRecv()", 3, 300, 320, 30, 40,
                ncclArguments("all_to_all", 100, ", \"Seq\": 13"));
    const auto process = import(fileText(events, std::string(kDistributed) + ","));
    ASSERT_EQ(process.communicators.size(), 1U);
    EXPECT_EQ(process.communicators[0].size, 2);
    EXPECT_EQ(process.communicators[0].rank, 1);
    EXPECT_EQ(process.text(process.communicators[0].name), "default_pg");
    ASSERT_EQ(process.collectiveCalls.size(), 3U);
    const auto& reduce = process.collectiveCalls[0];
    EXPECT_EQ(process.text(reduce.api), "ncclAllReduce");
    EXPECT_EQ(reduce.sequence, 11);
    EXPECT_EQ(reduce.count, 1000U);
    EXPECT_EQ(reduce.bytes, 4000U);
    EXPECT_EQ(reduce.datatype, 7);
    EXPECT_EQ(reduce.startNs, 0); // its launch
    EXPECT_EQ(process.text(process.collectiveCalls[1].api), "ncclReduceScatter");
    EXPECT_EQ(process.collectiveCalls[1].bytes, 8U); // 4 elements of 2 bytes
    EXPECT_EQ(process.text(process.collectiveCalls[2].api), "ncclAlltoAll");
    EXPECT_EQ(process.collectiveCalls[2].count, 50U);
    EXPECT_EQ(process.callCorrelations.size(), 3U);
}

/// A send to global rank 5 and a receive from 1, by rank 1 of the job: 2 and 0 in the group, whatever numbers
/// the group's ranks have. A rank outside of the group is nobody.
TEST_F(KinetoFile, PeersAreGlobalRanks)
{
    const auto message = [](const char* name, const char* peer, const char* ranks, int size) {
        return fmt::format(
            R"("Collective name": "{}", "In msg nelems": 8, "Out msg nelems": 8, "Group size": {}, )"
            R"("dtype": "Float", "Process Group Name": "3", "Process Group Ranks": "{}", {})",
            name, size, ranks, peer);
    };
    struct Case {
        const char* name = nullptr;
        const char* peer = nullptr;
        const char* ranks = nullptr;
        int size = 0;
        std::optional<std::int64_t> place;
    };
    for (const Case& each : {Case{"send", R"("Dst Rank": 5)", "[0, 1, 5]", 3, 2},
                             Case{"send", R"("Dst Rank": 1)", "[5, 1, 2, 0]", 4, 1},
                             Case{"recv", R"("Src Rank": 2)", "[1, 2, 3, 0]", 4, 1},
                             Case{"recv", R"("Src Rank": 5)", "[1, 5]", 2, 1},
                             Case{"send", R"("Dst Rank": 7)", "[0, 1, 5]", 3, std::nullopt},
                             Case{"send", R"("Dst Rank": 1)", "[4, 5, 6]", 3, std::nullopt},
                             Case{"recv", R"("Src Rank": 0)", "[]", 2, 0},
                             Case{"recv", R"("Src Rank": 0)", "[]", 3, std::nullopt}}) {
        Events events;
        events.kernel("ncclDevKernel_SendRecv()", 1, 100, 120, 30, 40,
                      message(each.name, each.peer, each.ranks, each.size));
        const auto process = import(fileText(events, std::string(kDistributed) + ","));
        ASSERT_EQ(process.collectiveCalls.size(), 1U);
        EXPECT_EQ(process.collectiveCalls[0].peer, each.place) << each.peer << " in " << each.ranks;
    }
}

TEST_F(KinetoFile, CallsOfOneNumberWereIssuedTogether)
{
    Events events;
    events.kernel(kAllReduce, 1, 100, 120, 30, 40, ncclArguments("allreduce_coalesced", 10, ", \"Seq\": 5"))
        .kernel(kAllReduce, 2, 110, 160, 30, 40, ncclArguments("allreduce_coalesced", 20, ", \"Seq\": 5"))
        .kernel(kAllReduce, 3, 200, 220, 30, 40, ncclArguments("allreduce", 30, ", \"Seq\": 6"));
    const auto process = import(fileText(events));
    ASSERT_EQ(process.groups.size(), 1U);
    EXPECT_EQ(process.groups[0].calls, 2);
    ASSERT_EQ(process.collectiveCalls.size(), 3U);
    EXPECT_EQ(process.collectiveCalls[0].groupId, process.groups[0].id);
    EXPECT_EQ(process.collectiveCalls[1].groupId, process.groups[0].id);
    EXPECT_EQ(process.collectiveCalls[2].groupId, 0);
}

/// As FSDP gathers on one stream and reduces on another: the kernel that was launched first need not start
/// first.
TEST_F(KinetoFile, CallsAreInTheOrderOfTheirLaunches)
{
    Events events;
    events.kernel(kAllReduce, 1, 100, 300, 30, 40, ncclArguments("allreduce", 10, ", \"Seq\": 7"))
        .kernel(kAllReduce, 2, 110, 150, 30, 41, ncclArguments("allreduce", 20, ", \"Seq\": 8"));
    const auto process = import(fileText(events));
    ASSERT_EQ(process.collectiveCalls.size(), 2U);
    EXPECT_EQ(process.collectiveCalls[0].sequence, 7);
    EXPECT_EQ(process.collectiveCalls[0].count, 10U);
    EXPECT_EQ(process.collectiveCalls[1].sequence, 8);
}

TEST_F(KinetoFile, OldTracesNameCollectivesByTheAnnotationAroundTheLaunch)
{
    Events events;
    events.complete("user_annotation", "nccl:all_to_all", "95", "12")
        .kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t()", 1, 100, 120, 30, 84)
        .kernel("ncclKernel_AllReduce_RING_LL_Sum_float()", 2, 200, 220, 30, 84)
        .kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t()", 3, 300, 320, 30, 84);
    const auto process = import(fileText(events));
    ASSERT_EQ(process.collectiveCalls.size(), 2U);
    EXPECT_EQ(process.text(process.collectiveCalls[0].api), "ncclAlltoAll");
    EXPECT_FALSE(process.collectiveCalls[0].count);
    EXPECT_EQ(process.text(process.collectiveCalls[1].api), "ncclAllReduce");
    ASSERT_NE(issueOf(process, "collectives_unnamed"), nullptr);
    EXPECT_EQ(issueOf(process, "collectives_unnamed")->count, 1);
    ASSERT_NE(issueOf(process, "groups_unknown"), nullptr);
    EXPECT_EQ(issueOf(process, "groups_unknown")->count, 2);
}

TEST_F(KinetoFile, OperatorsDescribeCollectivesWhoseKernelsDoNot)
{
    Events events;
    events.complete("cpu_op", "record_param_comms", "95", "12", ncclArguments("allreduce", 1000))
        .kernel(kAllReduce, 1, 100, 120, 30, 40);
    const auto process = import(fileText(events));
    ASSERT_EQ(process.collectiveCalls.size(), 1U);
    EXPECT_EQ(process.collectiveCalls[0].bytes, 4000U);
    EXPECT_EQ(process.communicators.at(0).size, 2);
}

/// NCCL lets copy engines do a collective: its operator launches copies and no kernel.
TEST_F(KinetoFile, CopiesWithinACollectiveWithoutAKernelAreItsOwn)
{
    const auto copy = [](Events& events, const char* name, int correlation, int launchUs, int startUs) {
        const std::string id = std::to_string(correlation);
        events
            .complete("cuda_runtime", "cudaMemcpyBatchAsync", std::to_string(launchUs), "1",
                      "\"correlation\": " + id)
            .complete("gpu_memcpy", name, std::to_string(startUs), "5",
                      R"("device": 0, "stream": 40, "bytes": 2000, "correlation": )" + id, 40, 0);
    };
    Events events;
    events.complete("cpu_op", "record_param_comms", "95", "12", ncclArguments("_allgather_base", 1000));
    copy(events, "Memcpy PtoP (Device -> Device)", 1, 97, 120);
    copy(events, "Memcpy PtoP (Device -> Device)", 2, 99, 121);
    copy(events, "Memcpy DtoD (Device -> Device)", 3, 200, 210); // the program's own
    events.complete("cpu_op", "record_param_comms", "295", "12", ncclArguments("allreduce", 1000))
        .kernel(kAllReduce, 4, 300, 320, 30, 40);
    copy(events, "Memcpy DtoD (Device -> Device)", 5, 304, 360); // beside a kernel
    const auto process = import(fileText(events));
    ASSERT_EQ(process.collectiveCalls.size(), 2U);
    EXPECT_EQ(process.text(process.collectiveCalls[0].api), "ncclAllGather");
    EXPECT_EQ(process.collectiveCalls[0].bytes, 4000U);
    ASSERT_EQ(process.callCorrelations.size(), 3U);
    for (const std::size_t each : {0U, 1U}) {
        EXPECT_EQ(process.callCorrelations.correlation[each], each + 1);
        EXPECT_EQ(static_cast<std::int64_t>(process.callCorrelations.call[each]),
                  process.collectiveCalls[0].id);
    }
    EXPECT_EQ(process.callCorrelations.correlation[2], 4U);
}

TEST_F(KinetoFile, KernelsOfOneGraphLaunchAreNotTakenForCalls)
{
    Events events;
    events.kernel(kAllReduce, 1, 100, 120, 30, 40, ncclArguments("allreduce", 10))
        .complete("kernel", kAllReduce, "200", "5", R"("device": 0, "stream": 40, "correlation": 1)", 40, 0);
    const auto process = import(fileText(events));
    EXPECT_EQ(process.kernels.size(), 2U);
    EXPECT_TRUE(process.collectiveCalls.empty());
    ASSERT_NE(issueOf(process, "graph_calls_unknown"), nullptr);
}

/// Two ranks on clocks 1 s apart: rank 1 comes last and both end together.
TEST_F(KinetoFile, RanksMeetInTheirCollectives)
{
    for (int rank = 0; rank < 2; ++rank) {
        Events events;
        for (int step = 0; step < 8; ++step) {
            const int at = 10'000 * step + 1'000'000 * rank;
            events.step(step, at, 9'000).kernel(kKernel, 10 * step + 1, at + 10, at + 20, 1000 + 500 * rank);
            const int start = at + 1100 + 500 * rank;
            events.kernel(kAllReduce, 10 * step + 2, at + 30, start, at + 2'000 - start, 40,
                          ncclArguments("allreduce", 1000));
        }
        write(fmt::format("node_{}.json", rank),
              fileText(events, "\"schemaVersion\": 1,", ", \"baseTimeNanoseconds\": 1711964646000000000"));
    }
    const model::Model model = model::buildModel(open(folder()));
    ASSERT_EQ(model.ranks.size(), 2U);
    EXPECT_EQ(model.operations.size(), 8U);
    for (const model::Operation& operation : model.operations) {
        ASSERT_TRUE(operation.measured());
        const auto arrivals = model::arrivals(operation, model.ranks);
        ASSERT_TRUE(arrivals);
        EXPECT_EQ(arrivals->lastRank, 1U);
        EXPECT_EQ(arrivals->lastArrivalNs - arrivals->firstArrivalNs, 500'000);
        EXPECT_EQ(arrivals->transferNs(), 400'000);
    }
    EXPECT_EQ(model.hosts.size(), 2U); // nobody said that they share one
    EXPECT_EQ(model.hosts[1].offsetNs, 1'000'000'000);
    EXPECT_EQ(model.ranks[0].steps.size(), 8U);
}

/// Ranks of a job of four that call an all-reduce; the trace says no group. Rank 1's second is a broadcast.
void writeGroupless(const std::function<void(const std::string&, const std::string&)>& write)
{
    constexpr const char* kBroadcast = "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
    for (int rank = 0; rank < 2; ++rank) {
        Events events;
        for (int i = 0; i < 4; ++i) {
            events.kernel(rank == 1 && i == 1 ? kBroadcast : kAllReduce, 10 + i, 1000 * i + 10, 1000 * i + 20,
                          300, 40);
        }
        write(
            fmt::format("rank_{}.json", rank),
            fileText(events, "\"schemaVersion\": 1,",
                     fmt::format(R"(, "distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": 4}})",
                                 rank)));
    }
}

TEST_F(KinetoFile, WithoutGroupsSizesAreUnknownAndNoMismatchIsReported)
{
    writeGroupless([this](const std::string& name, const std::string& text) { write(name, text); });
    const report::Report report = report::buildReport(open(folder()), {});
    for (const trace::IssueRow& issue : report.model.issues) {
        EXPECT_NE(issue.id, "collective_mismatch") << issue.message;
    }
    ASSERT_NE(issueOf(report.model, "collectives_unmatched"), nullptr);
    EXPECT_EQ(issueOf(report.model, "collectives_unmatched")->count, 1);
    const std::string json = textOf(report, "json");
    EXPECT_NE(json.find("\"size\": null"), std::string::npos);
    EXPECT_EQ(json.find("\"size\": 0"), std::string::npos);
    EXPECT_NE(json.find("\"ranks\": null"), std::string::npos);
    EXPECT_EQ(json.find("\"ranks\": 0,"), std::string::npos);
    EXPECT_NE(textOf(report, "text").find("by rank of 2 of 4 ranks"), std::string::npos);
}

TEST_F(KinetoFile, ItsWindowIsNotTheEndOfTheJob)
{
    writeGroupless([this](const std::string& name, const std::string& text) { write(name, text); });
    const hang::Report hang = hang::analyze(open(folder()), std::vector<hang::ProcessNow>(2), {});
    EXPECT_EQ(words::said(hang.summary).find("ended normally"), std::string::npos)
        << words::said(hang.summary);
    EXPECT_NE(words::said(hang.summary).find("windows of a profiler"), std::string::npos)
        << words::said(hang.summary);
    for (const hang::RankReport& rank : hang.ranks) {
        EXPECT_EQ(rank.life, hang::Life::NotKnown);
    }
}

} // namespace
} // namespace ringside::importers
