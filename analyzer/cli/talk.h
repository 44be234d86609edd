// SPDX-License-Identifier: Apache-2.0
// Talk goes to stderr. Where that is closed or full nobody listens, and the work goes on: above all a
// recorded command keeps its exit code.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace ringside::cli {

template <class... Arguments>
void talk(fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
    const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

} // namespace ringside::cli
