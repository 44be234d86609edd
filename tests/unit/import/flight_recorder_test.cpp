// SPDX-License-Identifier: Apache-2.0
// Small dumps of PyTorch's flight recorder, made by the test, opened as users open them, up to the result of
// `ringside hang`.
#include "flight_dump.h"
#include "hang/hang.h"
#include "import/open_run.h"
#include "issue_of.h"
#include "support/said.h"
#include "support/temporary_directory.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace ringside::importers {
namespace {

using test::flightDump;
using test::flightEntry;
using test::kDumpDateNs;
using test::PickleText;
using words::said;
using Json = nlohmann::ordered_json;

class FlightRecorder : public testing::Test {
protected:
    void write(const std::string& name, const std::string& text)
    {
        std::ofstream(m_folder / name, std::ios::binary) << text;
    }
    trace::RunTrace open()
    {
        Progress progress;
        return openRun({m_folder.path()}, progress);
    }
    trace::ProcessTrace import(const std::string& text)
    {
        write("nccl_trace_rank_0", text);
        return std::move(open().processes.at(0));
    }
    std::string failureOf(const std::string& text)
    {
        write("nccl_trace_rank_0", text);
        try {
            static_cast<void>(open());
        } catch (const Error& error) {
            return std::string(error.what()) + " | " + error.hint;
        }
        return "";
    }
    hang::Report hangOf()
    {
        trace::RunTrace run = open();
        const std::vector<hang::ProcessNow> now(run.processes.size());
        return hang::analyze(std::move(run), now, {});
    }

private:
    test::TemporaryDirectory m_folder;
};

Json completed(int count)
{
    Json entries = Json::array();
    for (int i = 1; i <= count; ++i) {
        entries.push_back(flightEntry(i, "completed"));
    }
    return entries;
}

TEST_F(FlightRecorder, JsonAndPickleGiveTheSame)
{
    Json dump = flightDump(completed(3), 4);
    for (const std::string& text : {dump.dump(), PickleText::of(dump)}) {
        const trace::ProcessTrace process = import(text);
        ASSERT_EQ(process.ranks.size(), 1U);
        EXPECT_EQ(process.ranks.front().rank, 0);
        ASSERT_EQ(process.communicators.size(), 1U);
        EXPECT_EQ(process.communicators.front().size, 4);
        EXPECT_EQ(process.text(process.communicators.front().name), "default_pg");
        ASSERT_EQ(process.collectiveCalls.size(), 3U);
        const trace::CollectiveCallRow& last = process.collectiveCalls.back();
        EXPECT_EQ(process.text(last.api), "ncclAllReduce");
        EXPECT_EQ(last.sequence, 2);
        EXPECT_EQ(last.count, 2000U);
        EXPECT_EQ(last.bytes, 8000U);
        EXPECT_EQ(last.datatype, 7);
        EXPECT_EQ(last.startNs, 100'000'000);
        EXPECT_EQ(process.clockSamples.front().realtimeNs, kDumpDateNs + 50'000'000);
        EXPECT_TRUE(process.hangs.empty());
        EXPECT_EQ(process.kernels.size() + process.eventTimes.size(), 0U);
        ASSERT_EQ(process.stacks.size(), 2U);
        EXPECT_EQ(process.stacks.front().text, "train_step (train.py:43)");
        ASSERT_NE(issueOf(process, "stacks_left_out"), nullptr);
        EXPECT_EQ(issueOf(process, "stacks_left_out")->count, 2);
    }
}

TEST_F(FlightRecorder, ARankThatDidNotCallIsNamed)
{
    for (int rank = 0; rank < 3; ++rank) {
        Json entries = completed(4);
        if (rank != 1) {
            entries.push_back(flightEntry(5, "started"));
        }
        write("nccl_trace_rank_" + std::to_string(rank), PickleText::of(flightDump(entries, 3)));
    }
    const hang::Report report = hangOf();
    EXPECT_EQ(report.kind, hang::Kind::Missing);
    ASSERT_EQ(report.collectives.size(), 1U);
    EXPECT_EQ(report.collectives.front().missing, std::vector<std::int64_t>{1});
    EXPECT_EQ(report.collectives.front().order, 4);
    EXPECT_EQ(said(report.summary),
              "ncclAllReduce #4 (PyTorch's number 5) of communicator default_pg waits for "
              "rank 1, which has not issued it; ranks 0 and 2 issued it");
    const std::string text = hang::formatText(report);
    EXPECT_NE(
        text.find("all_reduce number 5 of default_pg, started on the GPU (the last that completed is 4)"),
        std::string::npos)
        << text;
    EXPECT_EQ(text.find("process 0"), std::string::npos) << text;
}

TEST_F(FlightRecorder, AnotherFunctionOrSizeIsAMismatch)
{
    for (const auto& [other, difference] :
         {std::pair(flightEntry(3, "started", "nccl:broadcast"), "rank 1 calls ncclBroadcast there"),
          std::pair(flightEntry(3, "started", "nccl:all_reduce", 999),
                    "rank 1 calls it with another count")}) {
        for (int rank = 0; rank < 3; ++rank) {
            Json entries = completed(2);
            entries.push_back(rank == 1 ? other : flightEntry(3, "started"));
            write("rank" + std::to_string(rank), flightDump(entries, 3).dump());
        }
        const hang::Report report = hangOf();
        EXPECT_EQ(report.kind, hang::Kind::Mismatch);
        EXPECT_NE(said(report.summary).find(difference), std::string::npos) << said(report.summary);
    }
}

TEST_F(FlightRecorder, ARankThatNeverCalledInAGroupIsMissingThere)
{
    Json entry = flightEntry(1, "scheduled");
    entry["pg_id"] = 1;
    entry["process_group"] = {"7", "tensor_parallel"};
    Json waits = flightDump(Json::array({flightEntry(1, "completed"), entry}));
    Json never = flightDump(completed(1));
    for (Json* const dump : {&waits, &never}) {
        (*dump)["pg_config"]["7"] = {{"name", "7"}, {"desc", "tensor_parallel"}, {"ranks", "[0, 1]"}};
    }
    write("rank0", waits.dump());
    write("rank1", never.dump());
    EXPECT_EQ(
        said(hangOf().summary),
        "ncclAllReduce #0 (PyTorch's number 1) of communicator tensor_parallel waits for rank 1, which has "
        "not issued it; rank 0 issued it");
    never["pg_status"]["3"] = {{"last_enqueued_collective", 9}}; // calls that were overwritten
    write("rank1", never.dump());
    EXPECT_NE(hangOf().kind, hang::Kind::Missing);
}

TEST_F(FlightRecorder, ATruncatedFileBlamesNoRank)
{
    Json entries = completed(4);
    write("rank1", PickleText::of(flightDump(entries)));
    entries.push_back(flightEntry(5, "started"));
    write("rank0", PickleText::of(flightDump(entries)));
    ASSERT_EQ(hangOf().kind, hang::Kind::Missing);
    for (const std::string& whole : {PickleText::of(flightDump(entries)), flightDump(entries).dump()}) {
        write("rank1", whole.substr(0, whole.size() * 3 / 4));
        const trace::RunTrace run = open();
        const trace::ProcessTrace& broken = run.processes.at(1);
        ASSERT_NE(issueOf(broken, "truncated_file"), nullptr);
        EXPECT_NE(issueOf(broken, "truncated_file")->message.find(" at byte "), std::string::npos);
        EXPECT_GE(broken.collectiveCalls.size(), 2U);
        const hang::Report report = hangOf();
        EXPECT_EQ(report.kind, hang::Kind::Waiting) << said(report.summary);
        EXPECT_NE(said(report.summary).find("waits for rank 1, of which there is no trace"),
                  std::string::npos)
            << said(report.summary);
    }
}

// PyTorch 2.2 and 2.3: one number for all calls, no names of groups in entries.
TEST_F(FlightRecorder, Version1IsRead)
{
    const auto old = [](Json dump) {
        dump["version"] = "1.4";
        dump.erase("pg_status");
        for (Json& entry : dump["entries"]) {
            entry["seq_id"] = entry["collective_seq_id"];
            for (const char* const later : {"collective_seq_id", "p2p_seq_id", "process_group", "is_p2p",
                                            "input_dtypes", "output_dtypes", "timeout_ms"}) {
                entry.erase(later);
            }
        }
        return PickleText::of(dump);
    };
    for (int rank = 0; rank < 3; ++rank) {
        Json entries = completed(4);
        if (rank != 1) {
            entries.push_back(flightEntry(5, "scheduled"));
        }
        write("nccl_trace_rank_" + std::to_string(rank), old(flightDump(entries, 3)));
    }
    hang::Report report = hangOf();
    ASSERT_EQ(report.kind, hang::Kind::Missing) << said(report.summary);
    EXPECT_EQ(report.origins.front().ranks, std::vector<std::int64_t>{1});
    // Its messages move the numbers of its collectives.
    Json entries = completed(4);
    entries.push_back(flightEntry(5, "scheduled", "nccl:send 1->0"));
    write("nccl_trace_rank_1", old(flightDump(entries, 3)));
    report = hangOf();
    EXPECT_NE(report.kind, hang::Kind::Missing) << said(report.summary);
}

TEST_F(FlightRecorder, MessagesHaveAnOrderOfTheirOwn)
{
    Json send = flightEntry(1, "completed", "nccl:send 0->1");
    send["is_p2p"] = true;
    send["collective_seq_id"] = 0;
    send["p2p_seq_id"] = 1;
    Json receive = send;
    receive["profiling_name"] = "nccl:recv 0<-1";
    Json summary = send;
    summary["profiling_name"] = "nccl:coalesced";
    send["state"] = receive["state"] = "scheduled"; // in a batch only the summary is watched
    const trace::ProcessTrace process =
        import(flightDump(Json::array({send, receive, summary, flightEntry(1, "completed")})).dump());
    ASSERT_EQ(process.communicators.size(), 2U);
    EXPECT_EQ(process.communicators[0].rank, 0);
    ASSERT_EQ(process.collectiveCalls.size(), 3U);
    EXPECT_EQ(process.text(process.collectiveCalls[1].api), "ncclRecv");
    EXPECT_EQ(process.collectiveCalls[1].peer, 1);
    EXPECT_EQ(process.collectiveCalls[1].sequence, 1);
    EXPECT_NE(process.collectiveCalls[0].groupId, 0);
    EXPECT_EQ(process.collectiveCalls[0].groupId, process.collectiveCalls[1].groupId);
    EXPECT_EQ(process.collectiveCalls[2].sequence, 0);
    EXPECT_TRUE(process.hangs.empty());
}

TEST_F(FlightRecorder, WhatEveryRankMayChooseIsNoMismatch)
{
    for (int rank = 0; rank < 2; ++rank) {
        write("rank" + std::to_string(rank),
              flightDump(Json::array({flightEntry(1, "started", "nccl:all_to_all", 100 + rank)})).dump());
    }
    EXPECT_EQ(hangOf().kind, hang::Kind::Waiting);
}

TEST_F(FlightRecorder, ADumpThatWouldRunCodeIsRefused)
{
    const std::string begin = PickleText::of({{"pg_config", Json::object()}});
    for (const auto& [code, name] :
         {std::pair("cos\nsystem\n", "GLOBAL"), std::pair("R", "REDUCE"), std::pair("b", "BUILD"),
          std::pair("(ios\nsystem\n", "INST"), std::pair("o", "OBJ"), std::pair("\x81", "NEWOBJ"),
          std::pair("Pid\n", "PERSID")}) {
        const std::string failure = failureOf(begin.substr(0, begin.size() - 1) + code + ".");
        EXPECT_NE(failure.find(name), std::string::npos) << failure;
        EXPECT_NE(failure.find("at byte "), std::string::npos) << failure;
        EXPECT_NE(failure.find("pickle.dump"), std::string::npos) << failure;
    }
}

TEST_F(FlightRecorder, NumbersThatCannotBeAreCounted)
{
    Json size = flightEntry(1, "completed");
    size["input_sizes"] = {{std::int64_t{1} << 62, std::int64_t{1} << 62}};
    Json name = flightEntry(2, "completed");
    name["profiling_name"] = "'; DROP TABLE rank; --\n\x01";
    Json future = flightEntry(3, "completed");
    future["time_created_ns"] = std::numeric_limits<std::int64_t>::max();
    Json nameless = flightEntry(4, "completed");
    nameless.erase("profiling_name");
    Json odd = flightEntry(5, "completed");
    odd["input_sizes"] = "many";
    odd["timeout_ms"] = std::numeric_limits<std::uint64_t>::max();
    odd["duration_ms"] = 1.5;
    const trace::ProcessTrace process =
        import(flightDump(Json::array({size, name, future, nameless, odd, 17})).dump());
    ASSERT_EQ(process.collectiveCalls.size(), 3U);
    EXPECT_FALSE(process.collectiveCalls[0].count);
    EXPECT_EQ(process.text(process.collectiveCalls[1].api), "'; DROP TABLE rank; --??");
    EXPECT_FALSE(process.collectiveCalls[2].count);
    EXPECT_EQ(issueOf(process, "implausible_time")->count, 1);
    EXPECT_EQ(issueOf(process, "damaged_entry")->count, 2);
    EXPECT_EQ(issueOf(process, "durations_left_out")->count, 1);
}

TEST_F(FlightRecorder, AFileThatIsNoDumpIsRejectedWithTheReason)
{
    EXPECT_NE(failureOf("{\"pg_status\": " + std::string(100'000, '[')).find("nested deeper"),
              std::string::npos);
    EXPECT_NE(failureOf("{\"version\": \"3.0\", \"pg_config\": {}}").find("version 3.0"), std::string::npos);
    EXPECT_NE(failureOf("{\"version\": \"2.1\", \"pg_config\": {}}").find("no collectives"),
              std::string::npos);
    EXPECT_NE(failureOf("{\"pg_config\": \"\", x}").find("at byte"), std::string::npos);
    EXPECT_NE(failureOf(std::string("\x80\x02}(pg_config\0\0\0\0", 17)), "");
    EXPECT_NE(failureOf("\x80\x02X\xFF\xFF\xFF\xFFpg_config").find("breaks off"), std::string::npos);
    // A list that holds itself.
    EXPECT_NE(failureOf("\x80\x02}q" + std::string(1, '\0') + "(X\x09" + std::string(3, '\0') + "pg_config" +
                        "]q\x01h\x01" + "au."),
              "");
}

} // namespace
} // namespace ringside::importers
