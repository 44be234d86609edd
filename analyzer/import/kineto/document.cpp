// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/document.h"

#include "import/decimal.h"
#include "trace/read/plausible.h"
#include "values/parse_number.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace ringside::importers::kineto {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargestMember = 16U << 20U; // groups of thousands of ranks take a few megabytes
constexpr std::int64_t kMostRanks = 1'000'000;

/// The members that are kept as settings. Nothing else is copied, because it may be confidential.
constexpr std::array<std::string_view, 12> kSettings{
    "schemaVersion",        "record_shapes",       "profile_memory", "with_stack",
    "with_modules",         "with_flops",          "trace_id",       "displayTimeUnit",
    "cuda_runtime_version", "cuda_driver_version", "cupti_version",  "hip_runtime_version"};

void addSetting(Document& document, std::string_view name, std::string_view value)
{
    document.settings.push_back({"kineto", std::string(name), plainText(value)});
}

/// Returns null if the text is not JSON or unreasonably large.
std::optional<Json> parse(std::string_view raw)
{
    if (raw.size() > kLargestMember) {
        return std::nullopt;
    }
    std::string text(raw);
    std::ranges::for_each(text, [](char& c) { c = static_cast<unsigned char>(c) < ' ' ? ' ' : c; });
    Json json = Json::parse(text, nullptr, false);
    return json.is_discarded() ? std::nullopt : std::optional(std::move(json));
}

std::optional<std::int64_t> whole(const Json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_number_integer() ? std::optional(found->get<std::int64_t>())
                                                               : std::nullopt;
}

std::string text(const Json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? plainText(found->get<std::string>()) : std::string();
}

void readGroup(const Json& json, Document& document)
{
    if (!json.is_object()) {
        return;
    }
    ProcessGroup group{text(json, "pg_name"), text(json, "pg_desc"), {}};
    const auto ranks = json.find("ranks");
    if (ranks != json.end() && ranks->is_array()) {
        for (const Json& rank : *ranks) {
            if (rank.is_number_integer()) {
                group.ranks.push_back(rank.get<std::int64_t>());
            }
        }
    }
    document.groups.push_back(std::move(group));
}

void readDistributed(const Json& json, Document& document)
{
    const auto plausible = [](std::optional<std::int64_t> number, std::int64_t least) {
        return number && *number >= least && *number <= kMostRanks ? number : std::nullopt;
    };
    document.rank = plausible(whole(json, "rank"), 0);
    document.worldSize = plausible(whole(json, "world_size"), 1);
    if (const std::string backend = text(json, "backend"); !backend.empty()) {
        addSetting(document, "backend", backend);
    }
    if (const std::string version = text(json, "nccl_version"); !version.empty()) {
        document.settings.push_back(trace::settingRow({"library", "nccl"}, plainText(version)));
    }
    const auto groups = json.find("pg_config");
    if (groups != json.end() && groups->is_array()) {
        for (const Json& group : *groups) {
            readGroup(group, document);
        }
    }
}

void readDevices(const Json& json, Document& document)
{
    constexpr std::size_t kMostDevices = 1024;
    for (const Json& each : json) {
        const auto id = each.is_object() ? whole(each, "id") : std::nullopt;
        if (id && *id >= 0 && document.devices.size() < kMostDevices) {
            trace::DeviceRow device;
            device.ordinal = *id;
            device.name = text(each, "name");
            device.memoryBytes = whole(each, "totalGlobalMem");
            device.computeMajor = whole(each, "computeMajor");
            device.computeMinor = whole(each, "computeMinor");
            device.multiprocessors = whole(each, "numSms");
            document.devices.push_back(std::move(device));
        }
    }
}

void readMember(std::string_view key, std::string_view value, Document& document)
{
    if (key == "baseTimeNanoseconds") {
        const auto base = values::parseNumber<std::int64_t>(value);
        const bool plausible = base && *base >= 0 && *base <= trace::kFarthestDateNs;
        document.baseTimeNs = plausible ? base : document.baseTimeNs;
        document.damaged += plausible ? 0 : 1;
    } else if (key == "distributedInfo" || key == "deviceProperties") {
        const auto json = parse(value);
        const bool distributed = key == "distributedInfo";
        if (json && distributed && json->is_object()) {
            readDistributed(*json, document);
        } else if (json && !distributed && json->is_array()) {
            readDevices(*json, document);
        } else {
            ++document.damaged;
        }
    } else if (std::ranges::find(kSettings, key) != kSettings.end()) {
        addSetting(document, key, value);
    }
}

/// Reads members up to the event array. The window must be at a comma, a key or the closing brace.
Place readMembers(Window& window, Document& document)
{
    for (;;) {
        JsonCursor cursor = window.cursor();
        cursor.skipSpace();
        while (cursor.peek() == ',') {
            cursor.step();
            cursor.skipSpace();
        }
        if (cursor.peek() == '}') {
            return Place::End;
        }
        std::string_view key;
        std::string_view value;
        Scan result = cursor.key(key);
        if (result == Scan::Good && key == "traceEvents" && cursor.peek() == '[') {
            window.consumeUntil(cursor.at() + 1);
            return Place::Events;
        }
        if (result == Scan::Good && key == "traceEvents" && cursor.peek() != '\0') {
            return Place::NoArray;
        }
        result = result == Scan::Good ? cursor.value(value) : result;
        if (result == Scan::Good) {
            readMember(key, value, document);
            window.consumeUntil(cursor.at());
        } else if (result == Scan::Broken) {
            return Place::Broken;
        } else if (!window.more()) {
            return Place::CutOff;
        }
    }
}

} // namespace

Place readHead(Window& window, Document& document)
{
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (!window.more()) {
        return Place::CutOff;
    }
    JsonCursor cursor = window.cursor();
    if (window.text().starts_with(kByteOrderMark)) {
        window.consumeUntil(window.text().data() + kByteOrderMark.size());
        cursor = window.cursor();
    }
    cursor.skipSpace();
    const char first = cursor.peek();
    if (first != '{' && first != '[') {
        return Place::Broken;
    }
    window.consumeUntil(cursor.at() + 1);
    document.isBareArray = first == '[';
    return document.isBareArray ? Place::Events : readMembers(window, document);
}

Place readTail(Window& window, Document& document)
{
    return document.isBareArray ? Place::End : readMembers(window, document);
}

} // namespace ringside::importers::kineto
