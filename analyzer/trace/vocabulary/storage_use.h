// SPDX-License-Identifier: Apache-2.0
// What a process does with its storage, by two readings of its series: the one place that decides this, for
// alarms and for the verdict of a hang.
#pragma once
#include "trace/vocabulary/series.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::trace {

inline constexpr std::array kStorageSeries{SeriesName::FileRead, SeriesName::FileWritten,
                                           SeriesName::StorageRead, SeriesName::StorageWritten,
                                           SeriesName::StorageWait};

/// The place of a series in kStorageSeries; null: it is another one.
[[nodiscard]] inline std::optional<std::size_t> storageSeriesPlace(std::string_view source,
                                                                   std::string_view metric)
{
    const auto found = std::find_if(kStorageSeries.begin(), kStorageSeries.end(), [&](SeriesName name) {
        return entryOf(name).source == source && entryOf(name).metric == metric;
    });
    return found == kStorageSeries.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - kStorageSeries.begin()));
}

struct StorageReading {
    std::int64_t timeNs = 0;
    std::array<std::int64_t, kStorageSeries.size()> values{}; ///< in the order of kStorageSeries
};

struct StorageUse {
    /// It moves so much that it can only be data: what a thread logs each few seconds is far less.
    static constexpr double kMovesBytesPerS = 1 << 20;

    double bytesPerS = 0; ///< by calls or of storage, whichever is more
    bool moves = false;   ///< so much came from storage or goes there
    bool passes = false;  ///< so much went through calls: it may be the page cache, or a pipe or socket
    bool waits = false;   ///< at least half of the time, a thread was in a call that waits for storage
    [[nodiscard]] bool busy() const { return moves || passes || waits; }
};

/// The kernel counts calls and storage apart: what is read from the page cache, or goes to a file system in
/// memory, a pipe or a socket, only counts as a call, what is mapped only as storage. Only storage proves
/// that data of files moves.
[[nodiscard]] inline StorageUse storageUseBetween(const StorageReading& before, const StorageReading& after)
{
    constexpr double kNsASecond = 1e9;
    StorageUse use;
    if (after.timeNs <= before.timeNs) {
        return use;
    }
    std::array<double, kStorageSeries.size()> rose{};
    for (std::size_t i = 0; i < rose.size(); ++i) {
        rose[i] = static_cast<double>(after.values[i]) - static_cast<double>(before.values[i]);
    }
    const double ns = static_cast<double>(after.timeNs) - static_cast<double>(before.timeNs);
    use.bytesPerS = (std::max(rose[0], rose[2]) + std::max(rose[1], rose[3])) * kNsASecond / ns;
    use.passes = use.bytesPerS >= StorageUse::kMovesBytesPerS;
    use.moves = (rose[2] + rose[3]) * kNsASecond / ns >= StorageUse::kMovesBytesPerS;
    use.waits = 2 * rose[4] >= ns;
    return use;
}

} // namespace ringside::trace
