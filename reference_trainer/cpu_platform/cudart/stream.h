// SPDX-License-Identifier: Apache-2.0
// A stream: a FIFO queue with a thread of its own, which sleeps for the modelled time of the work and reports
// it as activity. Threads are never joined: at exit they park, so that a collective without its peers cannot
// hang the process.
#pragma once
#include "completion.h"
#include "platform.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace ringside::platform {

/// One entry of a queue: work, a host function, or with neither a marker that only waits (events, barriers).
struct QueueItem {
    Work work = {};
    void (*hostFunction)(void*) = nullptr;
    void* hostArgument = nullptr;
    std::vector<CompletionPtr> after = {}; ///< must have ended before this starts
    CompletionPtr completion = {};
    std::int64_t queuedNs = 0;
    std::uint32_t correlation = 0;
    std::uint32_t graphId = 0; ///< id of the graph launch that it belongs to, 0 outside of one
    std::uint64_t graphNodeId = 0;
    bool more = false; ///< more entries were queued behind it when it was removed from the queue
};

struct StreamOptions {
    int device = 0;
    std::uint32_t id = 0; ///< CUPTI's number of the stream
    unsigned flags = 0;   ///< of cudaStreamCreateWithFlags
    int priority = 0;
    bool legacy = false; ///< the device's legacy default stream
};

class Stream final : public std::enable_shared_from_this<Stream> {
public:
    /// Starts the thread. Throws std::system_error if that fails.
    static std::shared_ptr<Stream> create(const StreamOptions& options);
    explicit Stream(const StreamOptions& options) : m_options(options) {}

    /// Queues an item and returns its completion. Callers use the device's lock to order pushes to several
    /// streams.
    CompletionPtr push(QueueItem item);
    /// Returns the completion of the newest item, null if there was none.
    [[nodiscard]] CompletionPtr last() const;
    [[nodiscard]] bool idle() const;
    [[nodiscard]] bool closed() const;
    /// Ends the thread once the queue is empty.
    void close();
    [[nodiscard]] const StreamOptions& options() const { return m_options; }

private:
    void loop();
    void execute(QueueItem& item);
    void runWork(QueueItem& item, std::int64_t readyNs);

    const StreamOptions m_options;
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<QueueItem> m_queue;
    CompletionPtr m_last;
    bool m_closed = false;
    std::int64_t m_deviceNs = 0; ///< time of this stream on the device's timeline; used only by its thread
};

} // namespace ringside::platform
