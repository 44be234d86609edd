// SPDX-License-Identifier: Apache-2.0
// The client's buffers: asks for them, fills them with records, hands them back when they are full or on a
// flush. Full ones go back on a thread of ours, so that neither a stream nor a launching thread runs the
// client's code for long.
#pragma once
#include <cupti.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

namespace ringside::cupti {

class Delivery final {
public:
    /// The process's; never destroyed, because streams report until the process is gone.
    static Delivery& get();

    void setCallbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete);
    [[nodiscard]] bool hasCallbacks();
    /// Appends a record; counts it as dropped where the client gives no buffer.
    void append(const void* record, std::size_t size);
    /// The same for device work, which also needs room in what stands for CUPTI's own buffers on the device
    /// (Conduct::deviceRoom).
    void appendWork(const void* record, std::size_t size);
    /// Hands back everything there is; returns when the client has it.
    void flush();
    /// Records dropped since the last call.
    [[nodiscard]] std::size_t takeDropped();

private:
    struct Buffer {
        std::uint8_t* data = nullptr;
        std::size_t size = 0;
        std::size_t used = 0;
        std::size_t recordsLeft = 0;
    };
    void appendLocked(const void* record, std::size_t size);
    bool makeRoomLocked(std::size_t size);
    void retireLocked();
    void deliverQueued();
    void startThreadLocked();
    void deliver(); ///< on a thread of its own, for ever

    std::mutex m_delivering; ///< held while the client's complete callback runs; taken before m_mutex
    std::mutex m_mutex;
    std::condition_variable m_wake;
    CUpti_BuffersCallbackRequestFunc m_request = nullptr;
    CUpti_BuffersCallbackCompleteFunc m_complete = nullptr;
    Buffer m_current;
    std::deque<Buffer> m_full;
    std::size_t m_dropped = 0;
    std::size_t m_workSinceFlush = 0; ///< records of device work
    bool m_threadRuns = false;
};

} // namespace ringside::cupti
