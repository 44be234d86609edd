// SPDX-License-Identifier: Apache-2.0
// What an output format of `ringside report` is: one file in formats/, found by its name. Turns a report into
// text, or a folder of files, and decides nothing itself.
#pragma once
#include "report/report.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace ringside::report {

enum class Colour : std::uint8_t { Never, Ansi };

/// How much a text tells.
enum class Extent : std::uint8_t {
    Screen, ///< what decides: the costliest findings, the longest lists cut, with the number of what is left
            ///< out
    All,
};

/// Of a text for people; other formats have none.
struct Look {
    Colour colour = Colour::Never;
    std::size_t width = 80; ///< of prose, in characters; tables may be wider
    Extent extent = Extent::Screen;
};

struct Format {
    std::string_view id;
    std::string_view title;
    std::string (*render)(const Report&, const Look&) = nullptr;
    /// In place of `render`, of formats that are several files: writes into `folder`, which is made where it
    /// does not exist; files are never written over. Throws ringside::Error (Io).
    void (*writeFolder)(const Report&, const std::filesystem::path& folder) = nullptr;
};

[[nodiscard]] std::span<const Format* const> all();
/// What users call it: the id with hyphens.
[[nodiscard]] std::string nameOf(const Format& format);

} // namespace ringside::report

/// Defines the format of this file; the name must be the file's.
#define RINGSIDE_REPORT(name, ...)                                                                           \
    extern const ::ringside::report::Format entry;                                                           \
    const ::ringside::report::Format entry                                                                   \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
