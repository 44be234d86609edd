// SPDX-License-Identifier: Apache-2.0
#include "record/ring.h"

#include <algorithm>

namespace ringside::collector {

Ring::Ring(std::span<std::byte> mapping, std::string path)
    : m_header(new (mapping.data()) trace::RingHeader{})
    , m_slots(mapping.data() + trace::kRingHeaderBytes)
    , m_mask((mapping.size() - trace::kRingHeaderBytes) / trace::kSlotBytes - 1)
    , m_softLimit((m_mask + 1) / 2)
    , m_mapping(mapping)
    , m_path(std::move(path))
{
    m_header->version = trace::kRingVersion;
    m_header->headerBytes = trace::kRingHeaderBytes;
    m_header->slotCount = m_mask + 1;
    m_header->clock = g_clockKind;
    std::atomic_ref<std::uint64_t>(m_header->magic).store(trace::kRingMagic, std::memory_order_release);
}

// Called when the ring is half full and then after each sixteenth of it. Requests a drain; fails only if
// the ring is full.
bool Ring::makeRoom(std::uint64_t slots)
{
    const std::uint64_t size = m_mask + 1;
    const std::uint64_t tail = m_header->tail.load(std::memory_order_acquire);
    const std::uint64_t need = m_head + slots;
    if (need <= tail + size / 2) {
        m_softLimit = tail + size / 2;
        return true;
    }
    requestDrain();
    if (need > tail + size) {
        m_header->dropped.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    m_softLimit = std::min(tail + size, need + size / 16);
    return true;
}

void Ring::pad()
{
    const auto left = static_cast<std::uint8_t>(m_mask + 1 - (m_head & m_mask));
    publish(slotAt(m_head), trace::RecordKind::Pad, left);
}

} // namespace ringside::collector
