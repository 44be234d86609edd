// SPDX-License-Identifier: Apache-2.0
// Finds the annotation of a thread that is open at a given time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ringside::importers {

/// Items with a start and an end, by thread. Call `finish` after adding all of them.
template <class Item>
class Surrounding final {
public:
    void add(std::int64_t tid, const Item& item) { m_byThread[tid].push_back(item); }
    void finish()
    {
        for (auto& [tid, items] : m_byThread) {
            std::ranges::sort(items, {}, &Item::startNs);
        }
    }
    /// Returns the innermost item that contains `timeNs`, or null.
    [[nodiscard]] const Item* at(std::int64_t tid, std::int64_t timeNs) const
    {
        constexpr int kDeepest = 8; // annotations of collectives hardly nest
        const auto found = m_byThread.find(tid);
        if (found == m_byThread.end()) {
            return nullptr;
        }
        auto item = std::ranges::upper_bound(found->second, timeNs, {}, &Item::startNs);
        for (int i = 0; i < kDeepest && item != found->second.begin(); ++i) {
            if ((--item)->endNs > timeNs) {
                return &*item;
            }
        }
        return nullptr;
    }

private:
    std::unordered_map<std::int64_t, std::vector<Item>> m_byThread;
};

} // namespace ringside::importers
