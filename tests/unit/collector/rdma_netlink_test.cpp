// SPDX-License-Identifier: Apache-2.0
// RDMA netlink: messages of the test's own making, whole and damaged, whose queue pairs are whose, and what
// the kernel of this machine answers or refuses.
#include "host/netlink/rdma_messages.h"
#include "host/netlink/rdma_netlink.h"
#include "sampled/queue_pairs.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

namespace {

using namespace ringside::collector::sampled;
using namespace ringside::host;
using netlink::Bytes;

/// Builds attributes, and messages of them.
class Message final {
public:
    Message& add(std::uint16_t type, std::string_view value)
    {
        const nlattr header{static_cast<std::uint16_t>(sizeof(nlattr) + value.size()), type};
        m_bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
        m_bytes.append(value);
        m_bytes.resize((m_bytes.size() + 3) / 4 * 4);
        return *this;
    }
    template <class Number>
    Message& add(std::uint16_t type, Number number) requires std::is_integral_v<Number>
    {
        return add(type, std::string_view(reinterpret_cast<const char*>(&number), sizeof number));
    }
    Message& add(std::uint16_t type, const Message& nested)
    {
        return add(type, std::string_view(nested.m_bytes));
    }
    [[nodiscard]] Bytes attributes() const { return std::as_bytes(std::span(m_bytes)); }
    /// As one message of a datagram.
    [[nodiscard]] std::string whole(std::uint16_t type, std::uint32_t sequence) const
    {
        nlmsghdr header{};
        header.nlmsg_len = static_cast<std::uint32_t>(sizeof header + m_bytes.size());
        header.nlmsg_type = type;
        header.nlmsg_seq = sequence;
        return std::string(reinterpret_cast<const char*>(&header), sizeof header) + m_bytes;
    }
    [[nodiscard]] const std::string& text() const { return m_bytes; }

private:
    std::string m_bytes;
};

constexpr std::uint32_t kSequence = 7;
constexpr std::uint16_t kAnswer = 0x1401;

std::string end(std::uint16_t type, std::int32_t error)
{
    Message message;
    std::string bytes = message.whole(type, kSequence) + std::string(4, '\0');
    std::memcpy(bytes.data() + sizeof(nlmsghdr), &error, sizeof error);
    const auto length = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes;
}

Bytes bytesOf(const std::string& text)
{
    return std::as_bytes(std::span(text));
}

Message counterEntry(std::string_view name, std::uint64_t value)
{
    Message entry;
    entry.add(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, name);
    entry.add(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, value);
    return entry;
}

Message counters()
{
    Message list;
    list.add(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY,
             counterEntry(std::string_view("packet_seq_err\0", 15), 12));
    list.add(NLA_F_NESTED | RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY, counterEntry("out_of_buffer", 1ULL << 40U));
    Message message;
    message.add(RDMA_NLDEV_ATTR_DEV_INDEX, std::uint32_t{3});
    message.add(NLA_F_NESTED | RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, list);
    return message;
}

Message queuePair(std::uint32_t port, std::uint32_t task)
{
    Message entry;
    entry.add(RDMA_NLDEV_ATTR_PORT_INDEX, port);
    entry.add(RDMA_NLDEV_ATTR_RES_PID, task);
    return entry;
}

// ---- messages ----

TEST(RdmaMessages, tellDevicesCountersAndQueuePairs)
{
    Message device;
    device.add(RDMA_NLDEV_ATTR_DEV_INDEX, std::uint32_t{3});
    device.add(RDMA_NLDEV_ATTR_DEV_NAME, std::string_view("mlx5_0\0", 7));
    device.add(RDMA_NLDEV_ATTR_PORT_INDEX, std::uint32_t{2});
    const auto found = netlink::deviceIn(device.attributes());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->index, 3U);
    EXPECT_EQ(found->name, "mlx5_0");
    EXPECT_EQ(found->ports, 2U);
    EXPECT_EQ(netlink::countersIn(counters().attributes()),
              (netlink::Counters{{"packet_seq_err", 12}, {"out_of_buffer", 1ULL << 40U}}));
    Message kernels;
    kernels.add(RDMA_NLDEV_ATTR_RES_KERN_NAME, std::string_view("ib_core\0", 8));
    Message list;
    list.add(RDMA_NLDEV_ATTR_RES_QP_ENTRY, queuePair(1, 4711));
    list.add(RDMA_NLDEV_ATTR_RES_QP_ENTRY, kernels);
    list.add(RDMA_NLDEV_ATTR_RES_QP_ENTRY, queuePair(0, 0));
    Message message;
    message.add(RDMA_NLDEV_ATTR_RES_QP, list);
    const auto pairs = netlink::queuePairsIn(message.attributes());
    ASSERT_EQ(pairs.size(), 3U);
    EXPECT_EQ(pairs[0].port, 1U);
    EXPECT_EQ(pairs[0].task, 4711U);
    EXPECT_TRUE(pairs[1].ofKernel);
    EXPECT_EQ(pairs[2].port, std::nullopt);
    EXPECT_EQ(pairs[2].task, std::nullopt);
}

