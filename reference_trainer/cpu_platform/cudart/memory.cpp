// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include "model.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

namespace ringside::platform {
namespace {

constexpr std::size_t kAlignment = 512; // the alignment that cudaMalloc really provides; 256 are guaranteed

class Ranges final {
public:
    void add(const void* pointer, const MemoryRange& range)
    {
        const std::unique_lock lock(m_mutex);
        MemoryRange& added = m_ranges[reinterpret_cast<std::uintptr_t>(pointer)] = range;
        added.beginning = pointer;
        if (range.type == MemoryType::Device && range.owned)
            m_used[range.device] += range.size;
    }
    bool remove(const void* pointer, MemoryType type, bool owned)
    {
        const std::unique_lock lock(m_mutex);
        const auto found = m_ranges.find(reinterpret_cast<std::uintptr_t>(pointer));
        if (found == m_ranges.end() || found->second.type != type || found->second.owned != owned)
            return false;
        if (type == MemoryType::Device && owned)
            m_used[found->second.device] -= found->second.size;
        if (found->second.pool != nullptr)
            found->second.pool->now -= found->second.size;
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
    std::vector<void*> ownedBy(int device) const
    {
        std::vector<void*> pointers;
        const std::shared_lock lock(m_mutex);
        for (const auto& [address, range] : m_ranges)
            if (range.owned && range.device == device)
                pointers.push_back(const_cast<void*>(range.beginning));
        return pointers;
    }
    void use(int device)
    {
        const std::unique_lock lock(m_mutex);
        m_used.try_emplace(device, 0);
    }
    /// Returns nothing for a device that this process has never used.
    std::optional<std::size_t> used(int device) const
    {
        const std::shared_lock lock(m_mutex);
        const auto found = m_used.find(device);
        return found == m_used.end() ? std::nullopt : std::optional(found->second);
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

void* allocateDevice(int device, std::size_t size, const std::shared_ptr<PoolUse>& pool)
{
    // Two threads at the limit may both pass: the accounting serves to find leaks, not to protect memory.
    if (size > totalMemory() || usedMemory(device) > totalMemory() - size)
        return nullptr;
    const MemoryRange range{
        .type = MemoryType::Device, .device = device, .owned = true, .size = size, .pool = pool};
    void* pointer = allocate(size, range);
    if (pointer != nullptr && pool != nullptr) {
        const std::uint64_t now = pool->now += size;
        std::uint64_t most = pool->most;
        while (now > most && !pool->most.compare_exchange_weak(most, now)) {
        }
    }
    return pointer;
}

void* allocatePinned(std::size_t size, unsigned flags)
{
    return allocate(size, {.type = MemoryType::Pinned, .owned = true, .size = size, .flags = flags});
}

void* allocateManaged(int device, std::size_t size)
{
    return allocate(size, {.type = MemoryType::Managed, .device = device, .owned = true, .size = size});
}

void registerVariable(const void* pointer, std::size_t size)
{
    ranges().add(pointer, {.type = MemoryType::Device, .device = 0, .size = size});
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

void freeDevice(int device)
{
    for (void* pointer : ranges().ownedBy(device))
        if (!freeMemory(pointer, MemoryType::Device))
            static_cast<void>(freeMemory(pointer, MemoryType::Managed));
}

bool registerPinned(void* pointer, std::size_t size, unsigned flags)
{
    if (ranges().find(pointer, false).type != MemoryType::Pageable)
        return false;
    ranges().add(pointer, {.type = MemoryType::Pinned, .size = size, .flags = flags});
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

// Two threads at the limit may have allocated more together.
std::size_t usedMemory(int device)
{
    return std::min(ranges().used(device).value_or(0), totalMemory());
}

void useDevice(int device)
{
    ranges().use(device);
}

bool usesDevice(int device)
{
    return ranges().used(device).has_value();
}

} // namespace ringside::platform
