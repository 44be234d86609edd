// SPDX-License-Identifier: Apache-2.0
#include "ring_builder.h"

#include <algorithm>
#include <fstream>

namespace ringside::test {

using namespace ringside::trace;

RingBuilder::RingBuilder(RingRole role, std::uint32_t ringId, std::uint64_t slotCount, ClockKind clock)
    : m_words((kRingHeaderBytes + slotCount * kSlotBytes) / sizeof(std::uint64_t)), m_slotCount(slotCount)
{
    RingHeader& to = header();
    to.magic = kRingMagic;
    to.version = kRingVersion;
    to.headerBytes = kRingHeaderBytes;
    to.slotCount = slotCount;
    to.role = role;
    to.clock = clock;
    to.ringId = ringId;
    to.threadId = role == RingRole::Thread ? ringId : 0;
    to.pid = 0x7FFFFFFF; // nobody's
}

std::byte* RingBuilder::slot(std::uint64_t index)
{
    return bytes().data() + kRingHeaderBytes + (index % m_slotCount) * kSlotBytes;
}

void RingBuilder::put(std::span<std::byte> record, RecordKind kind)
{
    const auto slots = static_cast<std::uint8_t>(record.size() / kSlotBytes);
    const std::uint64_t left = m_slotCount - m_head % m_slotCount;
    if (slots > left) {
        const CommitWord pad{static_cast<std::uint32_t>(m_head + 1), RecordKind::Pad,
                             static_cast<std::uint8_t>(left), 0};
        std::memcpy(slot(m_head), &pad, sizeof pad);
        m_head += left;
    }
    CommitWord commit{};
    std::memcpy(&commit, record.data(), sizeof commit); // it may have a stream
    commit = {static_cast<std::uint32_t>(m_head + 1), kind, slots, commit.stream};
    std::memcpy(record.data(), &commit, sizeof commit);
    std::copy(record.begin(), record.end(), slot(m_head));
    m_head += slots;
    header().head = m_head;
}

RingBuilder& RingBuilder::call(std::uint64_t start, std::uint64_t end, std::uint32_t api)
{
    return add(RecordKind::Call, CallRecord{{}, start, end, api, 0});
}

RingBuilder& RingBuilder::text(std::uint32_t id, const std::string& text)
{
    std::size_t offset = 0;
    do {
        StringRecord part{};
        part.id = id;
        part.totalBytes = static_cast<std::uint32_t>(text.size());
        part.offset = static_cast<std::uint32_t>(offset);
        part.partBytes = static_cast<std::uint32_t>(std::min(sizeof part.text, text.size() - offset));
        std::memcpy(part.text, text.data() + offset, part.partBytes);
        add(RecordKind::String, part);
        offset += part.partBytes;
    } while (offset < text.size());
    return *this;
}

void RingBuilder::save(const std::filesystem::path& file)
{
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes().data()), static_cast<std::streamsize>(bytes().size()));
}

} // namespace ringside::test
