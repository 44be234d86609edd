// SPDX-License-Identifier: Apache-2.0
// Field names: NCCL, src/include/nvtx.h and nvtx_payload_schemas.h. Types: nvToolsExtPayload.h.
#include "import/nsys/payload.h"

#include "import/nsys/scan.h"
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

} // namespace ringside::importers::nsys
