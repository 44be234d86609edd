// SPDX-License-Identifier: Apache-2.0
// Every record is copied out of the mapping before it is looked at: its owner, or whoever damaged the file,
// may still write.
#include "trace/write/nccl_records.h"
#include "trace/write/series_record.h"

#include <ringside/trace/ring_decoder.h>

#include <array>
#include <bit>
#include <cstring>
#include <optional>

namespace ringside::trace {
namespace {

constexpr std::size_t kMaxRecordBytes = 3 * kSlotBytes;
constexpr std::uint32_t kMaxTextBytes = 4096;

/// Slots a record of this kind takes; 0: unknown kind, or one that says its size itself.
constexpr std::uint8_t slotsOf(RecordKind kind)
{
    switch (kind) {
    case RecordKind::Call:
    case RecordKind::Stream:
    case RecordKind::Clock:
    case RecordKind::Thread:
    case RecordKind::Sample:
        return 1;
    case RecordKind::Memory:
    case RecordKind::Group:
    case RecordKind::Range:
    case RecordKind::Step:
    case RecordKind::ChannelTime:
    case RecordKind::EventTime:
        return 2;
    case RecordKind::Collective:
    case RecordKind::NcclOperation:
    case RecordKind::ProxyStep:
    case RecordKind::GraphLaunch:
    case RecordKind::String:
    case RecordKind::Communicator:
    case RecordKind::Series:
        return 3;
    default:
        return 0;
    }
}

constexpr bool isDefinition(RecordKind kind)
{
    return kind >= RecordKind::String;
}

/// Bytes of an ncclDataType_t, in the order of nccl.h (2.28).
std::optional<std::uint64_t> elementBytes(std::uint16_t datatype)
{
    static constexpr std::array<std::uint8_t, 12> kBytes{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return datatype < kBytes.size() ? std::optional<std::uint64_t>(kBytes[datatype]) : std::nullopt;
}

std::optional<std::int64_t> resultOf(const CallRecord& call)
{
    return call.result != kUnknownResult ? std::optional<std::int64_t>(call.result) : std::nullopt;
}

template <class Record>
Record as(std::span<const std::byte> bytes)
{
    Record record{};
    std::memcpy(&record, bytes.data(), sizeof record);
    return record;
}

/// A field of the mapped header, read where it lies (RingHeader holds atomics and cannot be copied as a
/// whole).
template <class T>
T headerField(std::span<const std::byte> mapping, std::size_t offset)
{
    T value{};
    std::memcpy(&value, mapping.data() + offset, sizeof value);
    return value;
}

} // namespace

/// A mapping whose header was checked.
struct RingDecoder::Ring {
    std::span<const std::byte> slots;
    std::uint64_t slotCount = 0;
    RingRole role{};
    ClockKind clock{};
    std::uint32_t id = 0;
    std::uint32_t thread = 0;

    /// Fills the ring; returns what is wrong with the header, or nothing.
    std::optional<std::string> parse(std::span<const std::byte> mapping)
    {
        if (mapping.size() < kRingHeaderBytes ||
            reinterpret_cast<std::uintptr_t>(mapping.data()) % alignof(std::uint64_t) != 0) {
            return "it is shorter than a ring's header";
        }
        id = headerField<std::uint32_t>(mapping, offsetof(RingHeader, ringId));
        thread = headerField<std::uint32_t>(mapping, offsetof(RingHeader, threadId));
        slotCount = headerField<std::uint64_t>(mapping, offsetof(RingHeader, slotCount));
        role = static_cast<RingRole>(headerField<std::uint32_t>(mapping, offsetof(RingHeader, role)));
        clock = static_cast<ClockKind>(headerField<std::uint32_t>(mapping, offsetof(RingHeader, clock)));
        if (headerField<std::uint64_t>(mapping, offsetof(RingHeader, magic)) != kRingMagic) {
            return "it does not begin as a ring does";
        }
        if (headerField<std::uint32_t>(mapping, offsetof(RingHeader, version)) != kRingVersion ||
            headerField<std::uint32_t>(mapping, offsetof(RingHeader, headerBytes)) != kRingHeaderBytes) {
            return "its version is unknown";
        }
        slots = mapping.subspan(kRingHeaderBytes);
        if (!std::has_single_bit(slotCount) || slotCount > slots.size() / kSlotBytes) {
            return "its slot count is impossible";
        }
        if ((role != RingRole::Definitions && role != RingRole::Thread) ||
            (clock != ClockKind::Tsc && clock != ClockKind::Monotonic)) {
            return "its role or clock is unknown";
        }
        return std::nullopt;
    }

