// SPDX-License-Identifier: Apache-2.0
// Defines what shows a document as text. Each renderer is one file in formats/ and is registered under the
// name of that file.
#pragma once
#include "document/document.h"

#include <span>
#include <string>
#include <string_view>

namespace ringside::document {

enum class Colour : std::uint8_t { Never, Ansi };

/// How much of a report a document has.
enum class Extent : std::uint8_t {
    Screen, ///< the costliest findings and the start of long lists, with the number of rows left out
    Why,    ///< the verdict and what it rests on
    All,
};

/// Appearance of a text for people. Only the renderer for terminals heeds it.
struct TextStyle {
    Colour colour = Colour::Never;
    std::size_t width = 80; ///< of prose, in characters; tables may be wider
    Extent extent = Extent::Screen;
};

struct Renderer {
    std::string_view id;
    std::string_view title;
    std::string (*render)(const Document&, const TextStyle&) = nullptr;
    bool forScreen = false; ///< is given the extent of the style; others are given all
};

[[nodiscard]] std::span<const Renderer* const> renderers();

} // namespace ringside::document

/// Defines the renderer of this file. `name` must be the name of the file without its extension.
#define RINGSIDE_RENDERER(name, ...)                                                                         \
    extern const ::ringside::document::Renderer entry;                                                       \
    const ::ringside::document::Renderer entry                                                               \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
