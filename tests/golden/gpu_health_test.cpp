// SPDX-License-Identifier: Apache-2.0
// Clocks of GPUs at full load, and the faults that their driver reports.
#include "conditions/condition.h"
#include "report_of_run.h"
#include "sampled_rows.h"

#include <ringside/trace/xid.h>

#include <gtest/gtest.h>

namespace ringside::test {
namespace {

constexpr std::int64_t kPowerCap = 0x4; // NVML's clock event reasons
constexpr std::int64_t kHeat = 0x40;

/// Four H100 whose clock could be 1,980 MHz; rank 1 runs at `mhz`, the others at 1,500.
Json clockFindings(const char* rule, std::int64_t mhz, std::int64_t reasons)
{
    TrainingRun run;
    run.edit = all({gauge("sm_clock_mhz", [mhz](int rank, double) { return rank == 1 ? mhz : 1'500; }),
                    gauge("sm_clock_max_mhz", [](int, double) { return 1'980; }),
                    gauge("clock_event_reasons", [reasons](int, double) { return reasons; })});
    return findingsOf(reportOf(run), rule);
}

TEST(GpuClocks, atThePowerCapAreComparedWithEachOtherAndNotWithTheLargestClock)
{
    EXPECT_TRUE(clockFindings("clock_throttling", 1'500, kPowerCap).empty()) << "full load";
    EXPECT_TRUE(clockFindings("gpu_clock_spread", 1'500, kPowerCap).empty());
    EXPECT_TRUE(clockFindings("gpu_clock_spread", 1'410, kPowerCap).empty()) << "silicon varies by 8 %";
    const Json slow = clockFindings("gpu_clock_spread", 1'300, kPowerCap);
    ASSERT_EQ(slow.size(), 1U);
    EXPECT_EQ(slow[0]["severity"], "warning");
    EXPECT_EQ(slow[0]["ranks"], Json::array({1}));
}

TEST(GpuClocks, thatHeatLowersAreNamed)
{
    EXPECT_FALSE(clockFindings("clock_throttling", 1'300, kHeat).empty());
    EXPECT_FALSE(clockFindings("gpu_clock_spread", 1'410, kHeat).empty()) << "nothing explains 6 %";
}

/// The last readings of a GPU of which the largest clock is not known.
conditions::Subject heldDown(std::vector<std::pair<std::int64_t, std::int64_t>> clocksAndReasons)
{
    conditions::Subject gpu;
    gpu.name = "gpu0";
    std::int64_t timeNs = 0;
    for (const auto& [clock, reasons] : clocksAndReasons) {
        gpu.values["sm_clock_mhz"].push_back({timeNs, clock});
        gpu.values["clock_event_reasons"].push_back({++timeNs, reasons}); // read just behind it
    }
    return gpu;
}

TEST(GpuClocks, thatAreHeldDownAllTheTimeAreNotTakenForFullOnes)
{
    const auto warns = [](const conditions::Subject& gpu) {
        return !conditions::judge(gpu, conditions::conditionsOf("clock_throttling")).empty();
    };
    EXPECT_TRUE(warns(heldDown({{900, kHeat}, {900, kHeat}})));
    EXPECT_TRUE(warns(heldDown({{905, kHeat}, {900, kHeat}})));
    EXPECT_TRUE(warns(heldDown({{1'410, 0}, {900, kHeat}})));
    EXPECT_FALSE(warns(heldDown({{1'410, 0}, {1'390, kHeat}})));
    conditions::Subject known = heldDown({{900, kHeat}, {900, kHeat}});
    known.values["sm_clock_max_mhz"] = {{0, 1'980}};
    EXPECT_TRUE(warns(known));
    known.values["sm_clock_max_mhz"] = {{0, 905}};
    EXPECT_FALSE(warns(known));
}

/// Ranks 0 to 3 have one model at 1,500 MHz, the others another one.
TEST(GpuClocks, ofDifferentModelsAreNotCompared)
{
    const auto found = [](std::int64_t slowest) {
        TrainingRun run;
        run.ranks = 8;
        run.edit = all({gauge("sm_clock_mhz",
                              [slowest](int rank, double) {
                                  return rank < 4 ? 1'500 : rank == 7 ? slowest : 1'200;
                              }),
                        [](TraceBuilder& trace) {
                            for (int rank = 0; rank < trace.ranks(); ++rank) {
                                trace.process(rank).devices.front().name = rank < 4 ? "H100" : "A100";
                            }
                        }});
        return findingsOf(reportOf(run), "gpu_clock_spread");
    };
    EXPECT_TRUE(found(1'200).empty());
    ASSERT_EQ(found(1'000).size(), 1U);
    EXPECT_EQ(found(1'000)[0]["ranks"], Json::array({7}));
}

Json xidFinding(std::int64_t number)
{
    TrainingRun run;
    run.edit = xid(number);
    const Json found = findingsOf(reportOf(run), "xid_errors");
    return found.empty() ? Json() : found[0];
}

TEST(XidErrors, sayWhatTheyMeanWhatMustRestartAndWhoIsSuspected)
{
    struct Case {
        std::int64_t number;
        const char* severity;
        const char* meaning;
        const char* restart;
        const char* suspect;
    };
    for (const Case& each :
         {Case{13, "warning", "graphics engine", "Restart the job", "program or the driver"},
          Case{31, "warning", "page fault", "Restart the job", "program or the driver"},
          Case{45, "warning", "clean-up", "Nothing has to restart", "program or the driver"},
          Case{48, "problem", "double bit", "reset the GPU", "Hardware is the likely cause"},
          Case{63, "info", "remapped", "Nothing has to restart", "no fault by itself"},
          Case{64, "problem", "could not be remapped", "reset the GPU", "Hardware is the likely cause"},
          Case{74, "problem", "NVLink", "reset the GPU", "Hardware is the likely cause"},
          Case{79, "problem", "fallen off the bus", "restart the host", "Hardware is the likely cause"},
          Case{94, "warning", "contained", "Restart the job", "Hardware is the likely cause"},
          Case{95, "problem", "uncontained", "reset the GPU", "Hardware is the likely cause"},
          Case{119, "problem", "system processor", "reset the GPU", "program or the driver"},
          Case{145, "problem", "NVLink 5", "reset the GPU", "Hardware is the likely cause"},
          Case{156, "warning", "retired", "when the job is over", "Hardware is the likely cause"},
          Case{999, "warning", "not in NVIDIA's catalogue", "names no action", "may be at fault"}}) {
        const Json found = xidFinding(each.number);
        ASSERT_TRUE(found.is_object()) << each.number;
        const std::string title = found["title"];
        const std::string advice = found["advice"];
        EXPECT_EQ(found["severity"], each.severity) << each.number;
        EXPECT_NE(title.find(each.meaning), std::string::npos) << title;
        EXPECT_NE(advice.find(each.restart), std::string::npos) << advice;
        EXPECT_NE(advice.find(each.suspect), std::string::npos) << advice;
    }
}

TEST(XidErrors, afterWhichTheGpuIsLostAreFatal)
{
    for (const std::int64_t number : {46, 48, 62, 79, 95, 119, 140, 143, 150}) {
        EXPECT_TRUE(trace::isFatalXid(number)) << number;
    }
    for (const std::int64_t number : {-1, 0, 13, 31, 43, 45, 63, 92, 94, 154, 156, 1'000'000}) {
        EXPECT_FALSE(trace::isFatalXid(number)) << number;
    }
}

/// Segments that contradict themselves are left out, so that less seems reserved than is held.
TEST(OutOfMemory, saysNothingOfReservedMemoryThatIsNotKnown)
{
    TrainingRun run;
    run.edit = [](TraceBuilder& trace) {
        trace::MemoryStateRow state;
        state.id = 1;
        state.moment = "out_of_memory";
        state.requestedBytes = 400;
        state.reservedBytes = 0;
        state.wantedBytes = 2'048;
        state.deviceFreeBytes = 100;
        trace.process(1).memoryStates = {state};
    };
    const Json report = reportOf(run);
    const Json found = findingsOf(report, "out_of_memory");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0]["title"],
              "An allocation of 2.0 KiB failed: the program held 400 B, and CUDA had 100 B left");
    EXPECT_FALSE(found[0]["figures"].contains("reserved"));
    EXPECT_TRUE(report["memory"][0]["reserved_bytes"].is_null());
}

} // namespace
} // namespace ringside::test
