// SPDX-License-Identifier: Apache-2.0
// Device, pinned and managed memory: ordinary memory with known ranges, so that sizes can be accounted for
// and copies follow the rules for their types of memory.
#pragma once
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ringside::platform {

enum class MemoryType { Pageable, Pinned, Device, Managed };

/// Bytes allocated from a memory pool.
struct PoolUse {
    std::atomic<std::uint64_t> now = 0;
    std::atomic<std::uint64_t> most = 0;
};

struct MemoryRange {
    MemoryType type = MemoryType::Pageable;
    int device = -1;
    bool owned = false; ///< allocated by the platform, not registered
    std::size_t size = 0;
    unsigned flags = 0; ///< of the call that made the memory pinned
    const void* beginning = nullptr;
    std::shared_ptr<PoolUse> pool = {}; ///< null for memory outside of pools
};

/// Returns null if the device (or the host) does not have this amount left, and for `size` 0.
[[nodiscard]] void* allocateDevice(int device, std::size_t size,
                                   const std::shared_ptr<PoolUse>& pool = nullptr);
[[nodiscard]] void* allocatePinned(std::size_t size, unsigned flags);
/// Counts for no device: managed memory belongs to its users.
[[nodiscard]] void* allocateManaged(int device, std::size_t size);
/// Registers a variable of the program as memory of all devices.
void registerVariable(const void* pointer, std::size_t size);
/// Returns false if the pointer is not the beginning of an allocation of that type.
[[nodiscard]] bool isAllocation(const void* pointer, MemoryType type);
[[nodiscard]] bool freeMemory(void* pointer, MemoryType type);
/// Frees all allocations of a device.
void freeDevice(int device);
[[nodiscard]] bool registerPinned(void* pointer, std::size_t size, unsigned flags);
[[nodiscard]] bool unregisterPinned(void* pointer);
/// Returns the range that a pointer points into; pageable if it is unknown.
[[nodiscard]] MemoryRange findMemory(const void* pointer);
[[nodiscard]] std::size_t totalMemory();
[[nodiscard]] std::size_t usedMemory(int device);
/// Marks the device as used by this process, even without an allocation.
void useDevice(int device);
[[nodiscard]] bool usesDevice(int device);

} // namespace ringside::platform
