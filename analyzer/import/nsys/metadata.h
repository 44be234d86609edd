// SPDX-License-Identifier: Apache-2.0
// What an export says about itself: its version, its options, when the session began and where. Of the
// recorded environment only the launcher's rank is looked at; nothing of it, and no command line, is kept.
#pragma once
#include "import/nsys/export_file.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ringside::importers::nsys {

struct Metadata {
    std::string product;             ///< "2026.2.1.210"; empty: not known
    std::string schema;              ///< "3.25.0"; empty: not known
    std::optional<bool> blobs, json; ///< whether payloads of NVTX were exported
    bool normalized = false;         ///< times are epoch times, not since the session's start
    std::optional<std::int64_t> startedRealtimeNs;
    std::string session;                       ///< its id, unique
    std::map<std::int64_t, std::string> hosts; ///< by machine: the topmost 16 bits of global ids
    std::optional<std::int64_t> launchedRank;  ///< of the launched program, from its launcher's variables
    std::optional<std::int64_t> launchedWorldSize;
    std::string rankVariable; ///< which of them told
};

[[nodiscard]] Metadata readMetadata(ExportFile& file);

/// Whether this importer was made for exports of that schema version.
[[nodiscard]] bool isKnownSchema(const std::string& schema);

} // namespace ringside::importers::nsys
