// SPDX-License-Identifier: Apache-2.0
// Copies that nothing hides: their direction, the memory at the host's end, and what the verdict says.
#include "metrics/exposed_copies.h"
#include "report/report.h"
#include "support/said.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ringside::test {
namespace {

using report::Report;
using rules::Limit;

constexpr std::int64_t kFourMs = 4'000'000;
constexpr std::int64_t kTenMs = 10'000'000;

/// Each rank copies for 10 ms to the device and for 4 ms to the host, and computes for 1 ms.
TraceBuilder copying(int ranks)
{
    TraceBuilder trace(ranks);
    trace.steps(14, [](StepBuilder& step) {
        step.everyRank().copy(100_MiB, 10ms).copy(20_MiB, 4ms, trace::kCopyToHost).compute(1ms);
        step.allReduce(1_MiB, {.takes = 100us});
    });
    return trace;
}

void setMemory(trace::ProcessTrace& process, std::uint32_t kind, std::uint32_t memory)
{
    for (std::size_t i = 0; i < process.copies.size(); ++i) {
        if (process.copies.kind[i] == kind) {
            process.copies.hostMemory.set(i, memory);
        }
    }
}

Report reportOf(const TraceBuilder& trace)
{
    return report::buildReport(trace.run(), {});
}

const rules::Finding* exposedCopy(const Report& report)
{
    const auto found = std::ranges::find(report.findings, "exposed_copy", &rules::Finding::rule);
    return found == report.findings.end() ? nullptr : &*found;
}

// NCCL 2.28 and later lets copy engines gather: the copies are linked to the call as kernels are.
TEST(ExposedCopies, AreCommunicationWhereNcclMadeThem)
{
    TraceBuilder trace = copying(2);
    for (int rank = 0; rank < 2; ++rank) {
        trace::ProcessTrace& process = trace.process(rank);
        for (std::size_t i = 0; i < process.copies.size(); ++i) {
            process.callCorrelations.correlation.push_back(process.copies.correlation[i]);
            process.callCorrelations.call.push_back(
                static_cast<std::uint64_t>(process.collectiveCalls.front().id));
        }
    }
    const Report report = reportOf(trace);
    EXPECT_EQ(exposedCopy(report), nullptr);
    EXPECT_NE(report.verdict.limitedBy, Limit::Copy);
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        EXPECT_EQ(rank.total.exposedCopyNs, 0);
        EXPECT_GE(rank.total.communicationNs,
                  static_cast<std::int64_t>(rank.steps.size()) * (kTenMs + kFourMs));
    }
}

TEST(ExposedCopies, AreTheVerdictWhereTheyFillTheStep)
{
    for (const int ranks : {1, 4}) {
        TraceBuilder trace = copying(ranks);
        for (int rank = 0; rank < ranks; ++rank) {
            setMemory(trace.process(rank), trace::kCopyToDevice, trace::kPinnedMemory);
        }
        const Report report = reportOf(trace);
        EXPECT_EQ(report.verdict.limitedBy, Limit::Copy) << ranks;
        EXPECT_EQ(report.verdict.rule, "exposed_copy") << ranks;
        ASSERT_NE(exposedCopy(report), nullptr) << ranks;
        EXPECT_TRUE(exposedCopy(report)->ranks.empty()) << ranks;
        EXPECT_NE(
            words::said(exposedCopy(report)->title).find("from pinned memory to the device (10.5 GB/s)"),
            std::string::npos)
            << words::said(exposedCopy(report)->title);
    }
}

TEST(ExposedCopies, NameTheMemoryOnlyWhereTheTraceTellsIt)
{
    TraceBuilder trace = copying(1);
    EXPECT_NE(words::said(exposedCopy(reportOf(trace))->title).find("from the host to the device"),
              std::string::npos);
    setMemory(trace.process(0), trace::kCopyToDevice, trace::kPageableMemory);
    const Report report = reportOf(trace);
    EXPECT_NE(words::said(exposedCopy(report)->title).find("from memory that is not pinned to the device"),
              std::string::npos);
    EXPECT_EQ(words::said(exposedCopy(report)->advice).find("Pin the host's memory"), 0U);
}

TEST(ExposedCopies, AreToldApartByDirection)
{
    TraceBuilder trace = copying(2);
    const Report report = reportOf(trace);
    const auto copies = metrics::exposedCopiesOf(report.model, report.metrics.ranks.front());
    const auto steps = static_cast<std::int64_t>(report.metrics.stepCount());
    ASSERT_EQ(copies.size(), 2U);
    EXPECT_EQ(copies[0].kind, trace::kCopyToDevice);
    EXPECT_EQ(copies[0].exposedNs, steps * kTenMs);
    EXPECT_EQ(copies[1].kind, trace::kCopyToHost);
    EXPECT_EQ(copies[1].exposedNs, steps * kFourMs);
}

/// Each step has two copies and two kernels, and its first kernel now runs beside both copies.
TEST(ExposedCopies, HideBehindCompute)
{
    TraceBuilder trace = copying(1);
    trace::ProcessTrace& process = trace.process(0);
    for (std::size_t i = 0; i < process.copies.size(); ++i) {
        if (process.copies.kind[i] == trace::kCopyToDevice) {
            process.kernels.startNs.set(i, process.copies.startNs[i]);
        }
    }
    const Report report = reportOf(trace);
    EXPECT_EQ(exposedCopy(report), nullptr);
    EXPECT_NE(report.verdict.limitedBy, Limit::Copy);
}

TEST(ExposedCopies, OfSomeRanksNameThem)
{
    TraceBuilder trace(4);
    trace.steps(14, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(2).copy(100_MiB, 6ms);
        step.allReduce(1_MiB, {.takes = 100us});
    });
    const Report report = reportOf(trace);
    ASSERT_NE(exposedCopy(report), nullptr);
    EXPECT_EQ(exposedCopy(report)->ranks, std::vector<std::int64_t>{2});
    EXPECT_EQ(exposedCopy(report)->partOf, std::vector<std::string_view>{"late_rank"});
}

} // namespace
} // namespace ringside::test
