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

// Why a reader sees whole records also on processors that reorder stores and loads (ARM64):
//
// A record's members are stored before its commit word, and that store is a release. A reader loads the word
// with acquire (RingView::commitAt) and copies the members after that.
//
// Space is written again only below tail + size. The reader stores the tail with release after it copied a
// record, and the owner loads it with acquire below, before it writes. Between two looks the owner goes by an
// older tail, which allows less.
//
// A word of an earlier lap in the same place has another sequence: it is no record to the reader.
//
// The call in flight is no record and is overwritten at any time: ring.h (InFlight) and callInFlight().

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
