// SPDX-License-Identifier: Apache-2.0
// Device, pinned and managed memory: ordinary memory that we know the ranges of, so that sizes can be
// accounted for and copies follow the rules for what they copy between.
#pragma once
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ringside::platform {

enum class MemoryType { Pageable, Pinned, Device, Managed };

/// What is allocated from a memory pool, in bytes.
struct PoolUse {
    std::atomic<std::uint64_t> now = 0;
    std::atomic<std::uint64_t> most = 0;
};

struct MemoryRange {
    MemoryType type = MemoryType::Pageable;
    int device = -1;
    bool owned = false; ///< allocated by us, not registered
    std::size_t size = 0;
    unsigned flags = 0; ///< of the call that made pinned memory
    const void* beginning = nullptr;
    std::shared_ptr<PoolUse> pool = {}; ///< null for memory of no pool
};

/// Null when the device (or the host) has no such amount left. `size` 0 gives null too.
[[nodiscard]] void* allocateDevice(int device, std::size_t size,
                                   const std::shared_ptr<PoolUse>& pool = nullptr);
[[nodiscard]] void* allocatePinned(std::size_t size, unsigned flags);
/// Counts against no device: it lives where it is used.
[[nodiscard]] void* allocateManaged(int device, std::size_t size);
/// Makes a program's own variable known as memory of all devices.
void registerVariable(const void* pointer, std::size_t size);
/// False when the pointer is not the beginning of an allocation of that type.
[[nodiscard]] bool isAllocation(const void* pointer, MemoryType type);
[[nodiscard]] bool freeMemory(void* pointer, MemoryType type);
/// Everything that was allocated on a device.
void freeDevice(int device);
[[nodiscard]] bool registerPinned(void* pointer, std::size_t size, unsigned flags);
[[nodiscard]] bool unregisterPinned(void* pointer);
/// What a pointer points into; pageable where we know nothing.
[[nodiscard]] MemoryRange findMemory(const void* pointer);
[[nodiscard]] std::size_t totalMemory();
[[nodiscard]] std::size_t usedMemory(int device);
/// From then on the process is known to use the device, although it may have allocated nothing there.
void useDevice(int device);
[[nodiscard]] bool usesDevice(int device);

} // namespace ringside::platform
