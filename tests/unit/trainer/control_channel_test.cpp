// SPDX-License-Identifier: Apache-2.0
// Ranks as threads on the loopback interface; waits are for what another thread does, never for time to pass.
#include "control_channel.h"
#include "failure.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>

using namespace ringside::trainer;
using namespace std::chrono_literals;

namespace {

RankIdentity identityOf(unsigned rank, unsigned worldSize, std::uint16_t port)
{
    return {.rank = rank, .worldSize = worldSize, .masterPort = port};
}

std::future<std::string> complaintOf(const RankIdentity& identity, std::chrono::seconds timeout)
{
    return std::async(std::launch::async, [=]() -> std::string {
        try {
            const ControlChannel channel(identity, timeout);
        } catch (const Failure& failure) {
            return failure.what();
        }
        return {};
    });
}

std::unique_ptr<ControlChannel> channelOf(unsigned rank, unsigned worldSize, std::uint16_t port)
{
    return std::make_unique<ControlChannel>(identityOf(rank, worldSize, port), 10s);
}

/// Two ranks that have met.
struct Pair {
    std::uint16_t port = freeLocalPort();
    std::future<std::unique_ptr<ControlChannel>> joining =
        std::async(std::launch::async, [this] { return channelOf(1, 2, port); });
    std::unique_ptr<ControlChannel> zero = channelOf(0, 2, port);
    std::unique_ptr<ControlChannel> one = joining.get();
};

} // namespace

TEST(ControlChannel, bringsRankZerosTokenToAll)
{
    Pair pair;
    Token token{};
    token.front() = std::byte{17};
    token.back() = std::byte{4};
    EXPECT_EQ(pair.zero->broadcast(token), token);
    EXPECT_EQ(pair.one->broadcast({}), token);
}

TEST(ControlChannel, needsNoNetworkForOneRank)
{
    ControlChannel channel(identityOf(0, 1, 1), 1s);
    EXPECT_FALSE(channel.awaitFailure(1ms));
    channel.finish();
}

TEST(ControlChannel, namesTheMissingRankOnAllRanks)
{
    const std::uint16_t port = freeLocalPort();
    auto zero = complaintOf(identityOf(0, 3, port), 1s);
    auto one = complaintOf(identityOf(1, 3, port), 1s);
    EXPECT_NE(zero.get().find("within 1 s: 2;"), std::string::npos);
    EXPECT_NE(one.get().find("within 1 s: 2;"), std::string::npos);
}

TEST(ControlChannel, reportsThatRankZeroDoesNotAnswer)
{
    EXPECT_NE(complaintOf(identityOf(1, 2, freeLocalPort()), 1s).get().find("did not answer"),
              std::string::npos);
}

TEST(ControlChannel, reportsThatThePortIsInUse)
{
    const std::uint16_t port = freeLocalPort();
    const Socket other = listenOn("127.0.0.1", port);
    EXPECT_NE(complaintOf(identityOf(0, 2, port), 1s).get().find("in use"), std::string::npos);
    EXPECT_NE(complaintOf(identityOf(1, 2, port), 1s).get().find("another program"), std::string::npos);
}

TEST(ControlChannel, refusesTwoOfTheSameRank)
{
    const std::uint16_t port = freeLocalPort();
    auto zero = complaintOf(identityOf(0, 3, port), 5s);
    auto one = complaintOf(identityOf(1, 3, port), 5s);
    auto other = complaintOf(identityOf(1, 3, port), 5s);
    EXPECT_NE(zero.get().find("two processes have rank 1"), std::string::npos);
    EXPECT_FALSE(one.get().empty());
    EXPECT_FALSE(other.get().empty());
}

TEST(ControlChannel, refusesRanksThatDisagreeAboutTheirNumber)
{
    const std::uint16_t port = freeLocalPort();
    auto zero = complaintOf(identityOf(0, 2, port), 5s);
    auto one = complaintOf(identityOf(1, 4, port), 5s);
    EXPECT_NE(zero.get().find("WORLD_SIZE"), std::string::npos);
    EXPECT_NE(one.get().find("WORLD_SIZE"), std::string::npos);
}

TEST(ControlChannel, noticesARankThatWentAway)
{
    Pair pair;
    EXPECT_FALSE(pair.zero->awaitFailure(1ms));
    pair.one.reset();
    const auto trouble = pair.zero->awaitFailure(5s);
    ASSERT_TRUE(trouble);
    EXPECT_NE(trouble->find("rank 1 closed the connection"), std::string::npos);
}

TEST(ControlChannel, carriesTheReasonOfAFailure)
{
    Pair pair;
    pair.one->announceFailure("out of paper");
    EXPECT_EQ(pair.zero->awaitFailure(5s), "rank 1 failed: out of paper");
    pair.zero->announceFailure("rank 1 failed: out of paper");
    EXPECT_EQ(pair.one->awaitFailure(5s), "rank 0 reports: rank 1 failed: out of paper");
}

TEST(ControlChannel, letsARankLeaveAfterItsGoodbye)
{
    Pair pair;
    pair.one->finish();
    EXPECT_FALSE(pair.zero->awaitFailure(5s));
    pair.one.reset();
    EXPECT_FALSE(pair.zero->awaitFailure(1ms));
    pair.zero->finish();
}
