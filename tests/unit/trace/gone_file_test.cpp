// SPDX-License-Identifier: Apache-2.0
// The file with the end of a process: written, read, merged, and checked.
#include "support/temporary_directory.h"
#include "support/trace_builder.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/merge.h>
#include <ringside/trace/write_process.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace {

using namespace ringside::trace;
using ringside::test::TemporaryDirectory;
using ringside::test::TraceBuilder;

TEST(GoneFile, isReadAsWritten)
{
    const TemporaryDirectory directory;
    EXPECT_TRUE(writeGone(directory / "a.gone", {5, std::nullopt}));
    EXPECT_EQ(readGone(directory / "a.gone"), (SeenEnd{5, std::nullopt}));
    EXPECT_TRUE(writeGone(directory / "a.gone", {123'456'789'012, 9}));
    EXPECT_EQ(readGone(directory / "a.gone"), (SeenEnd{123'456'789'012, 9}));
    struct stat status {};
    ASSERT_EQ(stat((directory / "a.gone").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(GoneFile, doesNotExistIfNothingWatched)
{
    const TemporaryDirectory directory;
    EXPECT_EQ(readGone(directory / "a.gone"), std::nullopt);
    EXPECT_FALSE(writeGone(directory / "absent" / "a.gone", {5, 9}));
}

TEST(GoneFile, anythingElseIsNoTime)
{
    const TemporaryDirectory directory;
    const std::string large(1 << 20, '1');
    const auto read = [&](const std::string& text) {
        std::ofstream(directory / "a.gone", std::ios::trunc) << text;
        return readGone(directory / "a.gone");
    };
    for (const char* const text :
         {"", "ringside-gone\t1\t", "ringside-gone\t1\t\t-\n", "ringside-gone\t1\t5\n",
          "ringside-gone\t1\t5\t9", "ringside-gone\t2\t5\t9\n", "ringside-gone\t1\t5 \t9\n",
          "ringside-gone\t1\t5\t9\t9\n", "ringside-gone\t1\t9223372036854775807\t9\n"}) {
        EXPECT_EQ(read(text), std::nullopt) << text;
    }
    EXPECT_EQ(read("ringside-gone\t1\t" + std::string(1 << 20, '1') + "\t9\n"), std::nullopt);
    EXPECT_EQ(read("ringside-gone\t1\t5\t9\n"), (SeenEnd{5, 9}));
    EXPECT_EQ(read("ringside-gone\t1\t5\t99999999999\n"), (SeenEnd{5, std::nullopt}));
    EXPECT_EQ(read("ringside-gone\t1\t5\tSIGKILL\n"), (SeenEnd{5, std::nullopt}));
}

TEST(GoneFile, keepsNoReaderWaitingAndLeadsNowhere)
{
    const TemporaryDirectory directory;
    ASSERT_EQ(mkfifo((directory / "a.gone").c_str(), 0600), 0);
    EXPECT_EQ(readGone(directory / "a.gone"), std::nullopt);
    EXPECT_TRUE(writeGone(directory / "real", {5, 9}));
    std::filesystem::create_symlink(directory / "real", directory / "b.gone");
    EXPECT_EQ(readGone(directory / "b.gone"), std::nullopt);
}

TEST(GoneFile, becomesASettingOfItsProcessUnlessThatClosedItsTrace)
{
    const TemporaryDirectory directory;
    std::filesystem::create_directory(directory / "run.ringside");
    for (ProcessTrace process : TraceBuilder(3).run().processes) {
        const std::string name = "host0-" + std::to_string(process.process.pid) + ".db";
        process.process.endNs = process.process.pid == 4000 ? process.process.endNs : std::nullopt;
        writeProcess(process, directory / "run.ringside" / name);
    }
    ASSERT_TRUE(writeGone(directory / "run.ringside" / "host0-4000.gone", {7, 9}));
    ASSERT_TRUE(writeGone(directory / "run.ringside" / "host0-4001.gone", {8, 256}));
    merge(directory / "run.ringside", directory / "merged.ringside");
    for (const char* const path : {"run.ringside", "merged.ringside"}) {
        const RunTrace run = openRun(directory / path);
        ASSERT_EQ(run.processes.size(), 3U);
        EXPECT_EQ(seenEnd(run.processes[0]), std::nullopt) << path;
        EXPECT_EQ(seenEnd(run.processes[1]), (SeenEnd{8, 256})) << path;
        EXPECT_EQ(seenEnd(run.processes[2]), std::nullopt) << path;
    }
}

} // namespace
