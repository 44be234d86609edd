// SPDX-License-Identifier: Apache-2.0
#include "record/nccl_kernels.h"

#include "record/clock.h"

namespace ringside::collector {
namespace {

constexpr std::uint64_t kLongestNs = 3'600'000'000'000; ///< of a kernel: PyTorch gives up after 10 minutes

} // namespace

NcclKernels& ncclKernels()
{
    static constinit NcclKernels kernels;
    return kernels;
}

std::optional<std::int64_t> NcclKernels::timedSinceNs() const
{
    const std::int64_t since = m_sinceNs.load(std::memory_order_relaxed);
    return since != 0 ? std::optional(since) : std::nullopt;
}

void NcclKernels::time(bool wanted, std::int64_t nowNs)
{
    const bool on = wanted && !m_leftOut.load(std::memory_order_relaxed);
    if (on != areTimed()) {
        m_sinceNs.store(on ? nowNs : 0, std::memory_order_relaxed);
    }
}

void NcclKernels::leaveOutFromNowOn()
{
    m_leftOut.store(true, std::memory_order_relaxed);
    const bool wereTimed = m_sinceNs.exchange(0, std::memory_order_relaxed) != 0;
    if (auto* const tell = m_tellNccl.load(std::memory_order_relaxed); wereTimed && tell != nullptr) {
        tell();
    }
}

void NcclKernels::loseAll()
{
    if (areTimed()) {
        m_sinceNs.store(readClockNs(CLOCK_MONOTONIC), std::memory_order_relaxed);
    }
}

void NcclKernels::add(std::int64_t enqueuedNs, std::int32_t device, std::uint64_t startNs,
                      std::uint64_t endNs)
{
    std::int32_t known = -1;
    if (!m_device.compare_exchange_strong(known, device, std::memory_order_relaxed) && known != device) {
        leaveOutFromNowOn();
        return;
    }
    const bool isTime = startNs != 0 && endNs > startNs && endNs - startNs <= kLongestNs;
    const std::uint64_t before = isTime ? m_latestEndNs.exchange(endNs, std::memory_order_relaxed) : 0;
    const bool isFar = before != 0 && (before > endNs ? before - endNs : endNs - before) > kLongestNs;
    if (!isTime || isFar) { // one of two that are far apart was none
        loseAll();
        return;
    }
    Place& place = m_places[m_next.fetch_add(1, std::memory_order_relaxed) % kMost];
    if (place.enqueuedNs.load(std::memory_order_acquire) != 0) {
        loseAll();
        return;
    }
    place.startNs.store(static_cast<std::int64_t>(startNs), std::memory_order_relaxed);
    place.endNs.store(static_cast<std::int64_t>(endNs), std::memory_order_relaxed);
    place.enqueuedNs.store(enqueuedNs, std::memory_order_release);
}

} // namespace ringside::collector
