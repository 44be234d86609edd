// SPDX-License-Identifier: Apache-2.0
// Defines what an output format of `ringside report` is. Each format is one file in formats/ and is
// registered under the name of that file. It turns a report into text, or into a folder of files, and
// computes nothing itself.
#pragma once
#include "report/report.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace ringside::report {

enum class Colour : std::uint8_t { Never, Ansi };

/// How much of a report a text shows.
enum class Extent : std::uint8_t {
    Screen, ///< the costliest findings and the start of long lists, with the number of rows left out
    All,
};

/// Appearance of a text for people. Other formats ignore it.
struct TextStyle {
    Colour colour = Colour::Never;
    std::size_t width = 80; ///< of prose, in characters; tables may be wider
    Extent extent = Extent::Screen;
};

struct Format {
    std::string_view id;
    std::string_view title;
    std::string (*render)(const Report&, const TextStyle&) = nullptr;
    /// Used instead of `render` by formats that consist of several files: writes into `folder`, which is
    /// created if it does not exist. Existing files are never overwritten. Throws ringside::Error (Io).
    void (*writeFolder)(const Report&, const std::filesystem::path& folder) = nullptr;
};

[[nodiscard]] std::span<const Format* const> all();
/// Returns the name for users: the id with hyphens.
[[nodiscard]] std::string nameOf(const Format& format);

} // namespace ringside::report

/// Defines the format of this file. `name` must be the name of the file without its extension.
#define RINGSIDE_REPORT(name, ...)                                                                           \
    extern const ::ringside::report::Format entry;                                                           \
    const ::ringside::report::Format entry                                                                   \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
