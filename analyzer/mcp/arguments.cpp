// SPDX-License-Identifier: Apache-2.0
#include "mcp/arguments.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::mcp {
namespace {

/// Returns the value, or null if it is absent or null.
const Json* valueOf(const Json& arguments, std::string_view name)
{
    const auto found = arguments.find(name);
    return found == arguments.end() || found->is_null() ? nullptr : &*found;
}

[[noreturn]] void refuse(std::string_view name, const std::string& wanted)
{
    throw Error(ErrorCode::Usage, fmt::format("the argument '{}' is not {}", name, wanted));
}

} // namespace

std::optional<std::string> textIn(const Json& arguments, std::string_view name)
{
    const Json* const value = valueOf(arguments, name);
    if (value != nullptr && !value->is_string()) {
        refuse(name, "a text");
    }
    return value != nullptr ? std::optional(value->get<std::string>()) : std::nullopt;
}

std::string neededText(const Json& arguments, std::string_view name)
{
    const auto text = textIn(arguments, name);
    if (!text || text->empty()) {
        throw Error(ErrorCode::Usage, fmt::format("the argument '{}' is missing", name));
    }
    return *text;
}

std::optional<std::int64_t> numberIn(const Json& arguments, std::string_view name, std::int64_t least,
                                     std::int64_t most)
{
    const Json* const value = valueOf(arguments, name);
    if (value == nullptr) {
        return std::nullopt;
    }
    const bool tooLarge =
        value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
    if (!value->is_number_integer() || tooLarge || value->get<std::int64_t>() < least ||
        value->get<std::int64_t>() > most) {
        refuse(name, fmt::format("a whole number from {} to {}", least, most));
    }
    return value->get<std::int64_t>();
}

bool isSet(const Json& arguments, std::string_view name)
{
    const Json* const value = valueOf(arguments, name);
    if (value != nullptr && !value->is_boolean()) {
        refuse(name, "true or false");
    }
    return value != nullptr && value->get<bool>();
}

} // namespace ringside::mcp
