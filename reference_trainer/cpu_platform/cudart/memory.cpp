// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include "model.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace ringside::platform {
namespace {

constexpr std::size_t kAlignment = 512; // what cudaMalloc really gives, at least 256 are promised

class Ranges final {
public:
    void add(const void* pointer, const MemoryRange& range)
    {
        const std::unique_lock lock(m_mutex);
        m_ranges[reinterpret_cast<std::uintptr_t>(pointer)] = range;
        if (range.type == MemoryType::Device)
            m_used[range.device] += range.size;
    }
    bool remove(const void* pointer, MemoryType type, bool owned)
    {
        const std::unique_lock lock(m_mutex);
        const auto found = m_ranges.find(reinterpret_cast<std::uintptr_t>(pointer));
        if (found == m_ranges.end() || found->second.type != type || found->second.owned != owned)
            return false;
        if (type == MemoryType::Device)
            m_used[found->second.device] -= found->second.size;
        m_ranges.erase(found);
        return true;
    }
    MemoryRange find(const void* pointer, bool beginning) const
    {
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        const std::shared_lock lock(m_mutex);
        auto found = m_ranges.upper_bound(address);
        if (found == m_ranges.begin())
            return {};
        --found;
        const bool inside = beginning ? address == found->first : address < found->first + found->second.size;
        return inside ? found->second : MemoryRange{};
    }
    std::size_t used(int device) const
    {
        const std::shared_lock lock(m_mutex);
        const auto found = m_used.find(device);
        return found == m_used.end() ? 0 : found->second;
    }

private:
    mutable std::shared_mutex m_mutex;
    std::map<std::uintptr_t, MemoryRange> m_ranges;
    std::map<int, std::size_t> m_used;
};

Ranges& ranges()
{
    static auto* all = new Ranges;
    return *all;
}

void* allocate(std::size_t size, const MemoryRange& range)
{
    if (size == 0 || size > SIZE_MAX - kAlignment)
        return nullptr;
    void* pointer = std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
    if (pointer != nullptr)
        ranges().add(pointer, range);
    return pointer;
}

} // namespace

void* allocateDevice(int device, std::size_t size)
{
    // Two threads at the limit may both pass; the accounting is for finding leaks, not for guarding memory.
    if (size > totalMemory() || usedMemory(device) > totalMemory() - size)
        return nullptr;
    return allocate(size, {MemoryType::Device, device, true, size});
}

void* allocatePinned(std::size_t size)
{
    return allocate(size, {MemoryType::Pinned, -1, true, size});
}

bool isAllocation(const void* pointer, MemoryType type)
{
    const MemoryRange range = ranges().find(pointer, true);
    return range.type == type && range.owned;
}

bool freeMemory(void* pointer, MemoryType type)
{
    if (!ranges().remove(pointer, type, true))
        return false;
    std::free(pointer);
    return true;
}

bool registerPinned(void* pointer, std::size_t size)
{
    if (ranges().find(pointer, false).type != MemoryType::Pageable)
        return false;
    ranges().add(pointer, {MemoryType::Pinned, -1, false, size});
    return true;
}

bool unregisterPinned(void* pointer)
{
    return ranges().remove(pointer, MemoryType::Pinned, false);
}

MemoryRange findMemory(const void* pointer)
{
    return ranges().find(pointer, false);
}

std::size_t totalMemory()
{
    static const auto total =
        static_cast<std::size_t>(DeviceModel::get().number("memory_bytes", 4.0 * (1 << 30)));
    return total;
}

std::size_t usedMemory(int device)
{
    return ranges().used(device);
}

} // namespace ringside::platform
