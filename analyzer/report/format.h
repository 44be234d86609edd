// SPDX-License-Identifier: Apache-2.0
// The output formats of `ringside report`: those that show the report's document (document/formats/), and
// those that write its facts. Each of the latter is one file in formats/, registered under the name of that
// file, and computes nothing itself.
#pragma once
#include "document/renderer.h"
#include "report/report.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::report {

using document::Colour;
using document::Extent;
using document::TextStyle;

struct Format {
    std::string_view id;
    std::string_view title;
    std::string (*facts)(const Report&) = nullptr;
    /// Used instead of `facts` by formats that consist of several files: writes into `folder`, which is
    /// created if it does not exist. Existing files are never overwritten. Throws ringside::Error (Io).
    void (*writeFolder)(const Report&, const std::filesystem::path& folder) = nullptr;
    const document::Renderer* renderer = nullptr; ///< of a format that shows the document

    /// Not for formats that consist of several files.
    [[nodiscard]] std::string render(const Report& report, const TextStyle& style = {}) const;
};

/// Returns those of formats/.
[[nodiscard]] std::span<const Format* const> factFormats();
/// Returns all, by name.
[[nodiscard]] const std::vector<Format>& formats();
/// Returns the name for users: the id with hyphens.
[[nodiscard]] std::string nameOf(const Format& format);
/// Finds a format by its name for users. Throws ringside::Error (Usage) if there is none.
[[nodiscard]] const Format& formatNamed(std::string_view name);

} // namespace ringside::report

/// Defines the format of this file. `name` must be the name of the file without its extension.
#define RINGSIDE_REPORT(name, ...)                                                                           \
    extern const ::ringside::report::Format entry;                                                           \
    const ::ringside::report::Format entry                                                                   \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
