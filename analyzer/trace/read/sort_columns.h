// SPDX-License-Identifier: Apache-2.0
// Puts columns into the order the reader promises: by start within a key (a stream, a thread). Recorders
// nearly always leave that order already, so it is checked first and only repaired where it is broken.
#pragma once
#include "trace/tables.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace ringside::trace {

/// Whether the rows of each key come in the order of their starts. `keyOf(i)` gives row i's key.
template <class KeyOf>
bool isSortedWithinKeys(const Column<std::int64_t>& starts, const KeyOf& keyOf)
{
    std::vector<std::pair<std::uint64_t, std::int64_t>> latest; // few keys: a list beats a map
    std::size_t at = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::uint64_t key = keyOf(i);
        if (at >= latest.size() || latest[at].first != key) {
            const auto found =
                std::find_if(latest.begin(), latest.end(), [key](const auto& e) { return e.first == key; });
            at = static_cast<std::size_t>(found - latest.begin());
            if (found == latest.end()) {
                latest.emplace_back(key, starts[i]);
            }
        }
        if (starts[i] < latest[at].second) {
            return false;
        }
        latest[at].second = starts[i];
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
        auto sorted = columns.*member;
        std::transform(order.begin(), order.end(), sorted.begin(),
                       [&](std::size_t i) { return (columns.*member)[i]; });
        columns.*member = std::move(sorted);
    });
}

/// The order that ProcessTrace promises of its columns.
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
    sortWithinKeys<SampleRow>(process.samples, [&](std::size_t i) { return process.samples.series[i]; });
}

} // namespace ringside::trace
