// SPDX-License-Identifier: Apache-2.0
// Reads the metadata of an export: its version and options, and when and on which hosts the session began.
// Of the recorded environment only the launcher's rank variables are read. Other variables and command lines
// are not kept.
#pragma once
#include "import/nsys/export_file.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ringside::importers::nsys {

struct Metadata {
    std::string product;             ///< such as "2026.2.1.210"; empty if not known
    std::string schema;              ///< such as "3.25.0"; empty if not known
    std::optional<bool> blobs, json; ///< whether NVTX payloads were exported in this form; null if not known
    bool normalized = false; ///< whether times are epoch times instead of times since the session's start
    std::optional<std::int64_t> startedRealtimeNs;
    std::string session;                       ///< unique id of the session
    std::map<std::int64_t, std::string> hosts; ///< by machine (global_id.h)
    std::optional<std::int64_t> launchedRank;  ///< of the launched program, from the launcher's variables
    std::optional<std::int64_t> launchedWorldSize;
    std::string rankVariable; ///< the variable that contained launchedRank
};

/// Reads the metadata tables of an export.
[[nodiscard]] Metadata readMetadata(ExportFile& file);

/// Whether this importer supports exports of that schema version.
[[nodiscard]] bool isKnownSchema(const std::string& schema);

} // namespace ringside::importers::nsys
