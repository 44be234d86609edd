// SPDX-License-Identifier: Apache-2.0
// A run that is looked at while it runs, or before anybody recovered it: what lies in the rings is seen, and
// neither rings nor databases change.
#include "ring_builder.h"
#include "support/trace_builder.h"
#include "temporary_directory.h"

#include <ringside/trace/live_run.h>
#include <ringside/trace/ring_decoder.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace ringside::test {
namespace {

using namespace ringside::trace;

std::string contentOf(const std::filesystem::path& file)
{
    std::ifstream input(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
}

std::uint64_t ownStartTicks()
{
    std::istringstream fields(
        contentOf("/proc/self/stat").substr(contentOf("/proc/self/stat").rfind(')') + 2));
    std::string word;
    for (int i = 0; i < 20; ++i) {
        fields >> word;
    }
    return std::stoull(word);
}

/// A process of which the first of three calls, and the definitions, are in the database.
class LiveRun : public testing::Test {
protected:
    LiveRun()
    {
        std::filesystem::create_directories(m_run);
        std::filesystem::create_directories(m_shm);
        std::ofstream(m_run / "node-1.rings") << m_shm.string() << "\n";
        m_definitions.text(1, "cudaMalloc").add(RecordKind::Thread, ThreadRecord{{}, 2, 1, "main"});
        m_thread.call(10, 20).call(30, 40).call(50, 60);
        m_thread.header().inFlight[0].startTicks = 70;
        m_thread.header().inFlight[0].api = 1;
        Writer writer(m_run / "node-1.db", Writer::Mode::Create);
        ProcessRow process;
        process.host = "node";
        writer.setProcess(process);
        RingDecoder decoder(writer);
        writer.setRingProgress(1, decoder.decode(m_definitions.bytes(), 0));
        ApiCallRow first;
        first.startNs = 10;
        first.endNs = 20;
        first.api = 1;
        writer.add(first);
        writer.setRingProgress(2, 1);
        writer.close();
    }
    trace::LiveRun open()
    {
        m_definitions.save(m_shm / "node-1.1.ring");
        m_thread.save(m_shm / "node-1.2.ring");
        return openLiveRun(m_run);
    }
    void belongsToThisProcess()
    {
        for (RingBuilder* ring : {&m_definitions, &m_thread}) {
            ring->header().pid = static_cast<std::uint32_t>(getpid());
            ring->header().processStartTicks = ownStartTicks();
        }
    }

    TemporaryDirectory m_directory;
    std::filesystem::path m_run = m_directory / "run.ringside";
    std::filesystem::path m_shm = m_directory / "shm";
    RingBuilder m_definitions{RingRole::Definitions, 1, 64};
    RingBuilder m_thread{RingRole::Thread, 2, 64};
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

TEST_F(LiveRun, knowsThatTheProcessRuns)
{
    belongsToThisProcess();
    EXPECT_EQ(open().owners.at(0), Owner::Running);
    m_definitions.header().processStartTicks += 1; // its id was given to another one
    m_thread.header().processStartTicks += 1;
    EXPECT_EQ(open().owners.at(0), Owner::Gone);
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
