// SPDX-License-Identifier: Apache-2.0
// An export format of `ringside export`: one file in formats/, registered under its file name. It converts a
// run for another program and computes nothing: every figure comes from the model and the metrics.
#pragma once
#include "report/report.h"

#include <filesystem>
#include <span>
#include <string_view>

namespace ringside::exporting {

struct Exporter {
    std::string_view id;
    std::string_view title;
    /// Writes to `output`, which must not exist yet. Throws ringside::Error (Io) on failure.
    void (*write)(const report::Report&, const std::filesystem::path& output) = nullptr;
    /// The file holds only figures for another program, so that the umask alone decides who may read it.
    bool forOthers = false;
};

[[nodiscard]] std::span<const Exporter* const> all();

} // namespace ringside::exporting

/// Defines the exporter of this file. `name` must be the name of the file.
#define RINGSIDE_EXPORTER(name, ...)                                                                         \
    extern const ::ringside::exporting::Exporter entry;                                                      \
    const ::ringside::exporting::Exporter entry                                                              \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
