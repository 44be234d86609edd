// SPDX-License-Identifier: Apache-2.0
// The sampled tier in real processes: on fakes, without any NVML, and on the CPU platform, whose NVML says
// what a script says.
#include "recorded_run.h"
#include "support/port_tree.h"

#include <ringside/trace/reader.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <thread>

using ringside::test::RecordedRun;
namespace trace = ringside::trace;

namespace {

using Values = std::vector<std::int64_t>;

/// What one process sampled.
struct Sampled {
    explicit Sampled(const std::filesystem::path& file) : rows(trace::readProcess(file))
    {
        for (std::size_t i = 0; i < rows.samples.size(); ++i) {
            bySeries[rows.samples.series[i]].push_back(rows.samples.value[i]);
        }
    }
    explicit Sampled(const RecordedRun& run) : Sampled(run.filesEndingIn(".db").at(0)) {}

    [[nodiscard]] const trace::SeriesRow* series(const std::string& entity, const std::string& metric) const
    {
        const auto found = std::ranges::find_if(
            rows.series, [&](const auto& row) { return row.entity == entity && row.metric == metric; });
        return found != rows.series.end() ? &*found : nullptr;
    }
    [[nodiscard]] Values values(const std::string& entity, const std::string& metric) const
    {
        const auto* row = series(entity, metric);
        const auto found =
            row != nullptr ? bySeries.find(static_cast<std::uint32_t>(row->id)) : bySeries.end();
        return found != bySeries.end() ? found->second : Values{};
    }
    [[nodiscard]] std::string reason(const std::string& entity, const std::string& metric) const
    {
        const auto* row = series(entity, metric);
        return row != nullptr ? std::string(rows.text(row->reason)) : "no such series";
    }
    [[nodiscard]] std::set<std::string> sources() const
    {
        std::set<std::string> names;
        for (const auto& row : rows.series) {
            if (bySeries.contains(static_cast<std::uint32_t>(row.id))) {
                names.insert(row.source);
            }
        }
        return names;
    }
    [[nodiscard]] trace::TierRow tier() const
    {
        const auto found = std::ranges::find(rows.tiers, "sampled", &trace::TierRow::tier);
        return found != rows.tiers.end() ? *found : trace::TierRow{};
    }
    [[nodiscard]] const trace::IssueRow* issue(const std::string& id) const
    {
        const auto found = std::ranges::find(rows.issues, id, &trace::IssueRow::id);
        return found != rows.issues.end() ? &*found : nullptr;
    }

    trace::ProcessTrace rows;
    std::map<std::uint32_t, Values> bySeries;
};

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

const RecordedRun::Environment kFast{"RINGSIDE_SAMPLE_MS=10", "LD_LIBRARY_PATH=" RINGSIDE_FAKES};

TEST(SampledTier, theProgramNoticesNothing)
{
    for (const std::string scenario : {"waits", "forks"}) {
        const RecordedRun without({"recorded_sampled", scenario, "50"}, RecordedRun::Collector::Absent,
                                  kFast);
        const RecordedRun with({"recorded_sampled", scenario, "50"}, RecordedRun::Collector::Preloaded,
                               kFast);
        EXPECT_EQ(with.output, without.output) << scenario;
        EXPECT_EQ(with.waitStatus, without.waitStatus) << scenario;
    }
}

TEST(SampledTier, seesProcessAndMachineAndLeavesOneFile)
{
    const RecordedRun run({"recorded_sampled", "waits", "300"}, RecordedRun::Collector::Preloaded, kFast);
    const Sampled sampled(run);
    for (const char* source : {"process", "machine", "network", "host_network"}) {
        EXPECT_TRUE(sampled.sources().contains(source)) << source;
    }
    const Values resident = sampled.values("process", "rss_bytes");
    ASSERT_GE(resident.size(), 2U);
    EXPECT_GT(*std::ranges::min_element(resident), 1 << 20);
    const Values user = sampled.values("process", "cpu_user_ns");
    EXPECT_TRUE(std::ranges::is_sorted(user));
    EXPECT_TRUE(sampled.tier().active);
    EXPECT_TRUE(contains(sampled.tier().reason, "nvml: ")) << sampled.tier().reason;
    EXPECT_TRUE(sampled.tier().endNs.has_value());
    // Times lie within the recording and never go back within a series.
    EXPECT_GE(*std::ranges::min_element(sampled.rows.samples.timeNs), sampled.rows.process.startNs);
    EXPECT_LE(*std::ranges::max_element(sampled.rows.samples.timeNs), sampled.rows.process.endNs.value_or(0));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run.directory()),
                            std::filesystem::directory_iterator()),
              1)
        << "the lock's file is gone";
}

