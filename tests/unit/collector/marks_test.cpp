// SPDX-License-Identifier: Apache-2.0
// Steps and ranges from the program's side: what NVTX and the marks leave in the trace, and which steps the
// device tier measures. The program runs on the CPU platform, through NVTX as any program's.
#include "recorded_run.h"

#include <ringside/trace/reader.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

using ringside::test::RecordedRun;

namespace {

RecordedRun::Environment onPlatform(const std::string& profile)
{
    return {"LD_LIBRARY_PATH=" RINGSIDE_PLATFORM, "RINGSIDE_PROFILE=" + profile};
}

// Column `column` of the range called `name`.
std::string range(const RecordedRun& run, const std::string& name, const std::string& column)
{
    return run.text("SELECT " + column +
                    " FROM user_range r JOIN string n ON n.id = r.name_id LEFT JOIN string d ON d.id = " +
                    "r.domain_id WHERE n.text = '" + name + "'");
}

TEST(Nvtx, recordsRangesAndMarksOfAllKinds)
{
    const RecordedRun run({"recorded_steps", "ranges"}, RecordedRun::Collector::Preloaded,
                          onPlatform("light"));
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.text("SELECT active FROM tier WHERE tier = 'nvtx'"), "1");
    EXPECT_EQ(run.number("SELECT count(*) FROM user_range"), 7);
    EXPECT_EQ(range(run, "outer", "depth || ' ' || flavour"), "0 1");
    EXPECT_EQ(range(run, "inner", "depth || ' ' || flavour"), "1 1");
    EXPECT_EQ(range(run, "moment", "flavour || ' ' || (end_ns - start_ns)"), "3 0");
    EXPECT_EQ(
        run.number(
            "SELECT (SELECT r.start_ns FROM user_range r JOIN string s ON s.id = r.name_id WHERE s.text = "
            "'inner') >= (SELECT r.start_ns FROM user_range r JOIN string s ON s.id = r.name_id WHERE "
            "s.text = 'outer')"),
        1);
}

TEST(Nvtx, keepsDomainsApart)
{
    const RecordedRun run({"recorded_steps", "ranges"}, RecordedRun::Collector::Preloaded,
                          onPlatform("light"));
    EXPECT_EQ(range(run, "registered", "d.text || ' ' || category || ' ' || depth"), "mine 7 0");
    EXPECT_EQ(range(run, "default around", "domain_id || ' ' || depth"), "0 0");
    // The default domain's range ended first.
    EXPECT_EQ(
        run.number(
            "SELECT (SELECT r.end_ns FROM user_range r JOIN string s ON s.id = r.name_id WHERE s.text = "
            "'registered') >= (SELECT r.end_ns FROM user_range r JOIN string s ON s.id = r.name_id WHERE "
            "s.text = 'default around')"),
        1);
}

TEST(Nvtx, aStartedRangeMayEndOnAnotherThread)
{
    const RecordedRun run({"recorded_steps", "ranges"}, RecordedRun::Collector::Preloaded,
                          onPlatform("light"));
    EXPECT_EQ(run.number("SELECT count(*) FROM user_range r JOIN string s ON s.id = r.name_id WHERE s.text = "
                         "'across threads' AND flavour = 2"),
              1);
    EXPECT_EQ(run.number("SELECT count(*) FROM user_range r JOIN string s ON s.id = r.name_id WHERE s.text = "
                         "'across threads' AND flavour = 3"),
              1);
}

TEST(Nvtx, aRangeMayEndWithAPayload)
{
    const RecordedRun run({"recorded_steps", "payloads", "70"}, RecordedRun::Collector::Preloaded,
                          onPlatform("light"));
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT count(*) FROM user_range r JOIN string s ON s.id = r.name_id WHERE s.text = "
                         "'ended by a payload' AND depth = 0 AND flavour = 1"),
              70);
    EXPECT_EQ(range(run, "afterwards", "depth || ' ' || flavour"), "0 1");
}

// Nine steps do not reach the window, whichever way and how often the program says each.
TEST(DeviceWindow, countsAStepOnceHoweverOftenItIsSaid)
{
    for (const std::string by : {"marks", "nvtx", "both"}) {
        RecordedRun::Environment environment = onPlatform("standard");
        environment.emplace_back("RINGSIDE_START_STEP=10");
        const RecordedRun run({"recorded_steps", by, "9"}, RecordedRun::Collector::Preloaded, environment);
        EXPECT_EQ(run.text("SELECT active FROM tier WHERE tier = 'device'"), "0") << by;
        EXPECT_NE(run.text("SELECT reason FROM tier WHERE tier = 'device'").find("not reached"),
                  std::string::npos);
        EXPECT_EQ(run.number("SELECT coalesce(sum(count), 0) FROM copy_chunk"), 0) << by;
    }
}

