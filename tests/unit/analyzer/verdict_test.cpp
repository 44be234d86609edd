// SPDX-License-Identifier: Apache-2.0
// The verdict and its confidence, and its limits: few steps, missing ranks, clocks that are less exact than
// the effect, no device tier.
#include "finding_of.h"
#include "report/sentences.h"
#include "support/late_rank_trace.h"
#include "support/said.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/recording_windows.h>

#include <gtest/gtest.h>

namespace ringside::report {
namespace {

using namespace test;
using rules::Limit;

std::string refusal(const Report& report, std::string_view rule)
{
    for (const MissingRule& missing : report.notApplicable) {
        if (missing.rule == rule) {
            return (missing.inconclusive ? "inconclusive! " : "") + said(missing.reason);
        }
    }
    return {};
}

TEST(Verdict, NamesTheCauseAndIsSureOfManySteps)
{
    const Verdict verdict = buildReport(lateRankTrace(4, 20).run(), {}).verdict;
    EXPECT_EQ(verdict.limitedBy, Limit::LateRank);
    EXPECT_EQ(verdict.confidence, Confidence::High) << said(verdict.reason);
    EXPECT_EQ(said(verdict.reason), "");
}

/// Two hosts whose clocks nothing ties together, so that nobody knows who is late: the ranks that compute
/// longer are the cause, by name.
TEST(Verdict, NamesUnequalComputeWhereArrivalsAreNotKnown)
{
    TraceBuilder trace(4);
    trace.steps(20, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(1).compute(6ms);
        step.rank(2).compute(6ms);
        step.rank(2).compute(1ms);
    });
    const Report report = buildReport(trace.run(), {});
    EXPECT_EQ(report.verdict.rule, "compute_imbalance") << said(report.verdict.summary);
    EXPECT_EQ(report.verdict.limitedBy, Limit::LateRank);
    const rules::Finding* const uneven = find(report, "compute_imbalance");
    ASSERT_NE(uneven, nullptr);
    EXPECT_TRUE(uneven->cause);
    EXPECT_EQ(said(uneven->title).find("Ranks 1 and 2 compute up to 70.0 % longer"), 0U)
        << said(uneven->title);
}

/// Decoding: a few launches at once, then the host waits.
TraceBuilder decoding(nanoseconds untilStart)
{
    TraceBuilder trace(1);
    trace.steps(40, [](StepBuilder& step) { step.everyRank().compute(1ms, {.launches = 4}).hostIdle(8ms); });
    trace::ProcessTrace& process = trace.process(0);
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        process.kernels.startNs.set(i, process.kernels.startNs[i] + untilStart.count());
        process.kernels.endNs.set(i, process.kernels.endNs[i] + untilStart.count());
    }
    return trace;
}

TEST(Verdict, BlamesTheHostOnlyForWorkThatItDidNotLaunch)
{
    const Report host = buildReport(decoding(0ms).run(), {});
    EXPECT_EQ(host.verdict.rule, "host_bound") << said(host.verdict.summary);
    const Report queue = buildReport(decoding(7ms).run(), {});
    EXPECT_EQ(find(queue, "host_bound"), nullptr) << said(queue.verdict.summary);
    EXPECT_EQ(queue.verdict.limitedBy, Limit::Nothing) << said(queue.verdict.summary);
    EXPECT_EQ(queue.verdict.confidence, Confidence::Medium);
    EXPECT_NE(said(queue.verdict.summary).find("queued behind something"), std::string::npos)
        << said(queue.verdict.summary);
}

TEST(Verdict, SaysHowManyKernelsHaveNoLaunch)
{
    TraceBuilder trace = decoding(0ms);
    trace::ProcessTrace& process = trace.process(0);
    for (std::size_t i = 0; i < process.kernels.size() / 4; ++i) {
        process.kernels.correlation.set(i, 0);
    }
    const Report report = buildReport(trace.run(), {});
    const rules::Finding* const host = find(report, "host_bound");
    ASSERT_NE(host, nullptr);
    EXPECT_NE(said(host->title).find("; 25.0 % of the kernels have no launch in the trace"),
              std::string::npos)
        << said(host->title);
}

