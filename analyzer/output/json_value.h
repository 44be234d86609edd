// SPDX-License-Identifier: Apache-2.0
// What all our JSON has in common: members in the order they are written, and null for what was not measured.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>

namespace ringside {

using Json = nlohmann::ordered_json;

template <class T>
[[nodiscard]] Json orNull(const std::optional<T>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

} // namespace ringside
