// SPDX-License-Identifier: Apache-2.0
// ringside/collector.h in a program that is linked to nothing: without the collector it does nothing, with it
// its steps, ranges, marks and rank are in the trace.
#include "recorded_run.h"

#include <gtest/gtest.h>

using ringside::test::RecordedRun;

namespace {

class ProgramMarks : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Languages, ProgramMarks,
                         testing::Values("recorded_marked_c11", "recorded_marked_cpp20"));

std::string ranges(const std::string& columns, const std::string& name)
{
    return "SELECT " + columns +
           " FROM user_range r JOIN string n ON n.id = r.name_id JOIN string d ON d.id = r.domain_id WHERE "
           "n.text = '" +
           name + "'";
}

TEST_P(ProgramMarks, areNothingWithoutTheCollector)
{
    const RecordedRun run({GetParam()}, RecordedRun::Collector::Absent);
    EXPECT_EQ(run.waitStatus, 0);
    EXPECT_EQ(run.output, "trained\n");
    EXPECT_TRUE(run.filesEndingIn(".db").empty());
}

TEST_P(ProgramMarks, areInTheTrace)
{
    const RecordedRun run({GetParam()}, RecordedRun::Collector::Preloaded, {"RANK=1", "WORLD_SIZE=2"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.output, "trained\n");
    EXPECT_EQ(run.text("SELECT group_concat(number) FROM (SELECT number FROM step_mark ORDER BY start_ns)"),
              "1,2,3");
    EXPECT_EQ(run.text(ranges("count(*) || ' ' || max(d.text) || ' ' || max(depth)", "data loading")),
              "3 ringside 0");
    EXPECT_EQ(run.text(ranges("count(*) || ' ' || max(d.text) || ' ' || min(depth)", "decode")),
              "3 ringside 1");
    EXPECT_EQ(run.text(ranges("flavour || ' ' || (end_ns - start_ns)", "learning rate halved")), "3 0");
    EXPECT_EQ(run.number("SELECT count(*) FROM user_range"), 7);
    EXPECT_EQ(run.text("SELECT rank || ' ' || world_size || ' ' || source FROM rank"), "5 8 api");
}

// CUPTI would start a driver in it, which children made by fork could not use any more, and have complaints.
TEST_P(ProgramMarks, loadNoCuptiIntoAProgramWithoutCuda)
{
    const RecordedRun run(
        {GetParam()}, RecordedRun::Collector::Preloaded,
        {"RINGSIDE_PROFILE=standard", "LD_LIBRARY_PATH=" RINGSIDE_FAKES, "FAKE_CUPTI=subscribe 999"});
    EXPECT_EQ(run.output, "trained\n"); // the fake CUPTI says when it is loaded
    EXPECT_EQ(run.text("SELECT active || ': ' || reason FROM tier WHERE tier = 'device'"),
              "0: the program has not loaded CUDA");
}

} // namespace
