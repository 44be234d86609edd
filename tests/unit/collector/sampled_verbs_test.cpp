// SPDX-License-Identifier: Apache-2.0
// RDMA ports that a real process samples through the CPU platform's libibverbs, which follows a script.
#include "sampled_run.h"
#include "support/port_tree.h"

#include <gtest/gtest.h>

#include <memory>

namespace {

using namespace ringside::test;
namespace trace = ringside::trace;

/// A run on a tree with the port mlx5_0:1, of which the emulated libibverbs says what the script says.
struct ScriptedPort {
    explicit ScriptedPort(const std::string& script, const std::string& ms = "2500",
                          const std::string& scenario = "waits")
    {
        tree.add("mlx5_0", "100 Gb/sec (4X EDR)", "Ethernet");
        const std::string file = tree.root() + "/script";
        PortTree::put(file, script);
        run = std::make_unique<RecordedRun>(
            std::vector<std::string>{"recorded_sampled", scenario, ms}, RecordedRun::Collector::Preloaded,
            RecordedRun::Environment{"RINGSIDE_SAMPLE_MS=10", "RINGSIDE_PROFILE=light",
                                     "LD_LIBRARY_PATH=" RINGSIDE_PLATFORM ":" RINGSIDE_PLATFORM "/verbs",
                                     "RINGSIDE_SYSFS_ROOT=" + tree.root(), "RINGSIDE_VERBS_SCRIPT=" + file});
    }
    PortTree tree;
    std::unique_ptr<RecordedRun> run;
};

/// The last that was told.
std::string factOf(const Sampled& sampled, const std::string& name)
{
    std::string fact = "no such fact";
    const std::string wanted = "mlx5_0:1 " + name;
    for (const trace::SettingRow& row : sampled.rows.settings) {
        fact = row.name == wanted ? row.value : fact;
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
    EXPECT_EQ(sampled.series("mlx5_0:1", "async_event")->kind.text(), "event");
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

} // namespace
