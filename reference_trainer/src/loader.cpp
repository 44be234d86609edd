// SPDX-License-Identifier: Apache-2.0
#include "loader.h"

#include "digits.h"

#include <algorithm>

namespace ringside::trainer {

Loader::Loader(Plan plan, const Hooks& hooks)
    : m_plan(std::move(plan))
    , m_hooks(hooks)
    , m_copyStream(makeStream())
    , m_slots(std::size_t{hooks.prefetch} * std::max(1U, m_plan.workers))
{
    const MemoryScope batches(MemoryUse::Batches);
    for (Slot& slot : m_slots) {
        slot.loader = this;
        slot.hostImages = HostArray<float>(std::size_t{m_plan.localBatch} * kImagePixels, hooks.pinned);
        slot.hostLabels = HostArray<int>(m_plan.localBatch, hooks.pinned);
        slot.images = DeviceArray<float>(slot.hostImages.size());
        slot.labels = DeviceArray<int>(slot.hostLabels.size());
        slot.copied = makeEvent();
        slot.consumed = makeEvent();
    }
    for (unsigned worker = 0; worker < m_plan.workers; ++worker)
        m_workers.emplace_back([this, worker] { run(worker); });
}

Loader::~Loader()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_changed.notify_all();
    for (std::thread& worker : m_workers)
        worker.join();
    // A slot's callback may still be queued on the stream.
    cudaStreamSynchronize(m_copyStream.get());
}

void Loader::run(unsigned worker)
{
    try {
        RS_CHECK(cudaSetDevice(m_plan.device));
        DistributedSampler sampler = m_plan.sampler;
        for (std::uint64_t step = worker; step < m_plan.steps; step += m_plan.workers) {
            if (!load(step, sampler))
                return;
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

bool Loader::load(std::uint64_t step, DistributedSampler& sampler)
{
    Slot& slot = slotOf(step);
    if (!awaitFree(slot))
        return false;
    draw(step, slot, sampler);
    {
        const std::lock_guard lock(m_mutex);
        slot.loaded = true;
    }
    m_changed.notify_all();
    return true;
}

void Loader::draw(std::uint64_t step, Slot& slot, DistributedSampler& sampler)
{
    for (const auto& hook : m_hooks.beforeLoad)
        hook(step);
    const std::span<float> images(slot.hostImages.data(), slot.hostImages.size());
    const std::vector<std::uint64_t> indices = sampler.indices(step);
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
    if (m_plan.workers == 0)
        load(m_delivered, m_plan.sampler);
    Slot& slot = slotOf(m_delivered);
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_error || slot.loaded; });
        if (m_error)
            std::rethrow_exception(m_error);
        slot.loaded = false;
    }
    const auto index = static_cast<unsigned>(m_delivered++ % m_slots.size());
    RS_CHECK(cudaStreamWaitEvent(stream, slot.copied.get(), 0));
    return {.images = slot.images.data(), .labels = slot.labels.data(), .slot = index};
}

void Loader::release(const Batch& batch, cudaStream_t stream)
{
    // A callback on the stream instead of a wait: the loop must not synchronise with the GPU.
    Slot& slot = m_slots[batch.slot];
    order(stream, slot.consumed.get(), m_copyStream.get());
    RS_CHECK(cudaLaunchHostFunc(m_copyStream.get(), freed, &slot));
}

void Loader::freed(void* slot)
{
    auto* freed = static_cast<Slot*>(slot);
    Loader& loader = *freed->loader;
    // Notifies under the lock: afterwards the loader may have been destroyed.
    const std::lock_guard lock(loader.m_mutex);
    freed->free = true;
    loader.m_changed.notify_all();
}

} // namespace ringside::trainer
