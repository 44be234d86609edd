// SPDX-License-Identifier: Apache-2.0
#include "trace/write/definition_rows.h"
#include "trace/write/nccl_records.h"
#include "trace/write/ring_rows.h"
#include "trace/write/ring_view.h"

#include <ringside/trace/ring_decoder.h>

#include <array>
#include <cstring>
#include <optional>

namespace ringside::trace {
namespace {

constexpr std::uint32_t kMaxSentTextBytes = 4096;

template <class Record>
Record as(std::span<const std::byte> bytes)
{
    Record record{};
    std::memcpy(&record, bytes.data(), sizeof record);
    return record;
}

} // namespace

RingDecoder::RingDecoder(Writer& writer) : m_writer(writer), m_nccl(std::make_unique<NcclRecords>(writer)) {}

RingDecoder::~RingDecoder() = default;

void RingDecoder::damaged(const RingView& ring, const std::string& why)
{
    m_endedRings.insert(ring.id);
    m_writer.add(IssueRow{Issue::RingDamaged, 1,
                          "ring " + std::to_string(ring.id) + " was not read to its end: " + why});
}

std::uint64_t RingDecoder::decode(std::span<const std::byte> mapping, std::uint64_t from)
{
    RingView ring;
    const auto wrong = ring.parse(mapping);
    if (m_endedRings.contains(ring.id)) {
        return from;
    }
    if (wrong) {
        damaged(ring, *wrong);
        return from;
    }
    if (ring.role == RingRole::Definitions) {
        scanClock(ring, from);
    } else if (!m_clock.ready()) {
        return from;
    }
    std::uint64_t kept = from; // everything before it has been converted to rows
    m_text.clear();
    for (std::uint64_t index = from; index - from < ring.slotCount;) {
        const auto commit = ring.commitAt(index);
        if (!commit) {
            break;
        }
        if (const char* const bad = ring.check(*commit, index)) {
            damaged(ring, bad);
            break;
        }
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): only the copied part is read
        std::array<std::byte, kMaxRecordBytes> record;
        ring.copy(index, commit->slots, record);
        const Outcome outcome = decodeOne(ring, commit->kind, record);
        if (outcome == Outcome::Damaged) {
            damaged(ring, "a text whose parts do not fit together");
        }
        if (outcome != Outcome::Decoded) {
            break;
        }
        index += commit->slots;
        m_records += commit->kind != RecordKind::Pad ? 1 : 0;
        if (m_text.empty()) {
            kept = index;
        }
    }
    return kept;
}

void RingDecoder::scanClock(const RingView& ring, std::uint64_t from)
{
    if (ring.clock != m_clock.kind()) {
        m_clock = TickClock(ring.clock);
    }
    for (std::uint64_t index = from; index - from < ring.slotCount;) {
        const auto commit = ring.commitAt(index);
        if (!commit || ring.check(*commit, index) != nullptr) {
            return;
        }
        if (commit->kind == RecordKind::Clock) {
            m_clock.add(as<ClockRecord>(ring.slots.subspan(ring.position(index) * kSlotBytes, kSlotBytes)));
        }
        index += commit->slots;
    }
}

RingDecoder::Outcome RingDecoder::decodeOne(const RingView& ring, RecordKind kind,
                                            std::span<const std::byte> record)
{
    const RecordedBy by{m_clock, ring.thread};
    switch (kind) {
    case RecordKind::Pad:
        break;
    case RecordKind::Call:
        m_writer.add(rowOf(as<CallRecord>(record), by));
        break;
    case RecordKind::Memory:
        m_writer.add(rowOf(as<MemoryRecord>(record), by));
        break;
    case RecordKind::Collective:
        writeCollective(ring, as<CollectiveRecord>(record));
        break;
    case RecordKind::Group:
        m_writer.add(rowOf(as<GroupRecord>(record), by));
        break;
    case RecordKind::GraphLaunch:
        m_writer.add(rowOf(as<GraphLaunchRecord>(record), by));
        break;
    case RecordKind::Range:
        m_writer.add(rowOf(as<RangeRecord>(record), by));
        break;
    case RecordKind::Step:
        m_writer.add(rowOf(as<StepRecord>(record), by));
        break;
    case RecordKind::NcclOperation:
        m_nccl->write(m_clock, as<NcclOperationRecord>(record), ring.thread);
        break;
    case RecordKind::ChannelTime:
        m_nccl->write(m_clock, as<ChannelTimeRecord>(record));
        break;
    case RecordKind::NcclDetail:
        m_nccl->write(as<NcclDetailRecord>(record));
        break;
    case RecordKind::CallConfig:
        m_nccl->write(as<CallConfigRecord>(record));
        break;
    case RecordKind::KernelPhase:
        m_nccl->write(m_clock, as<KernelPhaseRecord>(record));
        break;
    case RecordKind::EventTime:
        m_writer.add(rowOf(as<EventTimeRecord>(record), by));
        break;
    case RecordKind::ProxyStep:
        m_nccl->write(m_clock, as<ProxyStepRecord>(record));
        break;
    case RecordKind::Sample:
        m_writer.add(rowOf(as<SampleRecord>(record), by));
        break;
    default:
        return decodeDefinition(kind, record);
    }
    return Outcome::Decoded;
}

