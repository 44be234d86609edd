// SPDX-License-Identifier: Apache-2.0
// Messages in NCCL's logs whose other side is torn or missing: nobody is blamed for what the log lost.
#include "hang/hang.h"
#include "hang/wait_chain.h"
#include "support/said.h"
#include "unit/import/lines_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace ringside::importers {
namespace {

using hang::Kind;
using testing::HasSubstr;
using words::said;
using Ranks = std::vector<std::int64_t>;

std::string begin(int rank)
{
    return fmt::format("node0:{}:{} [{}] NCCL INFO ", 4000 + rank, 5000 + rank, rank);
}

std::string init(int rank)
{
    return begin(rank) +
           fmt::format("ncclCommInitRank comm 0x5000 rank {} nranks 2 cudaDev {} nvmlDev 0 busId "
                       "{:x} commId 0xfeed0000deadbeef - Init COMPLETE",
                       rank, rank, 0x5000 + rank * 0x1000);
}

std::string call(const std::string& function, int number, int peer)
{
    return fmt::format(
        "{}: opCount {:x} sendbuff 0x7f00 recvbuff 0x7f00 count 1024 datatype 7 op 0 root {} comm "
        "0x5000 [nranks=2] stream 0x1",
        function, number, peer);
}

/// What a process wrote before another one interrupted it.
std::string cut(const std::string& line)
{
    return line.substr(0, line.find(" recvbuff"));
}

class TornLog : public LinesFolder {
protected:
    hang::Report judge(const std::vector<std::string>& lines)
    {
        write("job.log", lines);
        trace::RunTrace run = open();
        const std::vector<hang::ProcessNow> now(run.processes.size());
        return hang::analyze(std::move(run), now, {});
    }
};

TEST_F(TornLog, AReceiveThatIsNotThereIsMissing)
{
    const hang::Report report = judge({init(0), init(1), begin(0) + call("Send", 0, 1)});
    EXPECT_EQ(report.kind, Kind::Missing);
    ASSERT_EQ(report.origins.size(), 1U);
    EXPECT_EQ(report.origins[0].ranks, Ranks{1});
}

TEST_F(TornLog, AReceiveWhoseLineIsTornIsNotKnown)
{
    const hang::Report report =
        judge({init(0), init(1), cut(begin(1) + call("Recv", 0, 0)) + begin(0) + call("Send", 0, 1)});
    EXPECT_EQ(report.kind, Kind::Waiting) << said(report.summary);
    EXPECT_TRUE(report.origins.empty()) << said(report.summary);
    EXPECT_EQ(report.collectives.at(0).lost, Ranks{1});
    EXPECT_THAT(said(report.summary), HasSubstr("whether rank 1 issued its part is not known"));
    EXPECT_THAT(said(report.summary), HasSubstr("NCCL_DEBUG_FILE"));
    EXPECT_THAT(hang::formatText(report), HasSubstr("note: lines could not be read"));
    EXPECT_THAT(hang::formatHtml(report), HasSubstr("Not read or not compared"));
}

TEST_F(TornLog, ASendWhoseLineIsTornIsNotKnown)
{
    const hang::Report report =
        judge({init(0), init(1), cut(begin(0) + call("Send", 0, 1)) + begin(1) + call("Recv", 0, 0)});
    EXPECT_EQ(report.kind, Kind::Waiting) << said(report.summary);
    EXPECT_TRUE(report.origins.empty()) << said(report.summary);
    EXPECT_EQ(report.collectives.at(0).lost, Ranks{0});
}

TEST_F(TornLog, ATornLineBeforeOthersStillLeavesItsMessageOpen)
{
    const hang::Report report = judge(
        {init(0), init(1), begin(0) + call("Send", 0, 1), begin(0) + call("Send", 1, 1),
         cut(begin(1) + call("Recv", 0, 0)) + begin(0) + "Using network IB", begin(1) + call("Recv", 1, 0)});
    EXPECT_TRUE(report.origins.empty()) << said(report.summary);
}

TEST_F(TornLog, MoreMessagesThanTornLinesAreMissing)
{
    const hang::Report report =
        judge({init(0), init(1), begin(0) + call("Send", 0, 1), begin(0) + call("Send", 1, 1),
               cut(begin(1) + call("Recv", 0, 0)) + begin(0) + call("Send", 2, 1)});
    EXPECT_EQ(report.kind, Kind::Missing);
    ASSERT_EQ(report.origins.size(), 1U);
    EXPECT_EQ(report.origins[0].ranks, Ranks{1}) << "one of its three receives may be torn";
}

TEST_F(TornLog, OfARankWithoutALogItIsNotKnown)
{
    const hang::Report report =
        judge({init(0), begin(0) + call("AllReduce", 0, 0), begin(0) + call("Send", 1, 1)});
    EXPECT_EQ(report.kind, Kind::Waiting) << said(report.summary);
    EXPECT_TRUE(report.origins.empty());
    EXPECT_THAT(said(report.summary),
                HasSubstr("whether rank 1 issued its part is not known, because it left no trace"));
}

TEST_F(TornLog, AMessageBeforeOtherCallsNeedsNoOtherSide)
{
    const hang::Report report =
        judge({init(0), begin(0) + call("Send", 0, 1), begin(0) + call("AllReduce", 1, 0)});
    for (const hang::StuckCollective& stuck : report.collectives) {
        EXPECT_FALSE(stuck.pointToPoint) << said(report.summary);
    }
}

TEST_F(TornLog, AnAllReduceWhoseLineIsTornIsNotCalledMissing)
{
    const hang::Report report = judge(
        {init(0), init(1), cut(begin(1) + call("AllReduce", 0, 0)) + begin(0) + call("AllReduce", 0, 0)});
    for (const hang::StuckCollective& stuck : report.collectives) {
        EXPECT_TRUE(stuck.missing.empty()) << said(report.summary);
    }
    EXPECT_NE(report.kind, Kind::Missing);
}

} // namespace
} // namespace ringside::importers
