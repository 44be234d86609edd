// SPDX-License-Identifier: Apache-2.0
#include "calls/call_records.h"

#include <gtest/gtest.h>

#include <memory>

using namespace ringside;
using namespace ringside::collector;

namespace {

struct CallRecordsTest : testing::Test {
    struct Memory {
        alignas(4096) std::byte bytes[trace::kRingHeaderBytes + 16 * trace::kSlotBytes]{};
    };
    std::unique_ptr<Memory> memory = std::make_unique<Memory>();
    Ring ring{std::span(memory->bytes), "test"};
    const CallTimes times{100, 200, 7, true};

    template <class Record>
    Record first()
    {
        Record record{};
        std::memcpy(static_cast<void*>(&record), memory->bytes + trace::kRingHeaderBytes, sizeof record);
        return record;
    }
};

TEST_F(CallRecordsTest, aCallTakesOneSlotWithItsStream)
{
    writeCall(ring, Api::cudaEventRecord, times, trace::kLastStreamOfCall);
    const auto record = first<trace::CallRecord>();
    EXPECT_EQ(record.commit.kind, trace::RecordKind::Call);
    EXPECT_EQ(record.commit.slots, 1);
    EXPECT_EQ(record.commit.stream, trace::kLastStreamOfCall);
    EXPECT_EQ(record.startTicks, 100U);
    EXPECT_EQ(record.endTicks, 200U);
    EXPECT_EQ(record.api, stringIdOf(Api::cudaEventRecord));
    EXPECT_EQ(record.result, 7);
    EXPECT_EQ(ring.header().head.load(), 1U);
}

TEST_F(CallRecordsTest, aStreamTooLateForASlotIsNotCutOff)
{
    constexpr std::uint32_t kStream = trace::kLastStreamOfCall + 1;
    writeCall(ring, Api::cudaEventRecord, times, kStream);
    const auto record = first<trace::MemoryRecord>();
    EXPECT_EQ(record.call.commit.kind, trace::RecordKind::Memory);
    EXPECT_EQ(record.call.commit.stream, 0);
    EXPECT_EQ(record.stream, kStream);
    EXPECT_EQ(record.bytes, 0U);
    EXPECT_EQ(record.copyKind, trace::kNoCopyKind);
    EXPECT_EQ(record.call.endTicks, 200U);
}

} // namespace
