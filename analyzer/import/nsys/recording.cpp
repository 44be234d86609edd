// SPDX-License-Identifier: Apache-2.0
#include "import/nsys/recording.h"

#include "import/decimal.h"
#include "import/nsys/global_id.h"
#include "import/nsys/scan.h"
#include "import/text.h"
#include "trace/read/plausible.h"
#include "values/parse_number.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

namespace ringside::importers::nsys {
namespace {

/// The member of Payload that receives a field of NCCL. One of the two pointers is set.
struct Meaning {
    std::string_view name;
    std::optional<std::int64_t> Payload::*number = nullptr;
    std::optional<std::uint64_t> Payload::*size = nullptr;
};
constexpr std::array kMeanings{Meaning{"NCCL communicator ID", nullptr, &Payload::communicator},
                               Meaning{"Message size [bytes]", nullptr, &Payload::bytes},
                               Meaning{"Peer rank", &Payload::peer, nullptr},
                               Meaning{"Root", &Payload::peer, nullptr},
                               Meaning{"Reduction operation", &Payload::reduction, nullptr},
                               Meaning{"No. of ranks", &Payload::size, nullptr},
                               Meaning{"Rank", &Payload::rank, nullptr},
                               Meaning{"CUDA device", &Payload::device, nullptr}};

const Meaning* meaningOf(std::string_view name)
{
    const auto found = std::ranges::find(kMeanings, name, &Meaning::name);
    return found != kMeanings.end() ? &*found : nullptr;
}

/// Returns the bytes of a field; 0 if it is not a number. Types below 2^24 are defined by NVTX. Types from
/// 2^24 on are schemas or enumerations of the program; the one that NCCL uses is the reduction.
std::uint32_t widthOf(std::int64_t type)
{
    constexpr std::int64_t kFirstOwnType = 1 << 24;
    switch (type) {
    case 5:  // int
    case 6:  // unsigned int
    case 15: // int32
    case 16: // uint32
        return 4;
    case 7:  // long
    case 8:  // unsigned long
    case 9:  // long long
    case 10: // unsigned long long
    case 17: // int64
    case 18: // uint64
    case 22: // size_t
        return 8;
    default:
        return type >= kFirstOwnType ? 4 : 0;
    }
}

std::uint64_t littleEndian(std::span<const unsigned char> bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        value = value << 8U | bytes[i];
    }
    return value;
}

/// Assigns a field. Numbers that are too large for ranks, sizes or devices are left out.
void assign(Payload& payload, const Meaning& meaning, std::uint64_t value)
{
    constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 48U;
    if (meaning.number != nullptr && value <= kMost) {
        payload.*meaning.number = static_cast<std::int64_t>(value);
    } else if (meaning.size != nullptr && (meaning.size != &Payload::bytes || value <= kMostBytes)) {
        payload.*meaning.size = value;
    }
}

std::optional<std::uint64_t> numberOfText(std::string_view text)
{
    std::string digits;
    std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c != ','; }); // "1,234"
    const bool hex = digits.starts_with("0x");
    return values::parseNumber<std::uint64_t>(std::string_view(digits).substr(hex ? 2 : 0), hex ? 16 : 10);
}

std::optional<std::uint64_t> reductionOfText(std::string_view text)
{
    constexpr std::array<std::string_view, 5> kNames{"Sum", "Prod", "Max", "Min", "Avg"}; // ncclRedOp_t
    const auto found = std::ranges::find_if(
        kNames, [&](std::string_view name) { return text == name || text == "nccl" + std::string(name); });
    return found != kNames.end() ? std::optional<std::uint64_t>(found - kNames.begin()) : std::nullopt;
}

std::optional<std::uint64_t> numberOfJson(const nlohmann::json& value, const Meaning& meaning)
{
    if (value.is_number_unsigned()) {
        return value.get<std::uint64_t>();
    }
    if (value.is_number_integer()) { // negative: an unsigned 64-bit number was printed with a sign
        return static_cast<std::uint64_t>(value.get<std::int64_t>());
    }
    if (!value.is_string()) {
        return std::nullopt;
    }
    const auto& text = value.get_ref<const std::string&>();
    return meaning.number == &Payload::reduction && reductionOfText(text) ? reductionOfText(text)
                                                                          : numberOfText(text);
}

/// Parses a number that is not negative and may be in quotes.
std::optional<std::int64_t> number(std::string_view text)
{
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        text = text.substr(1, text.size() - 2);
    }
    const auto value = values::parseNumber<std::int64_t>(text);
    return value && *value >= 0 ? value : std::nullopt;
}

