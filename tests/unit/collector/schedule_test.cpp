// SPDX-License-Identifier: Apache-2.0
// How much is to be recorded when: profiles, windows, control and pauses, without a run.
#include "record/schedule.h"
#include "support/durations.h"

#include <gtest/gtest.h>

using namespace ringside;
using namespace ringside::collector;

namespace {

using ringside::test::kSecond;
constexpr std::int64_t kLate = 3600 * kSecond;

Wanted wantedFor(const Plan& plan, std::uint64_t steps, std::int64_t ns)
{
    return wantedAt(plan, {steps, ns, std::nullopt, false});
}

Level at(const Plan& plan, std::uint64_t steps, std::int64_t ns = 1)
{
    return wantedFor(plan, steps, ns).level;
}

Plan withWindows(Profile profile, const trace::WindowTexts& texts)
{
    const trace::ParsedWindows parsed = trace::parseWindows(texts);
    EXPECT_EQ(parsed.error, "");
    return {profile, parsed.windows};
}

/// A run of 20 steps has device work, and a long one steps that are not its first.
TEST(Schedule, autoMeasuresTheDeviceForTheFirstSixtySteps)
{
    const Plan plan{Profile::Auto, {}};
    const Wanted warmUp{Level::Standard, Reason::AutoWarmUp};
    const Wanted steady{Level::Standard, Reason::AutoBySteps};
    EXPECT_EQ(wantedFor(plan, 1, kLate), warmUp);
    EXPECT_EQ(wantedFor(plan, 9, 1), warmUp);
    EXPECT_EQ(wantedFor(plan, 10, kLate), steady);
    EXPECT_EQ(wantedFor(plan, 60, kLate), steady);
    EXPECT_EQ(at(plan, 61), Level::Light);
}

/// A run of 10 s has device work, too.
TEST(Schedule, autoMeasuresFromTheFirstCallOnWhereNoStepIsMarked)
{
    const Plan plan{Profile::Auto, {}};
    const Wanted warmUp{Level::Standard, Reason::AutoWarmUp};
    EXPECT_EQ(wantedFor(plan, 0, 0), warmUp);
    EXPECT_EQ(wantedFor(plan, 0, 70 * kSecond - 1), warmUp);
    EXPECT_EQ(at(plan, 0, 70 * kSecond), Level::Light);
    EXPECT_EQ(wantedFor(plan, 1, 71 * kSecond), warmUp); // a step came after all
}

/// Loading, compiling and warming up may take minutes.
TEST(Schedule, autoMeasuresASteadyPeriodWheneverItBegins)
{
    const Plan plan{Profile::Auto, {}};
    const Wanted steady{Level::Standard, Reason::AutoBySteadyPeriod};
    for (const std::int64_t since : {4 * kSecond, 500 * kSecond}) {
        Moment moment;
        moment.steadySinceNs = since;
        moment.sinceStartNs = since;
        EXPECT_EQ(wantedAt(plan, moment), steady);
        EXPECT_EQ(nextTimedChange(plan, moment), since + 60 * kSecond);
        moment.sinceStartNs += 60 * kSecond - 1;
        EXPECT_EQ(wantedAt(plan, moment), steady);
        ++moment.sinceStartNs;
        EXPECT_EQ(wantedAt(plan, moment).level, Level::Light);
        EXPECT_EQ(nextTimedChange(plan, moment), std::nullopt);
    }
}

TEST(Schedule, reportsAnotherToolOnlyWhereTheDeviceIsMeasured)
{
    Moment moment;
    moment.deviceTaken = true;
    EXPECT_EQ(wantedAt({Profile::Deep, {}}, moment), (Wanted{Level::Deep, Reason::DeviceTaken}));
    EXPECT_EQ(wantedAt({Profile::Light, {}}, moment), (Wanted{Level::Light, Reason::Profile}));
}

TEST(Schedule, theWarmUpIsCalledSoInTheTrace)
{
    EXPECT_TRUE(inWords({Profile::Auto, {}}, Reason::AutoWarmUp).starts_with(trace::kWarmUp));
    for (const Reason other : {Reason::AutoBySteps, Reason::AutoBySteadyPeriod, Reason::InsideWindow}) {
        EXPECT_FALSE(inWords({Profile::Auto, {}}, other).starts_with(trace::kWarmUp));
    }
}

TEST(Schedule, theOtherProfilesAlwaysRecordTheSame)
{
    EXPECT_EQ(at({Profile::Light, {}}, 20), Level::Light);
    EXPECT_EQ(at({Profile::Standard, {}}, 1000), Level::Standard);
    EXPECT_EQ(at({Profile::Deep, {}}, 0), Level::Deep);
}

TEST(Schedule, aWindowByStepsHasTheProfilesLevelInsideAndLightOutside)
{
    for (const auto& [profile, inside] : {std::pair{Profile::Auto, Level::Standard},
                                          {Profile::Standard, Level::Standard},
                                          {Profile::Deep, Level::Deep}}) {
        const Plan plan = withWindows(profile, {.startStep = "100", .steps = "20", .window = ""});
        EXPECT_EQ(at(plan, 0), Level::Light);
        EXPECT_EQ(at(plan, 99), Level::Light);
        EXPECT_EQ(at(plan, 100), inside);
        EXPECT_EQ(at(plan, 119), inside);
        EXPECT_EQ(at(plan, 120), Level::Light);
    }
}

TEST(Schedule, underLightAWindowIsWhatIsRecordedAtAll)
{
    const Plan plan = withWindows(Profile::Light, {.startStep = "5", .steps = "1", .window = ""});
    EXPECT_EQ(at(plan, 0), Level::Paused);
    EXPECT_EQ(at(plan, 4), Level::Paused);
    EXPECT_EQ(at(plan, 5), Level::Light);
    EXPECT_EQ(at(plan, 6), Level::Paused);
}

TEST(Schedule, oneHalfOfAWindowByStepsIsEnough)
{
    const Plan toTheEnd = withWindows(Profile::Standard, {.startStep = "7", .steps = "", .window = ""});
    EXPECT_EQ(at(toTheEnd, 6), Level::Light);
    EXPECT_EQ(at(toTheEnd, 1'000'000), Level::Standard);
    const Plan fromTheStart = withWindows(Profile::Standard, {.startStep = "", .steps = "3", .window = ""});
    EXPECT_EQ(at(fromTheStart, 0), Level::Light); // before the first step
    EXPECT_EQ(at(fromTheStart, 3), Level::Standard);
    EXPECT_EQ(at(fromTheStart, 4), Level::Light);
}

TEST(Schedule, aWindowByTimeComesAgain)
{
    const Plan plan = withWindows(Profile::Standard, {.startStep = "", .steps = "", .window = "2s/60s"});
    for (const std::int64_t round : {0, 62, 62 * 100}) {
        EXPECT_EQ(at(plan, 1, round * kSecond), Level::Standard);
        EXPECT_EQ(at(plan, 1, (round + 2) * kSecond - 1), Level::Standard);
        EXPECT_EQ(at(plan, 1, (round + 2) * kSecond), Level::Light);
        EXPECT_EQ(at(plan, 1, (round + 62) * kSecond - 1), Level::Light);
    }
}

TEST(Schedule, aPauseStandsAboveControlAndControlAboveWindows)
{
    const Plan plan = withWindows(Profile::Standard, {.startStep = "5", .steps = "1", .window = ""});
    EXPECT_EQ(wantedAt(plan, {5, 1, Level::Deep, false}), (Wanted{Level::Deep, Reason::Control}));
    EXPECT_EQ(wantedAt(plan, {5, 1, Level::Paused, false}), (Wanted{Level::Paused, Reason::Control}));
    EXPECT_EQ(wantedAt(plan, {5, 1, Level::Deep, true}), (Wanted{Level::Paused, Reason::Program}));
}

TEST(Schedule, returnsWhenTimeAloneChangesTheLevel)
{
    const Plan byTime = withWindows(Profile::Standard, {.startStep = "", .steps = "", .window = "2s/60s"});
    EXPECT_EQ(nextTimedChange(byTime, {0, 0, {}, false}), 2 * kSecond);
    EXPECT_EQ(nextTimedChange(byTime, {0, 2 * kSecond, {}, false}), 62 * kSecond);
    EXPECT_EQ(nextTimedChange(byTime, {0, 63 * kSecond, {}, false}), 64 * kSecond);
    EXPECT_EQ(nextTimedChange(byTime, {0, 0, Level::Light, false}), std::nullopt);
    const Plan automatic{Profile::Auto, {}};
    EXPECT_EQ(nextTimedChange(automatic, {0, 0, {}, false}), 70 * kSecond);
    EXPECT_EQ(nextTimedChange(automatic, {0, 70 * kSecond, {}, false}), std::nullopt);
    EXPECT_EQ(nextTimedChange(automatic, {1, 0, {}, false}), std::nullopt);
}

TEST(Schedule, describesTheReason)
{
    const Plan automatic{Profile::Auto, {}};
    EXPECT_EQ(inWords(automatic, wantedAt(automatic, {10, 1, {}, false}).reason),
              "steps 10 to 60 (profile auto)");
    EXPECT_EQ(inWords({Profile::Standard, {}}, Reason::Profile), "");
    const Plan bySteps = withWindows(Profile::Auto, {.startStep = "100", .steps = "20", .window = ""});
    EXPECT_EQ(inWords(bySteps, Reason::InsideWindow), "steps 100 to 119");
    EXPECT_EQ(inWords(bySteps, Reason::OutsideWindow), "outside of steps 100 to 119");
    const Plan byTime =
        withWindows(Profile::Auto, {.startStep = "", .steps = "", .window = "1500ms/58500ms"});
    EXPECT_EQ(inWords(byTime, Reason::InsideWindow), "1500 ms of every 1 m");
    EXPECT_EQ(whenDevice({Profile::Light, {}}), "not asked for: profile light");
    EXPECT_EQ(whenDevice(bySteps), "its window was not reached: steps 100 to 119");
}

TEST(Windows, contradictoryAndMalformedOnesAreRefusedWithAReason)
{
    const trace::WindowTexts bad[] = {{.startStep = "5", .steps = "", .window = "2s/60s"},
                                      {.startStep = "0", .steps = "", .window = ""},
                                      {.startStep = "-1", .steps = "", .window = ""},
                                      {.startStep = "", .steps = "ten", .window = ""},
                                      {.startStep = "5 ", .steps = "", .window = ""},
                                      {.startStep = "", .steps = "", .window = "2s"},
                                      {.startStep = "", .steps = "", .window = "2s/"},
                                      {.startStep = "", .steps = "", .window = "/60s"},
                                      {.startStep = "", .steps = "", .window = "2/60"},
                                      {.startStep = "", .steps = "", .window = "2s/0s"},
                                      {.startStep = "", .steps = "", .window = "1ms/60s"},
                                      {.startStep = "", .steps = "", .window = "2s/9999h"}};
    for (const trace::WindowTexts& texts : bad) {
        const trace::ParsedWindows parsed = trace::parseWindows(texts);
        EXPECT_NE(parsed.error, "") << texts.startStep << "," << texts.steps << "," << texts.window;
        EXPECT_TRUE(parsed.windows.none());
    }
    EXPECT_EQ(trace::parseWindows({}).error, "");
    EXPECT_TRUE(trace::parseWindows({}).windows.none());
}

TEST(Quantity, acceptsUnitsAndRefusesTooLargeNumbers)
{
    EXPECT_EQ(trace::parseDuration("250ms"), 250'000'000);
    EXPECT_EQ(trace::parseDuration("1h"), 3600 * kSecond);
    EXPECT_EQ(trace::parseSize("2G"), std::int64_t{2} << 30);
    EXPECT_EQ(trace::parseSize("4096"), 4096);
    for (const std::string_view text :
         {"", "G", "2X", "2 G", "0", "-2G", "9223372036854775807T", "99999999999999999999"}) {
        EXPECT_EQ(trace::parseSize(text), std::nullopt) << text;
    }
}

} // namespace
