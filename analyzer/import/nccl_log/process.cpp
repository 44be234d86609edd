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

Process::Process(const Message& first, RowBudget& budget) : m_strings(m_trace), m_budget(budget)
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
    std::visit([this](const auto& line) { addLine(line); }, parsed);
}

Process::Communicator* Process::addCommunicator(std::uint64_t address)
{
    if (m_budget.communicators == 0) {
        ++m_beyondBudget;
        return nullptr;
    }
    --m_budget.communicators;
    trace::CommunicatorRow row;
    row.id = static_cast<std::int64_t>(m_trace.communicators.size()) + 1;
    row.rank = -1;
    row.handle = address;
    m_trace.communicators.push_back(row);
    return &(m_communicators[address] = {m_trace.communicators.size() - 1, false, 0, {}});
}

/// Begin and end of the creation are two lines. After a communicator was destroyed, a new one may have the
/// same address.
void Process::addLine(const InitLine& line)
{
    const auto known = m_communicators.find(line.communicator);
    Communicator* communicator = known != m_communicators.end() ? &known->second : nullptr;
    if (communicator != nullptr && communicator->complete == line.complete) {
        communicator = nullptr;
    }
    communicator =
        communicator == nullptr || communicator->complete ? addCommunicator(line.communicator) : communicator;
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
    if (!line.commId && line.parent == 0) {
        m_unnamed.insert(communicator->row);
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

void Process::addLine(const TornLine& line)
{
    ++m_torn;
    m_tornCalls += line.call ? 1 : 0;
}

/// Returns the number of a call among those of its communicator. Calls whose lines are torn are counted where
/// NCCL's own number jumps, so that the calls after them keep their place.
std::int64_t Process::takeSequence(Communicator& communicator, std::uint64_t opCount)
{
    if (communicator.opCount && opCount > *communicator.opCount + 1) {
        const std::uint64_t jump = opCount - *communicator.opCount - 1;
        const auto lost =
            static_cast<std::int64_t>(std::min<std::uint64_t>(jump, static_cast<std::uint64_t>(m_tornCalls)));
        communicator.calls += lost;
        m_tornCalls -= lost;
        m_gaps += lost;
    }
    communicator.opCount = opCount;
    return communicator.calls++;
}

std::vector<Process::Unnamed> Process::unnamed() const
{
    std::vector<Unnamed> result;
    std::map<std::int64_t, std::int64_t> places;
    for (std::size_t row = 0; row < m_trace.communicators.size(); ++row) {
        const trace::CommunicatorRow& each = m_trace.communicators[row];
        if (m_unnamed.contains(row) && !each.ncclHash) {
            result.push_back({row, each.size, places[each.size]++});
        }
    }
    return result;
}

void Process::addLine(const CallLine& line)
{
    const auto known = m_communicators.find(line.communicator);
    Communicator* communicator = known != m_communicators.end() ? &known->second : nullptr;
    if (communicator == nullptr) {
        communicator = addCommunicator(line.communicator);
        ++m_unknownCommunicators;
        if (communicator != nullptr) {
            m_trace.communicators[communicator->row].size = line.size;
        }
    }
    if (communicator == nullptr || m_budget.calls == 0) {
        ++m_beyondBudget;
        return;
    }
    --m_budget.calls;
    trace::CollectiveCallRow row;
    row.id = static_cast<std::int64_t>(m_trace.collectiveCalls.size()) + 1;
    row.api = m_strings.idOf(fmt::format("nccl{}", line.function));
    row.communicator = m_trace.communicators[communicator->row].id;
    row.sequence = takeSequence(*communicator, line.opCount);
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

void Process::addLine(const EnvironmentLine& line)
{
    if (trace::isStoredVariable(line.name)) {
        m_environment.try_emplace(cleanText(line.name), cleanText(trace::redacted(line.name, line.value)));
    } else {
        ++m_notStored;
    }
}

/// Keeps the first value of each fact. The first communicator is usually that of all ranks.
void Process::addLine(const FactLine& line)
{
    constexpr std::size_t kMost = 256; // a node has 32 rings
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
    if (m_tornCalls + m_gaps > 0) {
        m_trace.settings.push_back({"nccl", "torn calls", std::to_string(m_tornCalls + m_gaps)});
    }
    for (const auto& [name, count] : m_connections) {
        m_trace.settings.push_back({"nccl", name, std::to_string(count)});
    }
    const trace::CommunicatorRow* const all = world();
    for (const trace::CommunicatorRow& row :
         m_trace.communicators) { // a process may hold several ranks of it
        const bool same = all != nullptr && row.ncclHash == all->ncclHash && row.hash == all->hash;
        const auto known = std::ranges::find(m_trace.ranks, row.rank, &trace::RankRow::rank);
        if (same && row.rank >= 0 && known == m_trace.ranks.end()) {
            trace::RankRow rank;
            rank.rank = row.rank;
            rank.worldSize = row.size;
            rank.device = row.device >= 0 ? std::optional(row.device) : std::nullopt;
            rank.attempt = m_attempt;
            rank.source = "communicator";
            m_trace.ranks.push_back(std::move(rank));
        }
    }
    const auto tier = [this](trace::TierName name, bool active, const char* reason) {
        m_trace.tiers.push_back({std::move(name), active, reason, std::nullopt, std::nullopt});
    };
    tier("host", !m_trace.collectiveCalls.empty(),
         m_trace.collectiveCalls.empty() ? "NCCL's log has no calls: NCCL_DEBUG_SUBSYS needs COLL "
                                           "(NCCL_DEBUG_SUBSYS=INIT,ENV,NET,GRAPH,COLL)"
                                         : "NCCL's log: its calls in their order, without times");
    tier("device", false, "NCCL's log does not contain times");
    tier("nvtx", false, "NCCL's log contains no ranges");
    tier("nccl", false, "NCCL's log does not contain algorithm, protocol and channels of a call");
    tier("sampled", false, "NCCL's log contains no samples of GPU, links or host");
}

trace::ProcessTrace Process::finish()
{
    addContext();
    const auto unfinished = std::ranges::count_if(m_communicators, [&](const auto& entry) {
        return !entry.second.complete && m_trace.communicators[entry.second.row].rank >= 0;
    });
    note(m_trace, trace::Issue::TimesNotMeasured, std::ssize(m_trace.collectiveCalls),
         "calls have no times, because NCCL's log contains only their order");
    note(m_trace, trace::Issue::InitNotComplete, unfinished,
         "the creation of communicators did not complete: it failed, hangs, or the log ends before");
    note(m_trace, trace::Issue::NcclWarning, m_warnings, "NCCL warned: " + m_firstWarning);
    note(
        m_trace, trace::Issue::CommunicatorsUnknown, m_unknownCommunicators,
        "communicators were created before the log begins, or without INIT in NCCL_DEBUG_SUBSYS; their calls "
        "cannot be matched");
    note(m_trace, trace::Issue::TornLine, m_torn,
         fmt::format("lines could not be read because several processes wrote into the log at the same "
                     "time{}. Set NCCL_DEBUG_FILE with %h and %p, so that each process writes its own file",
                     m_gaps == 0 ? ""
                                 : fmt::format("; {} of them are calls, whose places NCCL's own numbers "
                                               "(opCount) show",
                                               m_gaps)));
    note(m_trace, trace::Issue::VariablesLeftOut, m_notStored,
         "variables in the log are not on the list of those that a trace may contain and were left out");
    note(m_trace, trace::Issue::TopologyLeftOut, m_repeated,
         "lines about rings, trees and networks of further communicators were left out");
    note(m_trace, trace::Issue::LinesLeftOut, m_other,
         "lines of NCCL's log contain nothing for which the trace has a table");
    note(m_trace, trace::Issue::TooManyCalls, m_beyondBudget,
         "calls and communicators exceed the limit for one log and were left out");
    return std::move(m_trace);
}

} // namespace ringside::importers::nccl_log
