// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include "handles.h"
#include "lifetime.h"
#include "model.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

namespace ringside::platform {
namespace {

constexpr std::uint32_t kLegacyStreamId = 7; // CUPTI's number on a device's first context
constexpr std::uint32_t kFirstStreamId = 13; // CUPTI's number of the first stream that a program creates

thread_local int threadDevice = 0;

Handles<cudaStream_t, Stream>& streamHandles()
{
    static auto* table = new Handles<cudaStream_t, Stream>;
    return *table;
}

std::vector<std::unique_ptr<Device>>& devices()
{
    static auto* all = [] {
        auto* made = new std::vector<std::unique_ptr<Device>>;
        for (int i = 0; i < deviceCount(); ++i)
            made->push_back(std::make_unique<Device>(i));
        return made;
    }();
    return *all;
}

thread_local bool threadStreamsEnded = false;

// A thread's default streams, one for each device. They end with the thread; queued work still runs.
class ThreadStreams final {
public:
    ThreadStreams() = default;
    ~ThreadStreams()
    {
        threadStreamsEnded = true;
        if (forkedAway()) // in a forked child, no thread can hold or free the locks
            return;
        for (const auto& [index, stream] : m_streams)
            device(index).destroyStream(stream);
    }
    ThreadStreams(const ThreadStreams&) = delete;
    ThreadStreams& operator=(const ThreadStreams&) = delete;
    std::shared_ptr<Stream> on(int index)
    {
        std::shared_ptr<Stream>& stream = m_streams[index];
        if (stream == nullptr)
            stream = device(index).createStream(cudaStreamDefault, 0);
        return stream;
    }

private:
    std::map<int, std::shared_ptr<Stream>> m_streams;
};

thread_local ThreadStreams threadStreams;
thread_local bool nullIsPerThread = false;

// Other thread-local variables may outlive the thread's streams and use them in their destructors. Then the
// legacy stream is returned, which waits for the work left in them.
std::shared_ptr<Stream> threadStream(int index)
{
    return threadStreamsEnded ? device(index).legacyStream() : threadStreams.on(index);
}

bool isBlocking(const Stream& stream)
{
    return (stream.options().flags & cudaStreamNonBlocking) == 0;
}

} // namespace

CompletionPtr Device::enqueue(Stream& stream, QueueItem item)
{
    const std::lock_guard lock(m_mutex);
    for (CompletionPtr& before : pendingLocked(stream))
        item.after.push_back(std::move(before));
    return stream.push(std::move(item));
}

void Device::enqueueTogether(Stream& stream, const std::function<void(std::vector<CompletionPtr>)>& push)
{
    const std::lock_guard lock(m_mutex);
    push(pendingLocked(stream));
}

// The lock orders all pushes of a device: an item waits only for older ones, so that there is no cycle.
std::vector<CompletionPtr> Device::pendingLocked(const Stream& stream) const
{
    std::vector<CompletionPtr> pending;
    const auto add = [&pending](const Stream& other) {
        CompletionPtr last = other.last();
        if (last != nullptr && !last->done())
            pending.push_back(std::move(last));
    };
    if (isLegacy(stream)) {
        for (const auto& other : m_streams)
            if (isBlocking(*other))
                add(*other);
    } else if (m_legacy != nullptr && isBlocking(stream)) {
        add(*m_legacy);
    }
    return pending;
}

bool Device::idle(const Stream& stream)
{
    const std::lock_guard lock(m_mutex);
    return stream.idle() && (!isLegacy(stream) || pendingLocked(stream).empty());
}

std::shared_ptr<Stream> Device::createStream(unsigned flags, int priority)
{
    static std::atomic<std::uint32_t> nextId = kFirstStreamId;
    auto stream = Stream::create({.device = m_index, .id = nextId++, .flags = flags, .priority = priority});
    const std::lock_guard lock(m_mutex);
    m_streams.push_back(stream);
    return stream;
}

void Device::destroyStream(const std::shared_ptr<Stream>& stream)
{
    stream->close();
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_streams, [](const auto& other) { return other->closed() && other->idle(); });
}

std::shared_ptr<Stream> Device::legacyStreamLocked()
{
    if (m_legacy == nullptr)
        m_legacy = Stream::create({.device = m_index, .id = kLegacyStreamId, .legacy = true});
    return m_legacy;
}

std::shared_ptr<Stream> Device::legacyStream()
{
    const std::lock_guard lock(m_mutex);
    return legacyStreamLocked();
}

void Device::synchronize()
{
    std::vector<CompletionPtr> pending;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto& stream : m_streams)
            pending.push_back(stream->last());
        if (m_legacy != nullptr)
            pending.push_back(m_legacy->last());
    }
    for (const CompletionPtr& completion : pending)
        if (completion != nullptr)
            completion->wait();
}

int deviceCount()
{
    static const int count = [] {
        const char* text = std::getenv("RINGSIDE_PLATFORM_DEVICES");
        return text == nullptr ? 8 : std::max(0, std::atoi(text));
    }();
    return count;
}

bool isDevice(int index)
{
    return index >= 0 && index < deviceCount();
}

Device& device(int index)
{
    return *devices()[static_cast<std::size_t>(index)];
}

int currentDevice()
{
    return threadDevice;
}

void setCurrentDevice(int index)
{
    threadDevice = index;
}

PerThreadDefault::PerThreadDefault() : m_before(std::exchange(nullIsPerThread, true)) {}

PerThreadDefault::~PerThreadDefault()
{
    nullIsPerThread = m_before;
}

std::shared_ptr<Stream> findStream(cudaStream_t handle)
{
    if (handle == cudaStreamPerThread || (handle == nullptr && nullIsPerThread))
        return threadStream(threadDevice);
    if (handle == nullptr || handle == cudaStreamLegacy)
        return device(threadDevice).legacyStream();
    return streamHandles().find(handle);
}

cudaStream_t publishStream(const std::shared_ptr<Stream>& stream)
{
    return streamHandles().publish(stream);
}

std::shared_ptr<Stream> retireStream(cudaStream_t handle)
{
    return streamHandles().retire(handle);
}

void destroyStreams(int index)
{
    const auto made =
        streamHandles().retireIf([index](const Stream& stream) { return stream.options().device == index; });
    for (const auto& stream : made)
        device(index).destroyStream(stream);
}

cudaError_t startPlatform()
{
    if (forkedAway())
        return cudaErrorInitializationError;
    static const bool modelIsGood = [] {
        const std::string& error = DeviceModel::get().error();
        if (!error.empty())
            complain("%s", error.c_str());
        return error.empty();
    }();
    if (!modelIsGood)
        return cudaErrorInitializationError;
    if (processExits())
        return cudaErrorCudartUnloading;
    watchProcess();
    return deviceCount() == 0 ? cudaErrorNoDevice : cudaSuccess;
}

void complain(const char* format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "ringside cpu platform: %s\n", text);
}

} // namespace ringside::platform
