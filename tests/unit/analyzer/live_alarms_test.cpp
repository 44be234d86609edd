// SPDX-License-Identifier: Apache-2.0
// Alarms, from figures and snapshots that grow as those of a running job. tests/bench/alarm_rate.cpp measures
// how often they are wrong.
#include "analyzer/json_schema.h"
#include "analyzer/live_fixture.h"
#include "live/alarm_log.h"
#include "live/alarm_watch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace ringside::live {
namespace {

using test::kNowMs;
using test::runOf;

TEST(ShiftTestOfAnAlarm, FindsAShiftAndItsEnd)
{
    std::mt19937 random(3);
    std::normal_distribution<double> noise(0, 0.02);
    ShiftTest test(0.1, 0.0);
    int began = 0;
    int ended = 0;
    for (int i = 0; i < 300; ++i) {
        const auto change = test.add((i >= 100 && i < 200 ? 0.1 : 0.0) + noise(random));
        began = change == ShiftTest::Change::Began ? i : began;
        ended = change == ShiftTest::Change::Ended ? i : ended;
    }
    EXPECT_GE(began, 100 + static_cast<int>(ShiftTest::kFewestSteps) - 1);
    EXPECT_LT(began, 120);
    EXPECT_GE(ended, 200);
    EXPECT_LT(ended, 240);
}

TEST(ShiftTestOfAnAlarm, IsNotMovedByAFewOutliers)
{
    ShiftTest test(0.1, 0.0);
    for (int i = 0; i < 2000; ++i) {
        const bool outlier = i % 50 < 3;
        EXPECT_EQ(test.add(outlier ? 10.0 : 0.001 * (i % 7)), ShiftTest::Change::None) << i;
    }
}

/// An alarm says how large the shift is now: "holds the others up by -1 %" would be nonsense.
TEST(ShiftTestOfAnAlarm, DoesNotBeginWhileTheLatestValuesAreNormal)
{
    ShiftTest test(0.1, 0.0);
    for (int i = 0; i < 2000; ++i) {
        const bool outlier = i >= 100 && i % 8 < 3;
        const auto change = test.add(outlier ? 10.0 : -0.01 - 0.001 * (i % 7));
        EXPECT_TRUE(change != ShiftTest::Change::Began || test.level() > 0) << i;
    }
}

/// The figures of a job whose rank 1 is late from step 100 on.
std::vector<RankFigures> figures(int step, bool byDevice, double late)
{
    std::vector<RankFigures> ranks;
    for (int rank = 0; rank < 4; ++rank) {
        RankFigures one;
        one.rank = rank;
        const double extra = step >= 100 ? late : 0;
        one.stepNs = (1 + extra) * 1e9;
        const double waited = (0.3 + (rank == 1 ? 0 : extra) + 0.001 * ((step + rank) % 5)) * 1e9;
        (byDevice ? one.communicationNs : one.blockingNs) = waited;
        ranks.push_back(one);
    }
    return ranks;
}

TEST(StepAlarms, NameAStragglerWithinTwentySteps)
{
    for (const bool byDevice : {true, false}) {
        StepWatch watch;
        int named = 0;
        for (int step = 0; step < 140; ++step) {
            for (const AlarmChange& change : watch.add(figures(step, byDevice, 0.1))) {
                if (change.kind == "straggler") {
                    EXPECT_EQ(change.rank, 1);
                    EXPECT_GE(step, 100);
                    EXPECT_EQ(change.message.find("as their hosts see it") == std::string::npos, byDevice);
                    named = step;
                }
            }
        }
        EXPECT_GT(named, 0);
        EXPECT_LT(named, 120);
    }
}

TEST(StepAlarms, SayThatStepsTakeLonger)
{
    StepWatch watch;
    std::string message;
    for (int step = 0; step < 140; ++step) {
        for (const AlarmChange& change : watch.add(figures(step, true, 0.2))) {
            message = change.kind == "slower" ? change.message : message;
        }
    }
    EXPECT_EQ(message, "a step takes 1200.00 ms instead of 1000.00 ms");
}

/// A run whose clock and steps have gone on.
RunNow after(std::int64_t steps, std::int64_t stillMs = 0)
{
    RunNow run = runOf({.firstNumber = steps + 1});
    const std::int64_t passedMs = steps * 100;
    run.readMs += passedMs + stillMs;
    for (Process& process : run.hosts[0].processes) {
        process.atMs = run.readMs;
        process.communicators[0].issuedMs = kNowMs + passedMs - 50;
        for (Step& step : process.recentSteps) {
            step.endMs += passedMs;
        }
    }
    return run;
}

TEST(ProgressAlarms, ComeWithinFifteenSecondsAndGo)
{
    AlarmWatch watch;
    for (int look = 0; look < 20; ++look) {
        EXPECT_TRUE(watch.look(after(look * 20)).empty());
    }
    std::int64_t stillMs = 0;
    while (watch.inForce().empty() && stillMs < 60'000) {
        stillMs += 2000;
        static_cast<void>(watch.look(after(380, stillMs)));
    }
    EXPECT_LE(stillMs, 12'000);
    ASSERT_EQ(watch.inForce().size(), 1U);
    EXPECT_EQ(watch.inForce()[0].kind, "hang");
    RunNow goesOn = after(400, stillMs);
    for (Process& process : goesOn.hosts[0].processes) {
        process.communicators[0].issuedMs = goesOn.readMs;
    }
    EXPECT_EQ(watch.look(goesOn).size(), 1U);
    EXPECT_TRUE(watch.inForce().empty());
}

/// As after(), with the CPU time of rank 0, which is in no call.
RunNow working(std::int64_t steps, std::int64_t stillMs, double share)
{
    RunNow run = after(steps, stillMs);
    Process& process = run.hosts[0].processes[0];
    process.calls.clear();
    process.samples.push_back({"process", "recording threads", "cpu_ns",
                               static_cast<std::int64_t>(share * 1e6 * static_cast<double>(stillMs)), 0,
                               run.readMs, 0});
    return run;
}

std::int64_t alarmAfterMs(double share, std::int64_t mostMs)
{
    AlarmWatch watch;
    for (int look = 0; look < 20; ++look) {
        static_cast<void>(watch.look(working(look * 20, 0, share)));
    }
    std::int64_t stillMs = 0;
    while (watch.inForce().empty() && stillMs < mostMs) {
        stillMs += 2000;
        static_cast<void>(watch.look(working(380, stillMs, share)));
    }
    return stillMs;
}

/// A checkpoint, a compilation or an evaluation on one rank: the others wait for it.
TEST(ProgressAlarms, ALongWorkOfOneRankIsNoHang)
{
    constexpr std::int64_t kMinuteMs = 60'000;
    EXPECT_EQ(alarmAfterMs(0.9, 10 * kMinuteMs), 10 * kMinuteMs);
    EXPECT_GE(alarmAfterMs(0.9, 30 * kMinuteMs), 20 * kMinuteMs)
        << "one that turns in a loop is told at last";
    EXPECT_LT(alarmAfterMs(0.9, 30 * kMinuteMs), 21 * kMinuteMs);
    EXPECT_LE(alarmAfterMs(0.05, 10 * kMinuteMs), 12'000) << "it hardly computes";
}

/// What rank 0 does with its storage from the moment on at which the job stands still.
struct OfStorage {
    std::int64_t bytesPerS = 0;
    double waits = 0; ///< share of the time
    bool inCall = false;
    bool toStorage = true; ///< false: to a pipe, a socket or a file system in memory
};

std::int64_t alarmAfterMs(const OfStorage& of, std::int64_t mostMs, std::string* message = nullptr)
{
    AlarmWatch watch;
    const auto look = [&](std::int64_t steps, std::int64_t stillMs) {
        RunNow run = working(steps, stillMs, 0);
        Process& process = run.hosts[0].processes[0];
        process.samples.push_back(
            {"process", "process", "file_written_bytes", of.bytesPerS * stillMs / 1000, 0, run.readMs, 0});
        process.samples.push_back({"process", "process", "storage_written_bytes",
                                   of.toStorage ? of.bytesPerS * stillMs / 1000 : 0, 0, run.readMs, 0});
        process.samples.push_back({"process", "process", "storage_wait_ns",
                                   static_cast<std::int64_t>(of.waits * 1e6 * static_cast<double>(stillMs)),
                                   0, run.readMs, 0});
        if (of.inCall) {
            process.calls.push_back({"cudaStreamSynchronize", "", std::nullopt, run.readMs - stillMs});
        }
        for (const AlarmChange& change : watch.look(run)) {
            if (message != nullptr) {
                *message = change.message;
            }
        }
    };
    for (int step = 0; step < 20; ++step) {
        look(step * 20, 0);
    }
    std::int64_t stillMs = 0;
    while (watch.inForce().empty() && stillMs < mostMs) {
        look(380, stillMs += 2000);
    }
    return stillMs;
}

TEST(ProgressAlarms, ACheckpointThatOnlyWaitsForStorageIsNoHang)
{
    constexpr std::int64_t kMinuteMs = 60'000;
    constexpr std::int64_t kMiB = 1 << 20;
    EXPECT_EQ(alarmAfterMs({.bytesPerS = 2 * kMiB}, 60 * kMinuteMs), 60 * kMinuteMs)
        << "as long as it moves data";
    EXPECT_EQ(alarmAfterMs({.bytesPerS = 8192, .waits = 0.8}, 10 * kMinuteMs), 10 * kMinuteMs);
    const std::int64_t pipedMs = alarmAfterMs({.bytesPerS = 8 * kMiB, .toStorage = false}, 60 * kMinuteMs);
    EXPECT_GE(pipedMs, 20 * kMinuteMs) << "it may be a checkpoint to a file system in memory";
    EXPECT_LT(pipedMs, 21 * kMinuteMs) << "or a pipe";
    std::string message;
    const std::int64_t silentMs = alarmAfterMs({.waits = 1}, 60 * kMinuteMs, &message);
    EXPECT_GE(silentMs, 20 * kMinuteMs);
    EXPECT_LT(silentMs, 21 * kMinuteMs);
    EXPECT_NE(message.find("the storage of rank 0 does not answer"), std::string::npos) << message;
}

TEST(ProgressAlarms, WhatMovesLittleHidesNoHang)
{
    EXPECT_LE(alarmAfterMs({.bytesPerS = 20'000, .waits = 0.1}, 600'000), 12'000) << "lines of a log";
    EXPECT_LE(alarmAfterMs({.bytesPerS = 8 << 20, .waits = 1, .inCall = true}, 600'000), 12'000)
        << "another thread writes while it waits for its GPU";
}

TEST(ProgressAlarms, APauseThatTheJobSurvivedIsKnown)
{
    AlarmWatch watch;
    std::int64_t steps = 0;
    const auto pause = [&](std::int64_t mostMs) {
        bool alarm = false;
        for (std::int64_t stillMs = 2000; stillMs <= mostMs; stillMs += 2000) {
            static_cast<void>(watch.look(after(steps, stillMs)));
            alarm = alarm || !watch.inForce().empty();
        }
        steps += mostMs / 100; // the clock of after()
        for (int look = 0; look < 5; ++look) {
            static_cast<void>(watch.look(after(steps += 20)));
        }
        return alarm;
    };
    EXPECT_FALSE(pause(2000));
    EXPECT_FALSE(pause(8000));
    EXPECT_FALSE(pause(14'000)) << "less than twice the pause before";
    EXPECT_TRUE(pause(60'000));
    EXPECT_FALSE(pause(60'000)) << "a checkpoint like the one before";
}

TEST(ProgressAlarms, DoNotCallSilenceAHang)
{
    AlarmWatch watch;
    for (int look = 0; look < 20; ++look) {
        static_cast<void>(watch.look(after(look * 20)));
    }
    RunNow run = after(380);
    run.readMs += 60'000; // the file is old; nobody has said that nothing happens
    EXPECT_TRUE(watch.look(run).empty());
}

RunNow withSample(int look, const char* source, const char* entity, const char* metric, std::int64_t value)
{
    RunNow run;
    run.readMs = kNowMs + 2000 * look;
    Snapshot host;
    host.host = "node1";
    Process process;
    process.name = "node1-1";
    process.atMs = run.readMs;
    process.samples.push_back({source, entity, metric, value, 0, run.readMs});
    host.processes.push_back(process);
    run.hosts.push_back(host);
    return run;
}

TEST(SampleAlarms, TellErrorsThatRise)
{
    AlarmWatch watch;
    for (int look = 0; look < 50; ++look) { // one burst is none
        EXPECT_TRUE(
            watch.look(withSample(look, "rdma", "mlx5_0/1", "symbol_errors", look < 20 ? 3 : 4)).empty());
    }
    int changes = 0;
    for (int look = 50; look < 56; ++look) {
        changes +=
            static_cast<int>(watch.look(withSample(look, "rdma", "mlx5_0/1", "symbol_errors", look)).size());
    }
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(watch.inForce().at(0).kind, "link_errors");
    for (int look = 56; look < 64; ++look) {
        static_cast<void>(watch.look(withSample(look, "rdma", "mlx5_0/1", "symbol_errors", 55)));
    }
    EXPECT_TRUE(watch.inForce().empty());
}

TEST(SampleAlarms, TellHeatButNotTheUsualPowerCap)
{
    AlarmWatch watch;
    for (int look = 0; look < 20; ++look) {
        EXPECT_TRUE(watch.look(withSample(look, "nvml", "gpu0", "clock_event_reasons", 4)).empty());
    }
    for (int look = 20; look < 26; ++look) {
        static_cast<void>(watch.look(withSample(look, "nvml", "gpu0", "clock_event_reasons", 0x44)));
    }
    ASSERT_EQ(watch.inForce().size(), 1U);
    EXPECT_EQ(watch.inForce()[0].message, "node1 gpu0: heat holds the clocks down");
}

TEST(SampleAlarms, TellMemoryThatGrowsForTwentyMinutes)
{
    constexpr std::int64_t kGiB = std::int64_t{1} << 30;
    AlarmWatch sawtooth;
    AlarmWatch leak;
    int told = 0;
    for (int look = 0; look < 25 * 30; ++look) {
        EXPECT_TRUE(
            sawtooth.look(withSample(look, "process", "", "rss_bytes", 10 * kGiB + (look % 60) * (kGiB / 60)))
                .empty());
        told += static_cast<int>(
            leak.look(withSample(look, "process", "", "rss_bytes", 10 * kGiB + look * (kGiB / 400))).size());
    }
    EXPECT_EQ(told, 1);
    EXPECT_EQ(leak.inForce().at(0).kind, "memory_growth");
}

constexpr const char* kLog =
    R"({"schema":"ringside-alarm/1","kind":"straggler","state":"began","at_ms":10,"run":"r","rank":1,"subject":null,"message":"rank 1"}
{"schema":"ringside-alarm/1","kind":"hang","state":"began","at_ms":20,"run":"r","rank":null,"subject":null,"message":"no step"}
not an alarm
{"schema":"ringside-alarm/1","kind":"straggler","state":"ended","at_ms":30,"run":"r","rank":2,"subject":null,"message":"another"}
{"schema":"ringside-alarm/1","kind":"straggler","state":"ended","at_ms":40,"run":"r","rank":1,"subject":null,"message":"over"}
{"schema":"ringside-alarm/1","kind":"hang","state":"bega)";

TEST(AlarmLog, PairsBeginningsAndEndsAndSkipsWhatIsNoAlarm)
{
    const std::vector<AlarmSpan> spans = parseAlarmLog(kLog);
    ASSERT_EQ(spans.size(), 2U);
    EXPECT_EQ(spans[0].kind, "straggler");
    EXPECT_EQ(spans[0].rank, 1);
    EXPECT_EQ(spans[0].message, "rank 1");
    EXPECT_EQ(spans[0].endedMs, 40);
    EXPECT_EQ(spans[1].kind, "hang");
    EXPECT_EQ(spans[1].endedMs, std::nullopt);
}

TEST(AlarmLog, KeepsItsSchemaAndReadsWhatIsWritten)
{
    RunNow run;
    run.path = "job.ringside";
    run.readMs = kNowMs;
    const AlarmChange began{"link_errors", true, std::nullopt, "a \"port\"", "node1 mlx5_0/1 symbol_errors"};
    AlarmChange ended = began;
    ended.began = false;
    for (const AlarmChange& change : {began, ended, AlarmChange{"straggler", true, 3, "rank 3"}}) {
        EXPECT_TRUE(ringside::test::keepsSchema(alarmJson(change, run), "live/ringside-alarm-1.schema.json"));
    }
    const auto spans = parseAlarmLog(alarmJson(began, run) + alarmJson(ended, run));
    ASSERT_EQ(spans.size(), 1U);
    EXPECT_EQ(spans[0].subject, began.subject);
    EXPECT_EQ(spans[0].endedMs, kNowMs);
}

TEST(AlarmKinds, AreDocumentedAndListedInTheSchemas)
{
    const std::filesystem::path analyzer = RINGSIDE_SCHEMAS;
    const auto textOf = [](const std::filesystem::path& file) {
        std::ifstream in(file);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const std::string page = textOf(analyzer.parent_path() / "docs" / "live.md");
    std::string kinds;
    for (const trace::AlarmKindEntry& entry : trace::kAlarmKinds) {
        EXPECT_NE(page.find(fmt::format("| `{}` | {} | {} |", entry.text, entry.description, entry.advice)),
                  std::string::npos)
            << entry.text;
        kinds += fmt::format("{}\"{}\"", kinds.empty() ? "" : ", ", entry.text);
    }
    for (const char* schema : {"ringside-alarm-1.schema.json", "ringside-live-1.schema.json"}) {
        EXPECT_NE(textOf(analyzer / "live" / schema).find("[" + kinds + "]"), std::string::npos) << schema;
    }
}

// The default profile records devices for 60 steps; from then on NCCL times its kernels. The alarm does not
// begin anew where one measure follows the other.
TEST(AlarmOfAStraggler, ComesWithinTenStepsLongAfterTheRecordedSteps)
{
    AlarmWatch watch;
    std::optional<std::int64_t> began;
    for (std::int64_t number = 1; number <= 540; number += 5) {
        const bool slow = number > 500;
        const RunNow run = runOf({.steps = 5,
                                  .lateRank = slow ? 1 : -1,
                                  .lateMs = slow ? 15 : 0,
                                  .device = number <= 60,
                                  .nccl = number > 60,
                                  .firstNumber = number});
        for (const AlarmChange& change : watch.look(run)) {
            if (change.kind.text() == "straggler") {
                EXPECT_EQ(change.rank, 1);
                began = began ? began : change.step;
            }
        }
    }
    ASSERT_TRUE(began);
    EXPECT_GT(*began, 500);
    EXPECT_LE(*began, 510);
}

} // namespace
} // namespace ringside::live
