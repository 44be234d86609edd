// SPDX-License-Identifier: Apache-2.0
// The sampled tier in real processes, on fakes and on what every machine has.
#include "sampled_run.h"
#include "support/port_tree.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace {

using namespace ringside::test;
namespace trace = ringside::trace;

TEST(SampledTier, theProgramNoticesNothing)
{
    std::vector<std::string> light = kFast;
    light.emplace_back("RINGSIDE_PROFILE=light"); // the fake CUPTI tells that it was used
    for (const std::string scenario : {"waits", "forks"}) {
        const RecordedRun without({"recorded_sampled", scenario, "50"}, RecordedRun::Collector::Absent,
                                  kFast);
        const RecordedRun with({"recorded_sampled", scenario, "50"}, RecordedRun::Collector::Preloaded,
                               light);
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

TEST(SampledTier, reportsTheIntervalsThatItAccepts)
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
            if (row.id == sampled.rows.samples.series[i] && row.source.text() == source) {
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
    const PortTree tree;
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
    const PortTree tree;
    RecordedRun::Environment environment = kFast;
    environment.push_back("RINGSIDE_SYSFS_ROOT=" + tree.root());
    const RecordedRun run({"recorded_sampled", "waits", "50"}, RecordedRun::Collector::Preloaded,
                          environment);
    EXPECT_TRUE(contains(Sampled(run).tier().reason, "rdma: this machine has no RDMA device"))
        << Sampled(run).tier().reason;
}

} // namespace
