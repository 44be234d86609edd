// SPDX-License-Identifier: Apache-2.0
// Handles that programs hold on our objects: an object's address, valid while it is in the table. A handle
// that is not in it is an error of the caller and never followed.
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
    /// Null for a handle that is not valid.
    [[nodiscard]] std::shared_ptr<Object> find(Handle handle) const
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_objects.find(handle);
        return found == m_objects.end() ? nullptr : found->second;
    }
    /// Makes the handle invalid and returns its object, null for a handle that was not valid.
    std::shared_ptr<Object> retire(Handle handle)
    {
        const std::lock_guard lock(m_mutex);
        auto node = m_objects.extract(handle);
        return node.empty() ? nullptr : std::move(node.mapped());
    }
    /// Retires all that `matches(object)` and returns them.
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
