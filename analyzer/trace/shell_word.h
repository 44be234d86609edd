// SPDX-License-Identifier: Apache-2.0
// Quotes a word for a shell, for commands that a message recommends.
#pragma once
#include <string>
#include <string_view>

namespace ringside::trace {

/// Adds quotes only if they are necessary: 'my run.ringside'.
[[nodiscard]] inline std::string shellWord(std::string_view word)
{
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                        "_-+=./,:@%^";
    // a path that begins with a hyphen would be read as an option
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
        return word.front() == '-' ? "./" + std::string(word) : std::string(word);
    }
    std::string quoted = word.starts_with('-') ? "'./" : "'";
    for (const char c : word) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

} // namespace ringside::trace
