// SPDX-License-Identifier: Apache-2.0
// Jobs that gave up, were killed or stopped: recordings, with the origin in the verdict.
#include "unit/analyzer/hang_fixture.h"

namespace ringside::test {
namespace {

using Ranks = std::vector<std::int64_t>;

/// The rank aborts its communicator at that moment, and closes its trace.
void abortsAndEnds(trace::ProcessTrace& process, std::int64_t endNs)
{
    process.strings[941] = "ncclCommAbort";
    trace::ApiCallRow row;
    row.startNs = endNs - 1;
    row.endNs = endNs;
    row.api = 941;
    row.thread = static_cast<std::uint32_t>(process.threads.front().id);
    trace::TableOf<trace::ApiCallRow>::forEachColumn(
        [&](const char*, auto, auto from, auto to) { (process.apiCalls.*to).push_back(row.*from); });
    process.process.endNs = endNs;
}

TEST_F(Hang, anAbortAfterACollectiveThatARankDidNotIssueIsNoNormalEnd)
{
    stopsBefore(2, 1);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        abortsAndEnds(process(rank), m_endNs + 2 * kSecond);
        m_now[rank] = {Life::Closed, std::nullopt, true};
    }
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Missing) << said(report.summary);
    EXPECT_EQ(report.origins.front().ranks, Ranks{2});
}

TEST_F(Hang, anAbortAtTheEndOfAWholeJobIsNormal)
{
    for (std::size_t rank = 0; rank < 4; ++rank) {
        abortsAndEnds(process(rank), m_endNs + 2 * kSecond);
        m_now[rank] = {Life::Closed, std::nullopt, true};
    }
    EXPECT_EQ(analyze().kind, Kind::Nothing) << said(analyze().summary);
}

TEST_F(Hang, aDeathIsInTheHeadlineWithItsSignal)
{
    stopsBefore(3, 1);
    process(3).settings.push_back(
        trace::settingRow({"record", "gone_ns"}, std::to_string(m_endNs + kSecond)));
    process(3).settings.push_back(trace::settingRow({"record", "wait_status"}, "9"));
    m_now[3] = {Life::Gone, std::nullopt, true};
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Missing) << said(report.summary);
    EXPECT_NE(said(report.summary).find("rank 3, which has not issued it and has died (by SIGKILL)"),
              std::string::npos)
        << said(report.summary);
}

TEST_F(Hang, ofRanksThatIssuedTheSameTheStoppedOneIsTheOrigin)
{
    for (const std::size_t rank : {0U, 1U, 3U}) {
        isIn(rank, "cudaStreamSynchronize", m_endNs);
    }
    m_now[2].life = Life::Stopped;
    const hang::Report report = analyze();
    ASSERT_EQ(report.origins.size(), 1U);
    EXPECT_EQ(report.origins.front().ranks, Ranks{2});
    EXPECT_EQ(report.origins.front().waiting, 3U);
}

} // namespace
} // namespace ringside::test