void readExport(ExportFile& file, const char* table, Metadata& metadata)
{
    for (Scan scan(file, table, {"name", "value"}); scan.next();) {
        const std::string_view name = scan.text(0);
        const std::string_view value = scan.text(1);
        if (name == "EXPORT_PRODUCT_VERSION") {
            metadata.product = cleanText(value.substr(0, 64));
        } else if (name == "EXPORT_SCHEMA_VERSION") {
            metadata.schema = cleanText(value.substr(0, 64));
        } else if (name == "EXPORT_PARAM_INCLUDE_BLOBS") {
            metadata.blobs = value == "true";
        } else if (name == "EXPORT_PARAM_INCLUDE_JSON") {
            metadata.json = value == "true";
        } else if (name == "EXPORT_PARAM_TIME_NORMALIZE") {
            metadata.normalized = value == "true";
        }
    }
}

/// Reads a variable of the launched program's environment in the form NAME="value".
void readVariable(std::string_view assignment, Metadata& metadata)
{
    // The most reliable first: variables of torchrun are more specific than those of a batch system.
    constexpr std::array<std::string_view, 5> kRanks{"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                                     "SLURM_PROCID"};
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos) {
        return;
    }
    const std::string_view name = assignment.substr(0, equals);
    const std::string_view value = assignment.substr(equals + 1);
    if (name == "WORLD_SIZE") {
        metadata.launchedWorldSize = number(value);
        return;
    }
    const auto rank = std::ranges::find(kRanks, name);
    const auto known = std::ranges::find(kRanks, std::string_view(metadata.rankVariable));
    if (rank < known && number(value)) {
        metadata.launchedRank = number(value);
        metadata.rankVariable = name;
    }
}

void readCapture(ExportFile& file, Metadata& metadata)
{
    for (Scan scan(file, "META_DATA_CAPTURE", {"name", "value"}); scan.next();) {
        const std::string_view name = scan.text(0);
        if (name == "PROFILING_SESSION_UUID") {
            metadata.session = cleanText(scan.text(1).substr(0, 64));
        } else if (name == "PROCESS_0:ENVIRONMENT_VARIABLE") {
            readVariable(scan.text(1), metadata);
        }
    }
}

void readStart(ExportFile& file, Metadata& metadata)
{
    for (Scan scan(file, "TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}); scan.next();) {
        const auto ns = scan.integer(0);
        if (ns && *ns > 0 && *ns <= trace::kFarthestDateNs) {
            metadata.startedRealtimeNs = ns;
        }
    }
}

void readHosts(ExportFile& file, Metadata& metadata)
{
    constexpr std::size_t kMostHosts = 1U << 12U;
    constexpr std::size_t kLongestName = 255;
    for (Scan scan(file, "TARGET_INFO_SYSTEM_ENV", {"globalVid", "name", "value"}); scan.next();) {
        if (scan.text(1) == "Hostname" && metadata.hosts.size() < kMostHosts) {
            metadata.hosts.emplace(machineOf(scan.integer(0).value_or(0)),
                                   cleanText(scan.text(2).substr(0, kLongestName)));
        }
    }
}

} // namespace

PayloadSchemas::PayloadSchemas(ExportFile& file)
{
    constexpr std::size_t kMost = 1U << 16U;
    constexpr std::uint64_t kFarthestOffset = 1U << 16U;
    std::size_t fields = 0;
    // The table repeats the entries for each process, without its id.
    for (Scan scan(file, "NVTX_PAYLOAD_SCHEMA_ENTRIES", {"schemaId", "name", "type", "offset"});
         scan.next() && fields < kMost;) {
        const Meaning* const meaning = meaningOf(scan.text(1));
        const std::uint32_t width = widthOf(scan.integer(2).value_or(0));
        const std::int64_t offset = scan.integer(3).value_or(0); // the first field has none
        std::int64_t schema = 0;
        if (meaning == nullptr || width == 0 || !scan.read(0, schema) || offset < 0 ||
            static_cast<std::uint64_t>(offset) > kFarthestOffset) {
            continue;
        }
        std::vector<Field>& known = m_fields[schema];
        const Field field{static_cast<std::uint64_t>(offset), width, meaning->number, meaning->size};
        const bool repeated = std::ranges::any_of(known, [&](const Field& other) {
            return other.offset == field.offset && other.number == field.number && other.size == field.size;
        });
        if (!repeated) {
            known.push_back(field);
            ++fields;
        }
    }
}

