// SPDX-License-Identifier: Apache-2.0
#include "ring_builder.h"
#include "support/temporary_directory.h"
#include "support/trace_builder.h"
#include "trace_equality.h"
#include "unfinished_run.h"

#include <ringside/error.h>
#include <ringside/trace/machine_counter.h>
#include <ringside/trace/merge.h>
#include <ringside/trace/recover.h>
#include <ringside/trace/ring_decoder.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace ringside::test {
namespace {

using namespace ringside::trace;

TEST(Merge, GivesTheSameProcessesInOneFile)
{
    const TemporaryDirectory directory;
    TraceBuilder builder(3);
    builder.steps(5, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.allReduce(4_MiB);
    });
    builder.write(directory / "run.ringside");
    EXPECT_EQ(merge(directory / "run.ringside", directory / "all.db"), 3);
    EXPECT_EQ(std::filesystem::status(directory / "all.db").permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << "as private as the run";
    const RunTrace merged = openRun(directory / "all.db");
    const RunTrace parts = openRun(directory / "run.ringside");
    ASSERT_EQ(merged.processes.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        expectSameTrace(merged.processes[i], parts.processes[i]);
        EXPECT_TRUE(merged.processes[i].issues.empty());
    }
    EXPECT_THROW(static_cast<void>(readProcess(directory / "all.db")), Error);
    EXPECT_EQ(merge(directory / "all.db", directory / "again.db"), 3) << "a merged file can be merged again";
}

TEST(Merge, LeavesNothingWhenItFails)
{
    const TemporaryDirectory directory;
    TraceBuilder(1).write(directory / "run.ringside");
    std::ofstream(directory / "run.ringside/z.db") << "nonsense";
    EXPECT_THROW(merge(directory / "run.ringside", directory / "all.db"), Error);
    EXPECT_FALSE(std::filesystem::exists(directory / "all.db"));
}

TEST(Merge, RefusesToOverwrite)
{
    const TemporaryDirectory directory;
    TraceBuilder(1).write(directory / "run.ringside");
    std::ofstream(directory / "all.db") << "mine";
    EXPECT_THROW(merge(directory / "run.ringside", directory / "all.db"), Error);
    EXPECT_TRUE(std::filesystem::exists(directory / "all.db"));
}

/// The process died.
class Recovery : public UnfinishedRun {
protected:
    Recovery() { m_thread.header().dropped = 4; }

    void writeTrace()
    {
        Writer writer(m_run / "node-1.db", Writer::Mode::Create);
        writer.setTier({"device", true, "", std::nullopt, std::nullopt});
        storeFirstCall(writer);
        writer.commit();
    }

