// SPDX-License-Identifier: Apache-2.0
// NCCL and the CUDA runtime in every possible place: inside shared objects of the program, in several copies,
// outside the global scope. The program gets the same functions as without the collector.
#include "recorded_run.h"

#include <gtest/gtest.h>

using ringside::test::RecordedRun;

namespace {

std::string fake(const std::string& name)
{
    return std::string(RINGSIDE_FAKES) + "/lib" + name;
}

/// The recorded run of a program that says and does the same without the collector.
class RunAsWithout final {
public:
    explicit RunAsWithout(const std::vector<std::string>& command) : m_run(command)
    {
        const RecordedRun without(command, RecordedRun::Collector::Absent);
        EXPECT_EQ(m_run.output, without.output);
        EXPECT_EQ(m_run.waitStatus, without.waitStatus);
    }
    const RecordedRun* operator->() const { return &m_run; }

private:
    RecordedRun m_run;
};

constexpr const char* kReductions = "SELECT count(*) FROM collective_call";

TEST(Embedded, aLibraryInsideOfASharedObjectIsCalledAndRecorded)
{
    for (const std::string how : {"local", "global"}) {
        const RunAsWithout run({"recorded_embedding", how, fake("fake_embedded_1.so")});
        EXPECT_EQ(run->number(kReductions), 1) << how;
        EXPECT_EQ(run->number("SELECT size FROM communicator"), 12) << how;
    }
}

TEST(Embedded, eachOfTwoCopiesGetsItsOwnCallsAndQuestions)
{
    const RunAsWithout run({"recorded_embedding", "local", fake("fake_embedded_1.so"),
                            fake("fake_embedded_2.so"), fake("fake_embedded_1.so")});
    EXPECT_NE(run->output.find("by copy 2"), std::string::npos) << run->output;
    EXPECT_EQ(run->number(kReductions), 3);
    EXPECT_EQ(run->text("SELECT group_concat(size) FROM communicator"), "12,13,14");
}

TEST(Embedded, twoCopiesInTheGlobalScopeAreTheFirstOfThem)
{
    const RunAsWithout run(
        {"recorded_embedding", "global", fake("fake_embedded_1.so"), fake("fake_embedded_2.so")});
    EXPECT_EQ(run->output.find("by copy 2"), std::string::npos) << run->output;
    EXPECT_EQ(run->number(kReductions), 2);
}

TEST(Embedded, aCallerThatFindsItsLibraryThroughWhatLoadedItGetsIt)
{
    const RunAsWithout run({"recorded_embedding", "local", fake("fake_parent.so")});
    EXPECT_EQ(run->number(kReductions), 1);
}

TEST(Embedded, aProgramThatExportsItsOwnCopyServesItsPlugins)
{
    const RunAsWithout run({"recorded_exporting", "local", fake("fake_caller.so")});
    EXPECT_EQ(run->waitStatus, 0) << run->output;
}

TEST(Embedded, aCopyInANameSpaceOfItsOwnWorks)
{
    const RunAsWithout run({"recorded_embedding", "apart", fake("fake_embedded_1.so")});
    EXPECT_EQ(run->waitStatus, 0) << run->output;
}

TEST(Embedded, aFunctionThatOnlyAnotherCopyHasIsNotLent)
{
    const RecordedRun run(
        {"recorded_embedding", "revoke", fake("fake_embedded_2.so"), fake("fake_embedded_1.so")});
    EXPECT_NE(run.output.find("revoke: 0\n"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("revoke: 5\n"), std::string::npos) << run.output;
}

// Its functions are in the global scope, the libraries themselves are not.
TEST(Embedded, anotherToolThatIsPreloadedIsNotTakenForTheLibrary)
{
    const RecordedRun run(
        {"recorded_embedding", "local", fake("fake_embedded_1.so"), fake("fake_parent.so")},
        RecordedRun::Collector::Absent,
        {std::string("LD_PRELOAD=") + RINGSIDE_COLLECTOR + ":" + RINGSIDE_FAKES + "/libfake_tracer.so"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number(kReductions), 2);
}

TEST(Embedded, aVersionedRuntimeThatBindsToItselfIsFound)
{
    const RunAsWithout run({"recorded_embedding", "local", fake("fake_versioned_caller.so")});
    EXPECT_EQ(run->number("SELECT sum(count) FROM api_call_chunk"), 2);
}

} // namespace
