// SPDX-License-Identifier: Apache-2.0
// The parts of the probe over RDMA that need no device: the choice of the port, messages from strangers, and
// the report without a device. tests/lab/rdma_vm measures with it.
#include "probe/rdma_agent.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ringside::probe {
namespace {

namespace fs = std::filesystem;

class RdmaChoiceTest : public testing::Test {
protected:
    RdmaChoiceTest() { fs::remove_all(m_root); }
    ~RdmaChoiceTest() override { fs::remove_all(m_root); }

    void file(const std::string& path, const std::string& text) const
    {
        const fs::path whole = m_root / "class/infiniband" / path;
        fs::create_directories(whole.parent_path());
        std::ofstream(whole) << text << "\n";
    }
    void port(const std::string& path, const std::string& state,
              const std::string& layer = "InfiniBand") const
    {
        file(path + "/state", state);
        file(path + "/link_layer", layer);
    }
    [[nodiscard]] std::string taken(const RdmaSettings& settings = {}) const
    {
        const RdmaChoice choice = ncclWouldUse(m_root, settings);
        return choice.port ? choice.port->name() : choice.reason;
    }

    fs::path m_root = fs::path(testing::TempDir()) / "rdma_choice_test";
};

TEST_F(RdmaChoiceTest, IsTheFirstActivePortThatNcclMayUse)
{
    EXPECT_EQ(taken(), "no RDMA device");
    port("mlx5_0/ports/1", "1: DOWN");
    port("mlx5_1/ports/1", "4: ACTIVE");
    port("mlx5_1/ports/2", "4: ACTIVE");
    port("mlx5_10/ports/1", "4: ACTIVE");
    EXPECT_EQ(taken(), "mlx5_1:1");
    EXPECT_EQ(taken({"", "mlx5_1:2", ""}), "mlx5_1:2");
    EXPECT_EQ(taken({"", "=mlx5_10", ""}), "mlx5_10:1");
    EXPECT_EQ(taken({"", "^=mlx5_1", ""}), "mlx5_10:1");
    EXPECT_EQ(taken({"", "mlx5_0", ""}),
              "no RDMA port is active, or NCCL_IB_HCA matches none of the active ones");
    EXPECT_EQ(taken({"1", "", ""}), "NCCL_IB_DISABLE is set");
    EXPECT_EQ(taken({"0", "", ""}), "mlx5_1:1");
}

TEST_F(RdmaChoiceTest, TakesTheAddressThatRoceVersionTwoHasForIpv4)
{
    port("rxe0/ports/1", "4: ACTIVE", "Ethernet");
    const std::vector<std::pair<std::string, std::string>> gids{
        {"fe80:0000:0000:0000:0000:0000:0000:0001", "IB/RoCE v1"},
        {"fe80:0000:0000:0000:0000:0000:0000:0001", "RoCE v2"},
        {"0000:0000:0000:0000:0000:ffff:0a00:0001", "IB/RoCE v1"},
        {"0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2"}};
    for (std::size_t i = 0; i < gids.size(); ++i) {
        file("rxe0/ports/1/gids/" + std::to_string(i), gids[i].first);
        file("rxe0/ports/1/gid_attrs/types/" + std::to_string(i), gids[i].second);
    }
    const auto index = [this](const std::string& wanted) {
        return ncclWouldUse(m_root, {"", "", wanted}).port->gidIndex;
    };
    EXPECT_TRUE(ncclWouldUse(m_root, {}).port->ethernet);
    EXPECT_EQ(index(""), 3);
    EXPECT_EQ(index("1"), 1);
    EXPECT_EQ(index("-1"), 3);
    EXPECT_EQ(index("100000"), 3);
}

TEST(RdmaMessage, BringsAnAddressOver)
{
    const RdmaAddress address{
        0x1234,         0xffffff,  7, 5, {0xfe, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 255},
        0x7f9616571000, 0xffffffff};
    const RdmaAddress heard = addressOf(Message::parse(toMessage(address).dump()));
    EXPECT_EQ(heard.pair, address.pair);
    EXPECT_EQ(heard.sequence, address.sequence);
    EXPECT_EQ(heard.lid, address.lid);
    EXPECT_EQ(heard.mtu, address.mtu);
    EXPECT_EQ(heard.gid, address.gid);
    EXPECT_EQ(heard.memory, address.memory);
    EXPECT_EQ(heard.key, address.key);
}

TEST(RdmaMessage, OfAStrangerIsCutToWhatItMayBe)
{
    for (
        const char* const text :
        {R"({})", R"({"pair":-1,"mtu":"x","gid":7,"memory":[],"key":null})", R"({"gid":"zz"})",
         R"({"gid":"gggggggggggggggggggggggggggggggg","lid":1e300,"mtu":99,"pair":1e300,"sequence":1e300,"key":1e300,"memory":1e300})"}) {
        const RdmaAddress heard = addressOf(Message::parse(text));
        EXPECT_LE(heard.mtu, verbs::kLargestMtu);
        EXPECT_EQ(heard.gid, verbs::Gid{}) << text;
    }
    EXPECT_FALSE(rdmaResultOf(std::nullopt).measured.has_value());
    for (const char* const text : {R"({})", R"({"rdma":[]})", R"({"rdma":null,"reason":[1]})"}) {
        EXPECT_FALSE(rdmaResultOf(Message::parse(text)).measured.has_value()) << text;
    }
    const RdmaResult wild =
        rdmaResultOf(Message::parse(R"({"rdma":{"gbps":1e300,"write_us":-5,"bytes":"x","lost":null}})"));
    ASSERT_TRUE(wild.measured.has_value());
    EXPECT_LE(wild.measured->gbps, 1e12);
    EXPECT_EQ(wild.measured->writeUs, 0);
    EXPECT_FALSE(wild.measured->lost.has_value());
}

TEST(RdmaMessage, ReportsWhyNothingWasMeasured)
{
    const RdmaResult result = rdmaResultOf(toMessage(RdmaResult{std::nullopt, "the device is gone"}));
    EXPECT_FALSE(result.measured.has_value());
    EXPECT_EQ(result.reason, "the device is gone");
    const RdmaResult uncounted = rdmaResultOf(toMessage(RdmaResult{RdmaMeasurement{3, 5, 180, 64, {}}, ""}));
    EXPECT_EQ(uncounted.measured->bytes, 64U);
    EXPECT_FALSE(uncounted.measured->lost.has_value());
}

TEST(RdmaAgentTest, WithoutAConnectionRefusesAndGoesOn)
{
    RdmaAgent agent;
    EXPECT_FALSE(agent.execute({{"do", "serve"}}, {}).has_value());
    EXPECT_FALSE(agent.execute(Message::object(), {}).has_value());
    EXPECT_EQ(agent.execute({{"do", "rdma_join"}}, {})->at("joined"), false);
    EXPECT_TRUE(agent.execute({{"do", "rdma_write"}}, {})->at("rdma").is_null());
    EXPECT_EQ(agent.execute({{"do", "rdma_close"}}, {})->at("closed"), true);
}

TEST(RdmaConnectionTest, ToADeviceThatIsNotThereIsAnError)
{
    EXPECT_ANY_THROW(RdmaConnection({"no_such_device", 1, 0, false}));
}

} // namespace
} // namespace ringside::probe