TEST(SampledTier, isOffWhenAskedTo)
{
    const RecordedRun run({"recorded_sampled", "waits", "50"}, RecordedRun::Collector::Preloaded,
                          {"RINGSIDE_SAMPLE_MS=0"});
    const Sampled sampled(run);
    EXPECT_EQ(sampled.rows.series.size(), 0U);
    EXPECT_FALSE(sampled.tier().active);
    EXPECT_TRUE(contains(sampled.tier().reason, "RINGSIDE_SAMPLE_MS=0")) << sampled.tier().reason;
}

TEST(SampledTier, saysWhatIntervalsItTakes)
{
    const RecordedRun run({"recorded_sampled", "waits", "50"}, RecordedRun::Collector::Preloaded,
                          {"RINGSIDE_SAMPLE_MS=5"});
    EXPECT_TRUE(contains(run.output, "between 10 and 60000")) << run.output;
    EXPECT_TRUE(Sampled(run).tier().active);
}

TEST(SampledTier, samplesUntilAKillAreRecovered)
{
    const RecordedRun run({"recorded_sampled", "killed", "200"}, RecordedRun::Collector::Preloaded, kFast);
    run.recover();
    const Sampled sampled(run);
    EXPECT_GE(sampled.values("process", "rss_bytes").size(), 2U);
    ASSERT_FALSE(sampled.rows.samples.timeNs.empty());
    EXPECT_TRUE(sampled.sources().contains("machine"));
}

TEST(SampledTier, threadsThatWaitForACpuShowIt)
{
    const RecordedRun run({"recorded_sampled", "starves", "500"}, RecordedRun::Collector::Preloaded, kFast);
    const Sampled sampled(run);
    const Values delay = sampled.values("recording threads", "run_delay_ns");
    if (delay.empty()) {
        GTEST_SKIP() << sampled.reason("recording threads", "run_delay_ns");
    }
    EXPECT_TRUE(std::ranges::is_sorted(delay));
    EXPECT_GT(delay.back(), 0);
    EXPECT_GT(sampled.values("process", "involuntary_switches").back(), 0);
}

/// When a source's first and last samples were taken; nothing where it took none.
std::optional<std::pair<std::int64_t, std::int64_t>> span(const Sampled& sampled, const std::string& source)
{
    std::set<std::int64_t> times;
    for (std::size_t i = 0; i < sampled.rows.samples.size(); ++i) {
        for (const auto& row : sampled.rows.series) {
            if (row.id == sampled.rows.samples.series[i] && row.source == source) {
                times.insert(sampled.rows.samples.timeNs[i]);
            }
        }
    }
    return times.empty() ? std::nullopt : std::optional(std::pair(*times.begin(), *times.rbegin()));
}

TEST(SampledTier, theMachineIsSampledByOneProcessAtATime)
{
    const RecordedRun run({"recorded_sampled", "ranks", "800"}, RecordedRun::Collector::Preloaded, kFast);
    const auto files = run.filesEndingIn(".db");
    ASSERT_EQ(files.size(), 2U) << run.output;
    const std::array<Sampled, 2> both{Sampled(files[0]), Sampled(files[1])};
    for (const char* source : {"machine", "network"}) {
        const auto first = span(both[0], source);
        const auto second = span(both[1], source);
        EXPECT_TRUE(first || second) << source;
        if (first && second) { // one ended and the other took over
            EXPECT_TRUE(first->second < second->first || second->second < first->first) << source;
        }
    }
    for (std::size_t i = 0; i < both.size(); ++i) {
        EXPECT_TRUE(both.at(i).sources().contains("process"));
        if (!both.at(i).sources().contains("machine")) {
            EXPECT_TRUE(
                contains(both.at(i).tier().reason, "machine: sampled by " + files[1 - i].stem().string()))
                << both.at(i).tier().reason;
        }
    }
}

