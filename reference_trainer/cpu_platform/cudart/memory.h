// SPDX-License-Identifier: Apache-2.0
// Device and pinned memory: ordinary memory that we know the ranges of, so that sizes can be accounted for
// and copies follow the rules for what they copy between.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

namespace ringside::platform {

enum class MemoryType { Pageable, Pinned, Device };

struct MemoryRange {
    MemoryType type = MemoryType::Pageable;
    int device = -1;
    bool owned = false; ///< allocated by us, not registered
    std::size_t size = 0;
};

/// Null when the device (or the host) has no such amount left. `size` 0 gives null too.
[[nodiscard]] void* allocateDevice(int device, std::size_t size);
[[nodiscard]] void* allocatePinned(std::size_t size);
/// False when the pointer is not the beginning of an allocation of that type.
[[nodiscard]] bool isAllocation(const void* pointer, MemoryType type);
[[nodiscard]] bool freeMemory(void* pointer, MemoryType type);
[[nodiscard]] bool registerPinned(void* pointer, std::size_t size);
[[nodiscard]] bool unregisterPinned(void* pointer);
/// What a pointer points into; pageable where we know nothing.
[[nodiscard]] MemoryRange findMemory(const void* pointer);
[[nodiscard]] std::size_t totalMemory();
[[nodiscard]] std::size_t usedMemory(int device);

} // namespace ringside::platform
