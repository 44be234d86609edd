// SPDX-License-Identifier: Apache-2.0
// Reading a run while it runs, or before its recovery: records in the rings are included, and neither rings
// nor databases change.
#include "support/temporary_directory.h"
#include "support/trace_builder.h"
#include "unfinished_run.h"

#include <ringside/trace/live_run.h>
#include <ringside/trace/recover.h>
#include <ringside/trace/stacks.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <vector>

namespace ringside::test {
namespace {

using namespace ringside::trace;

/// 0: it has ended.
std::uint64_t startTicksOf(pid_t pid)
{
    std::string stat = contentOf("/proc/" + std::to_string(pid) + "/stat");
    stat = stat.empty() ? "0) Z" : stat;
    std::istringstream fields(stat.substr(stat.rfind(')') + 2));
    std::string word;
    fields >> word;
    const bool ended = word == "Z";
    for (int i = 1; i < 20; ++i) {
        fields >> word;
    }
    return ended ? 0 : std::stoull(word);
}

/// The process may still be there.
class LiveRun : public UnfinishedRun {
protected:
    LiveRun()
    {
        Writer writer(m_run / "node-1.db", Writer::Mode::Create);
        storeFirstCall(writer);
        writer.close();
    }
    trace::LiveRun open()
    {
        saveRings();
        return openLiveRun(m_run);
    }
    /// As a process that records does; children inherit it.
    void mapRings()
    {
        saveRings();
        for (const auto& file : std::filesystem::directory_iterator(m_shm)) {
            if (file.path().extension() == kRingExtension) {
                const int descriptor = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
                m_mapped.push_back(mmap(nullptr, kRingHeaderBytes, PROT_READ, MAP_SHARED, descriptor, 0));
                close(descriptor);
                ASSERT_NE(m_mapped.back(), MAP_FAILED);
            }
        }
        ASSERT_FALSE(m_mapped.empty());
    }
    ~LiveRun() override
    {
        for (void* const ring : m_mapped) {
            munmap(ring, kRingHeaderBytes);
        }
    }
    void belongsToThisProcess()
    {
        for (RingBuilder* ring : {&m_definitions, &m_thread}) {
            ring->header().pid = static_cast<std::uint32_t>(getpid());
            ring->header().processStartTicks = startTicksOf(getpid());
        }
    }

private:
    std::vector<void*> m_mapped;
};

TEST_F(LiveRun, hasWhatTheDrainThreadHasNotTaken)
{
    const trace::LiveRun live = open();
    const ProcessTrace& process = live.run.processes.at(0);
    EXPECT_EQ(process.apiCalls.startNs, (Column<std::int64_t>{10, 30, 50}));
    ASSERT_EQ(process.inFlight.size(), 1U);
    EXPECT_EQ(process.inFlight[0].startNs, 70);
    EXPECT_FALSE(process.inFlight[0].hang);
    EXPECT_EQ(process.process.host, "node");
    EXPECT_EQ(process.threads.size(), 1U);
    EXPECT_TRUE(process.issues.empty());
    EXPECT_EQ(live.owners.at(0), Owner::Gone);
    EXPECT_TRUE(live.callsKnown.at(0));
}

TEST_F(LiveRun, reportsThatTheProcessRuns)
{
    belongsToThisProcess();
    EXPECT_EQ(open().owners.at(0), Owner::Replaced) << "a program that does not map the rings";
    mapRings();
    EXPECT_EQ(open().owners.at(0), Owner::Running);
    m_definitions.header().processStartTicks += 1; // its id was given to another one
    m_thread.header().processStartTicks += 1;
    EXPECT_EQ(open().owners.at(0), Owner::Gone);
}

TEST_F(LiveRun, findsAProcessOfAContainerByItsIdOnTheHost)
{
    mapRings();
    // A child that is the first process of a pid namespace, as in a container.
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t parent = fork();
    if (parent == 0) {
        if (unshare(CLONE_NEWPID) != 0) {
            _exit(1);
        }
        const pid_t inside = fork();
        if (inside == 0) {
            for (;;) {
                pause();
            }
        }
        _exit(write(ends[1], &inside, sizeof inside) == sizeof inside ? 0 : 1);
    }
    int status = 0;
    waitpid(parent, &status, 0);
    if (status != 0) {
        GTEST_SKIP() << "not allowed to make a pid namespace";
    }
    pid_t inside = 0;
    ASSERT_EQ(read(ends[0], &inside, sizeof inside), static_cast<ssize_t>(sizeof inside));
    for (RingBuilder* ring : {&m_definitions, &m_thread}) {
        ring->header().pid = 1;
        ring->header().processStartTicks = startTicksOf(inside);
    }
    const trace::LiveRun live = open();
    EXPECT_EQ(live.owners.at(0), Owner::Running);
    EXPECT_EQ(live.pids.at(0), static_cast<std::uint32_t>(inside));
    EXPECT_TRUE(findLeftoverRings(m_run).at(0).running) << "recovery would take its rings away";
    kill(inside, SIGKILL);
    while (startTicksOf(inside) != 0) { // the test's own time limit ends it
        usleep(1000);
    }
    EXPECT_EQ(open().owners.at(0), Owner::Gone);
}

TEST_F(LiveRun, aDatabaseOutsideOfTheRunDirectoryIsReadWhereItLies)
{
    // A flight recorder's: first there is nothing in the run directory, then a dump of an earlier moment.
    std::filesystem::rename(m_run / "node-1.db", m_shm / "node-1.db");
    std::vector<StackRow> stacks{{"native", std::nullopt, 5, 1, 0, "main", "sleep+0x1"}};
    writeStacks(m_run / "node-1.stacks", stacks);
    for (const bool dumped : {false, true}) {
        if (dumped) {
            Writer(m_run / "node-1.db", Writer::Mode::Create).close();
        }
        const trace::LiveRun live = open();
        ASSERT_EQ(live.run.processes.size(), 1U) << dumped;
        const ProcessTrace& process = live.run.processes.front();
        EXPECT_EQ(process.path, m_run / "node-1.db");
        EXPECT_EQ(process.apiCalls.endNs.size(), 3U) << dumped;
        EXPECT_EQ(process.stacks.size(), 1U);
        EXPECT_TRUE(live.callsKnown.front());
    }
}

TEST_F(LiveRun, changesNothing)
{
    open();
    const auto state = [this] {
        return contentOf(m_run / "node-1.db") + contentOf(m_run / "node-1.rings") +
               contentOf(m_shm / "node-1.1.ring") + contentOf(m_shm / "node-1.2.ring");
    };
    const std::string before = state();
    static_cast<void>(openLiveRun(m_run));
    EXPECT_EQ(state(), before);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_run), {}), 2);
}

