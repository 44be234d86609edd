// SPDX-License-Identifier: Apache-2.0
// Device memory that knows what it is for, so that a report, and a message that it ran out, can say what uses
// it. Counted is what the trainer itself asks cudaMalloc for, not what CUDA, cuBLAS and NCCL take besides.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ringside::trainer {

enum class MemoryUse : std::uint8_t { Parameters, Gradients, OptimizerState, Activations, Batches, Other };

/// For people, by MemoryUse. Activations are all that layers work on, batches what lies ready for them.
constexpr std::array kMemoryUses = {"parameters",  "gradients", "optimizer state",
                                    "activations", "batches",   "other"};

struct MemoryBytes {
    std::array<std::size_t, kMemoryUses.size()> byUse{};
    std::size_t total = 0;
};

struct MemoryUsage {
    MemoryBytes now;
    MemoryBytes peak; ///< the largest that each has been, at whatever time
};

/// Of a device, by this process. Any thread.
[[nodiscard]] MemoryUsage memoryUsage(int device);

/// While it lives, what this thread allocates is for `use`; without any, Other. They may be nested.
class MemoryScope final {
public:
    explicit MemoryScope(MemoryUse use);
    ~MemoryScope();
    MemoryScope(const MemoryScope&) = delete;
    MemoryScope& operator=(const MemoryScope&) = delete;

private:
    MemoryUse m_before;
};

/// While it lives, what this thread allocates lies in `memory`, one after the other, instead of being
/// allocated; where that is null it lies nowhere, and is only measured. The memory must be large enough. They
/// are not nested.
class MemoryArena final {
public:
    explicit MemoryArena(void* memory);
    ~MemoryArena();
    MemoryArena(const MemoryArena&) = delete;
    MemoryArena& operator=(const MemoryArena&) = delete;

    /// Room for `bytes` more; null while measuring.
    [[nodiscard]] void* take(std::size_t bytes);
    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

private:
    char* m_memory;
    std::size_t m_bytes = 0;
};

/// Frees device memory and counts it off, unless it lies in an arena.
struct FreeDevice {
    int device = 0;
    MemoryUse use = MemoryUse::Other;
    std::size_t bytes = 0;
    bool inArena = false;

    void operator()(void* memory) const;
};

using DeviceMemory = std::unique_ptr<void, FreeDevice>;

/// Memory of the current device, as cudaMalloc gives it. Throws Failure; when there is not enough, it says
/// what was asked for, what is in use by what, and how to need less.
[[nodiscard]] DeviceMemory allocateDevice(std::size_t bytes);

} // namespace ringside::trainer
