// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_log/process.h"

#include "import/note.h"
#include "trace/vocabulary/datatype.h"

#include <ringside/trace/environment.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::importers::nccl_log {
namespace {

bool isOneOf(std::string_view function, std::initializer_list<std::string_view> names)
{
    return std::ranges::find(names, function) != names.end();
}

} // namespace

Process::Process(const Message& first, Room& room) : m_strings(m_trace), m_room(room)
{
    m_trace.process.host = cleanText(first.host);
    m_trace.process.pid = first.pid;
}

void Process::add(const Message& message, bool torn)
{
    m_thread =
        m_threads.try_emplace(message.tid, static_cast<std::int64_t>(m_threads.size()) + 1).first->second;
    if (message.warning) {
        m_firstWarning = m_warnings++ == 0 ? cleanText(message.text) : m_firstWarning;
        return;
    }
    const Parsed parsed = parseMessage(message.text);
    if (torn && std::holds_alternative<OtherLine>(parsed)) {
        ++m_torn;
        return;
    }
    std::visit([this](const auto& line) { take(line); }, parsed);
}

Process::Communicator* Process::make(std::uint64_t address)
{
    if (m_room.communicators == 0) {
        ++m_noRoom;
        return nullptr;
    }
    --m_room.communicators;
    trace::CommunicatorRow row;
    row.id = static_cast<std::int64_t>(m_trace.communicators.size()) + 1;
    row.rank = -1;
    row.handle = address;
    m_trace.communicators.push_back(row);
    return &(m_communicators[address] = {m_trace.communicators.size() - 1, false, 0});
}

/// Begin and end of making one are two lines; an address may come again when its communicator is gone.
void Process::take(const InitLine& line)
{
    const auto known = m_communicators.find(line.communicator);
    Communicator* communicator = known != m_communicators.end() ? &known->second : nullptr;
    if (communicator != nullptr && communicator->complete == line.complete) {
        communicator = nullptr;
    }
    communicator = communicator == nullptr || communicator->complete ? make(line.communicator) : communicator;
    if (communicator == nullptr) {
        return;
    }
    communicator->complete = line.complete;
    trace::CommunicatorRow& row = m_trace.communicators[communicator->row];
    row.size = line.size;
    row.rank = line.rank;
    row.device = line.device;
    if (line.commId) {
        row.ncclHash = line.commId;
    }
    const auto parent = m_communicators.find(line.parent);
    if (!line.commId && parent != m_communicators.end()) {
        const trace::CommunicatorRow& from = m_trace.communicators[parent->second.row];
        row.parent = from.id;
        row.hash = textHash(fmt::format("{:x} {:x} {}", from.ncclHash.value_or(0), from.hash, line.split));
    }
    addDevice(line);
}

void Process::addDevice(const InitLine& line)
{
    constexpr std::size_t kMostDevices = 1024;
    const bool known =
        std::ranges::find(m_trace.devices, line.device, &trace::DeviceRow::ordinal) != m_trace.devices.end();
    if (line.device >= 0 && !known && m_trace.devices.size() < kMostDevices) {
        trace::DeviceRow row;
        row.ordinal = line.device;
        row.pciBusId = busName(line.busId);
        m_trace.devices.push_back(std::move(row));
    }
}

void Process::take(const CallLine& line)
{
    const auto known = m_communicators.find(line.communicator);
    Communicator* communicator = known != m_communicators.end() ? &known->second : nullptr;
    if (communicator == nullptr) {
        communicator = make(line.communicator);
        ++m_unknownCommunicators;
        if (communicator != nullptr) {
            m_trace.communicators[communicator->row].size = line.size;
        }
    }
    if (communicator == nullptr || m_room.calls == 0) {
        ++m_noRoom;
        return;
    }
    --m_room.calls;
    trace::CollectiveCallRow row;
    row.id = static_cast<std::int64_t>(m_trace.collectiveCalls.size()) + 1;
    row.api = m_strings.idOf(fmt::format("nccl{}", line.function));
    row.communicator = m_trace.communicators[communicator->row].id;
    row.sequence = communicator->calls++;
    row.count = line.count;
    row.datatype = line.datatype;
    const auto elementBytes = trace::elementBytes(line.datatype);
    std::uint64_t bytes = 0;
    if (elementBytes && !__builtin_mul_overflow(line.count, *elementBytes, &bytes)) {
        row.bytes = bytes;
    }
    if (isOneOf(line.function, {"AllReduce", "Reduce", "ReduceScatter"})) {
        row.reduction = line.reduction;
    }
    if (isOneOf(line.function, {"Broadcast", "Reduce", "Send", "Recv", "Gather", "Scatter"})) {
        row.peer = line.root;
    }
    row.thread = m_thread;
    m_trace.collectiveCalls.push_back(row);
}

void Process::take(const EnvironmentLine& line)
{
    if (trace::isStoredVariable(line.name)) {
        m_environment.try_emplace(cleanText(line.name), cleanText(trace::redacted(line.name, line.value)));
    } else {
        ++m_notStored;
    }
}

