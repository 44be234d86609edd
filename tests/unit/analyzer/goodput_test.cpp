// SPDX-License-Identifier: Apache-2.0
// Where the time of a job goes over its restarts.
#include "compare/goodput.h"
#include "document/renderer.h"
#include "golden/known_figures.h"
#include "support/trace_builder.h"
#include "unit/analyzer/json_schema.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace ringside::compare {
namespace {

using namespace std::chrono_literals;
using namespace test;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kEpochNs = 1'700'000'000'000'000'000;

/// A run of a job of two ranks. Steps take 10 ms, and a checkpoint of 5 ms after every fourth one.
struct RunOfJob {
    std::int64_t beginsMs = 0; ///< after the job began
    std::int64_t firstStep = 0;
    int steps = 12;
    int stalled = -1; ///< a step of 110 ms
    bool checkpoints = true;
    std::int64_t endsLaterMs = 0;
    std::int64_t attempt = 0;
};

trace::RunTrace runOf(const RunOfJob& job)
{
    TraceBuilder trace(2);
    int step = 0;
    trace.withoutDeviceTier("not asked for").steps(job.steps, [&](StepBuilder& each) {
        each.everyRank().hostIdle(step == job.stalled ? 110ms : 10ms);
        if (job.checkpoints && step % 4 == 3) {
            each.everyRank().host(5ms, "save_checkpoint");
        }
        each.everyRank().host(0ms, "aten::CheckpointFunction");
        ++step;
    });
    trace::RunTrace run = trace.run();
    run.path = "run.ringside";
    for (trace::ProcessTrace& process : run.processes) {
        const std::int64_t began = process.steps.front().startNs - 20 * kMs;
        const std::int64_t later = job.firstStep - process.steps.front().number;
        process.process.startNs = began;
        process.process.endNs = process.steps.back().endNs + job.endsLaterMs * kMs;
        process.clockSamples = {{began, kEpochNs + job.beginsMs * kMs, std::nullopt, std::nullopt}};
        process.ranks.front().attempt = job.attempt;
        for (trace::StepRow& row : process.steps) {
            row.number += later;
        }
    }
    return run;
}

Goodput goodputOf(const std::vector<RunOfJob>& jobs)
{
    GoodputBuilder builder({});
    for (const RunOfJob& job : jobs) {
        builder.add(runOf(job));
    }
    return builder.finish();
}

double msOf(const Goodput& goodput, Spent spent)
{
    return static_cast<double>(goodput.totalNs(spent)) / kMs;
}

TEST(Goodput, OfOneRunSumsToItsTime)
{
    const Goodput goodput = goodputOf({{.stalled = 6, .endsLaterMs = 30}});
    EXPECT_NEAR(msOf(goodput, Spent::Start), 20, 1);
    EXPECT_NEAR(msOf(goodput, Spent::Productive), 120, 3);
    EXPECT_NEAR(msOf(goodput, Spent::Stalls), 100, 2) << "what a step of 110 ms takes beyond one of 10 ms";
    EXPECT_NEAR(msOf(goodput, Spent::Checkpoints), 15, 1);
    EXPECT_NEAR(msOf(goodput, Spent::AfterSteps), 30, 2);
    EXPECT_EQ(goodput.totalNs(Spent::DoneTwice), 0);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kSpent; ++i) {
        sum += goodput.totalNs(static_cast<Spent>(i));
    }
    EXPECT_EQ(sum, goodput.wallNs());
    EXPECT_FALSE(goodput.interruptionNs());
    EXPECT_FALSE(goodput.bestIntervalNs());
}

/// The second run goes on at step 8, so that the steps 8 to 11 of the first one were for nothing.
TEST(Goodput, CountsWorkDoneTwiceAndTheTimeBetweenRuns)
{
    const Goodput goodput = goodputOf({{.beginsMs = 1000, .firstStep = 8}, {}});
    ASSERT_EQ(goodput.lives.size(), 2U);
    EXPECT_EQ(goodput.lives.front().firstStep, 0) << "in the order of time";
    EXPECT_TRUE(goodput.repeatsKnown);
    EXPECT_NEAR(msOf(goodput, Spent::DoneTwice), 40, 2);
    EXPECT_NEAR(msOf(goodput, Spent::Productive), 80 + 120, 4);
    EXPECT_NEAR(msOf(goodput, Spent::Restart), 1000 - 20 - 120 - 15, 3);
    EXPECT_NEAR(goodput.share(Spent::Productive), 200.0 / 1155, 0.01);
}

TEST(Goodput, CountsStepsAgainThatALaterRestartWentBackTo)
{
    const Goodput goodput =
        goodputOf({{}, {.beginsMs = 1000, .firstStep = 10, .steps = 4}, {.beginsMs = 2000, .firstStep = 6}});
    EXPECT_NEAR(msOf(goodput, Spent::DoneTwice), 60 + 40, 3) << "6 to 11, and 10 to 13";
}

TEST(Goodput, DoesNotGuessWhatWasDoneTwice)
{
    const Goodput goodput = goodputOf({{}, {.beginsMs = 1000}});
    EXPECT_FALSE(goodput.repeatsKnown);
    EXPECT_NEAR(msOf(goodput, Spent::Productive), 240, 5);
    EXPECT_NE(documentOf(goodput, "job").verdict.find("at most"), std::string::npos);
    EXPECT_NE(jsonOf(goodput).find("\"done_twice_ns\": null"), std::string::npos);
}

