// SPDX-License-Identifier: Apache-2.0
#include "device/cupti_buffers.h"

#include <atomic>

namespace ringside::collector {
namespace {

// Used to count the records of a discarded buffer. Null if CUPTI is not loaded.
std::atomic<cupti::NextRecord> g_nextRecord{nullptr};

std::size_t countRecords(std::uint8_t* buffer, std::size_t validBytes)
{
    const auto next = g_nextRecord.load(std::memory_order_relaxed);
    std::size_t records = 0;
    for (cupti::Activity* record = nullptr;
         next != nullptr && next(buffer, validBytes, &record) == cupti::kSuccess && record != nullptr;) {
        ++records;
    }
    return records;
}

} // namespace

BufferPool& cuptiBuffers()
{
    static auto* const pool = new BufferPool(&countRecords);
    return *pool;
}

void countRecordsWith(cupti::NextRecord next)
{
    g_nextRecord.store(next);
}

} // namespace ringside::collector
