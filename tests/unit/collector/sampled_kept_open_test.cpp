// SPDX-License-Identifier: Apache-2.0
// Files of a port that the sampled tier keeps open, of which only some stay so.
#include "host/kept_text.h"
#include "sampled_port_reading.h"
#include "support/temporary_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace {

using namespace ringside::host;
using namespace ringside::test;

/// Descriptors of this process that stand for something in the tree.
std::vector<int> descriptorsIn(const PortTree& tree)
{
    std::vector<int> found;
    for (const std::string& name : namesIn("/proc/self/fd")) {
        std::error_code error;
        const std::string what = std::filesystem::read_symlink("/proc/self/fd/" + name, error).string();
        if (what.starts_with(tree.root())) {
            found.push_back(std::stoi(name));
        }
    }
    return found;
}

/// Two counters that are read every second and one that is not; what libibverbs would say of its link.
const LinkState kUp{4, 5, std::nullopt, std::nullopt, std::nullopt, {}, {}};
constexpr const char* kSent = "counters/port_xmit_packets";

void addCounted(const PortTree& tree, const std::string& sent = "100")
{
    tree.add("mlx5_0");
    tree.write("mlx5_0", kSent, sent);
    tree.write("mlx5_0", "hw_counters/packet_seq_err", "3");
    tree.write("mlx5_0", "counters/symbol_error", "1");
}

void replace(const PortTree& tree, const std::string& file, const std::string& text)
{
    PortTree::put(tree.root() + "/new", text);
    std::filesystem::rename(tree.root() + "/new", tree.port("mlx5_0") / file);
}

/// Each reading looks at one of the files that are open, and at least one was replaced.
void readUntilSeen(Port& port, const PortTree& tree)
{
    for (auto readings = descriptorsIn(tree).size(); readings > 0; --readings) {
        port.read(Depth::Fast);
    }
}

TEST(RdmaPortKeepsOpen, whatIsReadEverySecondAndTheRestWhereThereIsRoom)
{
    const PortTree tree;
    addCounted(tree);
    Port port = read(tree, "mlx5_0");
    const std::size_t seldom = KeptText::isRoomy() ? 1 : 0;
    EXPECT_EQ(descriptorsIn(tree).size(), 2U + seldom);
    port.read(Depth::Fast);
    EXPECT_EQ(descriptorsIn(tree).size(), 3U + seldom) << "and its state";
    tree.write("mlx5_0", kSent, "170");
    port.read(Depth::Fast, &kUp);
    EXPECT_EQ(valueOf(port, "tx_packets"), 170U);
    EXPECT_EQ(descriptorsIn(tree).size(), 2U + seldom) << "the link is told by others now";
    const HardwareCounters told{{"packet_seq_err", 9}};
    port.read(Depth::All, &kUp, &told);
    EXPECT_EQ(valueOf(port, "retransmissions"), 9U);
    EXPECT_EQ(descriptorsIn(tree).size(), 1U + seldom) << "and so is one of the counters";
}

TEST(RdmaPortKeepsOpen, noFileOfADeviceThatDisappears)
{
    const PortTree tree;
    addCounted(tree);
    Port port = read(tree, "mlx5_0");
    std::filesystem::remove_all(tree.device("mlx5_0"));
    port.read(Depth::Fast, &kUp);
    EXPECT_EQ(valueOf(port, "tx_packets"), std::nullopt) << "what is deleted still can be read";
    EXPECT_FALSE(port.leftAlone());
    port.read(Depth::Fast);
    EXPECT_EQ(port.trouble(), "it is gone");
    EXPECT_TRUE(descriptorsIn(tree).empty());
    addCounted(tree, "30");
    port.read(Depth::Fast);
    EXPECT_EQ(valueOf(port, "tx_packets"), 130U) << "it came again and counts from 0";
}

