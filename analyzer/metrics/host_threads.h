// SPDX-License-Identifier: Apache-2.0
// Finds which threads of a process work for which of its ranks. Several ranks may share a process, each with
// its own device. What a thread waits for then concerns only the ranks on whose devices it launches work.
#pragma once
#include "model/model.h"

#include <unordered_map>
#include <unordered_set>

namespace ringside::metrics {

class HostThreads final {
public:
    HostThreads(const model::Model& model, const model::Rank& rank);
    /// Whether a call of `thread` (thread.id) concerns the rank. If `stream` (stream.id, 0 for none) is
    /// known, it decides; otherwise the thread does. A thread that launched nothing concerns no rank, unless
    /// the rank is the only one in its process.
    [[nodiscard]] bool concern(std::int64_t thread, std::int64_t stream = 0) const;

private:
    bool m_all = true; ///< whether the rank is the only one in its process
    std::unordered_set<std::int64_t> m_threads;
    std::unordered_map<std::int64_t, bool> m_streams; ///< by stream.id, whether it is on the rank's device
};

} // namespace ringside::metrics