TEST(Goodput, TakesAttemptsOfOneRunForRestarts)
{
    trace::RunTrace run = runOf({});
    trace::RunTrace again = runOf({.beginsMs = 1000, .firstStep = 8, .attempt = 1});
    std::ranges::move(again.processes, std::back_inserter(run.processes));
    GoodputBuilder builder({});
    builder.add(std::move(run));
    const Goodput goodput = builder.finish();
    ASSERT_EQ(goodput.lives.size(), 2U);
    EXPECT_EQ(goodput.lives.back().name, "run.ringside, attempt 1");
    EXPECT_NEAR(msOf(goodput, Spent::DoneTwice), 40, 2);
}

TEST(Goodput, GivesTheIntervalOfCheckpointsThatLosesLeast)
{
    Goodput goodput;
    goodput.lives.resize(11);
    goodput.lives.back().span.end = 100 * 3600 * std::int64_t{1'000'000'000}; // 10 h a restart
    goodput.lives.front().checkpointNs.assign(50, 60'000'000'000);
    goodput.lives.front().spent[static_cast<std::size_t>(Spent::Checkpoints)] =
        50 * std::int64_t{60'000'000'000};
    ASSERT_TRUE(goodput.bestIntervalNs());
    // By hand: d = 60 s, M = 36,000 s: sqrt(2 d M) = 2078.5 s; x (1 + sqrt(1/1200)/3 + 1/10800) - 60 s
    EXPECT_NEAR(*goodput.bestIntervalNs() / 1e9, 2078.46 * (1 + 0.0096225 + 0.0000926) - 60, 0.1);
}

TEST(Goodput, SaysWhatToDoWithoutCheckpoints)
{
    const Goodput goodput = goodputOf({{.checkpoints = false}});
    EXPECT_FALSE(goodput.checkpointNs());
    const document::Document page = documentOf(goodput, "job");
    const auto* const text = std::get_if<document::Paragraph>(&page.sections.back().blocks.front());
    ASSERT_NE(text, nullptr);
    EXPECT_NE(text->text.find("save_checkpoint"), std::string::npos) << text->text;
    EXPECT_NE(jsonOf(goodput).find("\"checkpoints_ns\": null"), std::string::npos);
}

TEST(Goodput, RefusesRunsThatAreNoRestarts)
{
    EXPECT_THROW(goodputOf({{}, {.beginsMs = 50}}), Error) << "at the same time";
    EXPECT_THROW(goodputOf({}), Error);
}

TEST(Goodput, IsAPageWithAPictureAndKeepsItsSchema)
{
    const Goodput goodput = goodputOf({{.stalled = 6}, {.beginsMs = 1000, .firstStep = 8}});
    EXPECT_TRUE(keepsSchema(jsonOf(goodput), "compare/ringside-goodput-1.schema.json", true));
    const document::Document page = documentOf(goodput, "job");
    const auto renderers = document::renderers();
    const auto html = std::ranges::find(renderers, "html", &document::Renderer::id);
    const std::string text = (*html)->render(page, {});
    EXPECT_NE(text.find("<title>run 1: productive"), std::string::npos);
    const auto* const chart = page.find<document::BarChart>(document::SectionId::Goodput);
    ASSERT_NE(chart, nullptr);
    double sum = 0;
    for (const document::BarChart::Bar& bar : chart->bars) {
        sum += bar.sumNs();
    }
    EXPECT_NEAR(sum, static_cast<double>(goodput.wallNs()), 1);
}

/// What the page shows beside the numbers of the JSON output: their shares of the job's time, and the runs
/// and restarts, counted.
Facts shownFacts(const Json& json)
{
    Facts facts = factsOf(json);
    const double wallNs = json["wall_ns"];
    for (const Json& ns : json["spent"]) {
        if (!ns.is_null()) {
            facts.numbers.push_back(ns.get<double>() / wallNs);
        }
    }
    for (std::size_t i = 0; i <= json["runs"].size(); ++i) {
        facts.numbers.push_back(static_cast<double>(i));
    }
    facts.numbers.push_back(2006); // Daly
    return facts;
}

/// A run's bar is its time and that of the restart before it.
void expectKnownBars(const document::BarChart& chart, const Json& runs)
{
    ASSERT_EQ(chart.bars.size(), runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        double sum = 0;
        for (const Json& ns : runs[i]["spent"]) {
            sum += ns.is_null() ? 0 : ns.get<double>();
        }
        EXPECT_NEAR(chart.bars[i].sumNs(), sum, 1);
        EXPECT_EQ(chart.bars[i].ns.front(), runs[i]["spent"]["productive_ns"].get<double>());
    }
}

TEST(Goodput, ShowsNoNumberThatJsonLacks)
{
    const std::vector<RunOfJob> restarts = {{.stalled = 6, .endsLaterMs = 30},
                                            {.beginsMs = 1000, .firstStep = 8},
                                            {.beginsMs = 2000, .firstStep = 14}};
    for (const auto& jobs : {restarts, {{}}, {{}, {.beginsMs = 1000}}, {{.checkpoints = false}}}) {
        const Goodput goodput = goodputOf(jobs);
        const Json json = Json::parse(jsonOf(goodput));
        const Facts facts = shownFacts(json);
        const document::Document page = documentOf(goodput, "job");
        expectKnown(page, facts);
        expectKnown(page.verdict, facts);
        expectKnown(page.summary, facts);
        expectKnown(std::get<document::Paragraph>(page.sections.back().blocks.front()).text, facts);
        expectKnownBars(*page.find<document::BarChart>(document::SectionId::Goodput), json["runs"]);
        double sum = 0;
        for (const Json& ns : json["spent"]) {
            sum += ns.is_null() ? 0 : ns.get<double>();
        }
        EXPECT_EQ(sum, json["wall_ns"].get<double>());
        EXPECT_EQ(json["goodput"].get<double>(),
                  json["spent"]["productive_ns"].get<double>() / json["wall_ns"].get<double>());
    }
}

} // namespace
} // namespace ringside::compare
