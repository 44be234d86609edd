// SPDX-License-Identifier: Apache-2.0
// Messages on stderr. If stderr is closed or full, messages are lost and the work continues: a recorded
// command must keep its exit code.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace ringside::output {

/// Implements --quiet for the whole process: only warnings and errors are printed from then on.
void silenceNotes();
/// Returns false after silenceNotes().
[[nodiscard]] bool printsNotes();

template <class... Arguments>
void printMessage(fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
    const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

/// Prints a message about success; --quiet suppresses it.
template <class... Arguments>
void printNote(fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
    if (printsNotes()) {
        printMessage(format, std::forward<Arguments>(arguments)...);
    }
}

} // namespace ringside::output
