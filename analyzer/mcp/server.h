// SPDX-License-Identifier: Apache-2.0
// The Model Context Protocol over lines of JSON-RPC 2.0: answers one message at a time. It offers tools and
// nothing else. Protocol: modelcontextprotocol.io, revisions 2024-11-05, 2025-06-18 and 2025-11-25; the one
// of 2025-03-26 also demands batches, which its successors removed.
#pragma once
#include "mcp/runs.h"

#include <optional>
#include <string>
#include <string_view>

namespace ringside::mcp {

struct ServerOptions {
    std::string version;         ///< of this program
    std::size_t answerBytes = 0; ///< the longest answer of a tool
};

/// The longest line that is read; longer ones are refused.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

class Server final {
public:
    Server(Runs& runs, ServerOptions options) : m_runs(runs), m_options(std::move(options)) {}

    /// Returns the line that answers `line`, without its end; null for notifications, which get none.
    [[nodiscard]] std::optional<std::string> answer(std::string_view line);

private:
    [[nodiscard]] Json resultOf(const std::string& method, const Json& parameters);
    [[nodiscard]] Json initialize(const Json& parameters) const;
    [[nodiscard]] Json listTools() const;
    [[nodiscard]] Json callTool(const Json& parameters);

    Runs& m_runs;
    ServerOptions m_options;
};

} // namespace ringside::mcp
