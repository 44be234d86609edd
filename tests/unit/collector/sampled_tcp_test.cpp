// SPDX-License-Identifier: Apache-2.0
// TCP connections of a process: those of a real one, invalid answers of the kernel, and how connections
// become one row of counters per peer.
#include "host/netlink/socket_diag.h"
#include "sampled/tcp_peers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <string>

namespace {

using namespace ringside::collector::sampled;
using namespace ringside::host;

constexpr std::uint64_t kMegabyte = 1U << 20U;

// ---- the kernel's answers ----

struct Loopback {
    Loopback() : m_listener(socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        EXPECT_EQ(bind(m_listener, reinterpret_cast<sockaddr*>(&address), length), 0);
        EXPECT_EQ(listen(m_listener, 1), 0);
        EXPECT_EQ(getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
        sender = socket(AF_INET, SOCK_STREAM, 0);
        EXPECT_EQ(connect(sender, reinterpret_cast<sockaddr*>(&address), length), 0);
        receiver = accept(m_listener, nullptr, nullptr);
    }
    ~Loopback()
    {
        for (const int each : {m_listener, sender, receiver}) {
            close(each);
        }
    }
    Loopback(const Loopback&) = delete;
    Loopback& operator=(const Loopback&) = delete;
    /// So many bytes arrive.
    void carry(std::size_t bytes) const
    {
        std::vector<char> block(bytes);
        EXPECT_EQ(send(sender, block.data(), bytes, 0), static_cast<ssize_t>(bytes));
        EXPECT_EQ(recv(receiver, block.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
    }
    int sender = -1;
    int receiver = -1;

private:
    int m_listener;
};

std::size_t descriptors()
{
    std::size_t count = 0;
    for (int number = 0; number < 1024; ++number) {
        count += fcntl(number, F_GETFD) >= 0 ? 1U : 0U;
    }
    return count;
}

TEST(SocketDiag, reportsConnectionsOfThisProcess)
{
    const Loopback pair;
    constexpr std::size_t kBytes = 30'000;
    pair.carry(kBytes);
    const std::size_t before = descriptors();
    std::string reason;
    const auto connections = ownConnections(reason);
    if (!connections) {
        GTEST_SKIP() << reason;
    }
    EXPECT_EQ(descriptors(), before);
    ASSERT_EQ(connections->size(), 2U) << "both ends are ours, the listener is no connection";
    std::uint64_t received = 0;
    for (const Connection& each : *connections) {
        EXPECT_EQ(each.local, "127.0.0.1");
        EXPECT_EQ(each.peer, "127.0.0.1");
        received += each.receivedBytes;
    }
    EXPECT_EQ(received, kBytes);
    EXPECT_EQ(ownSockets().size(), 3U);
}

struct TcpMessage {
    std::vector<char> bytes;
    TcpMessage& add(const void* data, std::size_t size)
    {
        const auto* const begin = static_cast<const char*>(data);
        bytes.insert(bytes.end(), begin, begin + size);
        return *this;
    }
};

constexpr std::uint32_t kInode = 77;

/// A connection as the kernel tells of it; the sizes are what it says they are.
TcpMessage connection(std::size_t infoBytes = sizeof(tcp_info), int saidAttribute = -1, int saidMessage = -1)
{
    tcp_info info{};
    info.tcpi_bytes_acked = 5;
    info.tcpi_busy_time = 6;
    info.tcpi_data_segs_out = 7;
    info.tcpi_total_retrans = 3;
    info.tcpi_dsack_dups = 2;
    inet_diag_msg body{};
    body.idiag_family = AF_INET6;
    body.idiag_inode = kInode;
    inet_pton(AF_INET6, "::ffff:10.0.0.1", body.id.idiag_src);
    inet_pton(AF_INET6, "fd00::2", body.id.idiag_dst);
    const std::size_t attributeBytes = sizeof(nlattr) + infoBytes;
    const nlattr attribute{
        static_cast<std::uint16_t>(saidAttribute >= 0 ? saidAttribute : static_cast<int>(attributeBytes)),
        INET_DIAG_INFO};
    nlmsghdr head{};
    head.nlmsg_len = static_cast<std::uint32_t>(
        saidMessage >= 0 ? saidMessage : static_cast<int>(sizeof head + sizeof body + attributeBytes));
    TcpMessage message;
    return message.add(&head, sizeof head)
        .add(&body, sizeof body)
        .add(&attribute, sizeof attribute)
        .add(&info, infoBytes);
}

TcpMessage end(std::uint16_t type)
{
    nlmsghdr head{};
    head.nlmsg_len = sizeof head;
    head.nlmsg_type = type;
    TcpMessage message;
    return message.add(&head, sizeof head);
}

std::vector<Connection> taken(const TcpMessage& message, Answer expected = Answer::More)
{
    std::vector<Connection> connections;
    EXPECT_EQ(takeConnections(message.bytes, {kInode}, connections), expected);
    return connections;
}

TEST(SocketDiag, addressesAreInTheUsualFormat)
{
    const auto connections = taken(connection());
    ASSERT_EQ(connections.size(), 1U);
    EXPECT_EQ(connections[0].local, "10.0.0.1");
    EXPECT_EQ(connections[0].peer, "fd00::2");
    EXPECT_EQ(connections[0].sentBytes, 5U);
    EXPECT_EQ(connections[0].busyUs, 6U);
}

TEST(SocketDiag, kernelsThatDoNotTellNeedlessRetransmissionsLeaveThemUnknown)
{
    EXPECT_EQ(taken(connection())[0].segments, 7U);
    EXPECT_EQ(taken(connection())[0].retransmits, 3U);
    EXPECT_EQ(taken(connection())[0].needlessRetransmits, 2U);
    const auto older = taken(connection(offsetof(tcp_info, tcpi_dsack_dups)));
    ASSERT_EQ(older.size(), 1U);
    EXPECT_EQ(older[0].segments, 7U);
    EXPECT_FALSE(older[0].needlessRetransmits.has_value()) << "a kernel before 4.20";
}

TEST(SocketDiag, connectionsOfOthersAreLeftOut)
{
    std::vector<Connection> connections;
    takeConnections(connection().bytes, {kInode + 1}, connections);
    EXPECT_TRUE(connections.empty());
}

TEST(SocketDiag, whatIsCutOrTooShortIsNotBelieved)
{
    EXPECT_TRUE(taken(connection(offsetof(tcp_info, tcpi_sndbuf_limited))).empty()) << "a kernel before 4.10";
    for (const int said : {0, 3, 4, 60000}) {
        EXPECT_TRUE(taken(connection(sizeof(tcp_info), said)).empty()) << said;
    }
    EXPECT_TRUE(taken(connection(sizeof(tcp_info), -1, 100'000), Answer::Refused).empty());
    EXPECT_TRUE(taken(connection(sizeof(tcp_info), -1, 3), Answer::Refused).empty());
    TcpMessage cut = connection();
    cut.bytes.resize(cut.bytes.size() - 1);
    EXPECT_TRUE(taken(cut, Answer::Refused).empty());
    EXPECT_TRUE(taken(end(NLMSG_DONE), Answer::End).empty());
    EXPECT_TRUE(taken(end(NLMSG_ERROR), Answer::Refused).empty());
    EXPECT_TRUE(taken({}).empty());
}

// ---- a row of counters a peer ----

Connection sent(std::uint64_t inode, std::uint64_t bytes, const std::string& peer = "10.0.0.2")
{
    Connection each;
    each.inode = inode;
    each.local = "10.0.0.1";
    each.peer = peer;
    each.sentBytes = bytes;
    each.busyUs = bytes / 1000;
    each.deliveryBytesPerS = 1000 + inode;
    each.segments = bytes / 1000;
    each.needlessRetransmits = 0;
    return each;
}

class Peers : public testing::Test {
protected:
    using Values = std::map<std::string, std::int64_t>; ///< "entity metric"

    Values read(std::vector<Connection> connections, Pace pace = Pace::OnceASecond)
    {
        m_connections = std::move(connections);
        m_readings.clear();
        m_peers.read(m_readings, pace);
        Values values;
        for (const auto& each : m_readings.values()) {
            values[each.series->entity + " " + each.series->metric()] = each.value;
        }
        return values;
    }
    std::optional<std::vector<Connection>> m_connections;
    int m_asked = 0;
    TcpPeers m_peers{[this](std::string& reason) {
        ++m_asked;
        reason = m_connections ? "" : "refused";
        return m_connections;
    }};
    Readings m_readings;
};

TEST_F(Peers, aPeerIsTheSumOfItsConnectionsAndHistoryDoesNotCount)
{
    EXPECT_TRUE(read({sent(1, 900 * kMegabyte)}).empty()) << "sent before anybody looked";
    const Values values = read({sent(1, 903 * kMegabyte), sent(2, 4 * kMegabyte)});
    EXPECT_EQ(values.at("10.0.0.1 > 10.0.0.2 tx_bytes"), 7 * kMegabyte);
    EXPECT_EQ(values.at("10.0.0.1 > 10.0.0.2 delivery_bytes_per_s"), 1001) << "mean of those that sent";
}

TEST_F(Peers, whatEndedConnectionsCarriedStaysCounted)
{
    read({});
    read({sent(1, 3 * kMegabyte)});
    EXPECT_EQ(read({}).at("10.0.0.1 > 10.0.0.2 tx_bytes"), 3 * kMegabyte);
    // The number of the old one, and a connection that has carried less: another one.
    EXPECT_EQ(read({sent(1, kMegabyte)}).at("10.0.0.1 > 10.0.0.2 tx_bytes"), 4 * kMegabyte);
}

TEST_F(Peers, aNumberThatIsUsedAgainIsAnotherConnection)
{
    read({});
    read({sent(1, 3 * kMegabyte)});
    const Values values = read({sent(1, 2 * kMegabyte, "10.0.0.3")});
    EXPECT_EQ(values.at("10.0.0.1 > 10.0.0.2 tx_bytes"), 3 * kMegabyte);
    EXPECT_EQ(values.at("10.0.0.1 > 10.0.0.3 tx_bytes"), 2 * kMegabyte);
}

TEST_F(Peers, aPeerWithLittleTrafficIsNotStored)
{
    read({});
    EXPECT_TRUE(read({sent(1, kMegabyte - 1)}).empty());
    EXPECT_TRUE(read({sent(2, 9 * kMegabyte, "127.0.0.1"), sent(3, 9 * kMegabyte, "10.0.0.1"),
                      sent(4, 9 * kMegabyte, "::1")})
                    .empty())
        << "this machine";
}

TEST_F(Peers, thoseThatCannotAllBeKeptAreSaidOnce)
{
    std::vector<Connection> many;
    for (std::uint64_t i = 0; i < 300; ++i) {
        many.push_back(sent(i, 1, "10.1." + std::to_string(i / 256) + "." + std::to_string(i % 256)));
    }
    read(many);
    ASSERT_EQ(m_readings.issues().size(), 1U);
    EXPECT_EQ(m_readings.issues()[0].id, "tcp_peers_not_sampled");
    read(many);
    EXPECT_TRUE(m_readings.issues().empty());
    read({});
    read({sent(1, 2 * kMegabyte)});
    EXPECT_EQ(m_readings.values().size(), 10U) << "there is room again for one that carries data";
}

TEST_F(Peers, aKernelThatRefusesIsTheReasonAndIsNotAskedAgain)
{
    m_connections.reset();
    m_peers.read(m_readings, Pace::OnceASecond);
    EXPECT_EQ(m_peers.reason(), "refused");
    m_peers.read(m_readings, Pace::OnceASecond);
    EXPECT_EQ(m_asked, 1);
}

TEST_F(Peers, aShortRunIsReadAtEveryTickAndALongOneOnceASecond)
{
    for (int tick = 0; tick < 80; ++tick) {
        read({}, Pace::EveryTick);
    }
    EXPECT_EQ(m_asked, 50);
    read({});
    EXPECT_EQ(m_asked, 51);
}

TEST_F(Peers, lostSegmentsAreCountedBesideThoseSent)
{
    read({});
    Connection lossy = sent(1, 2 * kMegabyte);
    lossy.retransmits = 9;
    lossy.needlessRetransmits = 4;
    const Values values = read({lossy});
    EXPECT_EQ(values.at("10.0.0.1 > 10.0.0.2 segments_sent"), 2097);
    EXPECT_EQ(values.at("10.0.0.1 > 10.0.0.2 retransmits"), 9);
    EXPECT_EQ(values.at("10.0.0.1 > 10.0.0.2 retransmits_needless"), 4);
    lossy.needlessRetransmits.reset();
    EXPECT_FALSE(read({lossy}).contains("10.0.0.1 > 10.0.0.2 retransmits_needless"));
}

} // namespace
