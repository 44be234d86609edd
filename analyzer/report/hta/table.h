// SPDX-License-Identifier: Apache-2.0
// Defines what one of HTA's tables is. Each table is one file in tables/ and is registered under the name of
// that file. It writes one or more CSV files as pandas would.
#pragma once
#include "report/hta/frame.h"

#include <filesystem>
#include <span>

namespace ringside::report::hta {

struct Table {
    std::string_view id;
    /// Writes into `folder`. Throws Error (Io).
    void (*write)(const std::vector<Frame>& frames, const std::filesystem::path& folder) = nullptr;
};

[[nodiscard]] std::span<const Table* const> all();

} // namespace ringside::report::hta

/// Defines the table of this file. `name` must be the name of the file without its extension.
#define RINGSIDE_HTA_TABLE(name, function)                                                                   \
    extern const ::ringside::report::hta::Table entry;                                                       \
    const ::ringside::report::hta::Table entry                                                               \
    {                                                                                                        \
        .id = #name, .write = (function)                                                                     \
    }
