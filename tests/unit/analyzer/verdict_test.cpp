// SPDX-License-Identifier: Apache-2.0
// The verdict and its confidence, and its limits: few steps, missing ranks, clocks that are less exact than
// the effect, no device tier.
#include "golden/training_run.h"
#include "report/report.h"
#include "report/sentences.h"
#include "support/late_rank_trace.h"
#include "support/said.h"
#include "whatif/changes.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/recording_windows.h>

#include <gtest/gtest.h>

namespace ringside::report {
namespace {

using namespace test;
using rules::Limit;

const rules::Finding* find(const Report& report, std::string_view rule)
{
    const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                    [&](const auto& finding) { return finding.rule == rule; });
    return found == report.findings.end() ? nullptr : &*found;
}

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

TEST(Findings, NameTheFindingWhoseCostIncludesTheirs)
{
    TraceBuilder trace(4);
    trace.steps(20, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.allReduce(64_MiB, {.takes = 20ms});
    });
    const Report report = buildReport(trace.run(), {});
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings.front().rule, "exposed_communication");
    std::vector<std::string> advice;
    for (const char* const rule : {"comm_share_high", "comm_compute_ratio_high"}) {
        const rules::Finding* const finding = find(report, rule);
        ASSERT_NE(finding, nullptr) << rule;
        EXPECT_EQ(finding->partOf, std::vector<std::string_view>{"exposed_communication"}) << rule;
        advice.push_back(said(finding->advice));
    }
    EXPECT_NE(advice[0], advice[1]);
}

TEST(Findings, OfHiddenCommunicationAreNoProblem)
{
    TraceBuilder trace(4);
    trace.steps(20, [](StepBuilder& step) {
        step.allReduce(64_MiB, {.takes = 8ms, .overlapped = true});
        step.everyRank().compute(10ms).waitForCommunication();
    });
    const Report report = buildReport(trace.run(), {});
    const rules::Finding* const share = find(report, "comm_share_high");
    ASSERT_NE(share, nullptr);
    EXPECT_EQ(share->severity, rules::Severity::Info) << "it costs nothing";
    EXPECT_EQ(report.verdict.limitedBy, Limit::Compute);
}

/// A replay takes the stalls of all ranks away, of a late rank only what it has more than the others.
TEST(Findings, NameTheLateRankBeforeTheDataItWaitsFor)
{
    TrainingRun run;
    run.lateRank = 1;
    run.lateNs = 8 * kMillisecond;
    run.lateByData = true;
    run.dataNs = kMillisecond;
    run.synchronize = true;
    const Report report = buildReport(simulate(run), {});
    const rules::Finding* const late = find(report, "late_rank");
    const rules::Finding* const stall = find(report, "data_loading_stall");
    ASSERT_NE(late, nullptr);
    ASSERT_NE(stall, nullptr);
    EXPECT_EQ(report.findings.front().rule, "late_rank");
    EXPECT_LE(stall->costNsPerStep, late->costNsPerStep);
    EXPECT_LE(stall->severity, late->severity);
    EXPECT_EQ(stall->partOf, std::vector<std::string_view>{"late_rank"});
}

/// 24 messages, most of their time latency, that reduce while backward runs. With larger buckets the last one
/// begins later: what compute hides costs nothing, whatever share of communication it is.
TEST(Findings, OfSmallMessagesThatComputeHidesAreNoReasonToChangeThem)
{
    TrainingRun run;
    run.computeNs = 120 * kMillisecond;
    run.latencyNs = 2e6;
    run.bytesPerNs = 0.5;
    run.buckets.assign(12, 64_KiB);
    run.buckets.insert(run.buckets.end(), 12, 256_KiB);
    const Report hidden = buildReport(simulate(run), {});
    const rules::Finding* const finding = find(hidden, "small_messages");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->severity, rules::Severity::Info);
    EXPECT_NE(said(finding->advice).find("check other findings first"), std::string::npos)
        << said(finding->advice);

    run.computeNs = 30 * kMillisecond;
    const Report exposed = buildReport(simulate(run), {});
    EXPECT_EQ(exposed.findings.front().rule, "small_messages");
    EXPECT_EQ(exposed.findings.front().severity, rules::Severity::Problem);
    EXPECT_EQ(said(exposed.findings.front().advice).find("check other findings"), std::string::npos);
}

