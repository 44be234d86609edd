// SPDX-License-Identifier: Apache-2.0
// NCCL's log, small and made here: one rank, several ranks in one file, torn lines, what cannot be.
#include "import/nccl_log/log_line.h"
#include "import/nccl_log/message.h"
#include "issue_of.h"
#include "lines_folder.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ringside::importers {
namespace {

std::string begin(int rank)
{
    return fmt::format("node{}:{}:{} [{}] NCCL INFO ", rank / 2, 4000 + rank, 5000 + rank, rank % 2);
}

std::string initText(int rank, int size, const std::string& phase, std::uint64_t communicator = 0x5000)
{
    return fmt::format(
        "ncclCommInitRank comm 0x{:x} rank {} nranks {} cudaDev {} nvmlDev 0 busId {:x} commId "
        "0xfeed0000deadbeef - Init {}",
        communicator, rank, size, rank % 2, 0x5000 + rank * 0x1000, phase);
}

std::string callText(const std::string& function, const std::string& count = "1024",
                     std::uint64_t communicator = 0x5000)
{
    return fmt::format("{}: opCount 1f sendbuff 0x7f00 recvbuff 0x7f00 count {} datatype 7 op 2 root 3 comm "
                       "0x{:x} [nranks=2] stream 0x1",
                       function, count, communicator);
}

class NcclLog : public LinesFolder {
protected:
    trace::RunTrace import(const std::vector<std::string>& lines)
    {
        write("job.log", lines);
        return open();
    }
    std::string failureOf()
    {
        try {
            static_cast<void>(open());
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
};

std::string settingOf(const trace::ProcessTrace& process, const std::string& name)
{
    const auto found = std::ranges::find(process.settings, name, &trace::SettingRow::name);
    return found != process.settings.end() ? found->value : "";
}

TEST_F(NcclLog, RanksOfOneFileAreIdentifiedByHostAndProcess)
{
    const trace::RunTrace run =
        import({"NCCL version 2.28.9+cuda13.0", begin(0) + initText(0, 2, "START"),
                "[2025-11-21 10:20:30] " + begin(1) + initText(1, 2, "START", 0x77), "a trainer's own line",
                "[rank0]: " + begin(0) + initText(0, 2, "COMPLETE"),
                begin(1) + initText(1, 2, "COMPLETE", 0x77), begin(0) + callText("AllReduce"),
                begin(0) + callText("Send"), begin(1) + callText("AllReduce", "1024", 0x77)});
    ASSERT_EQ(run.processes.size(), 2U);
    const trace::ProcessTrace& first = run.processes[0];
    EXPECT_EQ(first.process.host, "node0");
    EXPECT_EQ(first.process.pid, 4000);
    EXPECT_EQ(first.ranks.at(0).rank, 0);
    EXPECT_EQ(first.ranks.at(0).worldSize, 2);
    EXPECT_EQ(run.processes[1].ranks.at(0).rank, 1);
    EXPECT_EQ(first.devices.at(0).pciBusId, "0000:05:00.0");
    ASSERT_EQ(first.communicators.size(), 1U);
    EXPECT_EQ(first.communicators[0].ncclHash, 0xfeed0000deadbeefU);
    EXPECT_EQ(run.processes[1].communicators.at(0).ncclHash, 0xfeed0000deadbeefU);
    ASSERT_EQ(first.collectiveCalls.size(), 2U);
    EXPECT_EQ(first.text(first.collectiveCalls[0].api), "ncclAllReduce");
    EXPECT_EQ(first.collectiveCalls[0].bytes, 4096U);
    EXPECT_EQ(first.collectiveCalls[0].reduction, 2);
    EXPECT_FALSE(first.collectiveCalls[0].peer);
    EXPECT_EQ(first.collectiveCalls[1].peer, 3);
    EXPECT_EQ(first.collectiveCalls[1].sequence, 1);
    EXPECT_EQ(first.threads.at(0).tid, 5000);
    EXPECT_EQ(settingOf(first, "nccl"), "2.28.9+cuda13.0");
    EXPECT_EQ(issueOf(first, "times_not_measured")->count, 2);
    EXPECT_EQ(issueOf(first, "lines_of_others")->count, 1);
}

TEST_F(NcclLog, SettingsAndTopologyAreKept)
{
    const trace::RunTrace run = import(
        {begin(0) + "NCCL_ALGO set by environment to Ring",
         begin(0) + "NCCL_IB_TIMEOUT set by environment to 22.",
         begin(0) + "HOME set by environment to /root", begin(0) + "NCCL_SECRET set by environment to x",
         begin(0) + initText(0, 2, "COMPLETE"), begin(0) + "Using network AWS Libfabric",
         begin(0) + "Channel 00/02 :    0   1", begin(0) + "Trees [0] 1/-1/-1->0->-1",
         begin(0) + "Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0(1)/GDRDMA/Shared",
         begin(0) + "Channel 01/0 : 0[0] -> 1[1] [send] via NET/IB/1/GDRDMA/Shared",
         begin(0) + "Channel 00/0 : 1[1] -> 0[0] [receive] via NET/IB/0/GDRDMA/Shared",
         begin(0) + "Channel 00/0 : 0[0] -> 2[2] via P2P/CUMEM/read",
         begin(0) + "Channel 02 : 0[0] -> 3[3] via SHM/direct/direct"});
    const trace::ProcessTrace& process = run.processes.at(0);
    EXPECT_EQ(settingOf(process, "NCCL_ALGO"), "Ring");
    EXPECT_EQ(settingOf(process, "NCCL_IB_TIMEOUT"), "22");
    EXPECT_EQ(settingOf(process, "NCCL_SECRET"), "(redacted)");
    EXPECT_EQ(settingOf(process, "HOME"), "");
    EXPECT_EQ(issueOf(process, "variables_left_out")->count, 1);
    EXPECT_EQ(settingOf(process, "network"), "AWS Libfabric");
    EXPECT_EQ(settingOf(process, "ring 00/02"), "    0   1");
    EXPECT_EQ(settingOf(process, "trees"), "[0] 1/-1/-1->0->-1");
    EXPECT_EQ(settingOf(process, "connections via NET/IB/GDRDMA/Shared"), "2");
    EXPECT_EQ(settingOf(process, "receiving connections via NET/IB/GDRDMA/Shared"), "1");
    EXPECT_EQ(settingOf(process, "connections via P2P/CUMEM/read"), "1");
    EXPECT_EQ(settingOf(process, "connections via SHM/direct/direct"), "1");
}

TEST_F(NcclLog, PiecesOfALineAreSeparated)
{
    const nccl_log::LineContents line =
        nccl_log::readLine("[rank1]:a:1:2 [0] NCCL INFO Using netwb:3:4 [1] NCCL INFO Using network IB");
    ASSERT_EQ(line.messages.size(), 2U);
    EXPECT_TRUE(line.torn);
    EXPECT_EQ(line.messages[0].host, "a");
    EXPECT_EQ(line.messages[0].text, "Using ");
    EXPECT_EQ(line.messages[1].host, "netwb"); // nothing tells where it begins
    EXPECT_EQ(line.messages[1].pid, 3);
    EXPECT_EQ(line.messages[1].text, "Using network IB");
    const nccl_log::LineContents torn = nccl_log::readLine("2 [0] NCCL INFO Using network IB");
    EXPECT_TRUE(torn.messages.empty());
    EXPECT_TRUE(torn.torn);
    const nccl_log::LineContents warning =
        nccl_log::readLine("a:1:2 [0] net.cc:12 (f) NCCL WARN Call failed");
    ASSERT_EQ(warning.messages.size(), 1U);
    EXPECT_TRUE(warning.messages[0].warning);
    EXPECT_FALSE(warning.torn);
    const nccl_log::LineContents notice =
        nccl_log::readLine("a:1:2 [0] init.cc:12 NCCL ATTN Falling back"); // NCCL 2.32
    ASSERT_EQ(notice.messages.size(), 1U);
    EXPECT_FALSE(notice.messages[0].warning);
    EXPECT_EQ(notice.messages[0].text, "Falling back");
}

TEST_F(NcclLog, APieceBelongsToThePreviousWriter)
{
    const trace::RunTrace run = import({begin(0) + initText(0, 2, "COMPLETE"),
                                        begin(1) + "Channel 00 : 0[0" + begin(0) + "Using network IB",
                                        begin(1) + "Channel 00 : 0[0" + begin(5) + "Using network IB"});
    ASSERT_EQ(run.processes.size(), 2U);
    EXPECT_EQ(settingOf(run.processes[0], "network"), "IB");
    EXPECT_EQ(issueOf(run.processes[0], "torn_message")->count, 1);
}

/// A call of rank 0 of a communicator of two.
std::string numbered(int opCount, const std::string& count)
{
    return fmt::format(
        "AllReduce: opCount {:x} sendbuff 0x7f00 recvbuff 0x7f00 count {} datatype 7 op 2 root 0 comm "
        "0x5000 [nranks=2] stream 0x1",
        opCount, count);
}

TEST_F(NcclLog, AValueEndsWhereTheNameOfAKnownHostBegins)
{
    const trace::RunTrace run =
        import({begin(0) + initText(0, 2, "COMPLETE"), begin(2) + initText(1, 2, "COMPLETE"),
                begin(0) + "NCCL_IB_HCA set by environment to mlx5_0" + begin(2) +
                    "NCCL_IB_HCA set by environment to mlx5_0",
                ""});
    ASSERT_EQ(run.processes.size(), 2U);
    EXPECT_EQ(settingOf(run.processes[0], "NCCL_IB_HCA"), "mlx5_0");
    EXPECT_EQ(settingOf(run.processes[1], "NCCL_IB_HCA"), "mlx5_0");
}

TEST_F(NcclLog, TheRestOfAnInterruptedCallIsPutToItsBeginning)
{
    const std::string call = numbered(0, "1048576");
    for (std::size_t cut = 1; cut < call.size(); ++cut) {
        const trace::RunTrace run =
            import({begin(0) + initText(0, 2, "COMPLETE"), begin(1) + initText(1, 2, "COMPLETE"),
                    begin(0) + call.substr(0, cut) + begin(1) + numbered(0, "1048576"), call.substr(cut),
                    begin(0) + numbered(1, "5")});
        const auto& calls = run.processes.at(0).collectiveCalls;
        ASSERT_EQ(calls.size(), 2U) << cut;
        EXPECT_EQ(calls[0].count, 1048576U) << cut;
        EXPECT_EQ(calls[1].sequence, 1) << cut;
    }
}

TEST_F(NcclLog, ALongRestIsPutToNoBeginning)
{
    std::string torn = begin(0) + "AllReduce: opCount 0 sendbuff 0x7";
    const trace::RunTrace run =
        import({begin(0) + initText(0, 2, "COMPLETE"), begin(1) + initText(1, 2, "COMPLETE"),
                torn + begin(1) + numbered(0, "1"),
                "f00 recvbuff 0x7f00 " + std::string(5000, ' ') +
                    "count 1 datatype 7 op 2 root 0 comm 0x5000 [nranks=2] stream 0x1"});
    ASSERT_EQ(run.processes.at(0).collectiveCalls.size(), 0U);
    EXPECT_EQ(issueOf(run.processes[0], "torn_line")->count, 1);
}

TEST_F(NcclLog, ACallThatCannotBeReadLeavesItsPlaceFree)
{
    const trace::RunTrace run =
        import({begin(0) + initText(0, 2, "COMPLETE"), begin(1) + initText(1, 2, "COMPLETE"),
                begin(0) + numbered(0, "1"),
                begin(0) + "AllReduce: opCount 1 sendbuff 0x7" + begin(1) + numbered(0, "1"),
                begin(0) + numbered(2, "3"), begin(0) + numbered(2, "4"), begin(0) + numbered(9, "5")});
    std::vector<std::int64_t> places;
    for (const trace::CollectiveCallRow& call : run.processes.at(0).collectiveCalls) {
        places.push_back(call.sequence);
    }
    EXPECT_EQ(places, (std::vector<std::int64_t>{0, 2, 3, 4})) << "a jump without a torn line is no gap";
    EXPECT_NE(issueOf(run.processes[0], "torn_line")->message.find("1 of them are calls"), std::string::npos);
}

/// As NCCL before 2.16.2 wrote it.
std::string oldInit(int rank, int size, std::uint64_t communicator = 0x5000)
{
    return fmt::format("comm 0x{:x} rank {} nranks {} cudaDev {} busId {:x} - Init COMPLETE", communicator,
                       rank, size, rank % 2, 0x5000 + rank * 0x1000);
}

TEST_F(NcclLog, CommunicatorsOfOldVersionsAreKnownByTheirRanks)
{
    const trace::RunTrace run =
        import({begin(0) + oldInit(0, 2), begin(1) + oldInit(1, 2), begin(0) + numbered(0, "1")});
    ASSERT_EQ(run.processes.size(), 2U);
    EXPECT_NE(run.processes[0].communicators.at(0).hash, 0U);
    EXPECT_EQ(run.processes[0].communicators[0].hash, run.processes[1].communicators.at(0).hash);
    EXPECT_EQ(run.processes[1].ranks.at(0).rank, 1);
    EXPECT_EQ(issueOf(run.processes[0], "torn_line"), nullptr);
    EXPECT_EQ(issueOf(run.processes[0], "communicators_unknown"), nullptr);
}

TEST_F(NcclLog, TwoOldCommunicatorsOfOneSizeAreNotTakenForOne)
{
    const trace::RunTrace run = import({begin(0) + oldInit(0, 2), begin(1) + oldInit(1, 2),
                                        begin(2) + oldInit(0, 2), begin(3) + oldInit(1, 2)});
    for (const trace::ProcessTrace& process : run.processes) {
        EXPECT_EQ(process.communicators.at(0).hash, 0U);
    }
}

TEST_F(NcclLog, WhatIsTornOrCannotBeIsCounted)
{
    const trace::RunTrace run = import(
        {begin(0) + initText(0, 2, "START"), begin(0) + callText("AllReduce", "99999999999999999999999"),
         begin(0) + callText("AllReduce", "18446744073709551615"), begin(0) + callText("Robert'); DROP"),
         begin(0) + "AllGather: opCount 3 sendb", begin(0) + initText(7, 2, "START"),
         begin(0) + callText("Reduce", "5", 0x999), "7 [0] NCCL INFO lost its begin",
         "node0:4000:5000 [0] init.cc:1 NCCL WARN \x01\xFF broken"});
    const trace::ProcessTrace& process = run.processes.at(0);
    ASSERT_EQ(process.collectiveCalls.size(), 2U);
    EXPECT_EQ(process.collectiveCalls[0].bytes, std::nullopt);
    EXPECT_EQ(process.collectiveCalls[0].count, 18446744073709551615U);
    EXPECT_EQ(issueOf(process, "torn_line")->count, 4);
    EXPECT_EQ(issueOf(process, "mixed_line")->count, 1);
    EXPECT_NE(issueOf(process, "mixed_line")->message.find("line 8"), std::string::npos);
    EXPECT_EQ(issueOf(process, "init_not_complete")->count, 1);
    EXPECT_EQ(issueOf(process, "communicators_unknown")->count, 1);
    EXPECT_EQ(issueOf(process, "nccl_warning")->message, "NCCL warned: ?? broken");
}

TEST_F(NcclLog, SplitsAreTheSameOnAllMembers)
{
    const auto lines = [](int rank, std::uint64_t parent, const char* count) {
        return std::vector<std::string>{
            begin(rank) + initText(rank, 2, "COMPLETE", parent),
            begin(rank) +
                fmt::format("ncclCommSplit comm 0x{:x} rank {} nranks 2 cudaDev 0 nvmlDev 0 busId 1 parent "
                            "0x{:x} {} 1 color 5 key 0 - Init COMPLETE",
                            parent + 1, rank, parent, count)};
    };
    write("a.log", lines(0, 0x100, "childCount"));
    write("b.log", lines(1, 0x200, "childCount"));
    const trace::RunTrace run = open();
    ASSERT_EQ(run.processes.at(0).communicators.size(), 2U);
    EXPECT_NE(run.processes[0].communicators[1].hash, 0U);
    EXPECT_EQ(run.processes[0].communicators[1].hash, run.processes[1].communicators.at(1).hash);
    EXPECT_EQ(run.processes[0].communicators[1].parent, 1);
}

TEST_F(NcclLog, ALogThatWasAppendedToHoldsAttempts)
{
    std::vector<std::string> lines{begin(0) + initText(0, 2, "COMPLETE"), begin(0) + callText("AllReduce")};
    lines.push_back("node0:9999:9999 [0] NCCL INFO " + initText(0, 2, "COMPLETE"));
    const trace::RunTrace run = import(lines);
    ASSERT_EQ(run.processes.size(), 2U);
    EXPECT_EQ(run.processes[0].ranks.at(0).attempt, 0);
    EXPECT_EQ(run.processes[1].ranks.at(0).attempt, 1);
    write("other.log", lines);
    const std::string failure = failureOf();
    EXPECT_NE(failure.find("job.log"), std::string::npos) << failure;
    EXPECT_NE(failure.find("other.log"), std::string::npos) << failure;
}

TEST_F(NcclLog, LongLinesAndFilesWithoutAnEndAreRead)
{
    write("job.log", {begin(0) + initText(0, 2, "COMPLETE"), std::string(3'000'000, 'x'),
                      begin(0) + callText("AllReduce")});
    std::ofstream(std::filesystem::path(open().processes.at(0).path), std::ios::app | std::ios::binary)
        << begin(0) << "AllReduce: opCount 3 sen";
    const trace::RunTrace run = open();
    EXPECT_EQ(run.processes.at(0).collectiveCalls.size(), 1U);
    EXPECT_EQ(issueOf(run.processes[0], "long_line")->count, 1);
    EXPECT_EQ(issueOf(run.processes[0], "torn_line")->count, 1);
}

TEST_F(NcclLog, TextThatOnlySpeaksOfItIsNotTaken)
{
    write("notes.txt", {"set NCCL_DEBUG=INFO and look for NCCL INFO lines"});
    EXPECT_NE(failureOf().find("no trace"), std::string::npos);
}

} // namespace
} // namespace ringside::importers
