// SPDX-License-Identifier: Apache-2.0
#include "import/inspector/collect.h"

#include "import/note.h"
#include "import/text.h"
#include "trace/read/plausible.h"
#include "values/parse_number.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace ringside::importers::inspector {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLargest = std::int64_t{1} << 60;
constexpr std::int64_t kMostRanks = 10'000'000;

/// Whether a line is nested no deeper than those of the Inspector. The parser's memory grows with the depth.
bool isFlat(std::string_view line)
{
    constexpr int kDeepest = 16;
    int depth = 0;
    for (const char c : line) { // brackets in strings count, too; the Inspector's strings have none
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        if (depth > kDeepest) {
            return false;
        }
    }
    return true;
}

const Json* find(const Json& object, std::string_view key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? &*found : nullptr;
}

std::optional<std::int64_t> number(const Json& object, std::string_view key, std::int64_t largest = kLargest)
{
    const Json* const value = find(object, key);
    if (value == nullptr || !value->is_number_integer() || value->is_number_unsigned()) {
        const bool fits = value != nullptr && value->is_number_unsigned() &&
                          value->get<std::uint64_t>() <= static_cast<std::uint64_t>(largest);
        return fits ? std::optional(static_cast<std::int64_t>(value->get<std::uint64_t>())) : std::nullopt;
    }
    const auto signedValue = value->get<std::int64_t>();
    return signedValue >= 0 && signedValue <= largest ? std::optional(signedValue) : std::nullopt;
}

std::string text(const Json& object, std::string_view key)
{
    const Json* const value = find(object, key);
    return value != nullptr && value->is_string() ? cleanText(value->get_ref<const std::string&>())
                                                  : std::string();
}

bool readHeader(const Json& header, Record& record)
{
    const auto rank = number(header, "rank", kMostRanks);
    const auto size = number(header, "n_ranks", kMostRanks);
    record.communicator = text(header, "id");
    record.communicatorName = text(header, "comm_name");
    if (!rank || !size || *rank >= *size || record.communicator.empty()) {
        return false;
    }
    record.rank = *rank;
    record.size = *size;
    return true;
}

void readMetadata(const Json& metadata, Record& record)
{
    record.version = text(metadata, "inspector_output_format_version");
    record.host = text(metadata, "hostname");
    record.pid = number(metadata, "pid").value_or(0);
}

bool readOperation(const Json& operation, const std::string& prefix, Record& record)
{
    constexpr std::int64_t kMonthUs = std::int64_t{31} * 24 * 3600 * 1'000'000;
    record.function = text(operation, prefix);
    const auto sequence = number(operation, prefix + "_sn");
    const auto bytes = number(operation, prefix + "_msg_size_bytes");
    if (record.function.empty() || !sequence || !bytes) {
        return false;
    }
    record.sequence = *sequence;
    record.bytes = static_cast<std::uint64_t>(*bytes);
    record.peer = number(operation, prefix + "_peer", kMostRanks);
    record.lengthUs = number(operation, prefix + "_exec_time_us", kMonthUs);
    record.timedBy = text(operation, prefix + "_timing_source");
    return true;
}

} // namespace

namespace {

LineKind readDump(const Json& json, const Json& statistics, Dump& dump)
{
    dump = {};
    Record record;
    const Json* const header = find(json, "header");
    if (header == nullptr || !readHeader(*header, record)) {
        return LineKind::Damaged; // else its operations would pass for those of the dump before
    }
    if (const Json* const metadata = find(json, "metadata")) {
        readMetadata(*metadata, record);
    }
    dump.of = record;
    dump.lost = number(statistics, "coll_dropped_since_last_dump").value_or(0) +
                number(statistics, "p2p_dropped_since_last_dump").value_or(0);
    return LineKind::Dump;
}

} // namespace

LineKind parseLine(std::string_view line, Dump& dump, Record& record)
{
    if (line.find_first_not_of(" \t") == std::string_view::npos) {
        return LineKind::Empty;
    }
    const Json json = isFlat(line) ? Json::parse(line, nullptr, false) : Json(Json::value_t::discarded);
    if (json.is_discarded() || !json.is_object()) {
        return LineKind::Damaged;
    }
    const Json* const header = find(json, "header");
    const Json* const collective = find(json, "coll_perf");
    const Json* const message = find(json, "p2p_perf");
    if (const Json* const statistics = find(json, "dump_stats")) {
        return readDump(json, *statistics, dump);
    }
    if ((header == nullptr && !dump.of) || (collective == nullptr && message == nullptr)) {
        return LineKind::Other;
    }
    record = header == nullptr ? *dump.of : Record{};
    record.pointToPoint = collective == nullptr;
    const Json& operation = collective != nullptr ? *collective : *message;
    if (const Json* const metadata = find(json, "metadata")) {
        readMetadata(*metadata, record);
    }
    const bool good = (header == nullptr || readHeader(*header, record)) &&
                      readOperation(operation, record.pointToPoint ? "p2p" : "coll", record);
    return good ? LineKind::Record : LineKind::Damaged;
}

Process::Process(const Record& first, RowBudget& budget) : m_strings(m_trace), m_budget(budget)
{
    m_trace.process.host = first.host;
    m_trace.process.pid = first.pid;
    m_trace.settings.push_back(trace::settingRow({"inspector", "format_version"}, first.version));
}

