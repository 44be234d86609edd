// SPDX-License-Identifier: Apache-2.0
#include "stream.h"

#include "activity.h"
#include "clock.h"
#include "lifetime.h"
#include "model.h"

#include <algorithm>
#include <thread>

namespace ringside::platform {
namespace {

// Limit by which the device's timeline may lag behind the thread's: the delay of a badly scheduled thread.
constexpr std::int64_t kMaximumLagNs = 1'000'000;
// A sleep costs about 35 us. While more work is queued, a kernel that ends slightly early is not observable,
// so that the thread may run ahead of the device by this much.
constexpr std::int64_t kWorthSleepingNs = 200'000;

// Kernels without arithmetic are collectives: they end when their peers have arrived.
bool waitsForPeers(const Work& work)
{
    return work.kind == WorkKind::Kernel && !work.arithmetic;
}

} // namespace

std::shared_ptr<Stream> Stream::create(const StreamOptions& options)
{
    auto stream = std::make_shared<Stream>(options);
    std::thread([stream] { stream->loop(); }).detach();
    return stream;
}

CompletionPtr Stream::push(QueueItem item)
{
    item.queuedNs = monotonicNs();
    item.completion = std::make_shared<Completion>();
    CompletionPtr completion = item.completion;
    {
        const std::lock_guard lock(m_mutex);
        m_last = completion;
        m_queue.push_back(std::move(item));
    }
    m_wake.notify_one();
    return completion;
}

CompletionPtr Stream::last() const
{
    const std::lock_guard lock(m_mutex);
    return m_last;
}

bool Stream::idle() const
{
    const CompletionPtr newest = last();
    return newest == nullptr || newest->done();
}

bool Stream::closed() const
{
    const std::lock_guard lock(m_mutex);
    return m_closed;
}

void Stream::close()
{
    {
        const std::lock_guard lock(m_mutex);
        m_closed = true;
    }
    m_wake.notify_one();
}

void Stream::loop()
{
    sharpenSleep();
    blockSignals();
    for (;;) {
        std::unique_lock lock(m_mutex);
        m_wake.wait(lock, [this] { return m_closed || !m_queue.empty(); });
        if (m_queue.empty())
            return;
        QueueItem item = std::move(m_queue.front());
        m_queue.pop_front();
        item.more = !m_queue.empty();
        lock.unlock();
        execute(item);
    }
}

void Stream::execute(QueueItem& item)
{
    std::int64_t readyNs = std::max(m_deviceNs, item.queuedNs);
    for (const CompletionPtr& before : item.after) {
        before->wait();
        readyNs = std::max(readyNs, before->endNs());
    }
    const RunningWork running; // blocks here forever when the process exits
    m_deviceNs = readyNs;
    if (item.work.run == nullptr || waitsForPeers(item.work))
        sleepUntil(m_deviceNs); // others may already have seen this time of the device
    if (item.hostFunction != nullptr) {
        item.hostFunction(item.hostArgument);
        m_deviceNs = monotonicNs();
    } else if (item.work.run != nullptr) {
        runWork(item, readyNs);
    }
    item.completion->finish(m_deviceNs);
}

// The device's timeline is separate from the thread's: a thread that wakes up late after a short kernel does
// not delay the next one. A chain of small kernels thus takes the modelled time although sleeps overshoot.
// Collectives use the thread's own time.
void Stream::runWork(QueueItem& item, std::int64_t readyNs)
{
    const DeviceModel& model = DeviceModel::get();
    const std::int64_t beganNs = monotonicNs();
    std::int64_t startNs = std::max(readyNs, item.queuedNs + model.launchLatencyNs());
    if (!model.active() || waitsForPeers(item.work))
        startNs = std::max(readyNs, beganNs);
    startNs = std::max(startNs, beganNs - kMaximumLagNs);

    item.work.run(item.work.arg, item.work.arithmetic && model.skipsArithmetic());
    const std::int64_t tookNs = monotonicNs() - beganNs;
    m_deviceNs = startNs + std::max(tookNs, model.durationNs(item.work, tookNs));
    if (!item.more || m_deviceNs - monotonicNs() > kWorthSleepingNs)
        sleepUntil(m_deviceNs);
    reportWork(item, m_options, startNs, m_deviceNs);
}

} // namespace ringside::platform
