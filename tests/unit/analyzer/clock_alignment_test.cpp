// SPDX-License-Identifier: Apache-2.0
// Clocks of hosts: what was planted is found, and the error is within the bound that is printed.
#include "metrics/metrics.h"
#include "model/build_model.h"
#include "model/clock_alignment.h"
#include "support/parallel_job.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

#include <random>

namespace ringside::model {
namespace {

using namespace std::chrono_literals;
using namespace test;

struct Planted {
    std::int64_t offsetNs;
    double drift;
    [[nodiscard]] std::int64_t at(std::int64_t time) const
    {
        return offsetNs + std::llround(drift * static_cast<double>(time));
    }
};

/// Collectives every 10 ms, whose ends reach the two hosts with some jitter; now and then one end is far off.
std::vector<ClockMatch> matches(const Planted& planted, int count, std::mt19937& random)
{
    std::uniform_int_distribution<std::int64_t> late(0, 2'000'000);
    std::uniform_int_distribution<std::int64_t> jitter(0, 20'000);
    std::vector<ClockMatch> result;
    for (int i = 0; i < count; ++i) {
        const std::int64_t begin = 10'000'000LL * i;
        const std::int64_t first = begin + late(random);
        const std::int64_t second = begin + late(random);
        const std::int64_t end = std::max(first, second) + 300'000;
        const std::int64_t ends[] = {end + jitter(random),
                                     end + jitter(random) + (i % 17 == 3 ? 5'000'000 : 0)};
        result.push_back({first, ends[0], ends[0], second + planted.at(second), ends[1] + planted.at(ends[1]),
                          ends[1] + planted.at(ends[1])});
    }
    return result;
}

TEST(FitClock, ErrorStaysWithinTheBound)
{
    std::mt19937 random(1);
    for (const Planted& planted : {Planted{0, 0}, Planted{123'456'789, 0}, Planted{-5'000'000'000, 20e-6},
                                   Planted{40'000, -50e-6}, Planted{1, 1e-6}}) {
        const auto fit = fitClock(matches(planted, 300, random));
        ASSERT_TRUE(fit);
        for (std::int64_t time = 0; time < 3'000'000'000; time += 100'000'000) {
            const std::int64_t found =
                fit->offsetNs + std::llround(fit->drift * static_cast<double>(time - fit->originNs));
            EXPECT_LE(std::abs(found - planted.at(time)), fit->boundNs) << planted.offsetNs << " at " << time;
        }
        EXPECT_LT(fit->boundNs, 400'000) << "a bound that is always large proves nothing";
        EXPECT_LT(fit->residualNs, 5'200'000);
    }
}

TEST(FitClock, HasNothingToSayWithoutMatches)
{
    EXPECT_FALSE(fitClock(std::vector<ClockMatch>()));
    EXPECT_FALSE(fitClock(std::vector<OneWay>()));
}

TEST(FitClock, TakesNoDriftFromAHandfulOfMatches)
{
    std::mt19937 random(2);
    const auto fit = fitClock(matches({1'000'000, 0}, 3, random));
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->drift, 0.0);
}

/// Messages both ways every 10 ms; the receiver waits for some and lets others wait.
std::vector<OneWay> messages(const Planted& planted, int count, std::mt19937& random)
{
    std::uniform_int_distribution<std::int64_t> wait(0, 3'000'000);
    std::vector<OneWay> result;
    for (int i = 0; i < count; ++i) {
        const std::int64_t sent = 10'000'000LL * i;
        const std::int64_t taken = sent + 40'000 + (i % 3 == 0 ? 0 : wait(random));
        const bool toOther = i % 2 == 0;
        const std::int64_t onOther = toOther ? taken : sent;
        result.push_back({toOther, toOther ? sent : taken, onOther + planted.at(onOther)});
    }
    return result;
}

TEST(FitClock, TakesTheMiddleOfWhatMessagesAllow)
{
    std::mt19937 random(4);
    for (const Planted& planted : {Planted{0, 0}, Planted{-5'000'000'000, 0}, Planted{40'000, 20e-6}}) {
        const auto fit = fitClock(messages(planted, 600, random));
        ASSERT_TRUE(fit);
        for (std::int64_t time = 0; time < 6'000'000'000; time += 500'000'000) {
            const std::int64_t found =
                fit->offsetNs + std::llround(fit->drift * static_cast<double>(time - fit->originNs));
            EXPECT_LE(std::abs(found - planted.at(time)), fit->boundNs) << planted.offsetNs << " at " << time;
        }
        EXPECT_LT(fit->boundNs, 200'000);
        EXPECT_EQ(fit->residualNs, fit->boundNs) << "ends of a send and of its receive need not meet";
    }
}

TEST(FitClock, NeedsMessagesInBothDirectionsThatAgree)
{
    EXPECT_FALSE(fitClock(std::vector<OneWay>{{true, 0, 40}, {true, 100, 140}}));
    EXPECT_FALSE(fitClock(std::vector<OneWay>{{true, 0, 40}, {false, 100, 200}}))
        << "taken before it was sent";
    EXPECT_TRUE(fitClock(std::vector<OneWay>{{true, 0, 40}, {false, 100, 80}}));
}

/// Two hosts, rank 3 on the second late by 2 ms in each step; there the time of day is 3 s off and the clock
/// 30 ppm fast.
TraceBuilder twoHosts()
{
    TraceBuilder trace(4);
    trace.host(2, "host1", 3s, 30).host(3, "host1", 3s, 30);
    trace.steps(30, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(3).compute(2ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return trace;
}

TEST(Model, BringsHostsOntoOneClock)
{
    const Model model = buildModel(twoHosts().run());
    ASSERT_EQ(model.hosts.size(), 2U);
    EXPECT_NEAR(static_cast<double>(model.hosts[1].offsetNs), 0, 1e4) << "ends count, not the time of day";
    EXPECT_NEAR(model.hosts[1].drift, 30e-6, 1e-6);
    ASSERT_TRUE(model.clockBoundNs());
    for (const Operation& operation : model.operations) {
        const auto times = arrivals(operation, model.ranks);
        ASSERT_TRUE(times);
        EXPECT_EQ(model.ranks[times->lastRank].rank, 3);
        EXPECT_NEAR(static_cast<double>(times->lastArrivalNs - times->firstArrivalNs), 2e6,
                    static_cast<double>(*model.clockBoundNs()) + 1e4);
    }
}

TEST(Model, AlignsTheRanksThatWereRecorded)
{
    trace::RunTrace run = twoHosts().run();
    run.processes.erase(run.processes.begin() + 1);
    ASSERT_EQ(run.processes.size(), 3U);
    const Model model = buildModel(run);
    EXPECT_TRUE(model.clockBoundNs()) << "those who were recorded waited for each other all the same";
    EXPECT_NEAR(model.hosts[1].drift, 30e-6, 1e-6);
}

/// As of profilers that start apart: the first collectives are those of few ranks.
TEST(Model, AlignsRanksWhoseRecordingsBeginApart)
{
    TraceBuilder trace(4);
    for (int rank = 1; rank < 4; ++rank) {
        trace.host(rank, "host" + std::to_string(rank), 1s * rank);
    }
    trace.steps(20, [](StepBuilder& step) {
        step.everyRank().compute(2ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    trace::RunTrace run = trace.run();
    for (const std::size_t late : {1U, 3U}) {
        auto& calls = run.processes[late].collectiveCalls;
        calls.erase(calls.begin(), calls.begin() + 5);
    }
    const Model model = buildModel(run);
    ASSERT_EQ(model.hosts.size(), 4U);
    EXPECT_TRUE(model.clockBoundNs());
}

TEST(Model, AlignsThePipelineWhoseHostsExchangeOnlyMessages)
{
    const Model model = buildModel(playParallelJob({.stages = 4, .hostPerStage = true}).run());
    ASSERT_EQ(model.hosts.size(), 4U);
    ASSERT_TRUE(model.clockBoundNs());
    EXPECT_TRUE(model.clockErrorNs());
}

/// As of imported files: each begins with its first event, and that of rank 0 need not be the first.
TEST(Model, BeginsWithTheEarliestProcessOfAllHosts)
{
    TraceBuilder trace = twoHosts();
    trace.process(2).process.startNs -= 5'000'000;
    const Model model = buildModel(trace.run());
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const Rank& rank : model.ranks) {
        first = std::min(first, rank.clock.toRun(model.processOf(rank).process.startNs));
    }
    EXPECT_EQ(first, 0);
    const trace::ProcessTrace& zero = model.processOf(model.ranks[0]);
    const std::int64_t begin = model.ranks[0].clock.toRun(zero.process.startNs);
    EXPECT_NEAR(static_cast<double>(begin), 5e6, 1e5);
    EXPECT_EQ(*model.startedRealtimeNs + begin, zero.clockSamples.front().realtimeNs)
        << "the date goes with it";
}

TEST(Model, OneHostHasNoAlignmentError)
{
    TraceBuilder trace(2);
    trace.steps(5, [](StepBuilder& step) { step.allReduce(1_MiB); });
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.clockBoundNs(), 0);
    EXPECT_TRUE(model.clockResidualNs());
}

TEST(Model, ReportsThatHostsCannotBeAligned)
{
    TraceBuilder trace(2);
    trace.host(1, "host1", 1s);
    trace.steps(6, [](StepBuilder& step) {
        step.everyRank().compute(1ms);
        step.broadcast(1_MiB);
    });
    const Model model = buildModel(trace.run());
    EXPECT_FALSE(model.clockBoundNs());
    EXPECT_TRUE(std::any_of(model.issues.begin(), model.issues.end(),
                            [](const auto& issue) { return issue.id == "clock_unaligned"; }));
}

} // namespace
} // namespace ringside::model
