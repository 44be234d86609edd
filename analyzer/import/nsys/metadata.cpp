// SPDX-License-Identifier: Apache-2.0
#include "import/nsys/metadata.h"

#include "import/decimal.h"
#include "import/nsys/global_id.h"
#include "import/nsys/scan.h"
#include "import/text.h"
#include "trace/read/plausible.h"
#include "values/parse_number.h"

#include <algorithm>
#include <array>

namespace ringside::importers::nsys {
namespace {

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

} // namespace ringside::importers::nsys
