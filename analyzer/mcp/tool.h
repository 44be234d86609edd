// SPDX-License-Identifier: Apache-2.0
// A tool of `ringside mcp`: one file in tools/, registered under its file name. It only reads, and it answers
// with facts that other commands of Ringside give too.
#pragma once
#include "mcp/runs.h"
#include "output/json_value.h"

#include <span>
#include <string>
#include <string_view>

namespace ringside::mcp {

/// What a tool found. The server adds the names of facts and cuts it to the size of an answer.
struct Answer {
    Json facts;         ///< an object
    std::string source; ///< the command that prints the same document; empty: no command does
    /// What to call for the rest if the answer had to be cut: "Call report with section and offset."
    std::string_view more;
    std::string note = {}; ///< what the reader must know of these facts; may be empty
};

struct Tool {
    std::string_view name;
    std::string_view title;
    std::string_view description;
    /// Returns the JSON schema of the arguments besides `run`: an object of properties.
    Json (*properties)() = nullptr;
    /// Throws Error: Usage for arguments that make no sense, others as the command does.
    Answer (*call)(Runs& runs, const Json& arguments) = nullptr;
    std::string_view required = {}; ///< the argument that must be given; empty: none
};

[[nodiscard]] std::span<const Tool* const> all();

} // namespace ringside::mcp

/// Defines the tool of this file. `tool` must be the name of the file.
#define RINGSIDE_MCP_TOOL(tool, ...)                                                                         \
    extern const ::ringside::mcp::Tool entry;                                                                \
    const ::ringside::mcp::Tool entry                                                                        \
    {                                                                                                        \
        .name = #tool, __VA_ARGS__                                                                           \
    }
