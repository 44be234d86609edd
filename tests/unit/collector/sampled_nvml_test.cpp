// SPDX-License-Identifier: Apache-2.0
// GPUs that a real process samples through the CPU platform's NVML, which follows a script; and a process
// without NVML.
#include "sampled_run.h"
#include "support/port_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>

namespace {

using namespace ringside::test;
namespace trace = ringside::trace;

/// A run on the CPU platform under a script.
struct ScriptedRun {
    explicit ScriptedRun(const std::string& script, const std::string& ms = "400",
                         const std::string& scenario = "waits")
        : file(std::filesystem::temp_directory_path() / ("ringside-nvml-script-" + std::to_string(getpid())))
    {
        std::ofstream(file) << script;
        run = std::make_unique<RecordedRun>(
            std::vector<std::string>{"recorded_sampled", scenario, ms}, RecordedRun::Collector::Preloaded,
            RecordedRun::Environment{"RINGSIDE_SAMPLE_MS=10", "RINGSIDE_PROFILE=light",
                                     "RINGSIDE_PLATFORM_DEVICES=2",
                                     std::string("LD_LIBRARY_PATH=") + RINGSIDE_PLATFORM,
                                     "RINGSIDE_NVML_SCRIPT=" + file.string()});
    }
    ~ScriptedRun() { std::filesystem::remove(file); }
    ScriptedRun(const ScriptedRun&) = delete;
    ScriptedRun& operator=(const ScriptedRun&) = delete;
    std::filesystem::path file;
    std::unique_ptr<RecordedRun> run;
};

TEST(SampledMachine, reportsItsInterfacesAndThePlacesOfGpusOnPcie)
{
    namespace fs = std::filesystem;
    const PortTree tree;
    const fs::path root = tree.root();
    PortTree::put(root / "class/net/eth9/speed", "25000");
    fs::create_directories(root / "devices/pci0000:10/0000:10:01.0/0000:10:00.0");
    fs::create_directories(root / "bus/pci/devices");
    fs::create_symlink("../../../devices/pci0000:10/0000:10:01.0/0000:10:00.0",
                       root / "bus/pci/devices/0000:10:00.0"); // of the emulated GPU 0
    const RecordedRun run({"recorded_sampled", "waits", "400"}, RecordedRun::Collector::Preloaded,
                          {"RINGSIDE_SAMPLE_MS=10", "RINGSIDE_PROFILE=light",
                           "LD_LIBRARY_PATH=" RINGSIDE_PLATFORM, "RINGSIDE_SYSFS_ROOT=" + tree.root()});
    const Sampled sampled(run);
    const auto setting = [&sampled](const std::string& source, const std::string& name) {
        const auto found = std::ranges::find_if(sampled.rows.settings, [&](const trace::SettingRow& row) {
            return row.source.text() == source && row.name == name;
        });
        return found != sampled.rows.settings.end() ? found->value : "not told";
    };
    EXPECT_EQ(setting("network", "eth9 speed_mbps"), "25000");
    EXPECT_EQ(setting("device", "gpu0_pci_path"), "pci0000:10/0000:10:01.0/0000:10:00.0");
}

TEST(SampledNvml, givesTheScriptsValuesInItsUnits)
{
    const ScriptedRun scripted(
        "0 * gpu=95 memory=40 memory_total=8e10 memory_used=2e10 sm_clock=1410 sm_clock_max=1980 "
        "memory_clock=2619 memory_clock_max=2619 reasons=none power=300.5 temperature=61 "
        "memory_temperature=70 energy=12 pcie_replays=3 ecc_corrected=5 ecc_uncorrected=1\n"
        "0 * nvlinks=2 nvlink_tx=2048 nvlink_rx=4096 nvlink_replays=1 nvlink_recoveries=2 "
        "nvlink_crc_flit=3 nvlink_crc_data=4 nvlink_up.1=0\n"
        "0 * pcie_generation=3 pcie_generation_max=4 pcie_width=8 pcie_width_max=16 temperature_slowdown=87 "
        "thermal_violation=1 power_violation=2 retired_pages_corrected=9 retired_pages_uncorrected=8 "
        "retired_pages_pending=1 rows_remapped_corrected=7 rows_remapped_uncorrected=6 row_remap_pending=1 "
        "row_remap_failed=0 persistence_mode=0 fabric_state=2 fabric_status=6\n"
        "0 * nvlink_effective_ber=0 nvlink_symbol_ber=2e-13 nvlink_symbol_ber.1=3e-9\n");
    const Sampled sampled(*scripted.run);
    const std::map<std::string, std::int64_t> expected{{"gpu_utilization_percent", 95},
                                                       {"memory_utilization_percent", 40},
                                                       {"memory_used_bytes", 20'000'000'000},
                                                       {"sm_clock_mhz", 1410},
                                                       {"sm_clock_max_mhz", 1980},
                                                       {"memory_clock_mhz", 2619},
                                                       {"clock_event_reasons", 0},
                                                       {"power_mw", 300'500},
                                                       {"power_instant_mw", 300'500},
                                                       {"temperature_celsius", 61},
                                                       {"memory_temperature_celsius", 70},
                                                       {"energy_mj", 12'000},
                                                       {"pcie_replays", 3},
                                                       {"ecc_corrected_errors", 5},
                                                       {"ecc_uncorrected_errors", 1},
                                                       {"nvlink_tx_kib", 4},
                                                       {"nvlink_rx_kib", 8},
                                                       {"nvlink_replays", 2},
                                                       {"nvlink_recoveries", 4},
                                                       {"nvlink_crc_flit_errors", 6},
                                                       {"nvlink_crc_data_errors", 8},
                                                       {"nvlink5_effective_errors_per_1e18", 0},
                                                       {"nvlink5_symbol_errors_per_1e18", 3'000'000'000},
                                                       {"persistence_mode", 0},
                                                       {"fabric_state", 2},
                                                       {"fabric_status", 6},
                                                       {"nvlink_links_up", 1},
                                                       {"nvlink_links_down", 1},
                                                       {"pcie_generation", 3},
                                                       {"pcie_generation_max", 4},
                                                       {"pcie_lanes", 8},
                                                       {"pcie_lanes_max", 16},
                                                       {"temperature_slowdown_celsius", 87},
                                                       {"thermal_violation_ns", 1'000'000'000},
                                                       {"power_violation_ns", 2'000'000'000},
                                                       {"retired_pages_corrected", 9},
                                                       {"retired_pages_uncorrected", 8},
                                                       {"retired_pages_pending", 1},
                                                       {"remapped_rows_corrected", 7},
                                                       {"remapped_rows_uncorrected", 6},
                                                       {"row_remap_pending", 1},
                                                       {"row_remap_failed", 0}};
    for (const auto& [metric, value] : expected) {
        const Values values = sampled.values("gpu0", metric);
        ASSERT_FALSE(values.empty()) << metric << ": " << sampled.reason("gpu0", metric);
        EXPECT_EQ(std::ranges::count(values, value), std::ssize(values)) << metric;
        EXPECT_EQ(sampled.reason("gpu0", metric), "") << metric;
    }
    EXPECT_EQ(sampled.values("gpu0", "sm_clock_max_mhz").size(), 1U) << "it never changes";
    EXPECT_LT(sampled.values("gpu0", "row_remap_pending").size(), sampled.values("gpu0", "power_mw").size())
        << "it moves slowly: once a second";
    EXPECT_EQ(sampled.series("gpu1", "power_mw"), nullptr) << "the program does not use it";
    EXPECT_EQ(sampled.reason("gpu0", "nvlink5_tx_bytes"), "Not Supported");
    EXPECT_FALSE(contains(sampled.tier().reason, "nvml")) << sampled.tier().reason;
}

TEST(SampledNvml, showsWhenAClockIsHeldDown)
{
    const ScriptedRun scripted(
        "0 * sm_clock=1410 reasons=none\n0.2 * sm_clock=900 reasons=thermal+power_cap\n", "600");
    const Sampled sampled(*scripted.run);
    const Values reasons = sampled.values("gpu0", "clock_event_reasons");
    ASSERT_FALSE(reasons.empty());
    EXPECT_EQ(reasons.front(), 0);
    EXPECT_EQ(reasons.back(), 0x24);
    EXPECT_TRUE(std::ranges::is_sorted(reasons));
    EXPECT_EQ(sampled.values("gpu0", "sm_clock_mhz").back(), 900);
}

TEST(SampledNvml, whatAGpuHasNotIsNoValueButAReason)
{
    const ScriptedRun scripted("0 * power=300\n");
    const Sampled sampled(*scripted.run);
    EXPECT_FALSE(sampled.values("gpu0", "power_mw").empty());
    for (const char* metric : {"temperature_celsius", "gpu_utilization_percent", "ecc_corrected_errors"}) {
        EXPECT_TRUE(sampled.values("gpu0", metric).empty()) << metric;
        EXPECT_EQ(sampled.reason("gpu0", metric), "Not Supported") << metric;
    }
}

TEST(SampledNvml, reportsXidsOnceEachAndALostGpu)
{
    const ScriptedRun scripted("0 * power=300 temperature=60 gpu=90 memory=50 memory_total=9 "
                               "memory_used=5\n0.2 0 xid=31\n0.3 0 xid=79 lost=1\n",
                               "700");
    const Sampled sampled(*scripted.run);
    EXPECT_EQ(sampled.values("gpu0", "xid"), (Values{31, 79}));
    EXPECT_EQ(sampled.series("gpu0", "xid")->kind.text(), "event");
    ASSERT_NE(sampled.issue("gpu_xid 31"), nullptr);
    EXPECT_EQ(sampled.issue("gpu_xid 31")->severity, trace::Severity::Warning);
    ASSERT_NE(sampled.issue("gpu_xid_fatal 79"), nullptr);
    EXPECT_EQ(sampled.issue("gpu_xid_fatal 79")->severity, trace::Severity::Problem);
    EXPECT_EQ(sampled.issue("gpu_xid_fatal 79")->count, 1);
    ASSERT_NE(sampled.issue("gpu_lost"), nullptr);
    EXPECT_EQ(sampled.issue("gpu_lost")->count, 1);
    int ended = 0;
    for (const trace::SeriesRow& row : sampled.rows.series) {
        if (row.entity == "gpu0" && !sampled.values("gpu0", std::string(row.metric.text())).empty()) {
            EXPECT_EQ(sampled.reason("gpu0", std::string(row.metric.text())), "GPU is lost")
                << row.metric.text();
            ++ended;
        }
    }
    // Utilization, the first that is asked, and memory's; memory, power twice, temperature, Xids.
    EXPECT_EQ(ended, 7);
    EXPECT_EQ(sampled.reason("gpu0", "pcie_replays"), "Not Supported") << "it was none before";
}

TEST(SampledNvml, thatCannotBeginIsTheReasonAndTheRestGoesOn)
{
    const ScriptedRun scripted("this is no script\n");
    const Sampled sampled(*scripted.run);
    EXPECT_EQ(scripted.run->waitStatus, 0);
    EXPECT_TRUE(contains(sampled.tier().reason, "nvml: nvmlInit: Unknown Error")) << sampled.tier().reason;
    EXPECT_TRUE(sampled.tier().active);
    EXPECT_TRUE(sampled.sources().contains("process"));
    EXPECT_FALSE(sampled.sources().contains("nvml"));
}

TEST(SampledNvml, thatIsMissingIsTheReason)
{
    const RecordedRun run({"recorded_sampled", "waits", "300"}, RecordedRun::Collector::Preloaded, kFast);
    const Sampled sampled(run);
    EXPECT_TRUE(contains(sampled.tier().reason, "nvml: libnvidia-ml.so.1 was not found"))
        << sampled.tier().reason;
}

// A driver that is stuck: the others are sampled all the same, the program ends as soon as it otherwise would
// but for the second that the call is given, and the trace says what happened.
TEST(SampledNvml, aCallThatNeverReturnsHoldsNothingUp)
{
    const auto began = std::chrono::steady_clock::now();
    const ScriptedRun scripted("0 * power=300\n0.2 * blocks=1\n", "2500");
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60)) << "it ended at all";
    EXPECT_EQ(scripted.run->waitStatus, 0);
    EXPECT_TRUE(contains(scripted.run->output, "done"));
    EXPECT_TRUE(contains(scripted.run->output, "nvml: a call has not returned")) << scripted.run->output;
    const Sampled sampled(*scripted.run);
    EXPECT_TRUE(sampled.rows.process.endNs.has_value()) << "the trace was closed";
    EXPECT_TRUE(contains(sampled.tier().reason, "nvml: a call has not returned")) << sampled.tier().reason;
    ASSERT_NE(sampled.issue("sampler_left_behind"), nullptr);
    EXPECT_FALSE(sampled.values("gpu0", "power_mw").empty());
    EXPECT_GT(sampled.values("process", "rss_bytes").size(), sampled.values("gpu0", "power_mw").size());
}

} // namespace