RingDecoder::Outcome RingDecoder::decodeDefinition(RecordKind kind, std::span<const std::byte> record)
{
    if (kind == RecordKind::String) {
        return decodeString(as<StringRecord>(record));
    }
    if (!m_text.empty()) {
        return Outcome::Damaged; // another record separates the parts of a text
    }
    if (kind == RecordKind::Communicator) {
        return decodeCommunicator(as<CommunicatorRecord>(record));
    }
    if (kind == RecordKind::Stream) {
        const auto stream = as<StreamRecord>(record);
        m_writer.add(StreamRow{stream.id, stream.device, stream.handle});
    } else if (kind == RecordKind::Thread) {
        const auto thread = as<ThreadRecord>(record);
        m_writer.add(ThreadRow{thread.threadId, thread.tid, textIn(thread.name)});
    } else if (kind == RecordKind::Series) {
        m_writer.add(rowOf(as<SeriesRecord>(record)));
    } else if (kind == RecordKind::Window) {
        m_writer.beginWindow(rowOf(as<WindowRecord>(record)));
    } else {
        const auto clock = as<ClockRecord>(record);
        m_writer.add(ClockSampleRow{clock.monotonicNs, clock.realtimeNs, clock.ticks, std::nullopt});
    }
    return Outcome::Decoded;
}

RingDecoder::Outcome RingDecoder::decodeString(const StringRecord& part)
{
    const bool begins = part.offset == 0 && m_text.empty();
    const bool continues = part.offset == m_text.size() && part.id == m_textId && !m_text.empty();
    const std::uint64_t end = std::uint64_t{part.offset} + part.partBytes;
    const bool fits =
        part.partBytes <= sizeof part.text && end <= part.totalBytes && part.totalBytes <= kMaxSentTextBytes;
    if ((!begins && !continues) || !fits || (part.partBytes == 0 && part.totalBytes != 0)) {
        m_text.clear();
        return Outcome::Damaged;
    }
    m_textId = part.id;
    m_text.append(part.text, part.partBytes);
    if (end == part.totalBytes) {
        m_writer.defineString(m_textId, m_text);
        m_text.clear();
    }
    return Outcome::Decoded;
}

RingDecoder::Outcome RingDecoder::decodeCommunicator(const CommunicatorRecord& record)
{
    if (!m_clock.ready()) {
        return Outcome::HeldBack;
    }
    const auto ncclHash = record.ncclHash == 0 ? std::nullopt : std::optional(record.ncclHash);
    m_writer.add(CommunicatorRow{record.id, record.parent, record.hash, record.size, record.rank,
                                 record.device, record.name, m_clock.toMonotonicNs(record.createdTicks),
                                 record.handle, ncclHash});
    return Outcome::Decoded;
}

void RingDecoder::writeCollective(const RingView& ring, const CollectiveRecord& collective)
{
    if (!elementBytes(collective)) {
        m_writer.add(IssueRow{Issue::UnknownDatatype, 1,
                              "data type " + std::to_string(collective.datatype) +
                                  " is unknown: its bytes are not counted"});
    }
    m_writer.add(rowOf(collective, {m_clock, ring.thread}));
}

std::vector<InFlightRow> RingDecoder::inFlightOf(std::span<const std::byte> mapping) const
{
    RingView ring;
    if (ring.parse(mapping) || !m_clock.ready()) {
        return {};
    }
    std::vector<InFlightRow> rows;
    constexpr std::size_t kDepth = sizeof(RingHeader::inFlight) / sizeof(InFlight);
    for (std::size_t depth = 0; depth < kDepth; ++depth) {
        const auto call = callInFlight(mapping, depth);
        if (!call) {
            continue;
        }
        InFlightRow row;
        row.thread = ring.thread;
        row.api = call->api;
        row.communicator = call->communicator;
        row.sequence = static_cast<std::int64_t>(call->sequence);
        const bool isBytes = (call->count & kCountIsBytes) != 0;
        (isBytes ? row.bytes : row.count) = call->count & ~kCountIsBytes;
        row.startNs = m_clock.toMonotonicNs(call->startTicks);
        rows.push_back(row);
    }
    return rows;
}

void RingDecoder::decodeInFlight(std::span<const std::byte> mapping, std::optional<std::int64_t> hang)
{
    for (InFlightRow& row : inFlightOf(mapping)) {
        row.hang = hang;
        m_writer.add(row);
        ++m_inFlight;
    }
}

} // namespace ringside::trace
