// SPDX-License-Identifier: Apache-2.0
// Example statements for SQL over a run.
#pragma once
#include <span>
#include <string_view>

namespace ringside::query {

struct Example {
    std::string_view title;
    std::string_view sql;
};
[[nodiscard]] std::span<const Example> examples();

} // namespace ringside::query
