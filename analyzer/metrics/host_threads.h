// SPDX-License-Identifier: Apache-2.0
// Which threads of a process work for which of its ranks. Several ranks may share a process, one a device:
// what a thread waits for then concerns only the ranks whose devices it feeds.
#pragma once
#include "model/model.h"

#include <unordered_map>
#include <unordered_set>

namespace ringside::metrics {

class HostThreads final {
public:
    HostThreads(const model::Model& model, const model::Rank& rank);
    /// Whether a call of that thread (thread.id) concerns the rank; a stream (stream.id, 0: none) tells more
    /// than the thread. Threads that launched nothing concern nobody, unless the process is the rank's alone.
    [[nodiscard]] bool concern(std::int64_t thread, std::int64_t stream = 0) const;

private:
    bool m_all = true; ///< one rank in the process
    std::unordered_set<std::int64_t> m_threads;
    std::unordered_map<std::int64_t, bool> m_streams; ///< by stream.id: on the rank's device
};

} // namespace ringside::metrics
