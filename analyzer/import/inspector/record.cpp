// SPDX-License-Identifier: Apache-2.0
#include "import/inspector/record.h"

#include "import/text.h"
#include "trace/read/plausible.h"

#include <nlohmann/json.hpp>

namespace ringside::importers::inspector {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLargest = std::int64_t{1} << 60;
constexpr std::int64_t kMostRanks = 10'000'000;
constexpr std::int64_t kNsAUs = 1000;

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
    record.dumpedUs = number(metadata, "dump_timestamp_us", trace::kFarthestDateNs / kNsAUs).value_or(0);
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
    if (const Json* const times = find(operation, "event_trace_ts")) {
        record.startedUs = number(*times, prefix + "_start_ts", trace::kFarthestDateNs / kNsAUs);
    }
    return true;
}

} // namespace

LineKind parseLine(std::string_view line, Record& record)
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
    if (header == nullptr || (collective == nullptr && message == nullptr)) {
        return LineKind::Other;
    }
    record = {};
    record.pointToPoint = collective == nullptr;
    const Json& operation = collective != nullptr ? *collective : *message;
    if (const Json* const metadata = find(json, "metadata")) {
        readMetadata(*metadata, record);
    }
    const bool good =
        readHeader(*header, record) && readOperation(operation, record.pointToPoint ? "p2p" : "coll", record);
    return good ? LineKind::Record : LineKind::Damaged;
}

} // namespace ringside::importers::inspector
