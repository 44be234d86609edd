// SPDX-License-Identifier: Apache-2.0
// The contract of the report: JSON against its schema, and the first lines of the text.
#include "json_schema.h"
#include "report/format.h"
#include "report/report_tables.h"
#include "support/said.h"
#include "support/trace_builder.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

namespace ringside::report {
namespace {

using namespace test;

TraceBuilder lateRank()
{
    TraceBuilder trace(4);
    trace.steps(20, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(1).compute(6ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return trace;
}

std::string render(const trace::RunTrace& run, std::string_view id, Extent extent = Extent::Screen)
{
    return formatNamed(id).render(buildReport(run, {}), {.extent = extent});
}

bool keepsTheSchema(const std::string& text)
{
    return keepsSchema(text, "report/ringside-report-1.schema.json");
}

TEST(JsonReport, KeepsItsSchema)
{
    EXPECT_TRUE(keepsTheSchema(render(lateRank().run(), "json")));
}

TEST(Reports, ListTheAlarmsOfTheRecording)
{
    Report report = buildReport(lateRank().run(), {});
    ASSERT_TRUE(report.model.startedRealtimeNs);
    const std::int64_t beganMs = *report.model.startedRealtimeNs / 1'000'000 + 2500;
    report.alarms = {{"straggler", "rank 1 holds the others up", 1, "", beganMs, beganMs + 1000},
                     {"hang", "no step | for 12 s", std::nullopt, "", beganMs, std::nullopt}};
    const std::string json = formatNamed("json").render(report);
    EXPECT_TRUE(keepsTheSchema(json));
    const auto alarms = nlohmann::json::parse(json)["alarms"];
    ASSERT_EQ(alarms.size(), 2U);
    EXPECT_EQ(alarms[0]["ended_ns"].get<std::int64_t>() - alarms[0]["began_ns"].get<std::int64_t>(),
              1'000'000'000);
    EXPECT_TRUE(alarms[1]["ended_ns"].is_null());
    for (const char* const format : {"text", "markdown", "html"}) {
        const std::string text = formatNamed(format).render(report);
        EXPECT_NE(text.find("Alarms while it ran"), std::string::npos) << format;
        EXPECT_NE(text.find("rank 1 holds the others up"), std::string::npos) << format;
    }
    report.alarms.clear();
    EXPECT_EQ(render(lateRank().run(), "text").find("Alarms while"), std::string::npos);
}

TEST(TextReport, NamesTheThreadsThatLostRecords)
{
    trace::RunTrace run = lateRank().run();
    run.processes[1].threads = {{7, 4711, "backward"}};
    run.processes[1].drops = {{"ring records", 2, 1200, 7}, {"device records", 0, 34}};
    const std::string text = std::regex_replace(render(run, "text"), std::regex("\\s+"), " ");
    EXPECT_NE(text.find("1200 ring records of thread backward (tid 4711), 34 device records"),
              std::string::npos)
        << text;
}

TEST(TextReport, ListsACommonReasonOnce)
{
    TraceBuilder trace(2);
    trace.steps(6, [](StepBuilder& step) { step.allReduce(1_MiB); });
    trace::RunTrace run = trace.run();
    run.processes[0].tiers.push_back({"sampled", true, "network: by another; rdma: no device", 0, {}});
    run.processes[1].tiers.push_back({"sampled", true, "rdma: no device", 0, {}});
    const std::string text = std::regex_replace(render(run, "text"), std::regex("\\s+"), " ");
    EXPECT_NE(text.find("network: by another; rdma: no device."), std::string::npos) << text;
}

// One process of a host reads what is the same for all of them: that is no lack, unless its file is not here.
TEST(TextReport, NamesNoProcessOfTheRunAsAReason)
{
    TraceBuilder trace(2);
    trace.steps(6, [](StepBuilder& step) { step.allReduce(1_MiB); });
    trace::RunTrace run = trace.run();
    run.processes[0].path = "node0-17.db";
    run.processes[0].tiers.push_back({"sampled", true, "", 0, {}});
    run.processes[1].tiers.push_back(
        {"sampled", true, "machine: sampled by node0-17; network: sampled by node1-18", 0, {}});
    const std::string text = std::regex_replace(render(run, "text"), std::regex("\\s+"), " ");
    EXPECT_NE(text.find("Tier sampled: ranks 0-1: network: sampled by node1-18."), std::string::npos) << text;
}

TEST(JsonReport, KeepsItsSchemaWhenNothingWasMeasured)
{
    TraceBuilder trace(2);
    trace.withoutDeviceTier("profile light").steps(6, [](StepBuilder& step) { step.allReduce(1_MiB); });
    const std::string text = render(trace.run(), "json");
    EXPECT_TRUE(keepsTheSchema(text));
    const auto json = nlohmann::json::parse(text);
    EXPECT_TRUE(json["ranks"][0]["compute_ns"].is_null()) << "not measured is never 0";
    EXPECT_TRUE(json["summary"]["gpu_utilization"]["mean"].is_null());
    EXPECT_EQ(json["verdict"]["confidence"], "inconclusive");
    const std::set<std::string> byCallsAlone = {"collective_mismatch", "collective_missing_rank", "hang",
                                                "rank_died"};
    std::set<std::string> silent;
    for (const rules::Rule* const rule : rules::all()) {
        silent.emplace(rule->id);
    }
    for (const auto& missing : json["not_applicable"]) {
        silent.erase(missing["rule"].get<std::string>());
    }
    EXPECT_EQ(silent, byCallsAlone) << "no other rule passes silently";
    EXPECT_TRUE(keepsTheSchema(render({}, "json"))) << "an empty run";
}

/// One step of ten is ten times as long: half of the rate of the median step.
TEST(JsonReport, TakesTheRateOfStepsFromTheirMean)
{
    TraceBuilder trace(2);
    int number = 0;
    trace.steps(42, [&](StepBuilder& step) {
        step.everyRank().compute(++number % 10 == 0 ? 100ms : 10ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    const auto json = nlohmann::json::parse(render(trace.run(), "json"));
    EXPECT_NEAR(json["steps"]["median_ns"].get<double>(), 11e6, 1e6);
    EXPECT_NEAR(json["summary"]["steps_per_s"].get<double>(), 1 / 0.020, 2);
}

TEST(JsonReport, NamesALateRankFromTimesOfCudaEvents)
{
    TraceBuilder trace(4);
    trace.withCudaEvents().steps(20, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(1).compute(6ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    const std::string text = render(trace.run(), "json");
    EXPECT_TRUE(keepsTheSchema(text));
    const auto json = nlohmann::json::parse(text);
    EXPECT_EQ(json["verdict"]["limited_by"], "late_rank");
    EXPECT_EQ(json["verdict"]["confidence"], "low");
    ASSERT_EQ(json["findings"].size(), 1U);
    EXPECT_EQ(json["findings"][0]["ranks"], nlohmann::json::array({1}));
    EXPECT_NEAR(json["findings"][0]["cost_ns_per_step"].get<double>(), 6e6, 1e5);
    EXPECT_EQ(json["run"]["tiers"]["events"], nlohmann::json({0, 1, 2, 3}));
    EXPECT_GT(json["ranks"][0]["wait_ns"], 0);
    for (const char* name : {"compute_ns", "overlap_ns", "exposed_communication_ns", "idle_ns", "per_step"}) {
        EXPECT_TRUE(json["ranks"][0][name].is_null()) << name << ": not measured is never 0";
    }
    EXPECT_GT(json["collectives"][0]["busbw_gb_per_s"], 0);
    const std::string report = std::regex_replace(render(trace.run(), "text"), std::regex("\\s+"), " ");
    EXPECT_NE(report.find("come from CUDA events before and after each NCCL call"), std::string::npos)
        << report;
    EXPECT_NE(report.find("its own timeline was not recorded"), std::string::npos) << report;
}

TEST(JsonReport, ChargesGroupsOfLateRanksThatShareOneOnlyOnce)
{
    TraceBuilder trace(4);
    trace.steps(20, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(0).compute(8ms);
        step.allReduce(4_MiB, {.takes = 1ms});
        step.everyRank().compute(4ms);
        step.rank(0).compute(2ms);
        step.rank(3).compute(2ms);
        step.allReduce(1_MiB, {.takes = 1ms});
    });
    const auto json = nlohmann::json::parse(render(trace.run(), "json"));
    std::vector<nlohmann::json> late;
    for (const auto& finding : json["findings"]) {
        if (finding["rule"] == "late_rank") {
            late.push_back(finding);
        }
    }
    ASSERT_EQ(late.size(), 2U);
    EXPECT_EQ(late[0]["ranks"], nlohmann::json::array({0}));
    EXPECT_NEAR(late[0]["cost_ns_per_step"].get<double>(), 8e6, 1e6);
    EXPECT_EQ(late[1]["ranks"], nlohmann::json({0, 3}));
    EXPECT_NEAR(late[1]["cost_ns_per_step"].get<double>(), 2e6, 1e6) << "not what rank 0 costs already";
}

TEST(JsonReport, BlamesNoRankForLessThanTheErrorOfCudaEvents)
{
    TraceBuilder trace(4);
    trace.withCudaEvents().steps(20, [](StepBuilder& step) {
        step.everyRank().compute(1ms);
        step.rank(1).compute(500us);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    EXPECT_EQ(nlohmann::json::parse(render(trace.run(), "json"))["findings"].size(), 1U);
    for (int rank = 0; rank < 4; ++rank) {
        trace.process(rank).eventTimes.uncertaintyNs.transform([](std::uint32_t) { return 300'000U; });
    }
    const auto json = nlohmann::json::parse(render(trace.run(), "json"));
    EXPECT_EQ(json["findings"].size(), 0U);
    EXPECT_EQ(json["verdict"]["confidence"], "inconclusive");
}

TEST(JsonReport, ReportsThatCudaEventsCannotExcludeProblems)
{
    TraceBuilder trace(2);
    trace.withCudaEvents().steps(20, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    const auto json = nlohmann::json::parse(render(trace.run(), "json"));
    EXPECT_EQ(json["verdict"]["confidence"], "inconclusive");
    EXPECT_EQ(json["findings"].size(), 0U);
}

TEST(JsonReport, SchemaRefusesWhatIsNoReport)
{
    auto json = nlohmann::json::parse(render(lateRank().run(), "json"));
    json["verdict"]["limited_by"] = "weather";
    EXPECT_FALSE(keepsTheSchema(json.dump()));
    json = nlohmann::json::parse(render(lateRank().run(), "json"));
    json.erase("ranks");
    EXPECT_FALSE(keepsTheSchema(json.dump()));
}

TEST(JsonReport, NamesTheRun)
{
    const auto json = nlohmann::json::parse(render(lateRank().run(), "json"));
    EXPECT_EQ(json["schema"], "ringside-report/1");
    EXPECT_EQ(json["run"]["world_size"], 4);
    EXPECT_EQ(json["run"]["tiers"]["device"], nlohmann::json({0, 1, 2, 3}));
    EXPECT_EQ(json["run"]["started_at"].get<std::string>().substr(0, 4), "2023");
    EXPECT_EQ(json["verdict"]["limited_by"], "late_rank");
    EXPECT_EQ(json["findings"].size() + json["not_applicable"].size() > 0, true);
}

TEST(JsonReport, ReportsHowClocksOfHostsWereAligned)
{
    TraceBuilder trace(2);
    trace.host(1, "host1", 3s, 30);
    trace.steps(30, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    const std::string text = render(trace.run(), "json");
    EXPECT_TRUE(keepsTheSchema(text));
    const auto clocks = nlohmann::json::parse(text)["coverage"]["clocks"];
    ASSERT_EQ(clocks.size(), 2U);
    EXPECT_EQ(clocks[0]["offset_ns"], 0);
    EXPECT_EQ(clocks[1]["host"], "host1");
    EXPECT_NEAR(clocks[1]["drift_ppm"].get<double>(), 30, 1);
    EXPECT_NEAR(clocks[1]["offset_ns"].get<double>(), 0, 2e4) << "of CLOCK_MONOTONIC, not of the date";
    EXPECT_EQ(clocks[1]["residual_ns"], nlohmann::json::parse(text)["coverage"]["clock_residual_ns"]);
}

TEST(TextReport, OpensWithWhatLimitsTheRun)
{
    const std::string text = render(lateRank().run(), "text");
    const std::string opening = text.substr(0, text.find("Findings"));
    EXPECT_NE(opening.find("Rank 1"), std::string::npos) << opening;
    EXPECT_NE(opening.find("Try first"), std::string::npos) << opening;
    EXPECT_NE(opening.find("emulated"), std::string::npos) << opening;
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << "no colours unless asked for";
}

TEST(TextReport, FitsATerminalAndPrintsUnitsThatPeopleRead)
{
    const std::string text = render(lateRank().run(), "text", Extent::All);
    const std::string screen = render(lateRank().run(), "text");
    std::istringstream lines(text + screen);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 100U) << line;
    }
    EXPECT_LE(std::ranges::count(screen, '\n'), 70) << screen; // lines of a tall terminal
    EXPECT_EQ(text.find("e+0"), std::string::npos) << "no raw ns or bytes\n" << text;
    EXPECT_EQ(text.find("_ns"), std::string::npos) << text;
    const std::string words = std::regex_replace(text, std::regex("\\s+"), " ");
    EXPECT_NE(words.find("lost per step 6.0"), std::string::npos) << text;
    EXPECT_NE(
        words.find("20 steps found, device work recorded in 20, 18 analyzed (2 to 19); left out: 2 at the "
                   "edges of the device tier's window"),
        std::string::npos)
        << text;
}

// Two communicators with the same calls: their rows differ in nothing but what they are called.
TEST(TextReport, DistinguishesEqualRowsOfSeveralCommunicators)
{
    TraceBuilder trace = lateRank();
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        auto& process = trace.process(rank);
        process.communicators.front().name = 0;
        process.communicators.push_back(process.communicators.front());
        process.communicators.back().id = 77;
        process.communicators.back().hash = 0xABCD'EF01'0000'0000;
        for (std::size_t i = 1; i < process.collectiveCalls.size(); i += 2) {
            process.collectiveCalls[i].communicator = 77;
        }
    }
    const std::string unnamed = render(trace.run(), "text");
    EXPECT_NE(unnamed.find("abcdef01"), std::string::npos) << unnamed;
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        for (auto& row : trace.process(rank).communicators) {
            row.name = trace.text(rank, "data parallel");
        }
    }
    const std::string equallyNamed = render(trace.run(), "text");
    EXPECT_NE(equallyNamed.find("data parallel abcdef01"), std::string::npos) << equallyNamed;
    const auto json = nlohmann::json::parse(render(trace.run(), "json"));
    EXPECT_EQ(json["communicators"][0]["name"], "data parallel");
}

TEST(TextReport, NamesNoCommunicatorWhereThereIsOne)
{
    const document::Table table = collectiveTable(buildReport(lateRank().run(), {}));
    EXPECT_FALSE(table.rows.empty());
    EXPECT_EQ(table.header.back(), "busbw GB/s\non kernel");
}

TEST(MarkdownReport, HoldsTheSameFindingsWithTheirEvidence)
{
    const std::string text = render(lateRank().run(), "markdown");
    EXPECT_NE(text.find("`late_rank`"), std::string::npos);
    EXPECT_NE(text.find("| rank |"), std::string::npos);
    EXPECT_NE(text.find("- see rank 1 at "), std::string::npos);
    EXPECT_NE(text.find("lost per step 6.0"), std::string::npos);
}

TEST(JsonReport, HoldsMediansOfSharesAndNoUsefulTimeWithoutArrivals)
{
    auto json = nlohmann::json::parse(render(lateRank().run(), "json"));
    EXPECT_EQ(json["ranks"][1]["per_step"]["last_arrivals"], 1);
    EXPECT_EQ(json["ranks"][0]["per_step"]["last_arrivals"], 0);
    EXPECT_NEAR(json["ranks"][1]["per_step"]["comm_compute_ratio"].get<double>(), 1.0 / 16.0, 1e-3);
    EXPECT_EQ(json["coverage"]["steps"]["boundary"], 2);
    trace::RunTrace run = lateRank().run();
    run.processes.pop_back(); // one rank of four is missing: nobody's arrival is known
    json = nlohmann::json::parse(render(run, "json"));
    EXPECT_TRUE(json["ranks"][0]["useful_utilization"].is_null());
    EXPECT_TRUE(json["ranks"][0]["wait_ns"].is_null());
    EXPECT_TRUE(json["summary"]["useful_utilization"]["mean"].is_null());
    EXPECT_FALSE(json["ranks"][0]["gpu_utilization"].is_null());
}

TEST(Options, RefuseWhatDoesNotExist)
{
    rules::OptionValues values;
    setOption(values, "late_rank.chance=0.5");
    EXPECT_EQ(values.at("late_rank.chance"), 0.5);
    EXPECT_THROW(setOption(values, "late_rank.nonsense=1"), Error);
    EXPECT_THROW(setOption(values, "late_rank.chance"), Error);
    EXPECT_THROW(setOption(values, "late_rank.chance=much"), Error);
    EXPECT_THROW(setOption(values, "late_rank.chance=nan"), Error) << "nothing is above it: a silent pass";
}

TEST(LateRank, IsNotJudgedBelowTheClocksError)
{
    TraceBuilder trace = lateRank();
    trace.host(2, "host1", 1s).host(3, "host1", 1s);
    trace::RunTrace run = trace.run();
    // Broadcasts do not tie clocks: nothing is known about the error.
    for (trace::ProcessTrace& process : run.processes) {
        for (auto& [id, text] : process.strings) {
            text = text == "ncclAllReduce" ? "ncclBroadcast" : text;
        }
    }
    const Report report = buildReport(std::move(run), {});
    const auto refused = std::find_if(report.notApplicable.begin(), report.notApplicable.end(),
                                      [](const MissingRule& rule) { return rule.rule == "late_rank"; });
    ASSERT_NE(refused, report.notApplicable.end());
    EXPECT_NE(said(refused->reason).find("inconclusive"), std::string::npos);
}

} // namespace
} // namespace ringside::report
