// SPDX-License-Identifier: Apache-2.0
// One of HTA's tables: a file in tables/, found by its name. It writes one CSV file or a few, as pandas
// would.
#pragma once
#include "report/hta/frame.h"

#include <filesystem>
#include <span>

namespace ringside::report::hta {

struct Table {
    std::string_view id;
    /// Writes into `folder`; throws Error (Io) where it cannot.
    void (*write)(const std::vector<Frame>& frames, const std::filesystem::path& folder) = nullptr;
};

[[nodiscard]] std::span<const Table* const> all();

} // namespace ringside::report::hta

/// Defines the table of this file; the name must be the file's.
#define RINGSIDE_HTA_TABLE(name, function)                                                                   \
    extern const ::ringside::report::hta::Table entry;                                                       \
    const ::ringside::report::hta::Table entry                                                               \
    {                                                                                                        \
        .id = #name, .write = (function)                                                                     \
    }
