// SPDX-License-Identifier: Apache-2.0
// Large jobs are shown by stage, host or tenth, with the ranks that differ from their peers; findings say
// what their ranks have in common.
#include "model/build_model.h"
#include "report/rank_groups.h"
#include "report/report_tables.h"
#include "report/sentences.h"
#include "report/shared_place.h"
#include "support/parallel_job.h"
#include "support/said.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

namespace ringside::report {
namespace {

using namespace test;
using Ranks = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

/// 20 ranks whose compute differs by up to 2 %; the slow ones take 2 ms of 10 ms longer.
trace::RunTrace run(const std::vector<int>& slow, int hosts = 1)
{
    TraceBuilder trace(20);
    trace.steps(10, [&](StepBuilder& step) {
        for (int rank = 0; rank < 20; ++rank) {
            step.rank(rank).compute(10ms + rank * 10us);
        }
        for (const int rank : slow) {
            step.rank(rank).compute(2ms);
        }
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    trace::RunTrace result = trace.run();
    for (std::size_t i = 0; i < result.processes.size(); ++i) {
        result.processes[i].process.host = "node" + std::to_string(i % static_cast<std::size_t>(hosts));
    }
    return result;
}

Ranks outliersOf(const Report& report, std::size_t most = 8)
{
    Ranks ranks;
    for (const std::size_t place : outlyingRanks(report, most)) {
        ranks.push_back(report.model.ranks[report.metrics.ranks[place].rank].rank);
    }
    return ranks;
}

Names namesOf(const RankGroups& groups)
{
    Names names;
    for (const RankGroup& group : groups.groups) {
        names.push_back(group.name);
    }
    return names;
}

TEST(OutlyingRanks, AreThoseThatDifferFromTheirPeersByMoreThanIsUsual)
{
    EXPECT_EQ(outliersOf(buildReport(run({}), {})), Ranks());
    EXPECT_EQ(outliersOf(buildReport(run({3, 11}), {})), (Ranks{11, 3}));
    EXPECT_EQ(outliersOf(buildReport(run({3, 11}), {}), 1).size(), 1U);
}

// A slow stage is slow as a whole: none of its ranks differs from the others of the stage.
TEST(OutlyingRanks, AreComparedWithinTheirStage)
{
    const ParallelShape shape{.stages = 4, .replicas = 5};
    const auto reportOf = [&](const PlantedFault& fault) {
        return buildReport(playParallelJob(shape, fault).run(), {});
    };
    EXPECT_EQ(outliersOf(reportOf({ParallelFault::SlowStage, 0, 2, 1.5})), Ranks());
    EXPECT_EQ(outliersOf(reportOf({ParallelFault::SlowWorker, 7, 0, 1.5})), (Ranks{7}));
}

TEST(RankGroups, AreStagesElseHostsElseTenths)
{
    const Report staged =
        buildReport(playParallelJob({.stages = 4, .replicas = 5, .hostPerStage = true}).run(), {});
    EXPECT_EQ(groupRanks(staged, 16).by, "stage");
    EXPECT_EQ(namesOf(groupRanks(staged, 16)), (Names{"1/4", "2/4", "3/4", "4/4"}));

    const Report hosts = buildReport(run({}, 4), {});
    EXPECT_EQ(groupRanks(hosts, 16).by, "host");
    EXPECT_EQ(namesOf(groupRanks(hosts, 16)), (Names{"node0", "node1", "node2", "node3"}));
    EXPECT_EQ(groupRanks(hosts, 3).by, "by compute");

    const RankGroups tenths = groupRanks(buildReport(run({}), {}), 16);
    ASSERT_EQ(tenths.groups.size(), 10U);
    EXPECT_EQ(tenths.groups.back().name, "90-100 %");
    EXPECT_EQ(tenths.groups.back().members, (std::vector<std::size_t>{18, 19}));
}

TEST(GroupTable, HoldsMeansOfItsRanks)
{
    const document::Table table = groupBreakdownTable(buildReport(run({}, 2), {}), 16);
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(cellText(table.rows[0][1]), "10");
    EXPECT_EQ(cellText(table.rows[0][3]), "10.09"); // 10 ms and the mean of 0, 20, ... 180 us
}

TEST(RankList, StaysShort)
{
    EXPECT_EQ(rankList({}), "all");
    EXPECT_EQ(rankList({0, 1, 3, 5}), "0-1, 3, 5");
    EXPECT_EQ(rankList({5, 13, 21, 29, 37, 45, 46}), "5-45 in steps of 8, 46");
    EXPECT_EQ(rankList({0, 2, 4, 6}), "0, 2, 4, 6");
    Ranks scattered;
    for (std::int64_t i = 0; i < 100; ++i) {
        scattered.push_back(i * i);
    }
    EXPECT_EQ(rankList(scattered), "0-1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144 and 87 more");
}

/// 32 ranks on hosts of eight, whose names are given.
model::Model cluster(const Names& hosts)
{
    TraceBuilder trace(32);
    trace.steps(1, [&](StepBuilder& step) { step.allReduce(4_MiB, {.takes = 1ms}); });
    trace::RunTrace run = trace.run();
    for (std::size_t i = 0; i < run.processes.size(); ++i) {
        run.processes[i].process.host = hosts[i / 8];
        run.processes[i].ranks.front().localRank = static_cast<std::int64_t>(i % 8);
    }
    return model::buildModel(std::move(run));
}

std::string placeOf(const model::Model& model, const Ranks& ranks)
{
    const auto place = sharedPlace(model, ranks);
    return place ? words::said(place->text) : std::string();
}

TEST(SharedPlace, IsAHost)
{
    const model::Model model = cluster({"node0", "node1", "node2", "node3"});
    EXPECT_EQ(placeOf(model, {8, 9, 10, 11, 12, 13, 14, 15}), "all 8 ranks of host node1");
    EXPECT_EQ(placeOf(model, {8, 9, 10, 12, 13, 15}), "6 of the 8 ranks of host node1");
}

TEST(SharedPlace, IsARail)
{
    const model::Model model = cluster({"node0", "node1", "node2", "node3"});
    EXPECT_EQ(placeOf(model, {5, 13, 21, 29}), "all 4 ranks with local rank 5, on different hosts");
}

TEST(SharedPlace, IsASwitch)
{
    model::Model model = cluster({"n1.cluster", "n2.cluster", "n3.cluster", "n4.cluster"});
    model.switches = model::parseSwitches("SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n[3-4]\n"
                                          "SwitchName=spine Switches=leaf[1-2]\n");
    Ranks ranks;
    for (std::int64_t rank = 16; rank < 32; ++rank) {
        ranks.push_back(rank);
    }
    EXPECT_EQ(placeOf(model, ranks), "all 16 ranks behind switch leaf2");
    ranks.resize(8);
    EXPECT_EQ(placeOf(model, ranks), "all 8 ranks of host n3.cluster") << "the smaller place is named";
    EXPECT_EQ(placeOf(model, {16, 24}), "") << "two of sixteen";
}

TEST(SharedPlace, IsTheBeginOfHostNames)
{
    const model::Model model = cluster({"r1-a", "r1-b", "r2-a", "r2-b"});
    Ranks ranks;
    for (std::int64_t rank = 16; rank < 32; ++rank) {
        ranks.push_back(rank);
    }
    EXPECT_EQ(placeOf(model, ranks), "all 16 ranks of hosts r2-*");
}

TEST(SharedPlace, IsNotNamedWhereChanceWouldDo)
{
    const model::Model model = cluster({"node0", "node1", "node2", "node3"});
    EXPECT_EQ(placeOf(model, {8}), "");
    EXPECT_EQ(placeOf(model, {8, 9}), "") << "two of one host's eight";
    EXPECT_EQ(placeOf(model, {8, 9, 10, 11, 12, 13, 14, 16}), "") << "one of them is on another host";
    Ranks all;
    for (std::int64_t rank = 0; rank < 32; ++rank) {
        all.push_back(rank);
    }
    EXPECT_EQ(placeOf(model, all), "");
}

/// 32 ranks of which those of one host compute longer.
TEST(SharedPlace, StandsInTheFinding)
{
    TraceBuilder trace(32);
    trace.steps(12, [&](StepBuilder& step) {
        for (int rank = 0; rank < 32; ++rank) {
            step.rank(rank).compute(10ms + (rank / 8 == 2 ? 2ms : 0ms));
        }
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    trace::RunTrace run = trace.run();
    for (std::size_t i = 0; i < run.processes.size(); ++i) {
        run.processes[i].process.host = "node" + std::to_string(i / 8);
    }
    const Report report = buildReport(std::move(run), {});
    const auto late = std::ranges::find(report.findings, "late_rank", &rules::Finding::rule);
    ASSERT_NE(late, report.findings.end());
    EXPECT_NE(said(late->title).find("(all 8 ranks of host node2)"), std::string::npos) << said(late->title);
    EXPECT_TRUE(said(late->advice).starts_with("Look at what the ranks of this host share"))
        << said(late->advice);
    EXPECT_NE(said(report.verdict.summary).find("node2"), std::string::npos) << said(report.verdict.summary);
}

} // namespace
} // namespace ringside::report