TEST(SampledRdma, portsAreSampledByOneProcessOfTheHost)
{
    const ringside::test::PortTree tree;
    tree.add("mlx5_0");
    tree.write("mlx5_0", "counters/port_xmit_data", "1000");
    tree.write("mlx5_0", "counters/link_downed", "255");
    RecordedRun::Environment environment = kFast;
    environment.push_back("RINGSIDE_SYSFS_ROOT=" + tree.root());
    const RecordedRun run({"recorded_sampled", "ranks", "300"}, RecordedRun::Collector::Preloaded,
                          environment);
    const auto files = run.filesEndingIn(".db");
    ASSERT_EQ(files.size(), 2U) << run.output;
    const std::array<Sampled, 2> both{Sampled(files[0]), Sampled(files[1])};
    const std::size_t who = both[0].values("mlx5_0:1", "tx_bytes").empty() ? 1 : 0;
    const Sampled& sampler = both.at(who);
    ASSERT_FALSE(sampler.values("mlx5_0:1", "tx_bytes").empty()) << sampler.tier().reason;
    EXPECT_EQ(sampler.values("mlx5_0:1", "tx_bytes").front(), 4000);
    EXPECT_EQ(sampler.values("mlx5_0:1", "state").front(), 4);
    EXPECT_TRUE(contains(sampler.reason("mlx5_0:1", "link_downed"), "largest value"));
    EXPECT_TRUE(std::ranges::any_of(sampler.rows.settings, [](const trace::SettingRow& row) {
        return row.source == "rdma" && row.name == "mlx5_0:1 link_layer" && row.value == "InfiniBand";
    }));
    EXPECT_TRUE(contains(sampler.reason("mlx5_0:1", "async_event"), "libibverbs"))
        << "missing, or of a machine that does not have this device";
    EXPECT_TRUE(std::ranges::any_of(sampler.rows.settings, [](const trace::SettingRow& row) {
        return row.source == "machine" && row.name == "rdma_devices" && row.value == "mlx5_0";
    })) << "looked for in the same tree";
    const Sampled& other = both.at(1 - who);
    if (other.values("mlx5_0:1", "tx_bytes").empty()) { // else it took over when the first one ended
        EXPECT_TRUE(contains(other.tier().reason, "rdma: sampled by " + files[who].stem().string()))
            << other.tier().reason;
    }
}

TEST(SampledRdma, withoutADeviceIsTheReasonAndTakesNoThread)
{
    const ringside::test::PortTree tree;
    RecordedRun::Environment environment = kFast;
    environment.push_back("RINGSIDE_SYSFS_ROOT=" + tree.root());
    const RecordedRun run({"recorded_sampled", "waits", "50"}, RecordedRun::Collector::Preloaded,
                          environment);
    EXPECT_TRUE(contains(Sampled(run).tier().reason, "rdma: this machine has no RDMA device"))
        << Sampled(run).tier().reason;
}

#ifdef RINGSIDE_PLATFORM_TESTS

// ---- libibverbs, emulated ----

/// A run on a tree with the port mlx5_0:1, of which the emulated libibverbs says what the script says.
struct ScriptedPort {
    explicit ScriptedPort(const std::string& script, const std::string& ms = "2500",
                          const std::string& scenario = "waits")
    {
        tree.add("mlx5_0", "100 Gb/sec (4X EDR)", "Ethernet");
        const std::string file = tree.root() + "/script";
        ringside::test::PortTree::put(file, script);
        run = std::make_unique<RecordedRun>(
            std::vector<std::string>{"recorded_sampled", scenario, ms}, RecordedRun::Collector::Preloaded,
            RecordedRun::Environment{"RINGSIDE_SAMPLE_MS=10", "RINGSIDE_PROFILE=light",
                                     "LD_LIBRARY_PATH=" RINGSIDE_PLATFORM ":" RINGSIDE_PLATFORM "/verbs",
                                     "RINGSIDE_SYSFS_ROOT=" + tree.root(), "RINGSIDE_VERBS_SCRIPT=" + file});
    }
    ringside::test::PortTree tree;
    std::unique_ptr<RecordedRun> run;
};

/// The last that was told.
std::string factOf(const Sampled& sampled, const std::string& name)
{
    std::string fact = "no such fact";
    for (const trace::SettingRow& row : sampled.rows.settings) {
        fact = row.name == "mlx5_0:1 " + name ? row.value : fact;
    }
    return fact;
}

