// SPDX-License-Identifier: Apache-2.0
#include "support/parallel_machine.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

namespace ringside::test {
namespace {

constexpr std::int64_t kBegin = 1'000'000'000'000; ///< as of TraceBuilder
constexpr std::int64_t kLaunchLength = 5'000;
constexpr std::int64_t kLaunchDelay = 2'000;

/// One message, or a collective with all of its members.
struct Rendezvous {
    std::int64_t ns = 0;
    std::size_t size = 0;
    std::vector<std::pair<std::size_t, std::size_t>> parts; ///< rank, meeting
};

/// A communication kernel of one rank.
struct Meeting {
    std::int64_t ready = 0;                   ///< from when on it may start
    std::optional<std::size_t> previous = {}; ///< the meeting before it on its stream, which ends first
    std::optional<std::int64_t> end = {};
    std::vector<const Rendezvous*> with = {};
    bool asked = false; ///< resolve() is looking for its end
};

/// A kernel that waits for nobody.
struct Span {
    std::int64_t start = 0;
    std::int64_t end = 0;
};

struct MachineRank {
    std::size_t next = 0; ///< of the script
    std::int64_t host = 0;
    std::int64_t compute = 0;
    std::int64_t calls = 0;
    std::int64_t stepBegin = 0;
    std::int64_t steps = 0;
    std::uint32_t correlation = 0;
    bool posted = false;                    ///< the next item has come to its meeting
    std::map<std::int64_t, std::size_t> on; ///< stream: its last meeting
    std::vector<Meeting> meetings;
    std::vector<trace::KernelRow> kernels;
    std::vector<std::pair<std::size_t, std::size_t>> open; ///< kernel, meeting: without its end yet
    std::vector<std::size_t> groupOf;                      ///< of each item, by MachineGroup's number
    std::map<std::size_t, std::int64_t> communicators;
    std::map<std::int64_t, std::int64_t> sequences;
};

using RendezvousKey = std::tuple<std::size_t, int, int, std::int64_t>; ///< group; sender, receiver; number

class Machine final {
public:
    Machine(TraceBuilder& trace, const std::vector<std::vector<MachineItem>>& scripts)
        : m_trace(trace), m_scripts(scripts), m_ranks(scripts.size())
    {}
    void play();

private:
    bool advance(std::size_t rank);
    bool communicate(std::size_t rank, const MachineItem& item);
    void post(std::size_t rank, const MachineItem& item);
    void join(std::size_t rank, const RendezvousKey& key, std::int64_t ns, std::size_t size);
    void resolve(std::size_t rank, std::size_t meeting);
    std::optional<std::int64_t> startOf(std::size_t rank, std::size_t meeting);
    std::optional<std::int64_t> endOf(std::size_t rank, const Meeting& meeting);
    void addCalls(std::size_t rank, const MachineItem& item, std::int64_t communicator);
    void addCall(std::size_t rank, std::string_view api, std::uint64_t bytes,
                 std::optional<std::int64_t> peer, std::int64_t communicator, std::int64_t group);
    void numberGroups();
    std::int64_t communicatorOf(std::size_t rank);
    std::int64_t launch(std::size_t rank);
    void addKernel(std::size_t rank, std::string_view name, std::int64_t stream, const Span& time);
    bool endStep(std::size_t rank);
    void writeKernels(std::size_t rank);

