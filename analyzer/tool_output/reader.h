// SPDX-License-Identifier: Apache-2.0
// Defines a reader of one tool's output. A reader is one file in formats/, found by its name. It recognizes
// its tool by what the file holds, never by the file's name, and it does not guess: what it does not know is
// skipped, what is no number is not measured.
#pragma once
#include "tool_output/reading.h"

#include <span>

namespace ringside::tool_output {

struct Reader {
    std::string_view id;      ///< name of the file in formats/
    std::string_view command; ///< how to print such a file, such as "iblinkinfo > FILE"
    /// Whether the text is this tool's, or a log with lines of it. Of other texts than logs, no two readers
    /// recognize the same.
    bool (*recognizes)(std::string_view text) = nullptr;
    /// May throw ringside::Error (Unusable) if the text contradicts itself.
    Reading (*read)(const File& file) = nullptr;
};

/// Returns all readers, ordered by name.
[[nodiscard]] std::span<const Reader* const> all();

} // namespace ringside::tool_output

/// Defines the reader of this file. Its name must be the name of the file.
#define RINGSIDE_TOOL_OUTPUT(reader, ...)                                                                    \
    extern const ::ringside::tool_output::Reader entry;                                                      \
    const ::ringside::tool_output::Reader entry                                                              \
    {                                                                                                        \
        .id = #reader, __VA_ARGS__                                                                           \
    }
