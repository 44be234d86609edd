// SPDX-License-Identifier: Apache-2.0
#include "api/functions.h"
#include "record/registry.h"
#include "registry_ring.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <thread>
#include <vector>

using namespace ringside;
using namespace ringside::collector;

namespace {

struct RegistryTest : testing::Test, test::RegistryRing {};

TEST_F(RegistryTest, definesTheNamesOfAllInterceptedFunctionsFirst)
{
    EXPECT_EQ(recordsOf(trace::RecordKind::String), static_cast<int>(kApiNames.size()));
}

TEST_F(RegistryTest, givesATextOneIdAndDefinesItOnce)
{
    const int before = recordsOf(trace::RecordKind::String);
    const StringId first = registry->intern("forward");
    EXPECT_GE(first, kFirstFreeStringId);
    EXPECT_EQ(registry->intern("forward"), first);
    EXPECT_NE(registry->intern("backward"), first);
    EXPECT_EQ(registry->intern(""), 0U);
    EXPECT_EQ(recordsOf(trace::RecordKind::String), before + 2);
}

TEST_F(RegistryTest, splitsALongTextAndCutsAVeryLongOne)
{
    const int before = recordsOf(trace::RecordKind::String);
    registry->intern(std::string(100, 'a'));
    EXPECT_EQ(recordsOf(trace::RecordKind::String), before + 2);
    registry->intern(std::string(1 << 20, 'b'));
    EXPECT_EQ(recordsOf(trace::RecordKind::String), before + 2 + 57); // 4096 bytes in parts of 72
}

TEST_F(RegistryTest, refusesWhenTheDefinitionsRingIsFullAndTriesAgain)
{
    StringId id = 1;
    for (int index = 0; id != 0; ++index) {
        id = registry->intern("name " + std::to_string(index));
    }
    EXPECT_EQ(registry->intern("later"), 0U);
    ring.header().tail.store(ring.header().head.load());
    EXPECT_NE(registry->intern("later"), 0U);
}

TEST_F(RegistryTest, threadsThatMeetTheSameNameAgreeOnItsId)
{
    std::vector<std::set<StringId>> ids(4);
    std::vector<std::thread> threads;
    for (auto& mine : ids) {
        threads.emplace_back([&mine, this] {
            for (int index = 0; index < 500; ++index) {
                mine.insert(registry->intern("range " + std::to_string(index % 50)));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const auto& mine : ids) {
        EXPECT_EQ(mine, ids[0]);
    }
    EXPECT_EQ(ids[0].size(), 50U);
}

TEST_F(RegistryTest, aStreamHandleThatIsUsedAgainIsANewStream)
{
    EXPECT_EQ(registry->streamId(0), 0U);
    EXPECT_EQ(registry->streamId(0x1000), 0U);
    const std::uint32_t first = registry->addStream(0x1000, 2);
    EXPECT_NE(first, 0U);
    EXPECT_EQ(registry->streamId(0x1000), first);
    EXPECT_EQ(registry->addStream(0x1000, 2), first) << "another thread was faster";
    registry->forgetStream(0x1000);
    EXPECT_EQ(registry->streamId(0x1000), 0U);
    EXPECT_NE(registry->addStream(0x1000, 2), first);
    EXPECT_EQ(recordsOf(trace::RecordKind::Stream), 2);
}

TEST_F(RegistryTest, aCommunicatorHandleThatIsUsedAgainIsANewCommunicator)
{
    CommunicatorIdentity identity;
    identity.handle = 0xABC0;
    identity.hash = 77;
    Communicator* first = registry->addCommunicator(identity);
    EXPECT_EQ(registry->communicator(0xABC0), first);
    registry->forgetCommunicator(0xABC0);
    EXPECT_EQ(registry->communicator(0xABC0), nullptr);
    EXPECT_NE(registry->addCommunicator(identity)->id, first->id);
}

TEST_F(RegistryTest, worldCommunicatorsHaveNoParentAndAKnownHash)
{
    CommunicatorIdentity identity{.handle = 1, .hash = 77, .size = 4, .rank = 2};
    registry->addCommunicator(identity);
    identity.parent = 1;
    registry->addCommunicator(identity);
    identity = {.handle = 3};
    registry->addCommunicator(identity);
    EXPECT_EQ(registry->worldCommunicatorsSeen, 1U);
    ASSERT_EQ(registry->worldCommunicators().size(), 1U);
    EXPECT_EQ(registry->worldCommunicators().front().rank, 2);
}

TEST(HashBytes, isTheSameOnEveryRankAndDiffersBetweenIds)
{
    EXPECT_EQ(hashBytes("unique id", 9), hashBytes("unique id", 9));
    EXPECT_NE(hashBytes("unique id", 9), hashBytes("unique iD", 9));
    EXPECT_NE(hashBytes("color", 5, 1), hashBytes("color", 5, 2));
    EXPECT_NE(hashBytes("", 0), 0U);
}

} // namespace
