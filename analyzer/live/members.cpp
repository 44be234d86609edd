// SPDX-License-Identifier: Apache-2.0
#include "live/members.h"

#include "trace/utf8.h"

#include <algorithm>

namespace ringside::live {

Json parseStrange(std::string_view text)
{
    constexpr int kDeepest = 16;
    const auto isShallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepest; };
    Json json = Json::parse(text, isShallow, false);
    return json.is_discarded() ? Json(nullptr) : json;
}

std::optional<std::int64_t> integerOf(const Json& object, const char* name)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 53; // JSON's numbers are exact up to here
    const auto member = object.find(name);
    if (member == object.end() || !member->is_number_integer()) {
        return std::nullopt;
    }
    const auto value = member->is_number_unsigned() && member->get<std::uint64_t>() > kMost
                           ? kMost + 1
                           : member->get<std::int64_t>();
    return value >= -kMost && value <= kMost ? std::optional(value) : std::nullopt;
}

std::int64_t amountOf(const Json& object, const char* name)
{
    return std::max<std::int64_t>(integerOf(object, name).value_or(0), 0);
}

std::optional<std::int64_t> lengthOf(const Json& object, const char* name)
{
    const auto value = integerOf(object, name);
    return value && *value >= 0 ? value : std::nullopt;
}

std::string textOf(const Json& object, const char* name)
{
    constexpr std::size_t kMostText = 512;
    const auto member = object.find(name);
    if (member == object.end() || !member->is_string()) {
        return {};
    }
    return trace::shownText(member->get_ref<const std::string&>().substr(0, kMostText), ' ');
}

bool flagOf(const Json& object, const char* name)
{
    const auto member = object.find(name);
    return member != object.end() && member->is_boolean() && member->get<bool>();
}

} // namespace ringside::live
