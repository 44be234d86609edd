// SPDX-License-Identifier: Apache-2.0
// Another NVTX tool beside us: it must see, and the program must get back, what they would without us.
#include "recorded_run.h"

#include <gtest/gtest.h>

using ringside::test::RecordedRun;
using Collector = RecordedRun::Collector;

namespace {

RecordedRun::Environment withTool(const std::string& kind = "")
{
    return {"NVTX_INJECTION64_PATH=" RINGSIDE_FAKES "/libfake_nvtx_tool.so", "NVTX_TOOL=" + kind};
}

std::string ranges(const RecordedRun& run)
{
    return run.text("SELECT group_concat(text, ', ') FROM (SELECT text FROM user_range r JOIN string s ON "
                    "s.id = r.name_id ORDER BY r.start_ns, r.rowid)");
}
const std::string kEveryRange = "plain, A, W, wide, mark A, mark W, plain, start A, start W, registered, "
                                "wide registered, wide registered, registered, with a payload";

TEST(NvtxChain, theOtherToolSeesTheSameAndSoDoesTheProgram)
{
    const RecordedRun alone({"recorded_nvtx_events"}, Collector::Absent, withTool());
    const RecordedRun both({"recorded_nvtx_events"}, Collector::Preloaded, withTool());
    EXPECT_EQ(both.waitStatus, 0) << both.output;
    EXPECT_NE(alone.output.find("tool: push registered size 48 category 7 payload 42 in mine"),
              std::string::npos)
        << alone.output;
    EXPECT_EQ(both.output, alone.output);
    EXPECT_EQ(ranges(both), kEveryRange);
    EXPECT_EQ(both.text("SELECT active || ' ' || reason FROM tier WHERE tier = 'nvtx'"),
              "1 another NVTX tool gets the same events");
}

// libnvToolsExt.so.1: programs of before NVTX 3, PyTorch before 2.3 or so among them.
TEST(NvtxOld, itsRangesAreRecordedAndGoToTheOtherToolsEntryForIt)
{
    const RecordedRun run({"recorded_nvtx_events"}, Collector::Preloaded, {"FAKE_NVTX_OLD=1"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(ranges(run), kEveryRange.substr(0, kEveryRange.rfind(", with a payload")));
    auto environment = withTool();
    environment.emplace_back("FAKE_NVTX_OLD=1");
    const RecordedRun alone({"recorded_nvtx_events"}, Collector::Absent, environment);
    const RecordedRun both({"recorded_nvtx_events"}, Collector::Preloaded, environment);
    EXPECT_NE(alone.output.find("tool: an old client"), std::string::npos) << alone.output;
    EXPECT_EQ(both.output, alone.output);
    EXPECT_EQ(ranges(both), ranges(run));
}

TEST(NvtxChain, ourDomainsAreNotPassedToAToolWithoutDomains)
{
    const RecordedRun alone({"recorded_nvtx_events"}, Collector::Absent, withTool("plain"));
    const RecordedRun both({"recorded_nvtx_events"}, Collector::Preloaded, withTool("plain"));
    EXPECT_EQ(both.waitStatus, 0) << both.output;
    const auto ofTheTool = [](const std::string& output) {
        std::string lines;
        for (std::size_t at = 0; (at = output.find("tool: ", at)) != std::string::npos; ++at) {
            lines += output.substr(at, output.find('\n', at) - at + 1);
        }
        return lines;
    };
    EXPECT_FALSE(ofTheTool(alone.output).empty());
    EXPECT_EQ(ofTheTool(both.output), ofTheTool(alone.output));
    EXPECT_EQ(ranges(both), kEveryRange);
}

TEST(NvtxChain, aToolThatDeclinesLeavesUsAlone)
{
    const RecordedRun run({"recorded_nvtx_events"}, Collector::Preloaded, withTool("refuse"));
    EXPECT_EQ(run.output.find("tool: "), std::string::npos) << run.output;
    EXPECT_EQ(ranges(run), kEveryRange);
    EXPECT_EQ(run.text("SELECT reason FROM tier WHERE tier = 'nvtx' AND active"),
              "the NVTX tool that was there before declined");
}

TEST(NvtxChain, aToolThatCannotBeLoadedIsSaidOnce)
{
    const RecordedRun run({"recorded_nvtx_events"}, Collector::Preloaded,
                          {"NVTX_INJECTION64_PATH=/another/tool.so"});
    EXPECT_EQ(run.waitStatus, 0);
    const std::size_t said = run.output.find("/another/tool.so");
    ASSERT_NE(said, std::string::npos) << run.output;
    EXPECT_EQ(run.output.find("/another/tool.so", run.output.find('\n', said)), std::string::npos);
    EXPECT_EQ(ranges(run), kEveryRange);
    EXPECT_NE(run.text("SELECT reason FROM tier WHERE tier = 'nvtx' AND active").find("cannot be loaded"),
              std::string::npos);
}

TEST(NvtxChain, everythingIsPassedOnWhenRecordingIsOff)
{
    auto environment = withTool();
    environment.emplace_back("RINGSIDE_PROFILE=off");
    const RecordedRun alone({"recorded_nvtx_events"}, Collector::Absent, withTool());
    const RecordedRun off({"recorded_nvtx_events"}, Collector::Preloaded, environment);
    EXPECT_EQ(off.output, alone.output);
    EXPECT_TRUE(off.filesEndingIn(".db").empty());
}

// A thread's name, and the words for a number.
TEST(NvtxNames, threadsAndCategoriesHaveTheNamesTheProgramGaveThem)
{
    const RecordedRun run({"recorded_nvtx_events"});
    EXPECT_EQ(run.text("SELECT group_concat(name, ', ') FROM (SELECT name FROM thread ORDER BY id)"),
              "the thread that does it all, the other thread");
    EXPECT_EQ(
        run.text(
            "SELECT group_concat(x, ', ') FROM (SELECT ifnull(d.text, '') || ' ' || category || ' ' || "
            "n.text "
            "AS x FROM category c JOIN string n ON n.id = c.name_id LEFT JOIN string d ON d.id = c.domain_id "
            "ORDER BY category)"),
        " 5 five,  6 six, mine 7 seven, wide domain 8 eight");
    EXPECT_EQ(
        run.text(
            "SELECT n.text FROM user_range r JOIN category c USING (domain_id, category) JOIN string n ON "
            "n.id = c.name_id JOIN string s ON s.id = r.name_id WHERE s.text = 'registered' LIMIT 1"),
        "seven");
}

TEST(NvtxRanges, thoseThatDoNotFitAreCounted)
{
    const RecordedRun run({"recorded_nvtx_events", "too_many"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT records FROM dropped WHERE what = 'nvtx ranges nested too deep'"), 70 - 64);
    EXPECT_EQ(run.number("SELECT records FROM dropped WHERE what = 'nvtx ranges, too many open'"),
              5000 - 4096);
    EXPECT_EQ(
        run.number(
            "SELECT count(*) FROM user_range r JOIN string s ON s.id = r.name_id WHERE s.text = 'deep'"),
        64);
    EXPECT_EQ(
        run.text(
            "SELECT depth FROM user_range r JOIN string s ON s.id = r.name_id WHERE s.text = 'afterwards'"),
        "0");
}

} // namespace
