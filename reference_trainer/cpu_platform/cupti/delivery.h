// SPDX-License-Identifier: Apache-2.0
// The client's buffers: requests them, fills them with records, and returns them when they are full or on a
// flush. A separate thread returns full buffers, so that neither a stream nor a launching thread runs the
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
    /// Returns the process's instance. It is never destroyed, because streams report until the process ends.
    static Delivery& get();

    void setCallbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete);
    [[nodiscard]] bool hasCallbacks();
    /// Appends a record; counts it as dropped if the client provides no buffer.
    void append(const void* record, std::size_t size);
    /// Appends a record of device work, which also needs room in the emulation of CUPTI's buffers on the
    /// device (Conduct::deviceRoom).
    void appendWork(const void* record, std::size_t size);
    /// Returns all buffers; the call ends when the client has them.
    void flush();
    /// Returns the number of records dropped since the last call.
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
    void deliver(); ///< runs forever on a thread of its own

    std::mutex m_delivering; ///< held during the client's complete callback; locked before m_mutex
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