TEST(RdmaPortKeepsOpen, soonTheFileThatTookAnothersPlace)
{
    const PortTree tree;
    addCounted(tree);
    Port port = read(tree, "mlx5_0");
    replace(tree, kSent, "180");
    readUntilSeen(port, tree);
    EXPECT_EQ(valueOf(port, "tx_packets"), 180U);
    EXPECT_EQ(port.resets(), 0U);
}

// A folder in a file's place cannot be read, but is there.
void makeUnreadable(const PortTree& tree, const std::string& file)
{
    std::filesystem::remove(tree.port("mlx5_0") / file);
    std::filesystem::create_directories(tree.port("mlx5_0") / file);
}

TEST(RdmaPortKeepsOpen, theOtherCountersOfADeviceThatRefusesOne)
{
    const PortTree tree;
    addCounted(tree);
    Port port = read(tree, "mlx5_0");
    makeUnreadable(tree, kSent);
    readUntilSeen(port, tree);
    port.read(Depth::All);
    EXPECT_FALSE(port.leftAlone());
    EXPECT_EQ(valueOf(port, "tx_packets"), std::nullopt);
    EXPECT_EQ(valueOf(port, "retransmissions"), 3U);
}

TEST(RdmaPortKeepsOpen, nothingOfADeviceThatRefusesThreeReadings)
{
    const PortTree tree;
    addCounted(tree);
    Port port = read(tree, "mlx5_0");
    for (const char* const file : {kSent, "hw_counters/packet_seq_err", "counters/symbol_error"}) {
        makeUnreadable(tree, file);
    }
    readUntilSeen(port, tree);
    port.read(Depth::All);
    EXPECT_TRUE(port.leftAlone());
    EXPECT_TRUE(descriptorsIn(tree).empty());
}

TEST(RdmaPortKeepsOpen, whateverTheFileContainsNext)
{
    const PortTree tree;
    addCounted(tree);
    Port port = read(tree, "mlx5_0");
    for (const std::string& text :
         {std::string(), std::string("-1"), std::string("7 8"), std::string(100'000, '9'),
          std::string("\0\xff\x80", 3), std::string("99999999999999999999999")}) {
        tree.write("mlx5_0", kSent, text);
        port.read(Depth::Fast);
        EXPECT_EQ(valueOf(port, "tx_packets"), std::nullopt) << text.substr(0, 10);
        EXPECT_TRUE(port.trouble().empty()) << port.trouble();
        tree.write("mlx5_0", kSent, "100");
        port.read(Depth::Fast);
        EXPECT_EQ(valueOf(port, "tx_packets"), 100U) << "after " << text.substr(0, 10);
    }
}

TEST(RdmaPortKeepsOpen, butDoesNotWaitForAPipe)
{
    const PortTree tree;
    addCounted(tree);
    Port port = read(tree, "mlx5_0");
    std::filesystem::remove(tree.port("mlx5_0") / kSent);
    ASSERT_EQ(mkfifo((tree.port("mlx5_0") / kSent).c_str(), 0600), 0);
    readUntilSeen(port, tree);
    EXPECT_EQ(valueOf(port, "tx_packets"), std::nullopt);
    port.read(Depth::Fast);
    EXPECT_EQ(valueOf(port, "tx_packets"), std::nullopt);
}

TEST(KeptText, takesASmallPartOfTheDescriptorsThatThereMayBe)
{
    const PortTree tree;
    tree.add("mlx5_0");
    const std::string path = tree.port("mlx5_0") / "state";
    std::vector<KeptText> texts(5000);
    for (KeptText& each : texts) {
        ASSERT_EQ(each.read(path).text, "4: ACTIVE");
    }
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const auto kept = descriptorsIn(tree).size();
    EXPECT_GT(kept, 0U);
    EXPECT_LE(kept, limit.rlim_cur / 8);
    texts.clear();
    KeptText again;
    static_cast<void>(again.read(path));
    EXPECT_TRUE(again.isOpen()) << "there is room again";
}

} // namespace
