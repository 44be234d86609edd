// SPDX-License-Identifier: Apache-2.0
// The emulated libibverbs: ports of a script become attributes and events, in the forms of old and new
// versions of the library.
#include "script.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;
using ringside::verbs::Script;

/// As rdma-core 49 has it.
struct NewAttributes {
    ibv_port_attr old;
    std::uint32_t speedEx;
};

class EmulatedVerbs : public testing::Test {
protected:
    static void SetUpTestSuite()
    {
        s_file = fs::temp_directory_path() / ("ringside-verbs-script-" + std::to_string(getpid()));
        std::ofstream(s_file) << "0 mlx5_0:1 speed=XDR mtu=2048 lid=7\n"
                                 "0 mlx5_1:2 layer=ethernet gid.3=v2/::ffff:10.0.0.1\n"
                                 "0 mlx5_2 fails=1\n"
                                 "1 mlx5_0:1 state=down\n"
                                 "1 mlx5_0:1 state=active event=sm_change\n";
        setenv("RINGSIDE_VERBS_SCRIPT", s_file.c_str(), 1);
    }
    static void TearDownTestSuite() { fs::remove(s_file); }
    EmulatedVerbs() { m_list = ibv_get_device_list(&m_count); }
    ~EmulatedVerbs() override { ibv_free_device_list(m_list); }
    EmulatedVerbs(const EmulatedVerbs&) = delete;
    EmulatedVerbs& operator=(const EmulatedVerbs&) = delete;

    static fs::path s_file;
    ibv_device** m_list = nullptr;
    int m_count = 0;
};
fs::path EmulatedVerbs::s_file;

// First, for the script's time begins with it.
TEST_F(EmulatedVerbs, eventsFollowTheScript)
{
    ASSERT_EQ(m_count, 3);
    ibv_context* context = ibv_open_device(m_list[0]);
    ASSERT_NE(context, nullptr);
    ASSERT_EQ(fcntl(context->async_fd, F_SETFL, O_NONBLOCK), 0);
    for (const ibv_event_type expected : {IBV_EVENT_PORT_ERR, IBV_EVENT_PORT_ACTIVE, IBV_EVENT_SM_CHANGE}) {
        pollfd waiting{context->async_fd, POLLIN, 0};
        ASSERT_EQ(poll(&waiting, 1, 30'000), 1);
        ibv_async_event event{};
        ASSERT_EQ(ibv_get_async_event(context, &event), 0);
        EXPECT_EQ(event.event_type, expected);
        EXPECT_EQ(event.element.port_num, 1);
        ibv_ack_async_event(&event);
    }
    ibv_async_event none{};
    EXPECT_EQ(ibv_get_async_event(context, &none), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(ibv_close_device(context), 0);
    EXPECT_EQ(ibv_close_device(context), EINVAL);
}

TEST_F(EmulatedVerbs, portsFollowTheScriptInOldAndNewForm)
{
    EXPECT_STREQ(ibv_get_device_name(m_list[0]), "mlx5_0");
    ibv_context* context = ibv_open_device(m_list[0]);
    ASSERT_NE(context, nullptr);
    ibv_port_attr attributes{};
    std::memset(&attributes, 0xff, sizeof attributes);
    const auto* whole = reinterpret_cast<const verbs_context*>(reinterpret_cast<const char*>(context) -
                                                               offsetof(verbs_context, context));
    ASSERT_EQ(context->abi_compat, __VERBS_ABI_IS_EXTENDED);
    ASSERT_EQ(whole->query_port(context, 1, &attributes, sizeof attributes), 0);
    EXPECT_EQ(attributes.active_mtu, IBV_MTU_2048);
    EXPECT_EQ(attributes.max_mtu, IBV_MTU_4096);
    EXPECT_EQ(attributes.lid, 7);
    EXPECT_EQ(attributes.active_speed, 128) << "the fastest that has a place there";
    NewAttributes newer{};
    ASSERT_EQ(whole->query_port(context, 1, &newer.old, sizeof newer), 0);
    EXPECT_EQ(newer.speedEx, 256U);
    EXPECT_EQ(whole->query_port(context, 2, &attributes, sizeof attributes), EINVAL);
    ibv_close_device(context);
}

TEST_F(EmulatedVerbs, addressesHaveTheirPlacesAndTypes)
{
    ibv_context* context = ibv_open_device(m_list[1]);
    ASSERT_NE(context, nullptr);
    ibv_gid_entry entries[4] = {};
    ASSERT_EQ(_ibv_query_gid_table(context, entries, 4, 0, sizeof entries[0]), 1);
    EXPECT_EQ(entries[0].gid_index, 3U);
    EXPECT_EQ(entries[0].port_num, 2U);
    EXPECT_EQ(entries[0].gid_type, static_cast<std::uint32_t>(IBV_GID_TYPE_ROCE_V2));
    EXPECT_EQ(entries[0].gid.raw[15], 1);
    EXPECT_EQ(_ibv_query_gid_table(context, entries, 0, 0, sizeof entries[0]), -EINVAL);
    ibv_close_device(context);
}

TEST_F(EmulatedVerbs, aDeviceThatFailsDoesNotOpen)
{
    errno = 0;
    EXPECT_EQ(ibv_open_device(m_list[2]), nullptr);
    EXPECT_EQ(errno, EIO);
}

TEST(VerbsScript, namesWhatIsWrongAndWhere)
{
    for (const char* text : {"x mlx5_0:1", "0", "0 mlx5_0:9", "0 mlx5_0:0", "0 :1", "0 mlx5_0:1 state=up",
                             "0 mlx5_0:1 colour=red", "0 mlx5_0:1 gid.0=v2", "0 mlx5_0:1 gid.x=v2/::1",
                             "0 mlx5_0:1 gid.0=v2/nonsense", "0 mlx5_0:1 event=flood", "0 mlx5_0:1 lid=-1",
                             "0 mlx5_0:1 mtu=1500"}) {
        const Script script(std::string("# first\n") + text, "file");
        EXPECT_TRUE(script.error().starts_with("file:2: ")) << text << ": " << script.error();
    }
    EXPECT_TRUE(Script("1 a\n0 a", "file").error().starts_with("file:2: "));
    EXPECT_TRUE(Script("0 a:1 state=down # it is\n\n3 a:1 state=active", "file").error().empty());
}

} // namespace