    [[nodiscard]] ProcessTrace read() const { return readProcess(m_run / "node-1.db"); }
    [[nodiscard]] static bool hasIssue(const ProcessTrace& trace, const std::string& id)
    {
        return std::any_of(trace.issues.begin(), trace.issues.end(),
                           [&](const IssueRow& issue) { return issue.id == id; });
    }
};

TEST_F(Recovery, AddsMissingRecordsAndReportsWhatIsLost)
{
    writeTrace();
    saveRings();
    EXPECT_EQ(openRun(m_run).issues.at(0).id, "rings_not_recovered");
    const RecoverReport report = recover(m_run);
    ASSERT_EQ(report.processes.size(), 1U);
    EXPECT_EQ(report.processes[0].records, 2);
    EXPECT_EQ(report.processes[0].dropped, 4);
    EXPECT_EQ(report.processes[0].inFlight, 1);
    const ProcessTrace trace = read();
    EXPECT_EQ(trace.apiCalls.startNs, (Column<std::int64_t>{10, 30, 50}));
    EXPECT_EQ(trace.recoveredRecords, 2);
    EXPECT_EQ(trace.drops.at(0).records, 4);
    EXPECT_EQ(trace.drops.at(0).thread, 2);
    EXPECT_EQ(trace.inFlight.at(0).startNs, 70);
    EXPECT_EQ(trace.process.host, "node");
    EXPECT_FALSE(trace.process.endNs.has_value());
    EXPECT_TRUE(hasIssue(trace, "process_killed"));
    EXPECT_TRUE(hasIssue(trace, "device_records_missing"));
}

TEST_F(Recovery, DoneTwiceAddsNothing)
{
    writeTrace();
    saveRings();
    recover(m_run);
    EXPECT_TRUE(openRun(m_run).issues.empty());
    EXPECT_TRUE(recover(m_run).processes.empty()) << "the rings are gone";
    makeRingFolder(m_directory.path());
    saveRings();
    const RecoverReport report = recover(m_run, m_shm);
    EXPECT_EQ(report.processes.at(0).records, 0);
    EXPECT_EQ(read().apiCalls.size(), 3U);
    EXPECT_EQ(read().recoveredRecords, 2);
}

TEST_F(Recovery, MakesATraceForAProcessThatLeftNone)
{
    saveRings();
    EXPECT_EQ(recover(m_run).processes.at(0).records, 5);
    const ProcessTrace trace = read();
    EXPECT_EQ(trace.apiCalls.size(), 3U);
    EXPECT_EQ(trace.process.host, "node");
    EXPECT_EQ(trace.text(1), "cudaMalloc");
}

TEST_F(Recovery, MakesATraceWhereTheDatabaseNeverGotItsTables)
{
    saveRings();
    std::ofstream empty(m_run / "node-1.db"); // the disk was full when its first page was due
    EXPECT_EQ(recover(m_run).processes.size(), 1U);
    EXPECT_EQ(read().apiCalls.size(), 3U);
}

TEST_F(Recovery, FindsRingsThatRecordCopied)
{
    writeTrace();
    saveRings();
    EXPECT_EQ(copyLeftoverRings(m_run), 2);
    EXPECT_FALSE(std::filesystem::exists(m_shm)) << "nothing stays behind";
    EXPECT_FALSE(std::filesystem::exists(m_run / "node-1.rings"));
    EXPECT_EQ(recover(m_run).processes.at(0).records, 2);
    EXPECT_FALSE(std::filesystem::exists(m_run / "rings"));
}

TEST_F(Recovery, RemovesRingsThatWereBeingMade)
{
    for (const bool copies : {true, false}) {
        makeRingFolder(m_directory.path());
        std::ofstream(m_run / "node-1.rings") << m_shm.string() << "\n";
        saveRings();
        std::ofstream(m_shm / "node-1.3.ring.new") << "no header yet";
        EXPECT_EQ(copies ? copyLeftoverRings(m_run) : 0, copies ? 2 : 0);
        EXPECT_EQ(recover(m_run).processes.size(), 1U);
        EXPECT_FALSE(std::filesystem::exists(m_shm)) << copies;
    }
}

TEST_F(Recovery, LeavesARunningProcessAlone)
{
    writeTrace();
    const std::string text = contentOf("/proc/self/stat");
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string field;
    for (int i = 3; i <= 22; ++i) {
        fields >> field;
    }
    for (RingBuilder* const ring : {&m_definitions, &m_thread}) {
        ring->header().pid = static_cast<std::uint32_t>(getpid());
        ring->header().processStartTicks = std::stoull(field);
    }
    saveRings();
    EXPECT_EQ(copyLeftoverRings(m_run), 0);
    EXPECT_EQ(recover(m_run).skipped.size(), 1U);
    EXPECT_EQ(read().apiCalls.size(), 1U);
    EXPECT_EQ(openRun(m_run).issues.at(0).id, "still_recording");
}

/// Each rank of a launch may have a `record` of its own, and all of them end at once.
TEST_F(Recovery, ByManyAtOnceIsDoneOnce)
{
    writeTrace();
    saveRings();
    std::atomic<int> recovered = 0;
    std::vector<std::thread> recorders;
    for (int i = 0; i < 8; ++i) {
        recorders.emplace_back([&] {
            copyLeftoverRings(m_run);
            const RecoverReport report = recover(m_run);
            EXPECT_TRUE(report.skipped.empty()) << report.skipped.front();
            recovered += static_cast<int>(report.processes.size());
        });
    }
    for (std::thread& recorder : recorders) {
        recorder.join();
    }
    EXPECT_EQ(recovered, 1);
    EXPECT_EQ(read().apiCalls.size(), 3U);
}

TEST_F(Recovery, NamesRingsThatAreElsewhere)
{
    writeTrace();
    EXPECT_EQ(recover(m_run).skipped.size(), 1U);
}

TEST_F(Recovery, UsesTheClockReadingsThatLeftTheRing)
{
    RingBuilder definitions(RingRole::Definitions, 1, 64, ClockKind::Tsc);
    RingBuilder thread(RingRole::Thread, 2, 64, ClockKind::Tsc);
    definitions.add(RecordKind::Clock, ClockRecord{{}, 1000, 500, 0});
    definitions.add(RecordKind::Clock, ClockRecord{{}, 2000, 1000, 0});
    {
        Writer writer(m_run / "node-1.db", Writer::Mode::Create);
        writer.setProcess({});
        RingDecoder decoder(writer);
        writer.setRingProgress(1, decoder.decode(definitions.bytes(), 0));
        writer.commit();
    }
    thread.call(3000, 4000);
    definitions.save(m_shm / "node-1.1.ring");
    thread.save(m_shm / "node-1.2.ring");
    EXPECT_EQ(recover(m_run).processes.at(0).records, 1);
    EXPECT_EQ(read().apiCalls.startNs.at(0), 1500);
    EXPECT_EQ(read().apiCalls.endNs.at(0), 2000);
}

// Killed before the second reading of its clock was written, and before its database held anything or was
// there.
class RecoveryOfTheYoung : public Recovery {
protected:
    RecoveryOfTheYoung()
    {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        m_bornNs = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
        m_bornTicks = readMachineCounter();
        m_young.add(RecordKind::Clock, ClockRecord{{}, m_bornTicks, m_bornNs, 0}).text(1, "cudaMalloc");
        m_thread = RingBuilder(RingRole::Thread, 2, 64, kMachineCounter);
        m_thread.call(m_bornTicks, m_bornTicks + 1000);
    }
    void saveRings(const std::string& boot)
    {
        std::snprintf(m_young.header().bootId, sizeof m_young.header().bootId, "%s", boot.c_str());
        m_young.save(m_shm / "node-1.1.ring");
        m_thread.save(m_shm / "node-1.2.ring");
    }
    static std::string thisBoot()
    {
        std::string id;
        std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
        return id;
    }
    void expectTheCall() const
    {
        const ProcessTrace trace = read();
        ASSERT_EQ(trace.apiCalls.size(), 1U);
        EXPECT_EQ(trace.apiCalls.startNs.at(0), m_bornNs);
        EXPECT_GT(trace.apiCalls.endNs.at(0), m_bornNs);
        EXPECT_EQ(trace.process.bootId, thisBoot());
    }

