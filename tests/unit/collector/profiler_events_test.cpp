// SPDX-License-Identifier: Apache-2.0
// Handles of NCCL's events, used from many threads at once, and the events that an older chained plugin gets.
#include "profiler/event.h"
#include "profiler/event_pool.h"
#include "profiler/kept_mask.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace ringside::collector::profiler {
namespace {

TEST(ProfilerHandle, keepsWhatItIsMadeOf)
{
    const Handle handle(Kind::Operation, 16'383, (1ULL << 44U) - 1);
    EXPECT_EQ(handle.kind(), Kind::Operation);
    EXPECT_EQ(handle.place(), 16'383U);
    EXPECT_EQ(handle.id(), (1ULL << 44U) - 1);
    EXPECT_EQ(Handle(handle.pointer()).bits(), handle.bits());
    EXPECT_EQ(handle.idOf(Kind::Call), 0U);
    EXPECT_NE(Handle(Kind::Group, Handle::kNoPlace, 0).pointer(), nullptr);
    EXPECT_EQ(Handle().pointer(), nullptr);
}

TEST(ProfilerPool, findsAnEventUntilItEnds)
{
    const auto pool = std::make_unique<EventPool>();
    Place* const place = pool->take(Kind::Operation, 7);
    ASSERT_NE(place, nullptr);
    const Handle handle = place->handle();
    EXPECT_EQ(pool->find(handle), place);
    EXPECT_EQ(pool->find(Handle(Kind::Operation, handle.place(), 8)), nullptr);
    EXPECT_EQ(pool->find(Handle(Kind::Call, handle.place(), 7)), nullptr);
    place->theirs = &*pool;
    EventPool::giveBack(*place);
    EXPECT_EQ(pool->find(handle), nullptr);
    EXPECT_EQ(pool->theirsOf(handle), pool.get()) << "NCCL names parents that have ended";
    for (std::uint64_t id = 0; id < EventPool::kPlaces; ++id) {
        EventPool::giveBack(*pool->take(Kind::Other, id));
    }
    EXPECT_EQ(pool->theirsOf(handle), nullptr) << "until their place is taken again";
}

TEST(ProfilerMask, isStoredOnlyWhenItChanges)
{
    constexpr int kOurs = 6;
    constexpr int kLess = 2;
    KeptMask kept;
    int mask = 0;
    kept.store(mask, kOurs);
    EXPECT_EQ(mask, kOurs);
    mask = 0; // an operator switches events off through NCCL's RAS
    kept.store(mask, kOurs);
    EXPECT_EQ(mask, 0) << "nothing has changed for us";
    kept.store(mask, kLess);
    EXPECT_EQ(mask, kLess);
}

TEST(ProfilerPool, countsWhatFindsNoPlace)
{
    const auto pool = std::make_unique<EventPool>();
    for (std::uint64_t id = 0; id < EventPool::kPlaces; ++id) {
        ASSERT_NE(pool->take(Kind::Other, id), nullptr);
    }
    EXPECT_EQ(pool->take(Kind::Other, 1), nullptr);
    EXPECT_EQ(pool->dropped(), 1U);
}

TEST(ProfilerPool, givesNoPlaceToTwo)
{
    const auto pool = std::make_unique<EventPool>();
    constexpr int kThreads = 4;
    constexpr int kRounds = 20'000;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    std::atomic<std::uint64_t> ids{1};
    std::atomic<std::uint64_t> shown{0};
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&] {
            for (int round = 0; round < kRounds; ++round) {
                const std::uint64_t id = ids.fetch_add(1);
                Place* const place = pool->take(Kind::Operation, id);
                if (place == nullptr) {
                    continue; // the others hold the places nearby
                }
                const Handle handle = place->handle();
                place->theirs.store(reinterpret_cast<void*>(id), std::memory_order_release);
                place->operation.callId = id;
                void* const others = pool->theirsOf(Handle::ofBits(shown.exchange(handle.bits())));
                static_cast<void>(others); // whatever it is: reading it is no race
                wrong += pool->find(handle) != place || place->operation.callId != id ? 1 : 0;
                wrong += pool->theirsOf(handle) != reinterpret_cast<void*>(id) ? 1 : 0;
                EventPool::giveBack(*place);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, 0);
}

DescriptorV6 collective()
{
    DescriptorV6 descriptor{};
    descriptor.type = kColl;
    descriptor.parent = reinterpret_cast<void*>(1);
    descriptor.rank = 3;
    descriptor.coll = {.fields = {.sequence = 41,
                                  .function = "AllReduce",
                                  .send = &descriptor,
                                  .receive = nullptr,
                                  .count = 1000,
                                  .root = 2,
                                  .datatype = "ncclFloat16",
                                  .channels = 24,
                                  .warps = 16,
                                  .algorithm = "NVLS",
                                  .protocol = "LL"},
                       .group = reinterpret_cast<void*>(2)};
    return descriptor;
}

TEST(ProfilerTranslation, translatesEventsForOlderVersions)
{
    const DescriptorV6 newest = collective();
    const Event event = eventOf(newest, 6);
    DescriptorV4 four{};
    ASSERT_TRUE(describe(event, four));
    EXPECT_EQ(four.type, kColl);
    EXPECT_EQ(four.parent, newest.coll.group) << "their operations hang on groups, not on calls";
    EXPECT_EQ(four.rank, 3);
    EXPECT_EQ(four.coll.sequence, 41U);
    EXPECT_EQ(four.coll.root, 2);
    EXPECT_STREQ(four.coll.protocol, "LL");
    EXPECT_EQ(four.coll.channels, 24);
    DescriptorV3 three{};
    ASSERT_TRUE(describe(eventOf(four), three));
    EXPECT_EQ(three.parent, newest.coll.group);
    EXPECT_EQ(three.coll.fields.count, 1000U);
    EXPECT_STREQ(three.coll.fields.algorithm, "NVLS");
    EXPECT_EQ(three.coll.communicatorName, nullptr);
}

TEST(ProfilerTranslation, leavesOutEventsThatOlderVersionsLack)
{
    DescriptorV6 newest{};
    DescriptorV4 four{};
    DescriptorV3 three{};
    for (const std::uint64_t type : {+kGroupApi, +kCollApi, +kP2pApi, +kKernelLaunch, +kCeColl, +kCeSync}) {
        newest.type = type;
        EXPECT_FALSE(describe(eventOf(newest, 6), four)) << type;
        EXPECT_FALSE(describe(eventOf(newest, 6), three)) << type;
    }
}

TEST(ProfilerTranslation, readsCopyEnginesInVersion6Only)
{
    DescriptorV6 newest{};
    newest.type = kCeColl;
    newest.ceColl.function = "AllGather";
    newest.ceColl.syncStrategy = "MC";
    EXPECT_STREQ(eventOf(newest, 6).coll.algorithm, "CE");
    EXPECT_STREQ(eventOf(newest, 6).coll.protocol, "MC");
    EXPECT_EQ(eventOf(newest, 5).coll.function, nullptr);
}

} // namespace
} // namespace ringside::collector::profiler
