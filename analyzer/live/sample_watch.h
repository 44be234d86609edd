// SPDX-License-Identifier: Apache-2.0
// Alarms from samples: errors of links and GPUs that rise, clocks that are held down, memory that grows.
#pragma once
#include "live/snapshot.h"
#include "live/step_watch.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ringside::live {

/// Kinds "link_errors", "throttling" and "memory_growth". A look is about two seconds.
class SampleWatch final {
public:
    static constexpr int kLooks = 5;            ///< that errors and throttling are judged by
    static constexpr int kRisingLooks = 3;      ///< of them, in which errors must have risen
    static constexpr std::size_t kMinutes = 20; ///< that memory must have grown for
    static constexpr double kGrowth = 0.05;     ///< of it, and
    static constexpr std::int64_t kGrowthBytes = std::int64_t{256} << 20;

    [[nodiscard]] std::vector<AlarmChange> look(const RunNow& run);

private:
    struct Watched {
        bool seen = false;
        std::int64_t value = 0;
        std::int64_t atMs = 0;
        std::deque<bool> bad; ///< of the latest looks
        std::int64_t fromErrors = 0;
        bool raised = false;
        std::int64_t minute = 0;
        std::deque<std::int64_t> minutes; ///< the least of each minute
    };
    void watchErrors(const std::string& where, const Sample& sample, Watched& watched,
                     std::vector<AlarmChange>& changes);
    void watchThrottling(const std::string& where, const Sample& sample, Watched& watched,
                         std::vector<AlarmChange>& changes);
    void watchMemory(const std::string& where, const Sample& sample, Watched& watched,
                     std::vector<AlarmChange>& changes);

    std::map<std::string, Watched> m_watched; ///< by host, entity and metric; of memory, also by process
};

} // namespace ringside::live
