// SPDX-License-Identifier: Apache-2.0
// What an export format of `ringside export` is: one file in formats/, found by its name. It hands a run to
// another program and decides nothing: every figure comes from the model and the metrics.
#pragma once
#include "report/report.h"

#include <filesystem>
#include <span>
#include <string_view>

namespace ringside::exporting {

struct Exporter {
    std::string_view id;
    std::string_view title;
    /// Writes to `output`, which does not exist yet. Throws ringside::Error (Io) where it cannot.
    void (*write)(const report::Report&, const std::filesystem::path& output) = nullptr;
    /// It holds no more than figures, for another program to read: with the rights of the umask, not the
    /// run's.
    bool forOthers = false;
};

[[nodiscard]] std::span<const Exporter* const> all();

} // namespace ringside::exporting

/// Defines the exporter of this file; the name must be the file's.
#define RINGSIDE_EXPORTER(name, ...)                                                                         \
    extern const ::ringside::exporting::Exporter entry;                                                      \
    const ::ringside::exporting::Exporter entry                                                              \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
