// SPDX-License-Identifier: Apache-2.0
// The file with stacks beside a process file: written, read, merged, and checked.
#include "support/temporary_directory.h"
#include "support/trace_builder.h"
#include "trace/tables.h"
#include "trace_equality.h"

#include <ringside/trace/merge.h>
#include <ringside/trace/stacks.h>

#include <gtest/gtest.h>

#include <fstream>

namespace {

using namespace ringside::trace;
using ringside::test::TemporaryDirectory;
using ringside::test::TraceBuilder;

std::vector<StackRow> someRows()
{
    return {{"native", 2, 77, 99, 0, "train", "poll+0x1 (libc.so.6)"},
            {"python", 2, 77, 99, 1, "", "load (data.py:3)"},
            {"note", std::nullopt, 78, 0, 0, "", ""}};
}

TEST(StackFile, isReadAsWritten)
{
    const TemporaryDirectory directory;
    writeStacks(directory / "a.stacks", someRows());
    ringside::test::expectSameRows("stack", readStacks(directory / "a.stacks"), someRows());
    EXPECT_TRUE(readStacks(directory / "absent.stacks").empty());
}

TEST(StackFile, textsCannotBreakALine)
{
    StackRow row = someRows().front();
    row.text = "operator,\t<x>\nnote\t-";
    row.thread = "a\tb";
    const auto read = parseStackLine(formatStackLine(row));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->text, "operator, <x> note -");
    EXPECT_EQ(read->thread, "a b");
}

TEST(StackFile, whatIsNoLineOfItIsLeftOut)
{
    const TemporaryDirectory directory;
    const std::string good = formatStackLine(someRows().front());
    const auto rowsOf = [&](const std::string& text) {
        std::ofstream(directory / "a.stacks", std::ios::trunc) << text;
        return readStacks(directory / "a.stacks").size();
    };
    EXPECT_EQ(rowsOf("ringside-stacks\t1\n" + good + "\n" + good + "\n"), 2U);
    EXPECT_EQ(rowsOf("ringside-stacks\t2\n" + good + "\n"), 0U);
    EXPECT_EQ(rowsOf(good + "\n"), 0U);
    EXPECT_EQ(rowsOf(""), 0U);
    const std::string first = "ringside-stacks\t1\n";
    for (const char* const bad :
         {"native", "native\t1\t2\t3\t4\tx", "other\t1\t2\t3\t4\tx\ty", "note\tx\t2\t3\t4\tx\ty",
          "note\t1\t9223372036854775807\t3\t4\tx\ty", "note\t1\t2\t3 \t4\tx\ty"}) {
        EXPECT_EQ(rowsOf(first + bad + "\n"), 0U) << bad;
    }
    EXPECT_EQ(rowsOf(first + std::string(100'000, 'x') + "\n" + good + "\n"), 0U) << "no line is that long";
}

TEST(StackFile, becomesRowsOfItsProcessAndOfAMergedFile)
{
    const TemporaryDirectory directory;
    TraceBuilder(2).write(directory / "run.ringside");
    const auto file = directory / "run.ringside" / "host0-4001.db";
    writeStacks(stackFileOf(file), someRows());
    merge(directory / "run.ringside", directory / "merged.ringside");
    for (const char* const path : {"run.ringside", "merged.ringside"}) {
        const RunTrace run = openRun(directory / path);
        ASSERT_EQ(run.processes.size(), 2U);
        EXPECT_TRUE(run.processes[0].stacks.empty()) << path;
        ringside::test::expectSameRows("stack", run.processes[1].stacks, someRows());
    }
}

} // namespace
