// SPDX-License-Identifier: Apache-2.0
// An answer as an agent gets it: facts that can be cited, strings that were made harmless, and no more bytes
// than were agreed on.
#pragma once
#include "mcp/tool.h"

#include <string>

namespace ringside::mcp {

/// Gives each object in an array the member `cite`, its JSON pointer (RFC 6901) in the document that
/// Answer::source prints. Those that have one keep it. `pointer` is that of `value`.
void addCites(Json& value, const std::string& pointer);

/// Returns one JSON document of at most `mostBytes`. Where lists had to be shortened, its member `cut` says
/// how much of them is shown and what to call for the rest.
[[nodiscard]] std::string answerText(Answer answer, std::size_t mostBytes);

} // namespace ringside::mcp
