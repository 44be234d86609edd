// SPDX-License-Identifier: Apache-2.0
// The parts of the probe over RDMA that need no device: the choice of the port, messages from strangers, and
// the report without a device. tests/lab/rdma_vm measures with it.
#include "probe/rdma_agent.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ringside::probe {
namespace {

namespace fs = std::filesystem;

class RdmaChoiceTest : public testing::Test {
protected:
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
        std::string names;
        for (const RdmaPort& port : choice.ports) {
            names += (names.empty() ? "" : " ") + port.name();
        }
        return names.empty() ? choice.reason : names;
    }

    const test::TemporaryDirectory m_folder;
    const fs::path m_root = m_folder.path();
};

TEST_F(RdmaChoiceTest, IsEveryActivePortThatNcclMayUse)
{
    EXPECT_EQ(taken(), "no RDMA device");
    port("mlx5_0/ports/1", "1: DOWN");
    port("mlx5_1/ports/1", "4: ACTIVE");
    port("mlx5_1/ports/2", "4: ACTIVE");
    port("mlx5_10/ports/1", "4: ACTIVE");
    EXPECT_EQ(taken(), "mlx5_1:1 mlx5_1:2 mlx5_10:1");
    EXPECT_EQ(taken({"", "mlx5_1:2"}), "mlx5_1:2");
    EXPECT_EQ(taken({"", "mlx5_1"}), "mlx5_1:1 mlx5_1:2 mlx5_10:1") << "a prefix";
    EXPECT_EQ(taken({"", "=mlx5_10,mlx5_1:1"}), "mlx5_1:1 mlx5_10:1");
    EXPECT_EQ(taken({"", "^=mlx5_1"}), "mlx5_10:1");
    EXPECT_EQ(taken({"", "mlx5_0"}),
              "no RDMA port is active, or NCCL_IB_HCA matches none of the active ones");
    EXPECT_EQ(taken({"1"}), "NCCL_IB_DISABLE is set");
    EXPECT_EQ(taken({"0", "mlx5_10"}), "mlx5_10:1");
}

TEST_F(RdmaChoiceTest, IsBounded)
{
    for (int i = 0; i < 40; ++i) {
        port("mlx5_" + std::to_string(i) + "/ports/1", "4: ACTIVE");
    }
    EXPECT_EQ(ncclWouldUse(m_root, {}).ports.size(), kMostRails);
}

TEST_F(RdmaChoiceTest, TakesServiceLevelAndTrafficClassInRange)
{
    port("mlx5_0/ports/1", "4: ACTIVE");
    const RdmaPort set = ncclWouldUse(m_root, {"", "", "", "3", "106"}).ports.front();
    EXPECT_EQ(set.serviceLevel, 3);
    EXPECT_EQ(set.trafficClass, 106);
    const RdmaPort wrong = ncclWouldUse(m_root, {"", "", "", "16", "-1"}).ports.front();
    EXPECT_EQ(wrong.serviceLevel, 0);
    EXPECT_EQ(wrong.trafficClass, 0);
}

TEST(RdmaRails, OfOneNameBelongTogetherAndTheOthersInTheirOrder)
{
    const auto pairs = [](const std::vector<std::string>& one, const std::vector<std::string>& other) {
        RdmaEnd sender;
        RdmaEnd receiver;
        for (const std::string& name : one) {
            sender.rails.push_back({name});
        }
        for (const std::string& name : other) {
            receiver.rails.push_back({name});
        }
        std::string text;
        for (const RailPair& each : pairRails(sender, receiver)) {
            text += one[each.sender] + other[each.receiver] + " ";
        }
        return text;
    };
    EXPECT_EQ(pairs({"a", "b", "c"}, {"a", "b", "c"}), "aa bb cc ");
    EXPECT_EQ(pairs({"a", "b", "c"}, {"a", "c"}), "aa cc ") << "b is down there";
    EXPECT_EQ(pairs({"a", "b"}, {"x", "y", "z"}), "ax by ");
    EXPECT_EQ(pairs({"a", "b"}, {"b", "x"}), "ax bb ");
    EXPECT_EQ(pairs({"a", "a"}, {"a", "a"}), "aa aa ") << "a stranger's list";
    EXPECT_EQ(pairs({}, {"a"}), "");
}

TEST(RdmaRails, OfADirectionAreTheSlowestAndTheMiddleOne)
{
    RdmaDirection direction;
    EXPECT_EQ(direction.slowest(), nullptr);
    EXPECT_EQ(direction.middle(), nullptr);
    for (const double gbps : {390.0, 90.0, 380.0}) {
        direction.rails.push_back({{}, {RdmaMeasurement{3, 5, gbps, 64, {}}, ""}});
    }
    direction.rails.push_back({{}, {std::nullopt, "the other adapter did not answer"}});
    EXPECT_EQ(direction.slowest()->result.measured->gbps, 90);
    EXPECT_EQ(direction.middle()->result.measured->gbps, 380);
}

TEST(RdmaRails, AreReadFromEarlierVersionsAndStrangers)
{
    const RdmaEnd earlier = rdmaEndOf({{"port", "mlx5_0:1"}, {"reason", ""}, {"mbps", 400'000}});
    ASSERT_EQ(earlier.rails.size(), 1U);
    EXPECT_EQ(earlier.rails[0].port, "mlx5_0:1");
    EXPECT_EQ(earlier.rails[0].mbps, 400'000);
    EXPECT_TRUE(rdmaEndOf({{"port", ""}, {"reason", "no RDMA device"}}).rails.empty());
    Message many{{"rails", Message::array()}};
    for (int i = 0; i < 100; ++i) {
        many["rails"].push_back({{"port", "p" + std::to_string(i)}, {"mbps", -1}});
    }
    EXPECT_EQ(rdmaEndOf(many).rails.size(), kMostRails);
    for (const char* const text : {R"({"rails":7})", R"({"rails":[1,{},[],{"port":9}]})", R"({})"}) {
        EXPECT_TRUE(rdmaEndOf(Message::parse(text)).rails.empty()) << text;
    }
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
        return ncclWouldUse(m_root, {"", "", wanted}).ports.front().gidIndex;
    };
    EXPECT_TRUE(ncclWouldUse(m_root, {}).ports.front().ethernet);
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
    EXPECT_TRUE(agent.execute({{"do", "rdma_open"}, {"port", "no_such:1"}}, {})->at("pair").is_null());
    EXPECT_EQ(agent.execute({{"do", "rdma_close"}}, {})->at("closed"), true);
}

TEST(RdmaConnectionTest, ToADeviceThatIsNotThereIsAnError)
{
    EXPECT_ANY_THROW(RdmaConnection({"no_such_device", 1, 0, false}));
}

} // namespace
} // namespace ringside::probe