TEST(DeviceWindow, ofAShortRunIsItsWarmUp)
{
    const RecordedRun run({"recorded_steps", "marks", "9"}, RecordedRun::Collector::Preloaded,
                          onPlatform("auto"));
    EXPECT_EQ(run.text("SELECT reason FROM tier WHERE tier = 'device' AND active"),
              "warm-up: steps 1 to 9, or no steady period yet (auto)");
    EXPECT_GT(run.number("SELECT sum(count) FROM copy_chunk"), 0);
    EXPECT_EQ(run.number("SELECT count(*) FROM window"), 1);
}

TEST(DeviceWindow, reportsTheFirstStepAfterWarmUp)
{
    const RecordedRun run({"recorded_steps", "both", "30"}, RecordedRun::Collector::Preloaded,
                          onPlatform("auto"));
    EXPECT_EQ(run.text("SELECT reason FROM tier WHERE tier = 'device' AND active"),
              "steps 10 to 60 (profile auto)");
    EXPECT_GT(run.number("SELECT sum(count) FROM copy_chunk"), 0);
    EXPECT_EQ(run.text("SELECT group_concat(level || ' ' || substr(why, 1, 7), ', ') FROM window"),
              "standard warm-up, standard steps 1");
    EXPECT_EQ(run.number("SELECT (SELECT start_ns FROM window WHERE step = 10) BETWEEN (SELECT end_ns FROM "
                         "step_mark WHERE number = 9) AND (SELECT end_ns FROM step_mark WHERE number = 10)"),
              1);
}

TEST(DeviceWindow, closesAfterStepSixty)
{
    const RecordedRun run({"recorded_steps", "marks", "80"}, RecordedRun::Collector::Preloaded,
                          onPlatform("auto"));
    EXPECT_EQ(
        run.number(
            "SELECT end_ns >= (SELECT start_ns FROM step_mark WHERE number = 61) FROM tier WHERE tier = "
            "'device'"),
        1);
    EXPECT_EQ(run.number("SELECT end_ns < (SELECT end_ns FROM process) FROM tier WHERE tier = 'device'"), 1);
    EXPECT_EQ(
        run.number("SELECT max(last_ns) <= (SELECT end_ns FROM tier WHERE tier = 'device') FROM copy_chunk"),
        1);
}

constexpr const char* kSteps = "SELECT group_concat(number, ' ') FROM step_mark";
constexpr const char* kRanges = "SELECT group_concat(text, ', ') FROM user_range JOIN string ON string.id = "
                                "name_id WHERE text LIKE 'range%'";

TEST(Windows, underLightOnlyTheStepsOfTheWindowAreRecorded)
{
    RecordedRun::Environment environment = onPlatform("light");
    environment.insert(environment.end(), {"RINGSIDE_START_STEP=4", "RINGSIDE_STEPS=3"});
    const RecordedRun run({"recorded_steps", "both", "12"}, RecordedRun::Collector::Preloaded, environment);
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.text(kSteps), "4 5 6");
    EXPECT_EQ(run.number("SELECT count(*) FROM user_range"), 6); // two a step
    EXPECT_EQ(run.number("SELECT sum(count) FROM api_call_chunk"),
              3); // a copy each, and no cudaMalloc before
    EXPECT_EQ(run.text("SELECT group_concat(level, ' ') FROM window"), "paused light paused");
    EXPECT_EQ(run.text("SELECT why FROM window WHERE level = 'light'"), "steps 4 to 6");
    EXPECT_EQ(run.number("SELECT count(*) FROM window AS a JOIN window AS b ON b.start_ns = a.end_ns"), 2);
}

