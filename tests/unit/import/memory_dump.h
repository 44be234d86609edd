// SPDX-License-Identifier: Apache-2.0
// A snapshot of PyTorch's allocator, made by hand: one GPU with one segment, in which two of three blocks are
// held, and the events that led there. Texts are JSON; PickleText makes the pickle of it.
#pragma once
#include "flight_dump.h"

namespace ringside::test {

inline constexpr std::int64_t kMemoryAddress = 0x7F00'0000'0000;
inline constexpr std::int64_t kMemoryDateUs = 1'763'700'000'000'000;

inline nlohmann::ordered_json memoryFrames(int line)
{
    return {{{"name", "malloc"}, {"filename", "??"}, {"line", 0}},
            {{"name", "forward"}, {"filename", "/job/model.py"}, {"line", line}}};
}

inline nlohmann::ordered_json memoryBlock(std::int64_t offset, std::int64_t size, std::int64_t requested,
                                          int line = 0)
{
    nlohmann::ordered_json block;
    block["address"] = kMemoryAddress + offset;
    block["size"] = size;
    block["requested_size"] = requested;
    block["state"] = requested > 0 ? "active_allocated" : "inactive";
    block["frames"] = requested > 0 ? memoryFrames(line) : nlohmann::ordered_json::array();
    return block;
}

inline nlohmann::ordered_json memoryEvent(const char* action, std::int64_t offset, std::int64_t size,
                                          int line, std::int64_t atUs)
{
    nlohmann::ordered_json event;
    event["action"] = action;
    event["addr"] = kMemoryAddress + offset;
    event["size"] = size;
    event["stream"] = 0;
    event["time_us"] = kMemoryDateUs + atUs;
    event["frames"] = memoryFrames(line);
    return event;
}

/// 8 MiB: 1 MiB of line 10 from before the events, 2 MiB free, 1 MiB of line 20, the rest free. At the peak
/// another 3 MiB of line 30 were held, and 2 MiB of which the events only tell that they were freed. At the
/// end 16 MiB were asked for in vain.
inline nlohmann::ordered_json memoryDump()
{
    constexpr std::int64_t kMi = 1 << 20;
    nlohmann::ordered_json segment;
    segment["device"] = 0;
    segment["address"] = kMemoryAddress;
    segment["total_size"] = 8 * kMi;
    segment["stream"] = 0;
    segment["segment_type"] = "large";
    segment["is_expandable"] = false;
    segment["blocks"] = {memoryBlock(0, kMi, 1'000'000, 10), memoryBlock(kMi, 2 * kMi, 0),
                         memoryBlock(3 * kMi, kMi, 1'000'001, 20), memoryBlock(4 * kMi, 4 * kMi, 0)};
    nlohmann::ordered_json failed = memoryEvent("oom", 0, 16 * kMi, 40, 70);
    failed["device_free"] = 5 * kMi;
    failed.erase("addr");
    nlohmann::ordered_json held = memoryEvent("alloc", 3 * kMi, 1'000'001, 20, 20);
    held["user_metadata"] = "weights";
    nlohmann::ordered_json dump;
    dump["segments"] = nlohmann::ordered_json::array({segment});
    dump["device_traces"] = {{memoryEvent("segment_alloc", 0, 8 * kMi, 10, 10), held,
                              memoryEvent("alloc", 4 * kMi, 3 * kMi, 30, 30),
                              memoryEvent("free_requested", 4 * kMi, 3 * kMi, 0, 40),
                              memoryEvent("free_completed", 4 * kMi, 3 * kMi, 0, 50),
                              memoryEvent("free_completed", kMi, 2 * kMi, 0, 60), failed}};
    return dump;
}

} // namespace ringside::test