/// One larger message tells what the others could save, also where no line tells latency from bandwidth.
TEST(Findings, OfSmallMessagesHaveACostWhereLargerOnesTakeNoLonger)
{
    TrainingRun run;
    run.latencyNs = 2e6;
    run.bytesPerNs = 1e12;
    run.buckets.assign(40, 64_KiB);
    run.buckets.push_back(512_KiB);
    const Report report = buildReport(simulate(run), {});
    EXPECT_FALSE(report.metrics.allReduceFit);
    EXPECT_EQ(report.findings.front().rule, "small_messages");
    // 48 x 64 KiB in 6 messages of 512 KiB instead of 41, of 2 ms each; some of those were hidden.
    const std::int64_t cost = report.findings.front().costNsPerStep.value_or(0);
    EXPECT_GT(cost, 40'000'000);
    EXPECT_LE(cost, 70'000'000);

    run.buckets.pop_back();
    const Report alike = buildReport(simulate(run), {});
    const rules::Finding* const finding = find(alike, "small_messages");
    ASSERT_NE(finding, nullptr);
    EXPECT_FALSE(finding->costNsPerStep) << "nothing larger was seen";
}

/// Of a few messages, a fraction of all gradients is less than one of them. Smaller buckets may gain, because
/// the last one is exposed, but they are not what the finding advises.
TEST(Findings, OfSmallMessagesAreCuredByLargerOnesOnly)
{
    TrainingRun run;
    run.buckets.assign(4, 700_KiB);
    const Report report = buildReport(simulate(run), {});
    const rules::Finding* const finding = find(report, "small_messages");
    ASSERT_NE(finding, nullptr);
    const rules::Rule& rule = *rules::findRule("small_messages");
    const auto cures = rule.cures(rules::Context(rule, report.model, report.metrics, {}), *finding);
    ASSERT_FALSE(cures.empty());
    for (const whatif::Changes& cure : cures) {
        EXPECT_GT(cure.bucketBytes.value_or(0), 700_KiB);
        EXPECT_TRUE(cure.wholeMessages) << "where a message could end otherwise was not recorded";
    }
}

/// A stall in every fourth step makes it useful for less of its time: an effect, whatever else it costs.
TEST(Findings, NameStallsBeforeTheUnequalUseTheyMake)
{
    TraceBuilder trace(4);
    trace.steps(34, [](StepBuilder& step) {
        const auto place = step.number() % 4;
        step.everyRank().host(place == 0 ? 40ms : 10us, "data");
        step.everyRank().compute(60ms);
        step.allReduce(4_MiB, {.takes = place == 3 ? 5ms : 1ms}); // before it: more than the stall explains
    });
    const Report report = buildReport(trace.run(), {});
    const rules::Finding* const spread = find(report, "gpu_utilization_spread");
    ASSERT_NE(spread, nullptr);
    EXPECT_EQ(report.findings.front().rule, "data_loading_stall");
    EXPECT_GT(spread->costNsPerStep, report.findings.front().costNsPerStep);
}

TEST(LateRank, IsNotChargedMoreThanItTakesLonger)
{
    const Report report = buildReport(lateRankTrace(4, 20).run(), {});
    const rules::Finding* const late = find(report, "late_rank");
    ASSERT_NE(late, nullptr);
    EXPECT_NEAR(static_cast<double>(late->costNsPerStep.value_or(0)), 6e6, 1e5);
    EXPECT_NE(said(late->title).find("longer compute"), std::string::npos);
}

/// Two ranks that compute, and whatever else the trace shows of them.
Report computingAlone(const std::function<void(TraceBuilder&)>& edit)
{
    TraceBuilder trace(2);
    trace.steps(6, [](StepBuilder& step) { step.everyRank().compute(10ms); });
    for (int rank = 0; rank < 2; ++rank) {
        trace.process(rank).communicators.clear();
    }
    edit(trace);
    return buildReport(trace.run(), {});
}

TEST(BackendNotNccl, DoesNotFireAgainstTheTrace)
{
    EXPECT_NE(find(computingAlone([](TraceBuilder&) {}), "backend_not_nccl"), nullptr);
    const auto byCopies = computingAlone([](TraceBuilder& trace) {
        constexpr std::uint32_t kPeerToPeer = 10;
        trace.steps(2, [](StepBuilder& step) { step.rank(1).copy(1_MiB, 1ms, kPeerToPeer); });
    });
    EXPECT_EQ(find(byCopies, "backend_not_nccl"), nullptr);
    const auto byRange = computingAlone([](TraceBuilder& trace) {
        trace::RangeRow range =
            trace.process(0).ranges.empty() ? trace::RangeRow() : trace.process(0).ranges.front();
        range.name = trace.text(0, "nccl:all_reduce");
        trace.process(0).ranges.push_back(range);
    });
    EXPECT_EQ(find(byRange, "backend_not_nccl"), nullptr);
}

} // namespace
} // namespace ringside::report
