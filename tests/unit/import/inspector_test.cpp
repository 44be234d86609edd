// SPDX-License-Identifier: Apache-2.0
// Lines of NCCL Inspector, made here: lengths become bandwidths, without any claim when they were.
#include "issue_of.h"
#include "lines_folder.h"
#include "metrics/compute_metrics.h"
#include "metrics/metrics.h"
#include "model/build_model.h"
#include "model/model.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace ringside::importers {
namespace {

std::string recordLine(int rank, int number, const std::string& lengthUs = "1000",
                       const std::string& function = "AllReduce")
{
    return fmt::format(
        R"({{"header":{{"id":"0x7f8c49","rank":{},"n_ranks":2,"nnodes":1}},)"
        R"("metadata":{{"inspector_output_format_version":"v4.0","dump_timestamp_us":1748030377748202,"hostname":"n{}","pid":{}}},)"
        R"("coll_perf":{{"coll":"{}","coll_sn":{},"coll_msg_size_bytes":1000000,"coll_exec_time_us":{},)"
        R"("coll_timing_source":"kernel_gpu","coll_algobw_gbs":1.0,"coll_busbw_gbs":1.0}}}})",
        rank, rank, 40 + rank, function, number, lengthUs);
}

class Inspector : public LinesFolder {};

TEST_F(Inspector, CallsHaveALengthAndNoTime)
{
    write("n0-pid40.log", {recordLine(0, 7), recordLine(0, 1, "500", "AllGather"), ""});
    const trace::RunTrace run = open();
    const trace::ProcessTrace& process = run.processes.at(0);
    EXPECT_EQ(process.process.host, "n0");
    EXPECT_EQ(process.process.pid, 40);
    EXPECT_EQ(process.ranks.at(0).rank, 0);
    EXPECT_EQ(process.ranks.at(0).worldSize, 2);
    ASSERT_EQ(process.communicators.size(), 2U); // the Inspector counts each function by itself
    EXPECT_EQ(process.communicators[0].ncclHash, 0x7f8c49U);
    EXPECT_NE(process.communicators[0].hash, process.communicators[1].hash);
    ASSERT_EQ(process.collectiveCalls.size(), 2U);
    EXPECT_EQ(process.text(process.collectiveCalls[0].api), "ncclAllReduce");
    EXPECT_EQ(process.collectiveCalls[0].sequence, 7);
    EXPECT_EQ(process.collectiveCalls[0].bytes, 1'000'000U);
    EXPECT_FALSE(process.collectiveCalls[0].count);
    ASSERT_EQ(process.eventTimes.size(), 2U);
    EXPECT_EQ(process.eventTimes.endNs[0] - process.eventTimes.startNs[0], 1'000'000);
    EXPECT_EQ(process.eventTimes.uncertaintyNs[0], trace::kUnboundedNs);
    EXPECT_EQ(issueOf(process, "times_not_measured")->count, 2);
}

/// What format v4.3 writes before the operations of a dump.
std::string dumpLine(const std::string& communicator, std::int64_t lost)
{
    return fmt::format(
        R"({{"header":{{"id":"{}","rank":1,"n_ranks":2,"nnodes":1}},"metadata":{{"inspector_output_format_version":"v4.3",)"
        R"("hostname":"n1","pid":41}},"dump_stats":{{"coll_records":1,"coll_dropped_total":9,)"
        R"("coll_dropped_since_last_dump":{},"p2p_records":0,"p2p_dropped_since_last_dump":0}}}})",
        communicator, lost);
}

std::string shortLine(int number)
{
    return fmt::format(
        R"({{"coll_perf":{{"coll":"AllReduce","coll_sn":{},"coll_msg_size_bytes":1000,"coll_exec_time_us":7}}}})",
        number);
}

TEST_F(Inspector, AHeaderHoldsForTheOperationsOfItsDump)
{
    const std::string proxy = R"({"proxy_trace":{"record_type":"proxy_op","parent_sn":3}})";
    write("n1-pid41.log", {dumpLine("0xa", 5), proxy, shortLine(3), dumpLine("0xb", 0), shortLine(4),
                           R"({"header":{"id":""},"dump_stats":{}})", shortLine(5)});
    const trace::RunTrace run = open();
    ASSERT_EQ(run.processes.size(), 1U);
    const trace::ProcessTrace& process = run.processes.front();
    EXPECT_EQ(process.process.pid, 41);
    ASSERT_EQ(process.communicators.size(), 2U);
    EXPECT_EQ(process.communicators[0].ncclHash, 0xAU);
    EXPECT_EQ(process.communicators[1].ncclHash, 0xBU);
    ASSERT_EQ(process.collectiveCalls.size(), 2U) << "the last one's communicator is not known";
    EXPECT_EQ(process.collectiveCalls[1].communicator, 2);
    EXPECT_EQ(issueOf(process, "calls_overwritten")->count, 5);
    EXPECT_EQ(issueOf(process, "damaged_line")->count, 1);
    EXPECT_EQ(issueOf(process, "lines_left_out")->count, 2) << "the trace of a proxy, and what has no dump";
}

TEST_F(Inspector, SumsOfLostOperationsDoNotOverflow)
{
    std::vector<std::string> lines;
    for (int dump = 0; dump < 20; ++dump) {
        lines.push_back(dumpLine("0xa", std::int64_t{1} << 60));
    }
    lines.push_back(shortLine(3));
    write("n1-pid41.log", lines);
    const trace::RunTrace run = open();
    ASSERT_EQ(run.processes.size(), 1U);
    EXPECT_EQ(issueOf(run.processes.front(), "calls_overwritten")->count,
              std::numeric_limits<std::int64_t>::max());
}

TEST_F(Inspector, TheShortestPartIsTheTransfer)
{
    for (int rank = 0; rank < 2; ++rank) {
        write(fmt::format("n{}-pid4{}.log", rank, rank), {recordLine(rank, 1, rank == 0 ? "3000" : "1000"),
                                                          recordLine(rank, 2, rank == 0 ? "3000" : "1000")});
    }
    const model::Model model = model::buildModel(open());
    EXPECT_FALSE(model.hasEventTimes());
    EXPECT_TRUE(model.ranks.at(0).steps.empty());
    ASSERT_EQ(model.operations.size(), 2U);
    EXPECT_EQ(model.operations[0].participants.at(0).lengthNs, 3'000'000);
    EXPECT_FALSE(model.operations[0].measured());
    const metrics::RunMetrics run = metrics::computeMetrics(model);
    ASSERT_EQ(run.collectives.size(), 1U);
    EXPECT_EQ(run.collectives[0].count, 2);
    EXPECT_EQ(run.collectives[0].transferNs, 1'000'000);
    EXPECT_EQ(run.collectives[0].kernelNs, 3'000'000);
}

TEST_F(Inspector, WhatCannotBeIsCountedWithItsLine)
{
    const std::string good = recordLine(0, 1);
    write("n0-pid40.log",
          {good, good, good.substr(0, 100), recordLine(0, 2, "18446744073709551615"), recordLine(0, 3, "NaN"),
           recordLine(0, 4, "-5"), recordLine(0, 5, "1", "x'); DROP TABLE rank;--"), "{\"header\":{}}",
           "{\"coll_perf\":" + std::string(100'000, '['), std::string(3'000'000, 'x')});
    const trace::ProcessTrace process = open().processes.at(0);
    EXPECT_EQ(process.collectiveCalls.size(), 4U);
    EXPECT_EQ(process.eventTimes.size(), 2U);
    EXPECT_EQ(issueOf(process, "repeated_call")->count, 1);
    EXPECT_EQ(issueOf(process, "untimed_call")->count, 2);
    EXPECT_EQ(issueOf(process, "damaged_line")->count, 4);
    EXPECT_NE(issueOf(process, "damaged_line")->message.find("line 3"), std::string::npos);
    EXPECT_EQ(issueOf(process, "lines_left_out")->count, 1);
}

TEST_F(Inspector, TwoFilesOfARankAreNamed)
{
    write("a.log", {recordLine(0, 1)});
    write("b.log", {recordLine(0, 1)});
    try {
        static_cast<void>(open());
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("a.log"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("b.log"), std::string::npos);
    }
}

} // namespace
} // namespace ringside::importers
