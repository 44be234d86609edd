// SPDX-License-Identifier: Apache-2.0
// An export format of `ringside export`: one file in formats/, registered under its file name. It converts a
// run for another program and computes nothing: every figure comes from the model and the metrics.
#pragma once
#include "report/report.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ringside::exporting {

/// What of a run is written.
struct Slice {
    /// In run time; null: all. What overlaps it is written with its whole time, so that no duration changes.
    std::optional<model::Interval> time;
    std::vector<std::size_t> ranks; ///< indices into Model::ranks, ascending; empty: all
    [[nodiscard]] bool isWhole() const { return !time && ranks.empty(); }
};

/// Called often with the share that is done, from 0 to 1. If it throws, nothing is left of the output.
using Progress = std::function<void(double share)>;

struct Exporter {
    std::string_view id;
    std::string_view title;
    std::string_view ending =
        {}; ///< of the name of its file, as programs expect it; empty: it writes a folder
    /// Writes to `output`, which must not exist yet. Throws ringside::Error (Io) on failure.
    void (*write)(const report::Report&, const std::filesystem::path& output) = nullptr;
    /// Used instead by formats that hold the tables of a trace, which need no report.
    void (*writeTables)(const trace::RunTrace&, const std::filesystem::path& output) = nullptr;
    /// The same for a part of the run, in formats that hold a timeline; null: only whole runs can be written.
    void (*writeSlice)(const report::Report&, const std::filesystem::path& output, const Slice& slice,
                       const Progress& progress) = nullptr;
    /// The file holds only figures for another program, so that the umask alone decides who may read it.
    bool forOthers = false;
};

[[nodiscard]] std::span<const Exporter* const> all();
/// Writes a whole run in any format.
inline void writeWhole(const Exporter& exporter, const report::Report& report,
                       const std::filesystem::path& output)
{
    if (exporter.writeTables != nullptr) {
        exporter.writeTables(report.model.trace, output);
    } else {
        exporter.write(report, output);
    }
}
/// Returns the ranks of a slice; if it names none, those of the run.
[[nodiscard]] std::vector<std::size_t> ranksOf(const model::Model& model, const Slice& slice);

} // namespace ringside::exporting

/// Defines the exporter of this file. `name` must be the name of the file.
#define RINGSIDE_EXPORTER(name, ...)                                                                         \
    extern const ::ringside::exporting::Exporter entry;                                                      \
    const ::ringside::exporting::Exporter entry                                                              \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