    /// The commit word at `index`, or nothing when no finished record of this lap is there.
    [[nodiscard]] std::optional<CommitWord> commitAt(std::uint64_t index) const
    {
        const auto* const word =
            reinterpret_cast<const std::uint64_t*>(slots.data() + position(index) * kSlotBytes);
        const auto commit = std::bit_cast<CommitWord>(__atomic_load_n(word, __ATOMIC_ACQUIRE));
        const bool finished =
            commit.sequence == static_cast<std::uint32_t>(index + 1) && commit.kind != RecordKind::None;
        return finished ? std::optional<CommitWord>(commit) : std::nullopt;
    }

    [[nodiscard]] std::uint64_t position(std::uint64_t index) const { return index & (slotCount - 1); }

    /// Slot by slot: a length known to the compiler is a few moves, another one a call.
    void copy(std::uint64_t index, unsigned count, std::span<std::byte> record) const
    {
        const std::byte* const first = slots.data() + position(index) * kSlotBytes;
        for (unsigned slot = 0; slot < count; ++slot) {
            std::memcpy(record.data() + slot * kSlotBytes, first + slot * kSlotBytes, kSlotBytes);
        }
    }

    /// What is wrong with a finished record's first word, or null. No string: this runs for every record.
    [[nodiscard]] const char* check(const CommitWord& commit, std::uint64_t index) const
    {
        const bool pad = commit.kind == RecordKind::Pad;
        if (!pad && slotsOf(commit.kind) == 0) {
            return "a record of an unknown kind";
        }
        if (commit.slots < 1 || commit.slots > 3 || (!pad && commit.slots != slotsOf(commit.kind)) ||
            position(index) + commit.slots > slotCount) {
            return "a record of an impossible size";
        }
        if (!pad && isDefinition(commit.kind) != (role == RingRole::Definitions)) {
            return "a record that belongs into another ring";
        }
        return nullptr;
    }
};

RingDecoder::RingDecoder(Writer& writer) : m_writer(writer), m_nccl(std::make_unique<NcclRecords>(writer)) {}

RingDecoder::~RingDecoder() = default;

void RingDecoder::damaged(const Ring& ring, const std::string& why)
{
    m_endedRings.insert(ring.id);
    m_writer.add(
        IssueRow{"ring_damaged", "warning", 1, "ring " + std::to_string(ring.id) + " was given up: " + why});
}

std::uint64_t RingDecoder::decode(std::span<const std::byte> mapping, std::uint64_t from)
{
    Ring ring;
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
    std::uint64_t kept = from; // everything before it is in rows
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
        std::array<std::byte, kMaxRecordBytes> record; // NOLINT(*-member-init): read as far as it is copied
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

void RingDecoder::scanClock(const Ring& ring, std::uint64_t from)
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

RingDecoder::Outcome RingDecoder::decodeOne(const Ring& ring, RecordKind kind,
                                            std::span<const std::byte> record)
{
    switch (kind) {
    case RecordKind::Pad:
        return Outcome::Decoded;
    case RecordKind::Call:
        writeCall(ring, as<CallRecord>(record));
        return Outcome::Decoded;
    case RecordKind::Memory:
        writeMemory(ring, as<MemoryRecord>(record));
        return Outcome::Decoded;
    case RecordKind::Collective:
        writeCollective(ring, as<CollectiveRecord>(record));
        return Outcome::Decoded;
    case RecordKind::Group:
        writeGroup(ring, as<GroupRecord>(record));
        return Outcome::Decoded;
    case RecordKind::GraphLaunch:
        writeGraphLaunch(ring, as<GraphLaunchRecord>(record));
        return Outcome::Decoded;
    case RecordKind::Range:
        writeRange(ring, as<RangeRecord>(record));
        return Outcome::Decoded;
    case RecordKind::Step: {
        const auto step = as<StepRecord>(record);
        m_writer.add(StepRow{step.number, m_clock.toMonotonicNs(step.startTicks),
                             m_clock.toMonotonicNs(step.endTicks), ring.thread});
        return Outcome::Decoded;
    }
    case RecordKind::NcclOperation:
        m_nccl->write(m_clock, as<NcclOperationRecord>(record), ring.thread);
        return Outcome::Decoded;
    case RecordKind::ChannelTime:
        m_nccl->write(m_clock, as<ChannelTimeRecord>(record));
        return Outcome::Decoded;
    case RecordKind::EventTime:
        writeEventTime(as<EventTimeRecord>(record));
        return Outcome::Decoded;
    case RecordKind::ProxyStep:
        m_nccl->write(m_clock, as<ProxyStepRecord>(record));
        return Outcome::Decoded;
    case RecordKind::Sample: {
        const auto sample = as<SampleRecord>(record);
        m_writer.add(SampleRow{m_clock.toMonotonicNs(sample.ticks), sample.series, sample.value});
        return Outcome::Decoded;
    }
    default:
        return decodeDefinition(kind, record);
    }
}

RingDecoder::Outcome RingDecoder::decodeDefinition(RecordKind kind, std::span<const std::byte> record)
{
    if (kind == RecordKind::String) {
        return decodeString(as<StringRecord>(record));
    }
    if (!m_text.empty()) {
        return Outcome::Damaged; // another record between the parts of a text
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
        part.partBytes <= sizeof part.text && end <= part.totalBytes && part.totalBytes <= kMaxTextBytes;
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

void RingDecoder::writeCall(const Ring& ring, const CallRecord& call)
{
    ApiCallRow row;
    row.startNs = m_clock.toMonotonicNs(call.startTicks);
    row.endNs = m_clock.toMonotonicNs(call.endTicks);
    row.api = call.api;
    row.thread = ring.thread;
    row.result = call.result;
    m_writer.add(row);
}

void RingDecoder::writeMemory(const Ring& ring, const MemoryRecord& memory)
{
    ApiCallRow row;
    row.startNs = m_clock.toMonotonicNs(memory.call.startTicks);
    row.endNs = m_clock.toMonotonicNs(memory.call.endTicks);
    row.api = memory.call.api;
    row.thread = ring.thread;
    row.stream = memory.stream;
    row.copyKind = memory.copyKind;
    row.bytes = memory.bytes;
    row.result = memory.call.result;
    m_writer.add(row);
}

void RingDecoder::writeCollective(const Ring& ring, const CollectiveRecord& collective)
{
    const bool typed = collective.datatype != kUnknownDatatype;
    const auto size = typed ? elementBytes(collective.datatype) : 1; // its count is in bytes
    if (!size) {
        m_writer.add(IssueRow{"unknown_datatype", "warning", 1,
                              "data type " + std::to_string(collective.datatype) +
                                  " is unknown: its bytes are not counted"});
    }
    CollectiveCallRow row;
    row.id = static_cast<std::int64_t>(collective.callId);
    row.api = collective.call.api;
    row.communicator = collective.communicator;
    row.sequence = static_cast<std::int64_t>(collective.sequence);
    row.count = typed ? std::optional(collective.count) : std::nullopt;
    row.bytes = collective.count * size.value_or(0);
    row.datatype = typed ? std::optional<std::int64_t>(collective.datatype) : std::nullopt;
    row.reduction = collective.reduction == kNoReduction ? std::nullopt
                                                         : std::optional<std::int64_t>(collective.reduction);
    row.peer = collective.peer < 0 ? std::nullopt : std::optional<std::int64_t>(collective.peer);
    row.stream = collective.stream;
    row.groupId = static_cast<std::int64_t>(collective.groupId);
    row.startNs = m_clock.toMonotonicNs(collective.call.startTicks);
    row.endNs = m_clock.toMonotonicNs(collective.call.endTicks);
    row.thread = ring.thread;
    row.result = resultOf(collective.call);
    row.graph = collective.graph == 0 ? std::nullopt : std::optional<std::int64_t>(collective.graph);
    m_writer.add(row);
}

void RingDecoder::writeGraphLaunch(const Ring& ring, const GraphLaunchRecord& launch)
{
    GraphLaunchRow row;
    row.startNs = m_clock.toMonotonicNs(launch.call.startTicks);
    row.endNs = m_clock.toMonotonicNs(launch.call.endTicks);
    row.launch = launch.launchId;
    row.graph = launch.graph;
    row.communicator = launch.communicator;
    row.sequence = launch.sequence;
    row.calls = launch.calls;
    row.stream = launch.stream;
    row.thread = ring.thread;
    row.result = launch.call.result;
    m_writer.add(row);
}

void RingDecoder::writeGroup(const Ring& ring, const GroupRecord& group)
{
    GroupRow row;
    row.id = static_cast<std::int64_t>(group.groupId);
    row.calls = static_cast<std::int64_t>(group.calls);
    row.startNs = m_clock.toMonotonicNs(group.call.startTicks);
    row.launchStartNs = m_clock.toMonotonicNs(group.endCallStartTicks);
    row.endNs = m_clock.toMonotonicNs(group.call.endTicks);
    row.thread = ring.thread;
    row.result = resultOf(group.call);
    m_writer.add(row);
}

// Sums of what may be anything: modulo 2^64, and the reader leaves out implausible times.
void RingDecoder::writeEventTime(const EventTimeRecord& record)
{
    const auto anchorNs = static_cast<std::uint64_t>(m_clock.toMonotonicNs(record.anchorTicks));
    const auto after = [anchorNs](std::int64_t ns) {
        return static_cast<std::int64_t>(anchorNs + static_cast<std::uint64_t>(ns));
    };
    EventTimeRow row;
    row.startNs = after(record.startNs);
    row.endNs = after(record.endNs);
    row.call = record.callId;
    row.device = static_cast<std::uint32_t>(record.device);
    row.stream = record.stream;
    row.uncertaintyNs = record.uncertaintyNs;
    m_writer.add(row);
}

void RingDecoder::writeRange(const Ring& ring, const RangeRecord& range)
{
    RangeRow row;
    row.name = range.name;
    row.domain = range.domain;
    row.category = range.category;
    row.depth = range.depth;
    row.flavour = static_cast<std::int64_t>(range.flavour);
    row.startNs = m_clock.toMonotonicNs(range.startTicks);
    row.endNs = m_clock.toMonotonicNs(range.endTicks);
    row.thread = ring.thread;
    m_writer.add(row);
}

std::vector<InFlightRow> RingDecoder::inFlightOf(std::span<const std::byte> mapping) const
{
    Ring ring;
    if (ring.parse(mapping) || !m_clock.ready()) {
        return {};
    }
    std::vector<InFlightRow> rows;
    struct Plain {
        std::uint32_t api;
        std::uint32_t communicator;
        std::uint64_t startTicks;
        std::uint64_t count;
        std::uint64_t sequence;
    };
    static_assert(sizeof(Plain) == sizeof(InFlight));
    constexpr std::size_t kDepth = sizeof(RingHeader::inFlight) / sizeof(InFlight);
    for (std::size_t depth = 0; depth < kDepth; ++depth) {
        const auto call =
            headerField<Plain>(mapping, offsetof(RingHeader, inFlight) + depth * sizeof(InFlight));
        if (call.api == 0) {
            continue;
        }
        InFlightRow row;
        row.thread = ring.thread;
        row.api = call.api;
        row.communicator = call.communicator;
        row.sequence = static_cast<std::int64_t>(call.sequence);
        const bool isBytes = (call.count & kCountIsBytes) != 0;
        (isBytes ? row.bytes : row.count) = call.count & ~kCountIsBytes;
        row.startNs = m_clock.toMonotonicNs(call.startTicks);
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
