// SPDX-License-Identifier: Apache-2.0
#include "device_memory.h"

#include "gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

namespace ringside::trainer {
namespace {

std::mutex g_mutex;
std::map<int, MemoryUsage> g_usage; ///< by device, guarded by g_mutex
thread_local MemoryUse t_use = MemoryUse::Other;
thread_local MemoryArena* t_arena = nullptr;

void countOn(const FreeDevice& counted)
{
    const std::lock_guard lock(g_mutex);
    auto& [now, peak] = g_usage[counted.device];
    const auto use = static_cast<std::size_t>(counted.use);
    now.byUse[use] += counted.bytes;
    now.total += counted.bytes;
    peak.byUse[use] = std::max(peak.byUse[use], now.byUse[use]);
    peak.total = std::max(peak.total, now.total);
}

void countOff(const FreeDevice& counted)
{
    const std::lock_guard lock(g_mutex);
    MemoryBytes& now = g_usage[counted.device].now;
    now.byUse[static_cast<std::size_t>(counted.use)] -= counted.bytes;
    now.total -= counted.bytes;
}

double mebibytes(std::size_t bytes)
{
    return static_cast<double>(bytes) / (1U << 20U);
}

std::string exhausted(const FreeDevice& wanted)
{
    std::size_t free = 0;
    std::size_t all = 0;
    RS_CHECK(cudaMemGetInfo(&free, &all));
    const MemoryBytes now = memoryUsage(wanted.device).now;
    std::string used;
    for (std::size_t use = 0; use < kMemoryUses.size(); ++use) {
        if (now.byUse[use] > 0)
            used += fmt::format("{}{} {:.1f}", used.empty() ? "" : ", ", kMemoryUses[use],
                                mebibytes(now.byUse[use]));
    }
    return fmt::format(
        "device {} is out of memory: {:.1f} MiB more were requested ({}), {:.1f} of {:.1f} MiB "
        "are free; the trainer uses {:.1f} MiB{}. Give a smaller --batch, or more ranks, or "
        "--accumulate N, which computes a share in N parts, or --checkpoint-activations K, "
        "which keeps only each K-th layer's input",
        wanted.device, mebibytes(wanted.bytes), kMemoryUses[static_cast<std::size_t>(wanted.use)],
        mebibytes(free), mebibytes(all), mebibytes(now.total), used.empty() ? "" : " (" + used + ")");
}

} // namespace

MemoryUsage memoryUsage(int device)
{
    const std::lock_guard lock(g_mutex);
    return g_usage[device];
}

MemoryScope::MemoryScope(MemoryUse use) : m_before(t_use)
{
    t_use = use;
}

MemoryScope::~MemoryScope()
{
    t_use = m_before;
}

MemoryArena::MemoryArena(void* memory) : m_memory(static_cast<char*>(memory))
{
    t_arena = this;
}

MemoryArena::~MemoryArena()
{
    t_arena = nullptr;
}

void* MemoryArena::reserve(std::size_t bytes)
{
    constexpr std::size_t kAlignment = 256; // the alignment that cudaMalloc guarantees
    const std::size_t offset = m_bytes;
    m_bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return m_memory == nullptr ? nullptr : m_memory + offset;
}

void FreeDevice::operator()(void* memory) const
{
    if (inArena)
        return;
    cudaFree(memory);
    countOff(*this);
}

DeviceMemory allocateDevice(std::size_t bytes)
{
    if (t_arena != nullptr)
        return {t_arena->reserve(bytes), FreeDevice{.inArena = true}};
    FreeDevice counted{.use = t_use, .bytes = bytes};
    RS_CHECK(cudaGetDevice(&counted.device));
    void* memory = nullptr;
    const cudaError_t result = cudaMalloc(&memory, bytes);
    if (result == cudaErrorMemoryAllocation) {
        static_cast<void>(cudaGetLastError()); // clears the error, which the next launch's check would report
        throw Failure(exhausted(counted));
    }
    check(result, "cudaMalloc");
    countOn(counted);
    return {memory, counted};
}

} // namespace ringside::trainer
