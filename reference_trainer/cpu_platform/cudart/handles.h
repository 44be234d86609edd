// SPDX-License-Identifier: Apache-2.0
// Handles that programs hold on emulated objects: the object's address, valid while it is in the table. A
// handle that is not in the table is the caller's error and is never dereferenced.
#pragma once
#include <iterator>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace ringside::platform {

template <class Handle, class Object>
class Handles final {
public:
    Handle publish(const std::shared_ptr<Object>& object)
    {
        auto handle = reinterpret_cast<Handle>(object.get());
        const std::lock_guard lock(m_mutex);
        m_objects[handle] = object;
        return handle;
    }
    /// Returns null for an invalid handle.
    [[nodiscard]] std::shared_ptr<Object> find(Handle handle) const
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_objects.find(handle);
        return found == m_objects.end() ? nullptr : found->second;
    }
    /// Invalidates the handle and returns its object; null if it was invalid.
    std::shared_ptr<Object> retire(Handle handle)
    {
        const std::lock_guard lock(m_mutex);
        auto node = m_objects.extract(handle);
        return node.empty() ? nullptr : std::move(node.mapped());
    }
    /// Retires all objects for which `matches(object)` is true, and returns them.
    template <class Matches>
    std::vector<std::shared_ptr<Object>> retireIf(Matches&& matches)
    {
        std::vector<std::shared_ptr<Object>> retired;
        const std::lock_guard lock(m_mutex);
        for (auto entry = m_objects.begin(); entry != m_objects.end();) {
            const bool goes = matches(*entry->second);
            if (goes)
                retired.push_back(std::move(entry->second));
            entry = goes ? m_objects.erase(entry) : std::next(entry);
        }
        return retired;
    }

private:
    mutable std::mutex m_mutex;
    std::unordered_map<Handle, std::shared_ptr<Object>> m_objects;
};

} // namespace ringside::platform