/// Rank 2 does not come to the last collective; the others wait for a minute.
trace::RunTrace hanging()
{
    trace::RunTrace run = lateRankTrace(4, 20).run();
    run.processes[2].collectiveCalls.pop_back();
    for (trace::ProcessTrace& process : run.processes) {
        const std::int64_t now = process.collectiveCalls.back().endNs + 60'000'000'000;
        process.process.endNs.reset();
        process.clockSamples.push_back({now, now, std::nullopt, std::nullopt});
    }
    return run;
}

TEST(Verdict, OfAHangIsNotALateRank)
{
    trace::RunTrace run = hanging();
    auto& stacks = run.processes[2].stacks;
    const std::int64_t pid = run.processes[2].process.pid;
    stacks.push_back({"native", std::nullopt, 9, pid, 0, "main", "0x7f352c4a3f16 (libc.so.6)"});
    stacks.push_back({"native", std::nullopt, 9, pid, 1, "main", "Loader::next (data.so)"});
    const Report report = buildReport(std::move(run), {});
    EXPECT_EQ(report.verdict.limitedBy, Limit::Hang);
    EXPECT_EQ(verdictText(report), "ranks that do not meet in a collective (high confidence)");
    EXPECT_NE(said(report.verdict.summary).find("waits for rank 2"), std::string::npos)
        << said(report.verdict.summary);
    EXPECT_NE(said(report.verdict.summary).find("stack of main: Loader::next (data.so)"), std::string::npos)
        << "an address says nothing: " << said(report.verdict.summary);
}

TEST(Verdict, OfADeathIsNotALateRank)
{
    trace::RunTrace run = lateRankTrace(4, 20).run();
    trace::ProcessTrace& killed = run.processes[2];
    const std::int64_t endNs = *killed.process.endNs;
    killed.process.endNs.reset();
    constexpr int kKilled = 9;
    killed.settings = trace::goneSettings({endNs + 1'000'000, kKilled});
    const Report report = buildReport(std::move(run), {});
    EXPECT_EQ(report.verdict.limitedBy, Limit::Death);
    EXPECT_EQ(verdictText(report), "a rank died (high confidence)");
    EXPECT_NE(said(report.verdict.summary)
                  .find("Rank 2 was the first to end, by SIGKILL; rank 2 ended without closing "
                        "its trace. "),
              std::string::npos)
        << said(report.verdict.summary);
}

/// Recorded from its first step on; the recorder said that the first 9 were warm-up.
TraceBuilder warmingUp(int steps)
{
    TraceBuilder trace = lateRankTrace(4, steps);
    for (int rank = 0; rank < 4; ++rank) {
        trace::ProcessTrace& process = trace.process(rank);
        const auto begin = process.process.startNs;
        const auto warmNs = process.steps.at(std::min<std::size_t>(9, process.steps.size() - 1)).startNs;
        process.windows = {{"standard", begin, warmNs, std::string(trace::kWarmUp) + ": steps 1 to 9"},
                           {"standard", warmNs, std::nullopt, "steps 10 to 60"}};
    }
    return trace;
}

TEST(Verdict, LeavesOutStepsOfWhichAnotherToolHadAPart)
{
    TraceBuilder trace = lateRankTrace(4, 30);
    const std::size_t whole = buildReport(trace.run(), {}).model.analyzedSteps.size();
    trace::ProcessTrace& process = trace.process(1);
    const std::int64_t from = process.steps.at(14).startNs + 1;
    process.windows = {{"standard", process.process.startNs, from, ""},
                       {"standard", from, from + 1, std::string(trace::kHandedOver) + ": and so on"},
                       {"standard", from + 1, std::nullopt, ""}};
    EXPECT_EQ(buildReport(trace.run(), {}).model.analyzedSteps.size(), whole - 2)
        << "the step that the host was in, and the one before it, in which its GPU was";
}

