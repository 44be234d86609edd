// SPDX-License-Identifier: Apache-2.0
// Device memory by purpose, so that reports and out-of-memory messages can name what uses it. Only the
// trainer's own cudaMalloc calls are counted, not the memory of CUDA, cuBLAS and NCCL.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ringside::trainer {

enum class MemoryUse : std::uint8_t { Parameters, Gradients, OptimizerState, Activations, Batches, Other };

/// Names of MemoryUse. Activations are the arrays that layers work on, batches the data prepared for them.
constexpr std::array kMemoryUses = {"parameters",  "gradients", "optimizer state",
                                    "activations", "batches",   "other"};

struct MemoryBytes {
    std::array<std::size_t, kMemoryUses.size()> byUse{};
    std::size_t total = 0;
};

struct MemoryUsage {
    MemoryBytes now;
    MemoryBytes peak; ///< the maximum of each, at any time
};

/// Returns the usage of a device by this process. May be called from any thread.
[[nodiscard]] MemoryUsage memoryUsage(int device);

/// During its lifetime, this thread's allocations count for `use`; without a scope they count as Other.
/// Scopes may be nested.
class MemoryScope final {
public:
    explicit MemoryScope(MemoryUse use);
    ~MemoryScope();
    MemoryScope(const MemoryScope&) = delete;
    MemoryScope& operator=(const MemoryScope&) = delete;

private:
    MemoryUse m_before;
};

/// During its lifetime, this thread's allocations are placed in `memory`, one after the other. If `memory` is
/// null, they are only measured. The memory must be large enough. Arenas are not nested.
class MemoryArena final {
public:
    explicit MemoryArena(void* memory);
    ~MemoryArena();
    MemoryArena(const MemoryArena&) = delete;
    MemoryArena& operator=(const MemoryArena&) = delete;

    /// Returns room for `bytes` more; null while measuring.
    [[nodiscard]] void* reserve(std::size_t bytes);
    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

private:
    char* m_memory;
    std::size_t m_bytes = 0;
};

/// Frees device memory and subtracts it from the usage, unless it is part of an arena.
struct FreeDevice {
    int device = 0;
    MemoryUse use = MemoryUse::Other;
    std::size_t bytes = 0;
    bool inArena = false;

    void operator()(void* memory) const;
};

using DeviceMemory = std::unique_ptr<void, FreeDevice>;

/// Allocates memory of the current device with cudaMalloc. Throws Failure; an out-of-memory message names the
/// request, the present usage by purpose, and how to need less.
[[nodiscard]] DeviceMemory allocateDevice(std::size_t bytes);

} // namespace ringside::trainer
