// SPDX-License-Identifier: Apache-2.0
// The profiler plugin loader and its events, with plugins that are real shared objects. Each test is a
// process of its own, for the plugin is the process's.
#include "profiler/launch_events.h"
#include "profiler_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ringside::nccl::profiler {
namespace {

using test::ProfilerCall;
using test::ProfilerLog;

constexpr std::uint32_t kEverything = 0xfff;

/// A plugin by path, what it is to ask for, and where logs go.
class Profiler : public testing::Test {
protected:
    void SetUp() override
    {
        m_directory = testing::TempDir() + "ringside-profiler-" + std::to_string(::getpid());
        ::setenv("RINGSIDE_TEST_PROFILER_LOG", (m_directory + ".calls").c_str(), 1);
        ::setenv("NCCL_DEBUG", "INFO", 1);
        ::setenv("NCCL_DEBUG_SUBSYS", "INIT,ENV", 1);
        ::setenv("NCCL_DEBUG_FILE", (m_directory + ".log").c_str(), 1);
        resetDebugLog();
    }
    void TearDown() override
    {
        ::unlink((m_directory + ".calls").c_str());
        ::unlink((m_directory + ".log").c_str());
    }
    static void use(const char* plugin, std::uint32_t mask)
    {
        ::setenv("NCCL_PROFILER_PLUGIN", plugin, 1);
        ::setenv("RINGSIDE_TEST_PROFILER_MASK", std::to_string(mask).c_str(), 1);
    }
    [[nodiscard]] ProfilerLog calls() const { return ProfilerLog(m_directory + ".calls"); }
    [[nodiscard]] std::string log() const
    {
        std::ostringstream text;
        text << std::ifstream(m_directory + ".log").rdbuf();
        return text.str();
    }

private:
    std::string m_directory;
};

constexpr Member kMember{.hash = 0xabcdef, .name = "world", .nodes = 2, .ranks = 4, .rank = 3};

Call allReduce()
{
    Call call;
    call.function = "AllReduce";
    call.number = 4;
    call.count = 7;
    return call;
}

/// What the core does for one call outside of groups.
void launchAlone(const std::shared_ptr<CommunicatorProfile>& profile, const Call& call)
{
    const Ticket ticket = enterCall(*profile, call, 1);
    const GroupEnd end;
    const auto events =
        LaunchEvents::begin(profile, {{.call = call, .ticket = ticket}}, call.stream, Launching::Directly);
    if (events != nullptr) {
        events->launching();
        events->launched(true);
        events->kernelBegins();
        events->kernelEnds();
    }
}

TEST(ProfilerNames, followNcclsRules)
{
    using Names = std::vector<std::optional<std::string>>;
    EXPECT_EQ(candidates(nullptr), (Names{"libnccl-profiler.so"}));
    EXPECT_EQ(candidates(""), (Names{"libnccl-profiler.so"}));
    EXPECT_EQ(candidates("none"), Names{});
    EXPECT_EQ(candidates("NONE"), Names{});
    EXPECT_EQ(candidates("example"), (Names{"example", "libnccl-profiler-example.so"}));
    EXPECT_EQ(candidates("/opt/my profiler"), (Names{"/opt/my profiler"}));
    EXPECT_EQ(candidates("libmine.so"), (Names{"libmine.so"}));
    EXPECT_EQ(candidates("mine.so"), (Names{"mine.so", "libnccl-profiler-mine.so.so"}));
    EXPECT_EQ(candidates("STATIC_PLUGIN").front(), std::nullopt);
    EXPECT_EQ(candidates("static").front(), std::nullopt);
    EXPECT_EQ(candidates(("/" + std::string(300, 'x')).c_str()).front()->size(), 254U);
}

TEST_F(Profiler, getsTheIdentityOfTheCommunicator)
{
    use(RINGSIDE_TEST_PROFILER, kEverything);
    const auto profile = CommunicatorProfile::open(kMember);
    ASSERT_NE(profile, nullptr);
    profile->close();
    profile->close();
    ASSERT_EQ(calls().calls().size(), 2U);
    const ProfilerCall init = calls().calls().front();
    EXPECT_EQ(init.what, "init");
    EXPECT_EQ(init.number("id"), 0xabcdefU);
    EXPECT_EQ(init.text("name"), "world");
    EXPECT_EQ(init.text("nodes") + init.text("ranks") + init.text("rank"), "243");
    EXPECT_EQ(calls().calls().back().what, "finalize");
    EXPECT_EQ(calls().calls().back().text("context"), init.text("context"));
}

TEST_F(Profiler, isLoggedAsNcclLogsIt)
{
    use(RINGSIDE_TEST_PROFILER, kEverything);
    CommunicatorProfile::open(kMember).reset();
    EXPECT_NE(log().find("NCCL INFO NCCL_PROFILER_PLUGIN set by environment to " RINGSIDE_TEST_PROFILER),
              std::string::npos);
    EXPECT_NE(log().find("NCCL INFO PROFILER/Plugin: Loaded recorder (v5)"), std::string::npos);
    EXPECT_NE(log().find("NCCL INFO Successfully loaded external profiler plugin " RINGSIDE_TEST_PROFILER),
              std::string::npos);
    EXPECT_NE(log().find("NCCL INFO recorder of rank 3"), std::string::npos);
    EXPECT_NE(log().find("NCCL INFO PROFILER/Plugin: Closing profiler plugin recorder"), std::string::npos);
}

TEST_F(Profiler, isLoadedAgainForTheNextCommunicator)
{
    use(RINGSIDE_TEST_PROFILER, kEverything);
    CommunicatorProfile::open(kMember).reset();
    CommunicatorProfile::open(kMember).reset();
    EXPECT_EQ(calls().all("init").size(), 2U);
    EXPECT_EQ(calls().all("finalize").size(), 2U);
}

TEST_F(Profiler, isMissingForGoodOnceItCouldNotBeLoaded)
{
    use("ringside-has-no-such-plugin", kEverything);
    EXPECT_EQ(CommunicatorProfile::open(kMember), nullptr);
    EXPECT_NE(log().find("NCCL INFO PROFILER/Plugin: Could not find: ringside-has-no-such-plugin "
                         "libnccl-profiler-ringside-has-no-such-plugin.so"),
              std::string::npos);
    use(RINGSIDE_TEST_PROFILER, kEverything);
    EXPECT_EQ(CommunicatorProfile::open(kMember), nullptr);
}

TEST_F(Profiler, isNotLookedForWithNone)
{
    use("none", kEverything);
    EXPECT_EQ(CommunicatorProfile::open(kMember), nullptr);
    EXPECT_EQ(log().find("Could not find"), std::string::npos);
}

TEST_F(Profiler, isUnsupportedWithoutAKnownSymbol)
{
    use("libc.so.6", kEverything);
    EXPECT_EQ(CommunicatorProfile::open(kMember), nullptr);
    EXPECT_NE(log().find("is unsupported"), std::string::npos);
}

TEST_F(Profiler, isDroppedWithOneLineWhenItsInitFails)
{
    use(RINGSIDE_TEST_PROFILER, kEverything);
    ::setenv("RINGSIDE_TEST_PROFILER_RESULT", "3", 1);
    EXPECT_EQ(CommunicatorProfile::open(kMember), nullptr);
    EXPECT_NE(log().find("Profiler init failed with error '3'"), std::string::npos);
    EXPECT_EQ(calls().calls().size(), 1U);
}

TEST_F(Profiler, seesTheTreeOfOneCollective)
{
    use(RINGSIDE_TEST_PROFILER, kEverything);
    const auto profile = CommunicatorProfile::open(kMember);
    Call call = allReduce();
    call.source = reinterpret_cast<void*>(16);
    call.target = reinterpret_cast<void*>(32);
    call.stream = reinterpret_cast<cudaStream_t>(64);
    launchAlone(profile, call);
    const ProfilerLog log = calls();

    const ProfilerCall groupApi = log.theStart(kGroupApi);
    EXPECT_EQ(groupApi.text("depth") + groupApi.text("captured") + groupApi.text("parent"), "100");
    const ProfilerCall collApi = log.theStart(kCollApi);
    EXPECT_EQ(collApi.text("parent"), groupApi.text("handle"));
    EXPECT_EQ(collApi.text("func") + collApi.text("datatype"), "AllReducencclFloat32");
    EXPECT_EQ(collApi.number("count"), 7U);
    EXPECT_EQ(collApi.number("stream"), 64U);
    const ProfilerCall launch = log.theStart(kKernelLaunch);
    EXPECT_EQ(launch.text("parent"), groupApi.text("handle"));
    const ProfilerCall group = log.theStart(kGroup);
    EXPECT_EQ(group.number("parent"), 0U);
    const ProfilerCall coll = log.theStart(kColl);
    EXPECT_EQ(coll.text("parent"), collApi.text("handle"));
    EXPECT_EQ(coll.text("group"), group.text("handle"));
    EXPECT_EQ(coll.text("rank") + coll.text("seq") + coll.text("root"), "300");
    EXPECT_EQ(coll.text("send") + coll.text("recv"), "1632");
    EXPECT_EQ(coll.text("algo") + coll.text("proto") + coll.text("channels"), "RINGSIMPLE1");
    const ProfilerCall kernel = log.theStart(kKernelCh);
    EXPECT_EQ(kernel.text("parent"), coll.text("handle"));
}

TEST_F(Profiler, seesTheEventsInNcclsOrder)
{
    use(RINGSIDE_TEST_PROFILER, kEverything);
    launchAlone(CommunicatorProfile::open(kMember), allReduce());
    const ProfilerLog log = calls();
    std::string order;
    std::map<std::uint64_t, std::string> types;
    for (const ProfilerCall& call : log.calls()) {
        if (call.what == "start")
            types[call.number("handle")] = call.text("type");
        if (call.what == "start" || call.what == "stop")
            order += (call.what == "start" ? " +" : " -") + types[call.number("handle")];
        if (call.what == "state")
            order += " s" + call.text("state");
    }
    EXPECT_EQ(order, " +256 s23 +512 -512 s24 +2048 -2048 +1 +2 -2 -1 +64 s22 -64 -256");
}

TEST_F(Profiler, getsTheKernelsTimesFromTheDevicesClock)
{
    use(RINGSIDE_TEST_PROFILER, kKernelCh);
    launchAlone(CommunicatorProfile::open(kMember), allReduce());
    const ProfilerLog log = calls();
    const ProfilerCall kernel = log.theStart(kKernelCh);
    const ProfilerCall stop = log.calls()[log.position("state", kernel.number("handle"))];
    EXPECT_EQ(stop.text("state"), "22");
    EXPECT_GT(kernel.number("timer"), 1'500'000'000'000'000'000U);
    EXPECT_GE(stop.number("value"), kernel.number("timer"));
}

TEST_F(Profiler, seesOneGroupForItsCallsAndCountsCollectives)
{
    use(RINGSIDE_TEST_PROFILER, kEverything);
    const auto profile = CommunicatorProfile::open(kMember);
    Call send;
    send.function = "Send";
    send.pointToPoint = true;
    send.target = reinterpret_cast<void*>(48);
    send.peer = 2;
    for (int round = 0; round < 2; ++round) {
        const Ticket first = enterCall(*profile, allReduce(), 2);
        const Ticket second = enterCall(*profile, send, 2);
        const auto events = LaunchEvents::begin(
            profile, {{.call = allReduce(), .ticket = first}, {.call = send, .ticket = second}}, nullptr,
            Launching::Directly);
        const GroupEnd end;
        events->launching();
        events->launched(true);
    }
    const ProfilerLog log = calls();
    ASSERT_EQ(log.started(kGroupApi).size(), 2U);
    EXPECT_EQ(log.started(kGroupApi)[0].text("depth"), "2");
    EXPECT_EQ(log.started(kP2pApi)[1].text("parent"), log.started(kGroupApi)[1].text("handle"));
    EXPECT_EQ(log.started(kColl)[0].text("seq") + log.started(kColl)[1].text("seq"), "01");
    const ProfilerCall p2p = log.started(kP2p)[1];
    EXPECT_EQ(p2p.text("parent"), log.started(kP2pApi)[1].text("handle"));
    EXPECT_EQ(p2p.text("group"), log.started(kGroup)[1].text("handle"));
    EXPECT_EQ(p2p.text("func") + p2p.text("buff") + p2p.text("peer"), "Send482");
}

TEST_F(Profiler, getsGatheredDataInBytes)
{
    use(RINGSIDE_TEST_PROFILER, kColl | kCollApi);
    Call gather = allReduce();
    gather.function = "AllGather";
    gather.number = 2;
    gather.type = ncclFloat64;
    gather.element = 8;
    launchAlone(CommunicatorProfile::open(kMember), gather);
    EXPECT_EQ(calls().theStart(kCollApi).text("count") + calls().theStart(kCollApi).text("datatype"),
              "7ncclFloat64");
    EXPECT_EQ(calls().theStart(kColl).text("count") + calls().theStart(kColl).text("datatype"), "56ncclInt8");
}

TEST_F(Profiler, getsTheParentsOfRequestedEvents)
{
    use(RINGSIDE_TEST_PROFILER, kColl);
    launchAlone(CommunicatorProfile::open(kMember), allReduce());
    EXPECT_EQ(calls().started(kGroupApi).size(), 1U);
    EXPECT_EQ(calls().started(kCollApi).size(), 1U);
    EXPECT_EQ(calls().started(kGroup).size(), 1U);
    EXPECT_EQ(calls().started(kKernelLaunch).size(), 0U);
    EXPECT_EQ(calls().started(kKernelCh).size(), 0U);
}

TEST_F(Profiler, getsNothingWithAnEmptyMask)
{
    use(RINGSIDE_TEST_PROFILER, 0);
    launchAlone(CommunicatorProfile::open(kMember), allReduce());
    EXPECT_EQ(calls().calls().size(), 2U);
}

TEST_F(Profiler, ofVersionFourGetsGroupsAsParents)
{
    use(RINGSIDE_TEST_PROFILER_V4_PATH, kEverything);
    launchAlone(CommunicatorProfile::open(kMember), allReduce());
    const ProfilerLog log = calls();
    EXPECT_EQ(log.calls().front().number("id"), 0xabcdefU);
    EXPECT_TRUE(log.started(kGroupApi).empty() && log.started(kCollApi).empty());
    EXPECT_EQ(log.theStart(kColl).text("parent"), log.theStart(kGroup).text("handle"));
    EXPECT_EQ(log.theStart(kColl).text("func"), "AllReduce");
    EXPECT_EQ(log.theStart(kKernelCh).text("parent"), log.theStart(kColl).text("handle"));
}

TEST_F(Profiler, getsAGraphsTasksAtItsLaunches)
{
    use(RINGSIDE_TEST_PROFILER, kEverything & ~kKernelCh);
    const auto profile = CommunicatorProfile::open(kMember);
    const std::vector<Task> tasks = {{.call = allReduce(), .ticket = enterCall(*profile, allReduce(), 1)}};
    {
        const GroupEnd end;
        const auto captured = LaunchEvents::begin(profile, tasks, nullptr, Launching::IntoGraph);
        captured->launching();
        captured->launched(true);
    }
    EXPECT_EQ(calls().started(kKernelLaunch).size(), 1U);
    EXPECT_EQ(calls().started(kColl).size(), 0U);
    for (int launch = 0; launch < 2; ++launch)
        LaunchEvents::begin(profile, tasks, nullptr, Launching::ByGraph)->launched(true);
    EXPECT_EQ(calls().started(kKernelLaunch).size(), 1U);
    ASSERT_EQ(calls().started(kColl).size(), 2U);
    EXPECT_EQ(calls().started(kColl)[1].text("seq"), "0");
}

TEST_F(Profiler, getsNoTasksThatWereNotLaunched)
{
    use(RINGSIDE_TEST_PROFILER, kEverything);
    const auto profile = CommunicatorProfile::open(kMember);
    const Ticket ticket = enterCall(*profile, allReduce(), 1);
    {
        const GroupEnd end;
        const auto events = LaunchEvents::begin(profile, {{.call = allReduce(), .ticket = ticket}}, nullptr,
                                                Launching::Directly);
        events->launching();
        events->launched(false);
    }
    EXPECT_EQ(calls().started(kKernelLaunch).size(), 1U);
    EXPECT_EQ(calls().started(kColl).size(), 0U);
    EXPECT_EQ(calls().all("start").size(), calls().all("stop").size());
}

} // namespace
} // namespace ringside::nccl::profiler
