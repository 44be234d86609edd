// SPDX-License-Identifier: Apache-2.0
// The emulated devices: their streams, the order between them, and who may use them. Everything here lives
// until the process is gone.
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

    /// Queues an item in CUDA's order: the legacy stream waits for all blocking streams, and they for it.
    CompletionPtr enqueue(Stream& stream, QueueItem item);
    /// The same for several items with nothing of others between: `push` gets what the first must wait for.
    void enqueueTogether(Stream& stream, const std::function<void(std::vector<CompletionPtr>)>& push);
    [[nodiscard]] std::shared_ptr<Stream> createStream(unsigned flags, int priority);
    /// Takes the stream from its owner; what is queued still runs.
    void destroyStream(const std::shared_ptr<Stream>& stream);
    [[nodiscard]] std::shared_ptr<Stream> legacyStream();
    /// True when nothing is left of a stream's work; of the legacy stream's, which comes after that of the
    /// blocking streams, nothing of theirs either.
    [[nodiscard]] bool idle(const Stream& stream);
    /// Waits for everything queued so far.
    void synchronize();

private:
    std::vector<CompletionPtr> pendingLocked(const Stream& stream) const;
    std::shared_ptr<Stream> legacyStreamLocked();

    const int m_index;
    std::mutex m_mutex;
    std::shared_ptr<Stream> m_legacy;
    std::vector<std::shared_ptr<Stream>> m_streams; ///< destroyed ones too, until they are idle
};

[[nodiscard]] int deviceCount();
[[nodiscard]] bool isDevice(int index);
[[nodiscard]] Device& device(int index);
/// The calling thread's device.
[[nodiscard]] int currentDevice();
void setCurrentDevice(int index);

[[nodiscard]] inline bool isLegacy(const Stream& stream)
{
    return stream.options().legacy;
}

/// While it lives, null handles on this thread mean the thread's own default stream: what programs built for
/// that get from the functions whose names end in _ptsz or _ptds.
class PerThreadDefault final {
public:
    PerThreadDefault();
    ~PerThreadDefault();
    PerThreadDefault(const PerThreadDefault&) = delete;
    PerThreadDefault& operator=(const PerThreadDefault&) = delete;

private:
    const bool m_before;
};

/// The stream a handle means, null for a bad handle. Null and cudaStreamLegacy are the current device's
/// legacy stream, cudaStreamPerThread is the calling thread's on that device.
[[nodiscard]] std::shared_ptr<Stream> findStream(cudaStream_t handle);
[[nodiscard]] cudaStream_t publishStream(const std::shared_ptr<Stream>& stream);
/// Makes the handle invalid and returns its stream, null for a handle that is not valid.
[[nodiscard]] std::shared_ptr<Stream> retireStream(cudaStream_t handle);
/// Destroys all streams that programs have made on a device.
void destroyStreams(int index);
/// Takes back what peer access a device was given.
void forgetPeers(int index);

/// Makes sure that the model is good and forks are watched. cudaErrorInitializationError otherwise.
[[nodiscard]] cudaError_t startPlatform();
/// Says something on stderr, prefixed and in one piece.
void complain(const char* format, ...) __attribute__((format(printf, 1, 2)));

} // namespace ringside::platform
