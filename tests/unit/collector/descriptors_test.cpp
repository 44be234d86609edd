// SPDX-License-Identifier: Apache-2.0
// The program may close any descriptor at any time and reuse its number. The collector never writes to,
// closes or reads such a descriptor, and the recording continues.
#include "fake/closer_text.h"
#include "recorded_run.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using ringside::test::closerText;
using ringside::test::contentOf;
using ringside::test::RecordedRun;
using ringside::test::TemporaryDirectory;

namespace {

/// Their first line says what the rest must be.
void expectOwnContent(const std::filesystem::path& folder)
{
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().filename().string().starts_with("worker")) {
            const std::string content = contentOf(entry.path());
            std::istringstream words(content);
            std::string name;
            int round = 0;
            words >> name >> round;
            EXPECT_EQ(name, entry.path().filename());
            EXPECT_TRUE(content == closerText(name, round)) << entry.path() << ": " << content.size();
            ++files;
        }
    }
    EXPECT_GT(files, 0);
}

void expectSound(const RecordedRun& run, const TemporaryDirectory& folder)
{
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.programOutput(), "wrong: 0\n") << run.output;
    EXPECT_EQ(run.output.find("recording stopped"), std::string::npos) << run.output;
    EXPECT_EQ(run.text("PRAGMA integrity_check"), "ok") << run.output;
    const auto refused =
        run.number("SELECT coalesce(sum(count), 0) FROM issue WHERE id = 'thread_not_recorded'");
    const auto kept = run.number("SELECT count(*) FROM collective_call") +
                      run.number("SELECT coalesce(sum(records), 0) FROM dropped");
    const auto calls = std::strtoll(contentOf(folder.path() / "calls").c_str(), nullptr, 10);
    EXPECT_GT(calls, 0);
    EXPECT_EQ(kept + refused, calls) << run.output;
}

/// Of a flight recorder: it has the last moments, or nothing when nothing asked for it.
void expectSoundDump(const RecordedRun& run)
{
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.programOutput(), "wrong: 0\n");
    if (!run.filesEndingIn(".db").empty()) {
        EXPECT_EQ(run.text("PRAGMA integrity_check"), "ok") << run.output;
    }
}

TEST(Descriptors, aProgramThatClosesAllOfThemKeepsItsFiles)
{
    const TemporaryDirectory folder;
    const RecordedRun run({"recorded_closer", "closes_all", folder.path()});
    expectSound(run, folder);
}

TEST(Descriptors, whatIsSaidDoesNotGoIntoAFileThatGotTheNumberOfStderr)
{
    const TemporaryDirectory folder;
    const RecordedRun run({"recorded_closer", "closes_standard", folder.path()},
                          RecordedRun::Collector::Preloaded, {"RINGSIDE_LOG=1"});
    expectSound(run, folder);
    for (const char* name : {"first", "second", "third"}) {
        EXPECT_EQ(contentOf(folder.path() / name), "mine");
    }
}

// The kernel drops a process's POSIX locks on a file when it closes any descriptor of it, and who opens a
// database that nobody has locked may clear its log away.
TEST(Descriptors, aProgramThatReadsTheRunLeavesItLocked)
{
    const TemporaryDirectory folder;
    const RecordedRun run({"recorded_closer", "copies_run", folder.path()});
    expectSound(run, folder);
}

TEST(Descriptors, whatTheProgramClosesIsClosed)
{
    const TemporaryDirectory folder;
    const RecordedRun run({"recorded_closer", "lets_go", folder.path()});
    expectSound(run, folder);
}

struct Closer : testing::TestWithParam<RecordedRun::Environment> {};

/// Longer with RINGSIDE_TEST_CLOSER_SECONDS.
TEST_P(Closer, aRandomCloserFindsNoForeignByte)
{
    const TemporaryDirectory folder;
    const RecordedRun run({"recorded_closer", "random", folder.path()}, RecordedRun::Collector::Preloaded,
                          GetParam());
    expectOwnContent(folder.path());
    if (GetParam().front().starts_with("RINGSIDE_KEEP_LAST")) {
        expectSoundDump(run);
    } else {
        expectSound(run, folder);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Collector, Closer,
    testing::Values(RecordedRun::Environment{"RINGSIDE_SAMPLE_MS=10"},
                    RecordedRun::Environment{"RINGSIDE_PROFILE=deep", "RINGSIDE_RING_BYTES=65536"},
                    RecordedRun::Environment{"RINGSIDE_KEEP_LAST=200ms", "RINGSIDE_HANG_TIMEOUT=10ms"}));

} // namespace
