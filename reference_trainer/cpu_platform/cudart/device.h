// SPDX-License-Identifier: Apache-2.0
// The emulated devices: their streams, the order between these, and peer access. All objects live until the
// process ends.
#pragma once
#include "stream.h"

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace ringside::platform {

class Device final {
public:
    explicit Device(int index) : m_index(index) {}

    /// Queues an item in CUDA's order: the legacy stream waits for all blocking streams, and these wait for
    /// it.
    CompletionPtr enqueue(Stream& stream, QueueItem item);
    /// Queues several items with no other item in between: `push` gets what the first item must wait for.
    void enqueueTogether(Stream& stream, const std::function<void(std::vector<CompletionPtr>)>& push);
    [[nodiscard]] std::shared_ptr<Stream> createStream(unsigned flags, int priority);
    /// Removes the stream from its owner; queued work still runs.
    void destroyStream(const std::shared_ptr<Stream>& stream);
    [[nodiscard]] std::shared_ptr<Stream> legacyStream();
    /// Returns true if a stream has no work left. For the legacy stream, whose work comes after that of the
    /// blocking streams, these must have no work either.
    [[nodiscard]] bool idle(const Stream& stream);
    /// Waits for all work queued so far.
    void synchronize();

private:
    std::vector<CompletionPtr> pendingLocked(const Stream& stream) const;
    std::shared_ptr<Stream> legacyStreamLocked();

    const int m_index;
    std::mutex m_mutex;
    std::shared_ptr<Stream> m_legacy;
    std::vector<std::shared_ptr<Stream>> m_streams; ///< also destroyed ones, until they are idle
};

[[nodiscard]] int deviceCount();
[[nodiscard]] bool isDevice(int index);
[[nodiscard]] Device& device(int index);
/// Returns the calling thread's device.
[[nodiscard]] int currentDevice();
void setCurrentDevice(int index);

[[nodiscard]] inline bool isLegacy(const Stream& stream)
{
    return stream.options().legacy;
}

/// During its lifetime, a null handle on this thread means the thread's own default stream, as in the
/// functions whose names end in _ptsz or _ptds.
class PerThreadDefault final {
public:
    PerThreadDefault();
    ~PerThreadDefault();
    PerThreadDefault(const PerThreadDefault&) = delete;
    PerThreadDefault& operator=(const PerThreadDefault&) = delete;

private:
    const bool m_before;
};

/// Returns the stream of a handle, null for an invalid handle. Null and cudaStreamLegacy name the current
/// device's legacy stream, cudaStreamPerThread the calling thread's stream on that device.
[[nodiscard]] std::shared_ptr<Stream> findStream(cudaStream_t handle);
[[nodiscard]] cudaStream_t publishStream(const std::shared_ptr<Stream>& stream);
/// Invalidates the handle and returns its stream; null if the handle was invalid.
[[nodiscard]] std::shared_ptr<Stream> retireStream(cudaStream_t handle);
/// Destroys all streams that programs have created on a device.
void destroyStreams(int index);
/// Revokes a device's peer access.
void forgetPeers(int index);

/// Checks the device model and installs the fork handlers. Returns cudaErrorInitializationError on failure.
[[nodiscard]] cudaError_t startPlatform();
/// Prints a prefixed message on stderr with one write.
void complain(const char* format, ...) __attribute__((format(printf, 1, 2)));

} // namespace ringside::platform
