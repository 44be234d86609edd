// SPDX-License-Identifier: Apache-2.0
// Conventions of all JSON outputs: members keep the order in which they are written, and null means not
// measured.
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