TEST(Windows, theyApplyToTheDeviceTier)
{
    RecordedRun::Environment environment = onPlatform("auto");
    environment.insert(environment.end(), {"RINGSIDE_START_STEP=4", "RINGSIDE_STEPS=10"});
    const RecordedRun run({"recorded_steps", "marks", "20"}, RecordedRun::Collector::Preloaded, environment);
    EXPECT_EQ(run.text("SELECT reason FROM tier WHERE tier = 'device' AND active"), "steps 4 to 13");
    EXPECT_EQ(run.number("SELECT count(*) FROM step_mark"), 20);
    EXPECT_EQ(run.text("SELECT group_concat(level, ' ') FROM window"), "light standard light");
    // The tier is on a little before and after, so that these steps' own work is whole.
    const ringside::trace::ProcessTrace trace = ringside::trace::openRun(run.directory()).processes.at(0);
    for (const ringside::trace::StepRow& step : trace.steps) {
        const auto isOfStep = [&](std::uint32_t correlation) {
            for (std::size_t row = 0; row < trace.launches.size(); ++row) {
                if (trace.launches.correlation[row] == correlation) {
                    return trace.launches.startNs[row] >= step.startNs &&
                           trace.launches.startNs[row] < step.endNs;
                }
            }
            return false;
        };
        if (step.number >= 4 && step.number <= 13) {
            EXPECT_TRUE(std::ranges::any_of(trace.copies.correlation, isOfStep)) << step.number;
        }
    }
}

TEST(Windows, malformedOnesAreSaidAndNotUsed)
{
    RecordedRun::Environment environment = onPlatform("light");
    environment.emplace_back("RINGSIDE_WINDOW=2s");
    const RecordedRun run({"recorded_steps", "marks", "3"}, RecordedRun::Collector::Preloaded, environment);
    EXPECT_NE(run.output.find("not ON/OFF"), std::string::npos) << run.output;
    EXPECT_EQ(run.text(kSteps), "1 2 3");
}

// What began before the pause is recorded, what began in it is not.
TEST(Windows, theProgramMayPauseTheRecording)
{
    const RecordedRun run({"recorded_steps", "pauses"}, RecordedRun::Collector::Preloaded,
                          onPlatform("light"));
    EXPECT_EQ(run.text(kSteps), "1 2 3 6");
    EXPECT_EQ(run.text(kRanges), "range 1, range 2, range 3, range 6");
    EXPECT_EQ(run.number("SELECT sum(count) FROM api_call_chunk"),
              5); // cudaMalloc, copies of steps 1, 2, 5, 6
    EXPECT_EQ(run.text("SELECT why FROM window WHERE level = 'paused'"),
              "the program called ringside_pause()");
}

RecordedRun::Environment asFlightRecorder()
{
    RecordedRun::Environment environment = onPlatform("light");
    environment.emplace_back("RINGSIDE_KEEP_LAST=500ms");
    return environment;
}

TEST(FlightRecorder, aCleanEndLeavesNothing)
{
    const RecordedRun run({"recorded_steps", "marks", "3"}, RecordedRun::Collector::Preloaded,
                          asFlightRecorder());
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_TRUE(std::filesystem::is_empty(run.directory()));
    EXPECT_EQ(run.output, "");
}

TEST(FlightRecorder, whatAKilledProcessDidLastIsRecovered)
{
    const RecordedRun run({"recorded_steps", "killed", "200"}, RecordedRun::Collector::Preloaded,
                          asFlightRecorder()); // for two seconds at least
    EXPECT_TRUE(run.filesEndingIn(".db").empty()) << "nothing is written while it runs";
    run.recover();
    const std::string from = "(SELECT end_ns FROM window WHERE level = 'paused')";
    EXPECT_EQ(run.text("SELECT why FROM window WHERE level = 'paused'"), "the flight recorder keeps no more");
    EXPECT_EQ(run.number("SELECT max(number) FROM step_mark"), 200);
    EXPECT_GT(run.number("SELECT min(number) FROM step_mark"), 1);
    EXPECT_EQ(run.number("SELECT count(*) - (max(number) - min(number) + 1) FROM step_mark"), 0);
    EXPECT_EQ(run.number("SELECT min(start_ns) >= " + from + " FROM step_mark"), 1);
    // So much is there at least: 500 ms, and what came after the last look.
    EXPECT_GE(run.number("SELECT max(end_ns) - " + from + " FROM step_mark"), 500'000'000);
    EXPECT_EQ(run.number("SELECT count(*) FROM issue WHERE id = 'oldest_deleted'"), 1);
    EXPECT_EQ(run.number("SELECT count(*) FROM issue WHERE id = 'process_killed'"), 1);
}

} // namespace
