// SPDX-License-Identifier: Apache-2.0
// Findings beside the verdict: which is part of which, what hidden communication and small messages cost, and
// which do not fire against the trace.
#include "finding_of.h"
#include "golden/training_run.h"
#include "support/late_rank_trace.h"
#include "support/said.h"
#include "whatif/changes.h"

#include <gtest/gtest.h>

namespace ringside::report {
namespace {

using namespace test;
using rules::Limit;

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
