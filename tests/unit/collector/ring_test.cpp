// SPDX-License-Identifier: Apache-2.0
#include "record/ring.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

using namespace ringside;
using ringside::collector::Ring;

namespace {

constexpr std::size_t kSlots = 64;

struct Memory {
    alignas(4096) std::byte bytes[trace::kRingHeaderBytes + kSlots * trace::kSlotBytes]{};
};

struct RingTest : testing::Test {
    std::unique_ptr<Memory> memory = std::make_unique<Memory>();
    Ring ring{std::span(memory->bytes), "test"};

    bool writeCall(std::uint64_t value)
    {
        auto* record = ring.reserve<trace::CallRecord>();
        if (record != nullptr) {
            record->startTicks = value;
            record->endTicks = ~value;
            ring.commit(record, trace::RecordKind::Call);
        }
        return record != nullptr;
    }
    bool writeCollective(std::uint64_t value)
    {
        auto* record = ring.reserve<trace::CollectiveRecord>();
        if (record != nullptr) {
            record->callId = value;
            ring.commit(record, trace::RecordKind::Collective);
        }
        return record != nullptr;
    }
    // The commit word at a slot index, or None when that slot was not (yet) written on this lap.
    trace::CommitWord wordAt(std::uint64_t index)
    {
        auto* slot = reinterpret_cast<std::uint64_t*>(memory->bytes + trace::kRingHeaderBytes +
                                                      index % kSlots * trace::kSlotBytes);
        const std::uint64_t bits = std::atomic_ref(*slot).load(std::memory_order_acquire);
        trace::CommitWord word{};
        std::memcpy(&word, &bits, sizeof word);
        return word.sequence == static_cast<std::uint32_t>(index + 1) ? word : trace::CommitWord{};
    }
    template <class Record>
    Record recordAt(std::uint64_t index)
    {
        Record record{};
        std::memcpy(static_cast<void*>(&record),
                    memory->bytes + trace::kRingHeaderBytes + index % kSlots * trace::kSlotBytes,
                    sizeof record);
        return record;
    }
    void release(std::uint64_t upTo) { ring.header().tail.store(upTo, std::memory_order_release); }
};

TEST_F(RingTest, aReservedRecordIsInvisibleUntilCommitted)
{
    auto* record = ring.reserve<trace::CallRecord>();
    ASSERT_NE(record, nullptr);
    record->startTicks = 1;
    EXPECT_EQ(wordAt(0).kind, trace::RecordKind::None);
    ring.commit(record, trace::RecordKind::Call);
    EXPECT_EQ(wordAt(0).kind, trace::RecordKind::Call);
    EXPECT_EQ(wordAt(0).slots, 1);
    EXPECT_EQ(ring.header().head.load(), 1U);
}

TEST_F(RingTest, aFullRingDropsAndCountsAndRecoversWhenDrained)
{
    std::uint64_t written = 0;
    while (writeCall(written)) {
        ++written;
    }
    EXPECT_GE(written, kSlots - 2);
    EXPECT_LE(written, kSlots);
    EXPECT_FALSE(writeCall(0));
    EXPECT_EQ(ring.header().dropped.load(), 2U);
    release(kSlots / 2);
    EXPECT_TRUE(writeCall(7));
    EXPECT_EQ(ring.header().dropped.load(), 2U);
}

TEST_F(RingTest, aRecordNeverWrapsAndTheGapIsPadded)
{
    for (std::uint64_t index = 0; index < kSlots - 2; ++index) {
        if (!writeCall(index)) {
            break;
        }
        release(index + 1);
    }
    ASSERT_TRUE(writeCollective(99));
    EXPECT_EQ(wordAt(kSlots - 2).kind, trace::RecordKind::Pad);
    EXPECT_EQ(wordAt(kSlots - 2).slots, 2);
    EXPECT_EQ(wordAt(kSlots).kind, trace::RecordKind::Collective);
    EXPECT_EQ(recordAt<trace::CollectiveRecord>(kSlots).callId, 99U);
    EXPECT_EQ(ring.header().head.load(), kSlots + 3);
}

TEST_F(RingTest, anEarlierLapIsDistinguishedFromThisOne)
{
    for (std::uint64_t index = 0; index < kSlots + 3; ++index) {
        ASSERT_TRUE(writeCall(index));
        release(index + 1);
    }
    EXPECT_EQ(wordAt(kSlots + 2).kind, trace::RecordKind::Call);
    EXPECT_EQ(wordAt(kSlots + 3).kind, trace::RecordKind::None); // still what index 3 left there
}

TEST_F(RingTest, aReaderOnAnotherThreadSeesWholeRecordsInOrder)
{
    constexpr std::uint64_t kRecords = 200000;
    std::thread reader([this] {
        std::uint64_t at = 0;
        for (std::uint64_t expected = 0; expected < kRecords;) {
            const trace::CommitWord word = wordAt(at);
            if (word.kind == trace::RecordKind::None) {
                std::this_thread::yield();
                continue;
            }
            const auto record = recordAt<trace::CallRecord>(at);
            ASSERT_EQ(record.startTicks, expected);
            ASSERT_EQ(record.endTicks, ~expected);
            ++expected;
            at += word.slots;
            release(at);
        }
    });
    for (std::uint64_t index = 0; index < kRecords;) {
        if (writeCall(index)) {
            ++index;
        } else {
            std::this_thread::yield();
        }
    }
    reader.join();
}

} // namespace