TEST(Verdict, StandsOnStepsAfterTheWarmUpWhereThereAreTen)
{
    const Report report = buildReport(warmingUp(20).run(), {});
    EXPECT_EQ(report.model.analyzedSteps.front(), 10);
    EXPECT_EQ(report.model.analyzedSteps.size(), 10U);
    EXPECT_EQ(report.model.stepCoverage.warmUp, 8U);
    EXPECT_EQ(report.verdict.confidence, Confidence::High) << said(report.verdict.reason);
}

TEST(Verdict, StandsOnTheWarmUpWhereHardlyAnythingFollows)
{
    for (const int steps : {7, 9, 15}) {
        const Report report = buildReport(warmingUp(steps).run(), {});
        EXPECT_EQ(report.model.analyzedSteps.front(), 2);
        EXPECT_EQ(report.model.analyzedSteps.size(), static_cast<std::size_t>(steps) - 2);
        EXPECT_TRUE(std::ranges::any_of(report.issues,
                                        [](const auto& each) { return each.id == "warm_up_analyzed"; }));
    }
}

TEST(Verdict, OfAFewStepsIsLessSure)
{
    const Report some = buildReport(lateRankTrace(4, 9).run(), {});
    EXPECT_EQ(some.verdict.confidence, Confidence::Medium);
    EXPECT_NE(said(some.verdict.reason).find("7 steps"), std::string::npos) << said(some.verdict.reason);
    const Report three = buildReport(lateRankTrace(4, 3).run(), {});
    EXPECT_EQ(three.verdict.confidence, Confidence::Low);
    const Report one = buildReport(lateRankTrace(4, 1).run(), {});
    EXPECT_EQ(one.verdict.confidence, Confidence::Low);
    ASSERT_TRUE(one.metrics.usefulUtilization);
    EXPECT_FALSE(one.metrics.usefulUtilization->timeStddev) << "one step does not vary";
}

TEST(Verdict, DoesNotCallARankLateThatChanceCouldHaveMadeLate)
{
    const Report report = buildReport(lateRankTrace(2, 8).run(), {});
    EXPECT_EQ(find(report, "late_rank"), nullptr);
    EXPECT_NE(refusal(report, "late_rank").find("inconclusive! "), std::string::npos);
    EXPECT_NE(refusal(report, "late_rank").find("record 8 or more"), std::string::npos)
        << refusal(report, "late_rank");
    EXPECT_EQ(report.verdict.confidence, Confidence::Low);
    EXPECT_NE(find(buildReport(lateRankTrace(2, 10).run(), {}), "late_rank"), nullptr)
        << "8 analyzed steps do";
}

/// Two ranks of which one is late by a little in every step, in turn, and rank 1 by much in every third.
TraceBuilder nowAndThen()
{
    TraceBuilder trace(2);
    int number = 0;
    trace.steps(48, [&number](StepBuilder& step) {
        step.everyRank().compute(20ms);
        step.rank(number % 3 == 0 ? 1 : 0).compute(number % 3 == 0 ? 30ms : 500us);
        step.allReduce(4_MiB, {.takes = 1ms});
        ++number;
    });
    return trace;
}

TEST(Verdict, NamesARankThatIsLateNowAndThen)
{
    const Report report = buildReport(nowAndThen().run(), {});
    const rules::Finding* const finding = find(report, "late_rank");
    ASSERT_NE(finding, nullptr) << refusal(report, "late_rank");
    EXPECT_EQ(finding->ranks, std::vector<std::int64_t>{1});
    EXPECT_NE(said(finding->title).find("of the 14 steps in which most time is lost"), std::string::npos)
        << said(finding->title);
}