TEST_F(LiveRun, ofAnotherHostThereAreNoRings)
{
    std::ofstream(m_run / "node-1.rings", std::ios::trunc) << "/dev/shm/ringside-of-another-host\n";
    const trace::LiveRun live = openLiveRun(m_run);
    EXPECT_EQ(live.owners.at(0), Owner::NotKnown);
    EXPECT_FALSE(live.callsKnown.at(0));
    EXPECT_EQ(live.run.processes.at(0).apiCalls.size(), 1U);
}

TEST_F(LiveRun, aRingThatCameRoundMeanwhileIsNotBelieved)
{
    m_thread.header().head = 1 + 64 + 1; // one lap and a record behind what is in the database
    EXPECT_EQ(open().run.processes.at(0).apiCalls.size(), 1U);
}

TEST_F(LiveRun, aDamagedRingGivesWhatCameBeforeTheDamage)
{
    m_thread.slot(1)[4] = std::byte{200}; // the second record's kind
    EXPECT_EQ(open().run.processes.at(0).apiCalls.size(), 1U);
    m_thread.header().magic = 0;
    EXPECT_EQ(open().run.processes.at(0).apiCalls.size(), 1U);
}

TEST_F(LiveRun, aMergedFileIsOpenedAsItIs)
{
    const trace::LiveRun live = openLiveRun(m_run / "node-1.db");
    EXPECT_EQ(live.run.processes.size(), 1U);
    EXPECT_EQ(live.owners.at(0), Owner::NotKnown);
}

} // namespace
} // namespace ringside::test
