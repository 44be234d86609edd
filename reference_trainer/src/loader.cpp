// SPDX-License-Identifier: Apache-2.0
#include "loader.h"

#include "digits.h"

namespace ringside::trainer {

Loader::Loader(Plan plan, const Hooks& hooks)
    : m_plan(std::move(plan)), m_hooks(hooks), m_copyStream(makeStream()), m_slots(hooks.prefetch)
{
    for (Slot& slot : m_slots) {
        slot.loader = this;
        slot.hostImages = HostArray<float>(std::size_t{m_plan.localBatch} * kImagePixels, hooks.pinned);
        slot.hostLabels = HostArray<int>(m_plan.localBatch, hooks.pinned);
        slot.images = DeviceArray<float>(slot.hostImages.size());
        slot.labels = DeviceArray<int>(slot.hostLabels.size());
        slot.copied = makeEvent();
        slot.consumed = makeEvent();
    }
    m_thread = std::thread([this] { run(); });
}

Loader::~Loader()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_changed.notify_all();
    m_thread.join();
    // A slot's notice may still be on its way through the stream.
    cudaStreamSynchronize(m_copyStream.get());
}

void Loader::run()
{
    try {
        RS_CHECK(cudaSetDevice(m_plan.device));
        for (std::uint64_t step = 0; step < m_plan.steps; ++step) {
            Slot& slot = m_slots[step % m_slots.size()];
            if (!awaitFree(slot))
                return;
            load(step, slot);
            {
                const std::lock_guard lock(m_mutex);
                ++m_loaded;
            }
            m_changed.notify_all();
        }
    } catch (...) {
        const std::lock_guard lock(m_mutex);
        m_error = std::current_exception();
        m_changed.notify_all();
    }
}

bool Loader::awaitFree(Slot& slot)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_stop || slot.free; });
    slot.free = false;
    return !m_stop;
}

void Loader::load(std::uint64_t step, Slot& slot)
{
    for (const auto& hook : m_hooks.beforeLoad)
        hook(step);
    const std::span<float> images(slot.hostImages.data(), slot.hostImages.size());
    const std::vector<std::uint64_t> indices = m_plan.sampler.indices(step);
    for (std::size_t i = 0; i < indices.size(); ++i)
        slot.hostLabels.data()[i] =
            drawDigit(m_plan.seed, indices[i], images.subspan(i * kImagePixels, kImagePixels));
    RS_CHECK(cudaMemcpyAsync(slot.images.data(), slot.hostImages.data(), images.size_bytes(),
                             cudaMemcpyHostToDevice, m_copyStream.get()));
    RS_CHECK(cudaMemcpyAsync(slot.labels.data(), slot.hostLabels.data(), indices.size() * sizeof(int),
                             cudaMemcpyHostToDevice, m_copyStream.get()));
    RS_CHECK(cudaEventRecord(slot.copied.get(), m_copyStream.get()));
}

Batch Loader::next(cudaStream_t stream)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_error || m_loaded > m_taken; });
    if (m_error)
        std::rethrow_exception(m_error);
    const auto index = static_cast<unsigned>(m_taken++ % m_slots.size());
    lock.unlock();
    const Slot& slot = m_slots[index];
    RS_CHECK(cudaStreamWaitEvent(stream, slot.copied.get(), 0));
    return {.images = slot.images.data(), .labels = slot.labels.data(), .slot = index};
}

void Loader::giveBack(const Batch& batch, cudaStream_t stream)
{
    // A notice from the stream instead of a waiting call: nobody synchronises with the GPU inside the loop.
    Slot& slot = m_slots[batch.slot];
    order(stream, slot.consumed.get(), m_copyStream.get());
    RS_CHECK(cudaLaunchHostFunc(m_copyStream.get(), freed, &slot));
}

void Loader::freed(void* slot)
{
    auto* freed = static_cast<Slot*>(slot);
    Loader& loader = *freed->loader;
    // Notified under the lock: afterwards the loader may be gone.
    const std::lock_guard lock(loader.m_mutex);
    freed->free = true;
    loader.m_changed.notify_all();
}

} // namespace ringside::trainer