/// The Inspector numbers the calls of each function separately, so each function gets its own communicator.
Process::Communicator* Process::communicatorOf(const Record& record)
{
    const std::string function = record.pointToPoint ? "Send and Recv" : record.function;
    const auto [place, fresh] = m_communicators.try_emplace({record.communicator, function});
    if (!fresh) {
        return &place->second;
    }
    if (m_budget.communicators == 0) {
        m_communicators.erase(place);
        return nullptr;
    }
    --m_budget.communicators;
    trace::CommunicatorRow row;
    row.id = static_cast<std::int64_t>(m_trace.communicators.size()) + 1;
    row.hash = textHash(record.communicator + " " + function);
    std::string_view digits =
        std::string_view(record.communicator).substr(record.communicator.starts_with("0x") ? 2 : 0);
    if (const auto ncclHash = values::takeNumber<std::uint64_t>(digits, 16)) {
        row.ncclHash = *ncclHash;
    }
    row.size = record.size;
    row.rank = record.rank;
    const bool named = !record.communicatorName.empty() && record.communicatorName != "unknown";
    row.name = m_strings.idOf(
        fmt::format("{} ({})", named ? record.communicatorName : record.communicator, function));
    m_trace.communicators.push_back(row);
    place->second.row = m_trace.communicators.size() - 1;
    return &place->second;
}

void Process::add(const Record& record)
{
    Communicator* const communicator = m_budget.calls > 0 ? communicatorOf(record) : nullptr;
    if (communicator == nullptr) {
        ++m_beyondBudget;
        return;
    }
    const std::int64_t sequence = record.pointToPoint ? communicator->messages++ : record.sequence;
    if (!m_seen.emplace(communicator->row, sequence).second) {
        ++m_repeated;
        return;
    }
    --m_budget.calls;
    if (record.size > m_largest) {
        m_largest = record.size;
        m_rank = record.rank;
    }
    trace::CollectiveCallRow row;
    row.id = static_cast<std::int64_t>(m_trace.collectiveCalls.size()) + 1;
    row.api = m_strings.idOf("nccl" + record.function);
    row.communicator = static_cast<std::int64_t>(communicator->row) + 1;
    row.sequence = sequence;
    row.bytes = record.bytes;
    row.peer = record.peer;
    m_trace.collectiveCalls.push_back(row);
    addLength(record, row.id);
}

/// Adds the duration of a call. Its time is not known, because the Inspector writes records later.
void Process::addLength(const Record& record, std::int64_t call)
{
    constexpr std::int64_t kNsAUs = 1000;
    if (!record.lengthUs || *record.lengthUs == 0) { // 0 means that the Inspector could not time it
        ++m_noLength;
        return;
    }
    m_timedBy.insert(record.timedBy.empty() ? "an unknown source" : record.timedBy);
    auto& times = m_trace.eventTimes;
    times.startNs.push_back(0);
    times.endNs.push_back(*record.lengthUs * kNsAUs);
    times.call.push_back(static_cast<std::uint64_t>(call));
    times.device.push_back(trace::kUnknownDevice);
    times.stream.push_back(0);
    times.uncertaintyNs.push_back(trace::kUnboundedNs);
}

trace::ProcessTrace Process::finish(std::int64_t lost)
{
    trace::RankRow rank;
    rank.rank = m_rank;
    rank.worldSize = m_largest;
    rank.source = "communicator";
    m_trace.ranks.push_back(std::move(rank));
    const auto tier = [this](trace::TierName name, bool active, std::string reason) {
        m_trace.tiers.push_back({std::move(name), active, std::move(reason), std::nullopt, std::nullopt});
    };
    tier("host", true, "completed calls as NCCL Inspector dumped them, without the time of the call");
    tier("device", false,
         fmt::format("NCCL Inspector records how long a collective took, but not when; timed by {}",
                     fmt::join(m_timedBy, ", ")));
    tier("nccl", false, "NCCL Inspector does not record algorithm, protocol and channels");
    tier("nvtx", false, "NCCL Inspector records no ranges");
    tier("sampled", false, "NCCL Inspector does not sample GPU, links or host");
    note(m_trace, trace::Issue::CompletedCallsOnly, 1,
         "NCCL Inspector records only completed collectives above a size, and only until its buffers are "
         "full; "
         "further calls may have been made");
    note(m_trace, trace::Issue::TimesNotMeasured, std::ssize(m_trace.collectiveCalls),
         "calls have a duration, but no time at which they were made or ran");
    note(m_trace, trace::Issue::UntimedCall, m_noLength, "collectives have no plausible execution time");
    note(m_trace, trace::Issue::RepeatedCall, m_repeated,
         "collectives have the number of an earlier one (a communicator with the same hash was created "
         "again, or "
         "lines are repeated) and were left out");
    note(m_trace, trace::Issue::CallsOverwritten, lost,
         "operations were overwritten in the Inspector's buffers before it dumped them");
    note(m_trace, trace::Issue::TooManyCalls, m_beyondBudget,
         "calls and communicators exceed the limit for one file and were left out");
    return std::move(m_trace);
}

void Collector::add(const Record& record)
{
    std::unique_ptr<Process>& process = m_processes[{record.host, record.pid}];
    if (!process) {
        process = std::make_unique<Process>(record, m_budget);
    }
    process->add(record);
}

std::vector<trace::ProcessTrace> Collector::finish()
{
    std::vector<trace::ProcessTrace> traces;
    for (const auto& [writer, process] : m_processes) {
        const auto lost = m_lost.find(writer);
        traces.push_back(process->finish(lost == m_lost.end() ? 0 : lost->second));
    }
    return traces;
}

} // namespace ringside::importers::inspector