TEST(Verdict, OfMissingRanksIsLessSureAndGivesTheReason)
{
    trace::RunTrace run = lateRankTrace(4, 20).run();
    run.processes.pop_back();
    const Report one = buildReport(run, {});
    EXPECT_EQ(one.verdict.confidence, Confidence::Medium);
    EXPECT_NE(said(one.verdict.reason).find("3 of 4 ranks"), std::string::npos) << said(one.verdict.reason);
    EXPECT_NE(refusal(one, "late_rank"), "") << "the missing one may have been the late one";
    run.processes.resize(1);
    EXPECT_EQ(buildReport(run, {}).verdict.confidence, Confidence::Low);
}

TEST(Verdict, OfTheHostTierAloneIsInconclusive)
{
    TraceBuilder trace(2);
    trace.withoutDeviceTier("profile light").steps(20, [](StepBuilder& step) { step.allReduce(1_MiB); });
    const Verdict verdict = buildReport(trace.run(), {}).verdict;
    EXPECT_EQ(verdict.confidence, Confidence::Inconclusive);
    EXPECT_EQ(verdict.limitedBy, Limit::Nothing);
    EXPECT_NE(said(verdict.summary).find("--profile standard"), std::string::npos);
}

/// Two hosts; on the second one every other reduction seems to end later by `apart`, so that the ends tell
/// its clock only so well.
Report twoHosts(nanoseconds late, nanoseconds apart)
{
    TraceBuilder trace(4);
    trace.host(2, "host1", 1s, 10).host(3, "host1", 1s, 10);
    trace.steps(20, [&](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(1).compute(late);
        step.allReduce(4_MiB, {.takes = 8ms});
    });
    for (const int rank : {2, 3}) {
        trace::KernelColumns& kernels = trace.process(rank).kernels;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const bool collective = trace.process(rank).text(kernels.name[i]).starts_with("nccl");
            kernels.endNs.set(i, kernels.endNs[i] + (collective && i / 2 % 2 == 0 ? apart.count() : 0));
        }
    }
    return buildReport(trace.run(), {});
}

TEST(Verdict, IsRefusedBelowTheErrorOfTheClocks)
{
    const Report clear = twoHosts(6ms, 100us);
    EXPECT_NE(find(clear, "late_rank"), nullptr) << refusal(clear, "late_rank");
    const Report unclear = twoHosts(2ms, 4ms);
    ASSERT_GT(unclear.model.clockErrorNs().value_or(0), 2'000'000);
    EXPECT_EQ(find(unclear, "late_rank"), nullptr);
    EXPECT_NE(refusal(unclear, "late_rank").find("inconclusive! "), std::string::npos)
        << refusal(unclear, "late_rank");
    EXPECT_EQ(unclear.verdict.confidence, Confidence::Low) << said(unclear.verdict.reason);
}

TEST(Verdict, TrustsTwoOtherHostsNoMoreThanBothTogether)
{
    model::Model model;
    model.hosts = {{"a", "", 0, 0, 9, 0}, {"b", "", 0, 0, 5, 30}, {"c", "", 0, 0, 2, 20}};
    EXPECT_EQ(model.clockBoundNs(), 50);
    EXPECT_EQ(model.clockErrorNs(), 7) << "how far ends lie apart on the reference host is no clock's error";
    model.hosts.push_back({"d", "", 0, 0, {}, {}});
    EXPECT_FALSE(model.clockBoundNs());
}

TEST(Verdict, CallsARunThatComputesComputeBound)
{
    TraceBuilder trace(4);
    trace.steps(20, [](StepBuilder& step) {
        step.everyRank().compute(20ms);
        step.allReduce(4_MiB, {.takes = 3ms});
    });
    const Report report = buildReport(trace.run(), {});
    const rules::Finding* const exposed = find(report, "exposed_communication");
    ASSERT_NE(exposed, nullptr);
    EXPECT_EQ(exposed->severity, rules::Severity::Warning);
    EXPECT_EQ(report.verdict.limitedBy, Limit::Compute);
    EXPECT_NE(said(report.verdict.summary).find("The largest other gain"), std::string::npos)
        << said(report.verdict.summary);
}

} // namespace
} // namespace ringside::report