/// Of several communicators the first one's: mostly that of all ranks.
void Process::take(const FactLine& line)
{
    constexpr std::size_t kMost = 256; // rings of a node: 32
    const std::string name = cleanText(line.name);
    if (line.counts) {
        if (m_connections.size() < kMost || m_connections.contains(name)) {
            ++m_connections[name];
            return;
        }
    } else if (m_facts.size() < kMost && m_facts.try_emplace(name, cleanText(line.value)).second) {
        return;
    }
    ++m_repeated;
}

const trace::CommunicatorRow* Process::world() const
{
    const auto largest = std::ranges::max_element(m_trace.communicators, {}, &trace::CommunicatorRow::size);
    return largest != m_trace.communicators.end() && largest->rank >= 0 ? &*largest : nullptr;
}

std::optional<std::int64_t> Process::rank() const
{
    const trace::CommunicatorRow* const of = world();
    return of != nullptr ? std::optional(of->rank) : std::nullopt;
}

void Process::addContext()
{
    for (const auto& [tid, id] : m_threads) {
        m_trace.threads.push_back({id, tid, ""});
    }
    for (const auto& [name, value] : m_environment) {
        m_trace.settings.push_back({"environment", name, value});
    }
    for (const auto& [name, value] : m_facts) {
        m_trace.settings.push_back({"nccl", name, value});
    }
    for (const auto& [name, count] : m_connections) {
        m_trace.settings.push_back({"nccl", name, std::to_string(count)});
    }
    const trace::CommunicatorRow* const all = world();
    for (const trace::CommunicatorRow& row :
         m_trace.communicators) { // a process may hold several ranks of it
        const bool same = all != nullptr && row.ncclHash == all->ncclHash && row.hash == all->hash;
        const auto taken = std::ranges::find(m_trace.ranks, row.rank, &trace::RankRow::rank);
        if (same && row.rank >= 0 && taken == m_trace.ranks.end()) {
            trace::RankRow rank;
            rank.rank = row.rank;
            rank.worldSize = row.size;
            rank.device = row.device >= 0 ? std::optional(row.device) : std::nullopt;
            rank.attempt = m_attempt;
            rank.source = "communicator";
            m_trace.ranks.push_back(std::move(rank));
        }
    }
    const auto tier = [this](const char* name, bool active, const char* reason) {
        m_trace.tiers.push_back({name, active, reason, std::nullopt, std::nullopt});
    };
    tier("host", !m_trace.collectiveCalls.empty(),
         m_trace.collectiveCalls.empty() ? "NCCL's log has no calls: NCCL_DEBUG_SUBSYS needs COLL "
                                           "(NCCL_DEBUG_SUBSYS=INIT,ENV,NET,GRAPH,COLL)"
                                         : "NCCL's log: its calls in their order, without times");
    tier("device", false, "NCCL's log does not tell when anything ran");
    tier("nvtx", false, "NCCL's log holds no ranges");
    tier("nccl", false, "NCCL's log does not tell algorithm, protocol and channels of a call");
    tier("sampled", false, "NCCL's log holds no samples of GPU, links or host");
}

trace::ProcessTrace Process::finish()
{
    addContext();
    const auto unfinished = std::ranges::count_if(m_communicators, [&](const auto& entry) {
        return !entry.second.complete && m_trace.communicators[entry.second.row].rank >= 0;
    });
    note(m_trace, trace::Issue::TimesNotMeasured, std::ssize(m_trace.collectiveCalls),
         "calls have no times: NCCL's log tells their order only");
    note(m_trace, trace::Issue::InitNotComplete, unfinished,
         "communicators were begun and never completed: initialisation failed, hangs, or the log ends there");
    note(m_trace, trace::Issue::NcclWarning, m_warnings, "NCCL warned: " + m_firstWarning);
    note(m_trace, trace::Issue::CommunicatorsUnknown, m_unknownCommunicators,
         "communicators were made before the log begins, or without INIT in NCCL_DEBUG_SUBSYS: their calls "
         "cannot be matched");
    note(m_trace, trace::Issue::TornLine, m_torn,
         "lines are torn, as several processes write into one log, and could not be read (NCCL_DEBUG_FILE "
         "with %h and %p gives each a file of its own)");
    note(m_trace, trace::Issue::VariablesLeftOut, m_notStored,
         "variables that NCCL names are not on the list of those that a trace may hold");
    note(m_trace, trace::Issue::TopologyLeftOut, m_repeated,
         "lines about rings, trees and networks repeat what another communicator said, and were left out");
    note(m_trace, trace::Issue::LinesLeftOut, m_other, "lines of NCCL's log that have no place in a run");
    note(m_trace, trace::Issue::TooManyCalls, m_noRoom,
         "calls and communicators beyond what is kept of one log");
    return std::move(m_trace);
}

} // namespace ringside::importers::nccl_log
