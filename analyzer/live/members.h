// SPDX-License-Identifier: Apache-2.0
// Members of JSON that comes from strangers: what is not as it should be counts as not there.
#pragma once
#include "output/json_value.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::live {

inline constexpr std::size_t kMostEntries = 4096; ///< of any list

/// Null where it is no JSON. What is nested deeper than anything that we write is left out.
[[nodiscard]] Json parseStrange(std::string_view text);

/// Null where the member is not there, not an integer, or one that could not be added to another.
[[nodiscard]] std::optional<std::int64_t> integerOf(const Json& object, const char* name);
/// 0 where it is not there or negative.
[[nodiscard]] std::int64_t amountOf(const Json& object, const char* name);
/// Null of a negative one, too.
[[nodiscard]] std::optional<std::int64_t> lengthOf(const Json& object, const char* name);
/// Without control characters, valid UTF-8 and not long.
[[nodiscard]] std::string textOf(const Json& object, const char* name);
[[nodiscard]] bool flagOf(const Json& object, const char* name);

/// The objects of a list.
template <class T>
[[nodiscard]] std::vector<T> listOf(const Json& object, const char* name, T (*read)(const Json&))
{
    std::vector<T> list;
    const auto member = object.find(name);
    if (member == object.end() || !member->is_array()) {
        return list;
    }
    for (const Json& entry : *member) {
        if (entry.is_object() && list.size() < kMostEntries) {
            list.push_back(read(entry));
        }
    }
    return list;
}

} // namespace ringside::live