    TraceBuilder& m_trace;
    const std::vector<std::vector<MachineItem>>& m_scripts;
    std::vector<MachineRank> m_ranks;
    std::map<RendezvousKey, Rendezvous> m_rendezvous;
    std::map<std::tuple<std::size_t, int, int, std::size_t>, std::int64_t> m_numbers; ///< a rank's own
};

std::int64_t Machine::launch(std::size_t index)
{
    MachineRank& rank = m_ranks[index];
    trace::ProcessTrace& trace = m_trace.process(static_cast<int>(index));
    const std::int64_t start = kBegin + rank.host;
    rank.host += kLaunchLength;
    trace.launches.startNs.push_back(start);
    trace.launches.endNs.push_back(start + kLaunchLength);
    trace.launches.api.push_back(m_trace.text(static_cast<int>(index), "cudaLaunchKernel"));
    trace.launches.tid.push_back(static_cast<std::uint32_t>(trace.process.pid));
    trace.launches.correlation.push_back(++rank.correlation);
    return rank.host + kLaunchDelay;
}

void Machine::addKernel(std::size_t index, std::string_view name, std::int64_t stream, const Span& time)
{
    MachineRank& rank = m_ranks[index];
    trace::KernelRow row;
    row.startNs = kBegin + time.start;
    row.endNs = kBegin + time.end;
    row.name = m_trace.text(static_cast<int>(index), name);
    row.stream = static_cast<std::uint32_t>(stream);
    row.correlation = rank.correlation;
    rank.kernels.push_back(row);
}

void Machine::numberGroups()
{
    std::map<MachineGroup, std::size_t> numbers;
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
        for (const MachineItem& item : m_scripts[rank]) {
            m_ranks[rank].groupOf.push_back(numbers.try_emplace(item.group, numbers.size()).first->second);
        }
    }
}

/// Of the next item.
std::int64_t Machine::communicatorOf(std::size_t index)
{
    MachineRank& rank = m_ranks[index];
    const MachineGroup& group = m_scripts[index][rank.next].group;
    if (group.tag == "world") {
        return 1;
    }
    constexpr std::uint64_t kFirstHash = 0x1000;
    trace::ProcessTrace& trace = m_trace.process(static_cast<int>(index));
    const auto [entry, fresh] = rank.communicators.try_emplace(
        rank.groupOf[rank.next], static_cast<std::int64_t>(trace.communicators.size()) + 1);
    if (fresh) {
        trace::CommunicatorRow row = trace.communicators.front();
        row.id = entry->second;
        row.hash = kFirstHash + rank.groupOf[rank.next];
        row.name = 0;
        row.size = static_cast<std::int64_t>(group.members.size());
        row.rank = std::ranges::find(group.members, static_cast<int>(index)) - group.members.begin();
        trace.communicators.push_back(row);
    }
    return entry->second;
}

void Machine::addCall(std::size_t index, std::string_view api, std::uint64_t bytes,
                      std::optional<std::int64_t> peer, std::int64_t communicator, std::int64_t group)
{
    constexpr std::int64_t kFloat32 = 7;
    MachineRank& rank = m_ranks[index];
    trace::CollectiveCallRow call;
    call.id = ++rank.calls;
    call.api = m_trace.text(static_cast<int>(index), api);
    call.communicator = communicator;
    call.sequence = rank.sequences[communicator]++;
    call.count = bytes / sizeof(float);
    call.bytes = bytes;
    call.datatype = kFloat32;
    call.peer = peer;
    call.stream = 2;
    call.groupId = group;
    call.startNs = kBegin + rank.host - kLaunchLength;
    call.endNs = kBegin + rank.host;
    call.thread = 1;
    call.result = 0;
    m_trace.process(static_cast<int>(index)).collectiveCalls.push_back(call);
}

void Machine::addCalls(std::size_t index, const MachineItem& item, std::int64_t communicator)
{
    MachineRank& rank = m_ranks[index];
    trace::ProcessTrace& trace = m_trace.process(static_cast<int>(index));
    std::int64_t group = 0;
    if (item.messages.size() > 1) {
        group = ++rank.calls;
        trace.groups.push_back({group, static_cast<std::int64_t>(item.messages.size()),
                                kBegin + rank.host - kLaunchLength, kBegin + rank.host - kLaunchLength,
                                kBegin + rank.host, 1, 0});
    }
    const auto place = [&](int member) {
        return std::ranges::find(item.group.members, member) - item.group.members.begin();
    };
    if (item.what == MachineItem::What::Collective) {
        addCall(index, item.api, item.bytes, std::nullopt, communicator, 0);
    }
    std::map<int, int> selfSeen;
    for (const MachineMessage& message : item.messages) {
        const bool self = message.sender == message.receiver;
        const bool sends = self ? selfSeen[message.sender]++ == 0 : message.sender == static_cast<int>(index);
        addCall(index, sends ? "ncclSend" : "ncclRecv", message.bytes,
                place(sends ? message.receiver : message.sender), communicator, group);
    }
    trace.callCorrelations.correlation.push_back(rank.correlation);
    trace.callCorrelations.call.push_back(static_cast<std::uint64_t>(group != 0 ? group : rank.calls));
}

void Machine::join(std::size_t index, const RendezvousKey& key, std::int64_t ns, std::size_t size)
{
    const std::size_t meeting = m_ranks[index].meetings.size() - 1;
    Rendezvous& entry = m_rendezvous[key];
    entry.ns = std::max(entry.ns, ns);
    entry.size = size;
    entry.parts.emplace_back(index, meeting);
    m_ranks[index].meetings.back().with.push_back(&entry);
}

void Machine::post(std::size_t index, const MachineItem& item)
{
    MachineRank& rank = m_ranks[index];
    const std::size_t group = rank.groupOf[rank.next];
    const std::int64_t launched = launch(index);
    const std::int64_t communicator = communicatorOf(index);
    const auto last = rank.on.find(communicator);
    Meeting meeting{.ready = std::max(launched, rank.compute)};
    if (last != rank.on.end()) {
        meeting.previous = last->second;
    }
    rank.on[communicator] = rank.meetings.size();
    rank.meetings.push_back(std::move(meeting));
    if (item.what == MachineItem::What::Collective) {
        const auto number = m_numbers[{group, -1, -1, index}]++;
        join(index, {group, -1, -1, number}, item.ns, item.group.members.size());
    }
    for (const MachineMessage& message : item.messages) {
        if (message.sender != message.receiver) {
            const auto number = m_numbers[{group, message.sender, message.receiver, index}]++;
            join(index, {group, message.sender, message.receiver, number}, message.ns, 2);
        }
    }
    constexpr std::int64_t kFirstStream = 20;
    addCalls(index, item, communicator);
    addKernel(index,
              item.what == MachineItem::What::Collective
                  ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
                  : "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
              kFirstStream + communicator, {}); // its times follow in writeKernels()
    rank.open.emplace_back(rank.kernels.size() - 1, rank.meetings.size() - 1);
}

/// Unknown as long as the meeting before it has no end.
std::optional<std::int64_t> Machine::startOf(std::size_t index, std::size_t meeting)
{
    const Meeting& own = m_ranks[index].meetings[meeting];
    if (!own.previous) {
        return own.ready;
    }
    resolve(index, *own.previous);
    const auto previousEnd = m_ranks[index].meetings[*own.previous].end;
    return previousEnd ? std::optional(std::max(own.ready, *previousEnd)) : std::nullopt;
}

std::optional<std::int64_t> Machine::endOf(std::size_t index, const Meeting& own)
{
    std::optional<std::int64_t> end =
        startOf(index, static_cast<std::size_t>(&own - m_ranks[index].meetings.data()));
    for (const Rendezvous* const entry : own.with) {
        if (!end || entry->parts.size() < entry->size) {
            return std::nullopt;
        }
        for (const auto& [member, part] : entry->parts) {
            const auto start = startOf(member, part);
            end = start && end ? std::optional(std::max(*end, *start + entry->ns)) : std::nullopt;
        }
    }
    return end;
}

/// Sets the end where all that it meets with have come.
void Machine::resolve(std::size_t index, std::size_t meeting)
{
    Meeting& own = m_ranks[index].meetings[meeting];
    if (own.end || own.asked) {
        return;
    }
    own.asked = true;
    own.end = endOf(index, own);
    own.asked = false;
}

bool Machine::communicate(std::size_t index, const MachineItem& item)
{
    MachineRank& rank = m_ranks[index];
    const auto isOver = [&](std::size_t meeting) {
        resolve(index, meeting);
        return rank.meetings[meeting].end.has_value();
    };
    bool moved = false;
    if (!rank.posted) {
        post(index, item);
        rank.posted = moved = true;
    }
    const std::size_t meeting = rank.on[communicatorOf(index)];
    if (item.waits && !isOver(meeting)) {
        return moved;
    }
    rank.compute = item.waits ? *rank.meetings[meeting].end : rank.compute;
    rank.posted = false;
    ++rank.next;
    return true;
}

/// Waits for all that was started. False as long as something of it has no end.
bool Machine::endStep(std::size_t index)
{
    MachineRank& rank = m_ranks[index];
    for (const auto& [stream, meeting] : rank.on) {
        resolve(index, meeting);
        if (!rank.meetings[meeting].end) {
            return false;
        }
        rank.compute = std::max(rank.compute, *rank.meetings[meeting].end);
    }
    rank.host = std::max(rank.host, rank.compute);
    m_trace.process(static_cast<int>(index))
        .steps.push_back({++rank.steps, kBegin + rank.stepBegin, kBegin + rank.host, 1});
    rank.stepBegin = rank.host;
    return true;
}

bool Machine::advance(std::size_t index)
{
    MachineRank& rank = m_ranks[index];
    const MachineItem& item = m_scripts[index][rank.next];
    switch (item.what) {
    case MachineItem::What::Collective:
    case MachineItem::What::Messages:
        return communicate(index, item);
    case MachineItem::What::Compute: {
        const std::int64_t start = std::max(launch(index), rank.compute);
        const Span time{start, start + item.ns};
        rank.compute = time.end;
        constexpr std::int64_t kComputeStreamOfMachine = 7;
        addKernel(index, item.kernel, kComputeStreamOfMachine, time);
        break;
    }
    case MachineItem::What::Stall:
        rank.compute += item.ns;
        rank.host = rank.compute;
        break;
    case MachineItem::What::HostIdle:
        rank.host += item.ns;
        break;
    case MachineItem::What::EndStep:
        if (!endStep(index)) {
            return false;
        }
        break;
    }
    ++rank.next;
    return true;
}

void Machine::writeKernels(std::size_t index)
{
    MachineRank& rank = m_ranks[index];
    for (const auto& [kernel, meeting] : rank.open) {
        resolve(index, meeting);
        if (!rank.meetings[meeting].end) {
            throw std::logic_error("a message has only one end");
        }
        rank.kernels[kernel].startNs = kBegin + startOf(index, meeting).value();
        rank.kernels[kernel].endNs = kBegin + *rank.meetings[meeting].end;
    }
    std::ranges::stable_sort(rank.kernels, {}, &trace::KernelRow::startNs);
    trace::KernelColumns& columns = m_trace.process(static_cast<int>(index)).kernels;
    for (const trace::KernelRow& row : rank.kernels) {
        columns.startNs.push_back(row.startNs);
        columns.endNs.push_back(row.endNs);
        columns.name.push_back(row.name);
        columns.device.push_back(row.device);
        columns.stream.push_back(row.stream);
        columns.correlation.push_back(row.correlation);
        columns.graph.push_back(row.graph);
        columns.graphNode.push_back(row.graphNode);
        columns.configuration.push_back(row.configuration);
    }
}

void Machine::play()
{
    numberGroups();
    bool moved = true;
    while (moved) {
        moved = false;
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            while (m_ranks[rank].next < m_scripts[rank].size() && advance(rank)) {
                moved = true;
            }
        }
    }
    std::int64_t latest = 0;
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
        if (m_ranks[rank].next < m_scripts[rank].size()) {
            throw std::logic_error("the scripts wait for each other");
        }
        writeKernels(rank);
        latest = std::max(latest, m_ranks[rank].host);
    }
    m_trace.withoutStepMarks().withoutStepEndSync().steps(
        1, [&](StepBuilder& step) { step.everyRank().hostIdle(nanoseconds(latest)); });
}

} // namespace

void playOnMachine(TraceBuilder& trace, const std::vector<std::vector<MachineItem>>& scripts)
{
    Machine(trace, scripts).play();
}

} // namespace ringside::test