    RingBuilder m_young{RingRole::Definitions, 1, 64, kMachineCounter};
    std::int64_t m_bornNs = 0;
    std::uint64_t m_bornTicks = 0;
};

TEST_F(RecoveryOfTheYoung, MeasuresTheClockOfThisBoot)
{
    saveRings(thisBoot());
    EXPECT_EQ(recover(m_run).processes.at(0).records, 3);
    expectTheCall();
}

TEST_F(RecoveryOfTheYoung, ContinuesADatabaseWithoutAProcess)
{
    saveRings(thisBoot());
    Writer(m_run / "node-1.db", Writer::Mode::Create).close();
    EXPECT_EQ(recover(m_run).processes.at(0).records, 3);
    expectTheCall();
}

TEST_F(RecoveryOfTheYoung, LeavesTheRingsOfAnotherBoot)
{
    saveRings("0b3ad3f4-0000-4000-8000-000000000000");
    const RecoverReport report = recover(m_run);
    EXPECT_TRUE(report.processes.empty());
    ASSERT_EQ(report.skipped.size(), 1U);
    EXPECT_NE(report.skipped[0].find("clock"), std::string::npos) << report.skipped[0];
    EXPECT_TRUE(std::filesystem::exists(m_shm / "node-1.2.ring")) << "nothing may be lost";
    EXPECT_FALSE(std::filesystem::exists(m_run / "node-1.db")) << "as if it had called nothing";
}

TEST_F(Recovery, DoesNotLoadARingThatIsLongerThanAnyRing)
{
    writeTrace();
    saveRings();
    constexpr std::uintmax_t kSparseBytes = std::uintmax_t{1} << 40U;
    std::filesystem::resize_file(m_shm / "node-1.2.ring", kSparseBytes);
    const RecoverReport report = recover(m_run);
    EXPECT_TRUE(report.processes.empty());
    ASSERT_EQ(report.skipped.size(), 1U);
    EXPECT_NE(report.skipped[0].find("node-1.2.ring"), std::string::npos) << report.skipped[0];
    EXPECT_TRUE(std::filesystem::exists(m_shm / "node-1.1.ring")) << "nothing may be lost";
}

TEST_F(Recovery, SurvivesRingsCutShort)
{
    writeTrace();
    saveRings();
    std::filesystem::resize_file(m_shm / "node-1.2.ring", kRingHeaderBytes + 8);
    std::filesystem::resize_file(m_shm / "node-1.1.ring", 10);
    EXPECT_EQ(recover(m_run).processes.at(0).records, 0);
    EXPECT_TRUE(hasIssue(read(), "ring_damaged"));
}

} // namespace
} // namespace ringside::test