TEST(RdmaMessages, thatEndSayHow)
{
    const auto ignore = [](Bytes) {};
    EXPECT_FALSE(
        netlink::readDatagram(bytesOf(counters().whole(kAnswer, kSequence)), kSequence, ignore).finished);
    EXPECT_TRUE(
        netlink::readDatagram(bytesOf(Message().whole(NLMSG_DONE, kSequence)), kSequence, ignore).finished);
    EXPECT_EQ(netlink::readDatagram(bytesOf(end(NLMSG_DONE, 0)), kSequence, ignore).error, 0);
    EXPECT_EQ(netlink::readDatagram(bytesOf(end(NLMSG_DONE, -ENODEV)), kSequence, ignore).error, ENODEV);
    EXPECT_EQ(netlink::readDatagram(bytesOf(end(NLMSG_ERROR, 0)), kSequence, ignore).error, 0);
    EXPECT_EQ(netlink::readDatagram(bytesOf(end(NLMSG_ERROR, -EPERM)), kSequence, ignore).error, EPERM);
    for (const std::int32_t nonsense : {1, -5000, std::numeric_limits<std::int32_t>::min()}) {
        EXPECT_EQ(netlink::readDatagram(bytesOf(end(NLMSG_ERROR, nonsense)), kSequence, ignore).error,
                  EBADMSG);
    }
}

TEST(RdmaMessages, ofAnotherRequestArePassedOver)
{
    int taken = 0;
    const std::string datagram = counters().whole(kAnswer, 6) + Message().whole(NLMSG_DONE, 6) +
                                 counters().whole(kAnswer, kSequence) + end(NLMSG_DONE, 0);
    const auto answer = netlink::readDatagram(bytesOf(datagram), kSequence, [&taken](Bytes) { ++taken; });
    EXPECT_TRUE(answer.finished);
    EXPECT_EQ(taken, 1);
}

TEST(RdmaMessages, cutAnywhereGiveNoMoreThanIsThere)
{
    const std::string whole = counters().text();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::string cut = whole.substr(0, length); // of its own size: a sanitizer sees what goes beyond
        EXPECT_LT(netlink::countersIn(bytesOf(cut)).size(), 2U) << length;
    }
    const std::string message = counters().whole(kAnswer, kSequence);
    for (std::size_t length = sizeof(nlmsghdr); length < message.size(); ++length) {
        const std::string cut = message.substr(0, length);
        int taken = 0;
        const auto answer = netlink::readDatagram(bytesOf(cut), kSequence, [&taken](Bytes) { ++taken; });
        EXPECT_EQ(answer.error, EBADMSG) << length;
        EXPECT_EQ(taken, 0);
    }
}

TEST(RdmaMessages, withAnyBytesChangedDoNoHarm)
{
    std::mt19937 random(1); // the same every time
    for (int round = 0; round < 20'000; ++round) {
        std::string bytes = counters().whole(kAnswer, kSequence);
        for (int change = 0; change < 3; ++change) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        std::size_t seen = 0;
        static_cast<void>(netlink::readDatagram(bytesOf(bytes), kSequence, [&seen](Bytes attributes) {
            seen += netlink::countersIn(attributes).size() + netlink::queuePairsIn(attributes).size();
            static_cast<void>(netlink::deviceIn(attributes));
        }));
        ASSERT_LT(seen, bytes.size());
    }
}

// ---- whose they are ----

/// Ports with their queue pairs; those that are not known are left out.
std::map<std::string, std::int64_t> told(std::uint32_t ports, const std::vector<netlink::QueuePair>& pairs)
{
    QueuePairs source;
    Readings readings;
    source.tell(
        {0, "mlx5_0", ports}, pairs,
        [](std::uint32_t task) {
            return task == 10 || task == 11 ? QueuePairs::Owner::Own
                   : task == 12             ? QueuePairs::Owner::Near
                                            : QueuePairs::Owner::Other;
        },
        readings);
    std::map<std::string, std::int64_t> values;
    for (const auto& value : readings.values()) {
        values[value.series->entity] = value.value;
    }
    EXPECT_EQ(values.size() + readings.missing().size(), ports) << "a value or a reason";
    return values;
}

TEST(QueuePairs, areCountedWhereTheyAreThisProcesss)
{
    using Values = std::map<std::string, std::int64_t>;
    EXPECT_EQ(told(2, {{1, 10}, {1, 11}, {1, 99}, {2, 99}}), (Values{{"mlx5_0:1", 2}, {"mlx5_0:2", 0}}));
    EXPECT_EQ(told(1, {{std::nullopt, 10}}), (Values{{"mlx5_0:1", 1}})) << "there is no other port";
    EXPECT_EQ(told(1, {{1, std::nullopt, true}}), (Values{{"mlx5_0:1", 0}})) << "the kernel's own";
}

TEST(QueuePairs, ofAnUnknownOwnerOrPortMakeNoUnusedPort)
{
    using Values = std::map<std::string, std::int64_t>;
    EXPECT_EQ(told(2, {{1, std::nullopt}}), (Values{{"mlx5_0:2", 0}})) << "may be ours";
    EXPECT_EQ(told(2, {{1, std::nullopt}, {1, 10}}), (Values{{"mlx5_0:1", 1}, {"mlx5_0:2", 0}}));
    EXPECT_EQ(told(2, {{std::nullopt, 10}}), (Values{})) << "ours, but where?";
    EXPECT_EQ(told(2, {{1, 12}}), (Values{{"mlx5_0:2", 0}})) << "of the same session: the job's, perhaps";
}

TEST(QueuePairs, ofADeviceWithAnyNumberOfPortsAreBounded)
{
    QueuePairs source;
    Readings readings;
    source.tell(
        {0, "x", 0xFFFFFFFF}, {}, [](std::uint32_t) { return QueuePairs::Owner::Other; }, readings);
    EXPECT_EQ(readings.values().size(), 64U);
}

// ---- the kernel ----

TEST(RdmaNetlink, ofThisMachineAnswersOrGivesTheReason)
{
    RdmaNetlink netlink;
    EXPECT_FALSE(netlink.devices()) << "not opened";
    netlink.open();
    EXPECT_EQ(netlink.devices().has_value(), netlink.reason().empty()) << netlink.reason();
    if (!netlink.reason().empty()) {
        EXPECT_NE(netlink.reason().find("RDMA netlink"), std::string::npos);
    }
}

} // namespace
