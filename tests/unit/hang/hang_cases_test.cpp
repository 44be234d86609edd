// SPDX-License-Identifier: Apache-2.0
// Kinds of hangs in several layouts, as dumps of PyTorch's flight recorder in all styles: whom `ringside
// hang` blames.
#include "hang/open_end.h"
#include "hang_layouts.h"
#include "import/open_run.h"
#include "support/said.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>

#include <fstream>

namespace ringside::test {
namespace {

const std::vector<Case>& allCases()
{
    static const std::vector<Case> cases = [] {
        std::vector<Case> list = collectiveCases();
        std::ranges::move(messageCases(), std::back_inserter(list));
        return list;
    }();
    return cases;
}

struct Style {
    const char* name;
    DumpStyle style;
};
const std::vector<Style>& allStyles()
{
    static const std::vector<Style> styles{{"pickle", {}},
                                           {"json", {.json = true}},
                                           {"overwritten", {.buffer = 14}},
                                           {"untimed", {.timing = false}},
                                           {"untimed_overwritten", {.timing = false, .buffer = 14}}};
    return styles;
}

class HangCases : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};

hang::Report judge(const TemporaryDirectory& folder, void (*reduce)(trace::ProcessTrace&) = nullptr)
{
    importers::Progress progress;
    trace::RunTrace run = importers::openRun({folder.path()}, progress, importers::all(), reduce);
    const std::vector<hang::ProcessNow> now(run.processes.size());
    return hang::analyze(std::move(run), now, {});
}

TEST_P(HangCases, namesTheOrigin)
{
    const Case& each = allCases()[std::get<0>(GetParam())];
    const Style& style = allStyles()[std::get<1>(GetParam())];
    const bool gpu = std::string_view(each.name).find("gpu") != std::string_view::npos;
    StuckJob job = each.build();
    TemporaryDirectory folder;
    job.writeDumps(folder.path(), style.style);
    ASSERT_FALSE(job.wentThrough());
    const hang::Report report = judge(folder);
    const std::string text = hang::formatText(report);
    if (std::get<1>(GetParam()) == 0) {
        EXPECT_EQ(hang::formatJson(judge(folder, &hang::keepOpenEnd)), hang::formatJson(report))
            << "by its end alone";
    }
    if (gpu && !style.style.timing) { // nothing in the dumps tells the ranks of its group apart
        EXPECT_EQ(report.kind, Kind::Waiting) << text;
        const Ranks named = report.origins.empty() ? each.origin : report.origins.front().ranks;
        EXPECT_NE(std::ranges::find(named, each.origin.front()), named.end()) << text;
        EXPECT_NE(report.confidence, hang::Confidence::High) << text;
        return;
    }
    EXPECT_EQ(report.kind, each.kind) << text;
    ASSERT_FALSE(report.origins.empty()) << text;
    EXPECT_EQ(report.origins.front().ranks, each.origin) << text;
    EXPECT_EQ(report.origins.front().circle, each.circle) << text;
}

INSTANTIATE_TEST_SUITE_P(All, HangCases,
                         testing::Combine(testing::Range(std::size_t{0}, allCases().size()),
                                          testing::Range(std::size_t{0}, allStyles().size())),
                         [](const auto& drawn) {
                             return std::string(allCases()[std::get<0>(drawn.param)].name) + "_" +
                                    allStyles()[std::get<1>(drawn.param)].name;
                         });

// What the watchdog wrote, alone.
struct LogCase {
    const char* name;
    bool statuses;
    Kind kind;
    Ranks origin;
};

StuckJob named(const std::string& name)
{
    return std::ranges::find_if(allCases(), [&](const Case& each) { return each.name == name; })->build();
}

TEST(WatchdogLogs, nameWhoeverTheyTellOf)
{
    for (const LogCase& each : {LogCase{"ddp_rank_stops", false, Kind::Waiting, {2}},
                                LogCase{"ddp_rank_stops", true, Kind::Missing, {2}},
                                LogCase{"ddp_two_ranks_stop", true, Kind::Missing, {3, 5}},
                                LogCase{"ddp_rank_stops_within_the_step", true, Kind::Missing, {7}},
                                LogCase{"ddp_another_function", true, Kind::Mismatch, {3}},
                                LogCase{"ddp_another_count", false, Kind::Mismatch, {5}},
                                LogCase{"ddp_rank_skips_a_call", true, Kind::Mismatch, {1}},
                                LogCase{"ddp_rank_left_no_dump", true, Kind::Waiting, {1}},
                                LogCase{"nested_other_function_in_a_pair", true, Kind::Mismatch, {6, 7}},
                                LogCase{"circle_of_two_groups", true, Kind::Missing, {0, 1}}}) {
        TemporaryDirectory folder;
        std::ofstream(folder / "job.log") << named(each.name).watchdogLog(each.statuses);
        const hang::Report report = judge(folder);
        const std::string text = each.name + std::string("\n") + hang::formatText(report);
        EXPECT_EQ(report.kind, each.kind) << text;
        EXPECT_EQ(report.origins.empty() ? Ranks{} : report.origins.front().ranks, each.origin) << text;
    }
}

TEST(HangCases, aJobThatWentThroughIsNotStuck)
{
    StuckJob job = ddp(4, ddpStep);
    TemporaryDirectory folder;
    job.writeDumps(folder.path(), {});
    ASSERT_TRUE(job.wentThrough());
    EXPECT_EQ(judge(folder).kind, Kind::Nothing);
}

TEST(HangCases, ofCallsThatAllMadeOnlyTheEndIsKept)
{
    StuckJob job = ddp(4, ddpStep);
    TemporaryDirectory folder;
    job.writeDumps(folder.path(), {});
    importers::Progress progress;
    trace::RunTrace run = importers::openRun({folder.path()}, progress);
    for (trace::ProcessTrace& process : run.processes) {
        const std::size_t before = process.collectiveCalls.size();
        const std::int64_t last = process.collectiveCalls.back().sequence;
        hang::keepOpenEnd(process);
        EXPECT_GT(before, 8U);
        EXPECT_EQ(process.collectiveCalls.size(), 8U) << "those that are shown";
        EXPECT_EQ(process.collectiveCalls.back().sequence, last);
    }
}

} // namespace
} // namespace ringside::test