TEST(SampledVerbs, giveEventsAndWhatSysfsDoesNotSay)
{
    const ScriptedPort scripted(
        "0 mlx5_0:1 speed=XDR layer=ethernet mtu=1024 gid.0=v2/fe80::1 gid.3=v2/fd00::1\n"
        "0.5 mlx5_0:1 state=down\n"
        "0.6 mlx5_0:1 state=active\n"
        "0.6 mlx5_0:1 event=gid_change\n");
    const Sampled sampled(*scripted.run);
    EXPECT_EQ(sampled.values("mlx5_0:1", "async_event"), (Values{10, 9, 18})) << sampled.tier().reason;
    EXPECT_EQ(sampled.series("mlx5_0:1", "async_event")->kind, "event");
    EXPECT_EQ(sampled.values("mlx5_0:1", "rate_mbps").back(), 800'000) << "the first is sysfs's";
    EXPECT_EQ(sampled.values("mlx5_0:1", "mtu_bytes").front(), 1024);
    EXPECT_EQ(sampled.values("mlx5_0:1", "mtu_max_bytes").front(), 4096);
    EXPECT_EQ(factOf(sampled, "generation"), "XDR");
    EXPECT_EQ(factOf(sampled, "gids"), "RoCE v2, routable");
    EXPECT_EQ(factOf(sampled, "gid_table"), "0 v2 link-local, 3 v2 IPv6");
    EXPECT_FALSE(contains(scripted.run->output, "not acknowledged")) << scripted.run->output;
}

TEST(SampledVerbs, aDeviceThatDoesNotOpenIsReadFromSysfsAlone)
{
    const ScriptedPort scripted("0 mlx5_0:1 fails=1\n");
    const Sampled sampled(*scripted.run);
    EXPECT_EQ(sampled.reason("mlx5_0:1", "async_event"), "ibv_open_device: Input/output error");
    EXPECT_EQ(sampled.values("mlx5_0:1", "rate_mbps").front(), 100'000);
}

TEST(SampledVerbs, aDeviceThatFailsLaterIsLeftAloneAndReadFromSysfs)
{
    const ScriptedPort scripted("0 mlx5_0:1 speed=XDR\n1.5 mlx5_0:1 fails=1\n", "4000");
    const Sampled sampled(*scripted.run);
    EXPECT_EQ(sampled.reason("mlx5_0:1", "async_event"), "ibv_query_port: Input/output error");
    const Values rates = sampled.values("mlx5_0:1", "rate_mbps");
    EXPECT_TRUE(std::ranges::find(rates, 800'000) != rates.end());
    EXPECT_EQ(rates.back(), 100'000) << "as sysfs has it";
}

TEST(SampledVerbs, aForkedChildHasNoThreadOfTheirs)
{
    const ScriptedPort scripted("0 mlx5_0:1 speed=NDR\n", "300", "forks");
    EXPECT_EQ(scripted.run->waitStatus, 0) << "the child counts its threads";
}

TEST(SampledVerbs, aQuestionThatIsNeverAnsweredHoldsNothingUp)
{
    const ScriptedPort scripted("0 mlx5_0:1 speed=NDR\n0.2 mlx5_0:1 blocks=1\n", "2500");
    EXPECT_EQ(scripted.run->waitStatus, 0);
    const Sampled sampled(*scripted.run);
    EXPECT_TRUE(sampled.rows.process.endNs.has_value()) << "the trace was closed";
    EXPECT_TRUE(contains(sampled.tier().reason, "rdma: a call has not returned")) << sampled.tier().reason;
    EXPECT_FALSE(sampled.values("mlx5_0:1", "state").empty());
}

// ---- NVML, emulated ----

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
                                     "RINGSIDE_PLATFORM_DEVICES=2", "LD_LIBRARY_PATH=" RINGSIDE_PLATFORM,
                                     "RINGSIDE_NVML_SCRIPT=" + file.string()});
    }
    ~ScriptedRun() { std::filesystem::remove(file); }
    ScriptedRun(const ScriptedRun&) = delete;
    ScriptedRun& operator=(const ScriptedRun&) = delete;
    std::filesystem::path file;
    std::unique_ptr<RecordedRun> run;
};

TEST(SampledMachine, tellsItsInterfacesAndWhereGpusSitOnPcie)
{
    namespace fs = std::filesystem;
    const ringside::test::PortTree tree;
    const fs::path root = tree.root();
    ringside::test::PortTree::put(root / "class/net/eth9/speed", "25000");
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
            return row.source == source && row.name == name;
        });
        return found != sampled.rows.settings.end() ? found->value : "not told";
    };
    EXPECT_EQ(setting("network", "eth9 speed_mbps"), "25000");
    EXPECT_EQ(setting("device", "gpu0_pci_path"), "pci0000:10/0000:10:01.0/0000:10:00.0");
}

TEST(SampledNvml, givesWhatTheScriptSaysInItsUnits)
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
    const ScriptedRun scripted("0 * power=300\n0.2 0 xid=31\n0.3 0 xid=79 lost=1\n", "700");
    const Sampled sampled(*scripted.run);
    EXPECT_EQ(sampled.values("gpu0", "xid"), (Values{31, 79}));
    EXPECT_EQ(sampled.series("gpu0", "xid")->kind, "event");
    ASSERT_NE(sampled.issue("gpu_xid_31"), nullptr);
    EXPECT_EQ(sampled.issue("gpu_xid_31")->severity, "warning");
    ASSERT_NE(sampled.issue("gpu_xid_79"), nullptr);
    EXPECT_EQ(sampled.issue("gpu_xid_79")->severity, "problem");
    EXPECT_EQ(sampled.issue("gpu_xid_79")->count, 1);
    ASSERT_NE(sampled.issue("gpu_lost"), nullptr);
    EXPECT_EQ(sampled.issue("gpu_lost")->count, 1);
    EXPECT_TRUE(contains(sampled.reason("gpu0", "power_mw"), "GPU is lost"));
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

#endif

} // namespace