std::optional<Payload> PayloadSchemas::decode(std::span<const unsigned char> blob) const
{
    // Layout in exports of 2026 versions: domain (4 bytes and 4 of padding), schema (4 and 4), size of the
    // payload (8), total size (8), payload.
    constexpr std::size_t kSchemaAt = 8;
    constexpr std::size_t kSizeAt = 16;
    constexpr std::size_t kHeaderBytes = 32;
    if (blob.size() < kHeaderBytes) {
        return std::nullopt;
    }
    const auto schema = m_fields.find(static_cast<std::int64_t>(littleEndian(blob.subspan(kSchemaAt, 4))));
    if (schema == m_fields.end() || littleEndian(blob.subspan(kSizeAt, 8)) > blob.size() - kHeaderBytes) {
        return std::nullopt;
    }
    Payload payload;
    for (const Field& field : schema->second) {
        if (kHeaderBytes + field.offset + field.width > blob.size()) {
            return std::nullopt;
        }
        assign(payload, {{}, field.number, field.size},
               littleEndian(blob.subspan(kHeaderBytes + field.offset, field.width)));
    }
    return payload;
}

std::optional<Payload> payloadOfJson(std::string_view text)
{
    constexpr std::size_t kLongest = 4096;
    if (text.empty() || text.size() > kLongest) {
        return std::nullopt;
    }
    const auto document = nlohmann::json::parse(text, nullptr, false);
    if (!document.is_object()) {
        return std::nullopt;
    }
    Payload payload;
    for (const auto& [name, value] : document.items()) {
        const Meaning* const meaning = meaningOf(name);
        if (const auto number = meaning != nullptr ? numberOfJson(value, *meaning) : std::nullopt) {
            assign(payload, *meaning, *number);
        }
    }
    return payload.empty() ? std::nullopt : std::optional(payload);
}

Metadata readMetadata(ExportFile& file)
{
    Metadata metadata;
    readExport(file, "META_DATA_EXPORT", metadata);
    readExport(file, "EXPORT_META_DATA", metadata); // name of the table until about 2022
    readCapture(file, metadata);
    readStart(file, metadata);
    readHosts(file, metadata);
    return metadata;
}

bool isKnownSchema(const std::string& schema)
{
    constexpr std::int64_t kMajor = 3;
    constexpr std::int64_t kNewestMinor = 30;
    const std::size_t dot = schema.find('.');
    const std::size_t end = schema.find('.', dot + 1);
    if (dot == std::string::npos) {
        return false;
    }
    const std::string_view text = schema;
    const auto major = number(text.substr(0, dot));
    const auto minor = number(text.substr(dot + 1, end == std::string::npos ? end : end - dot - 1));
    return major && minor && *major <= kMajor && (*major < kMajor || *minor <= kNewestMinor);
}

std::uint32_t ProcessRows::configurationOf(trace::StringId name, trace::LaunchConfigurationRow row)
{
    row.name = name;
    const auto found = configurations.idOf(row);
    if (found.isFresh) {
        row.id = found.id;
        trace.launchConfigurations.push_back(row);
    }
    return found.id;
}

ProcessRows* Recording::processOf(std::int64_t globalId)
{
    constexpr std::size_t kMost = 4096; // a hostile file may name another process in each row
    const std::int64_t key = processKey(globalId);
    const auto known = processes.find(key);
    if (known != processes.end()) {
        return &known->second;
    }
    if (processes.size() >= kMost) {
        ++counts.tooMany;
        return nullptr;
    }
    return &processes[key];
}

trace::StringId Recording::nameOf(std::optional<std::int64_t> stringId)
{
    const auto found = stringId ? strings.find(*stringId) : strings.end();
    if (found == strings.end()) {
        ++counts.nameless;
        return 0;
    }
    return found->second;
}

bool Recording::readTimes(std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                          std::int64_t& startNs, std::int64_t& endNs)
{
    // Half of the largest plausible time, so that the difference of any two times is plausible, too.
    constexpr std::int64_t kFarthest = trace::kFarthestTimeNs / 2;
    const std::int64_t base = metadata.normalized ? metadata.startedRealtimeNs.value_or(0) : 0;
    if (!start || !end || !trace::isPlausibleTime(*start, trace::kFarthestDateNs) ||
        !trace::isPlausibleTime(*end, trace::kFarthestDateNs) || *end < *start ||
        !trace::isPlausibleTime(*start - base, kFarthest) ||
        !trace::isPlausibleTime(*end - base, kFarthest)) {
        ++counts.implausible;
        return false;
    }
    startNs = *start - base;
    endNs = *end - base;
    return true;
}

} // namespace ringside::importers::nsys
