// SPDX-License-Identifier: Apache-2.0
// Questions to begin with, for whoever writes SQL over a run for the first time.
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
