// SPDX-License-Identifier: Apache-2.0
// Sorts columns as the reader promises: by start within a key (a stream, a thread). Recorders nearly always
// write in this order, so it is checked first and only repaired where necessary.
#pragma once
#include "trace/tables.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::trace {

/// The latest start of each key. Recorders have few keys, for which a list is faster than a map. A trace with
/// very many keys must not take quadratic time.
class LatestStarts final {
public:
    LatestStarts() { m_few.reserve(kFew); } // keeps references valid
    /// `first` is the initial start of a new key.
    std::int64_t& of(std::uint64_t key, std::int64_t first)
    {
        const auto found =
            std::find_if(m_few.begin(), m_few.end(), [key](const auto& entry) { return entry.first == key; });
        if (found != m_few.end()) {
            return found->second;
        }
        return m_few.size() < kFew ? m_few.emplace_back(key, first).second
                                   : m_many.try_emplace(key, first).first->second;
    }

private:
    static constexpr std::size_t kFew = 64;
    std::vector<std::pair<std::uint64_t, std::int64_t>> m_few;
    std::unordered_map<std::uint64_t, std::int64_t> m_many;
};

/// Returns whether the rows of each key are sorted by start. `keyOf(i)` returns the key of row i.
template <class KeyOf>
bool isSortedWithinKeys(const Column<std::int64_t>& starts, const KeyOf& keyOf)
{
    LatestStarts all;
    std::uint64_t current = 0;
    std::int64_t* latest = nullptr;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::uint64_t key = keyOf(i);
        if (latest == nullptr || key != current) {
            latest = &all.of(key, starts[i]);
            current = key;
        }
        const std::int64_t start = starts[i];
        if (start < *latest) {
            return false;
        }
        *latest = start;
    }
    return true;
}

template <class Row, class KeyOf>
void sortWithinKeys(typename TableOf<Row>::Columns& columns, const KeyOf& keyOf)
{
    const Column<std::int64_t>& starts = startOf(columns);
    if (isSortedWithinKeys(starts, keyOf)) {
        return;
    }
    std::vector<std::size_t> order(columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return starts[a] < starts[b]; });
    TableOf<Row>::forEachColumn([&](const char*, Encoding, auto, auto member) {
        std::remove_cvref_t<decltype(columns.*member)> sorted;
        for (const std::size_t i : order) {
            sorted.push_back((columns.*member)[i]);
        }
        columns.*member = std::move(sorted);
    });
}

/// Sorts columns in the order that ProcessTrace promises.
inline void sortAsRead(ProcessTrace& process)
{
    const auto onStream = [](const auto& columns) {
        return
            [&columns](std::size_t i) { return std::uint64_t{columns.device[i]} << 32U | columns.stream[i]; };
    };
    sortWithinKeys<KernelRow>(process.kernels, onStream(process.kernels));
    sortWithinKeys<CopyRow>(process.copies, onStream(process.copies));
    sortWithinKeys<ApiCallRow>(process.apiCalls, [&](std::size_t i) { return process.apiCalls.thread[i]; });
    sortWithinKeys<LaunchRow>(process.launches, [&](std::size_t i) { return process.launches.tid[i]; });
    sortWithinKeys<PythonCallRow>(process.pythonCalls,
                                  [&](std::size_t i) { return process.pythonCalls.thread[i]; });
    sortWithinKeys<OperatorRow>(process.operators, [&](std::size_t i) { return process.operators.tid[i]; });
    sortWithinKeys<SampleRow>(process.samples, [&](std::size_t i) { return process.samples.series[i]; });
}

} // namespace ringside::trace
