// SPDX-License-Identifier: Apache-2.0
// Arguments of a tool. Each function throws Error (Usage) for a value of another type or beyond its limits.
#pragma once
#include "output/json_value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::mcp {

[[nodiscard]] std::optional<std::string> textIn(const Json& arguments, std::string_view name);
/// Returns the argument; throws if it is missing or empty.
[[nodiscard]] std::string neededText(const Json& arguments, std::string_view name);
[[nodiscard]] std::optional<std::int64_t> numberIn(const Json& arguments, std::string_view name,
                                                   std::int64_t least, std::int64_t most);
[[nodiscard]] bool isSet(const Json& arguments, std::string_view name);

/// An argument's schema: "string", "integer" or "boolean".
[[nodiscard]] inline Json property(std::string_view type, std::string_view description)
{
    return {{"type", type}, {"description", description}};
}

} // namespace ringside::mcp
