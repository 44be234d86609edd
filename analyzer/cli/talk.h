// SPDX-License-Identifier: Apache-2.0
// Talk goes to stderr. Where that is closed or full nobody listens, and the work goes on: above all a
// recorded command keeps its exit code.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace ringside::cli {

/// From then on only what went wrong is said: --quiet. Of the whole process, as stderr is.
void silenceNotes();
/// False after silenceNotes().
[[nodiscard]] bool saysNotes();

template <class... Arguments>
void talk(fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
    const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

/// Of what went well.
template <class... Arguments>
void note(fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
    if (saysNotes()) {
        talk(format, std::forward<Arguments>(arguments)...);
    }
}

} // namespace ringside::cli
