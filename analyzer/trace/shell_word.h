// SPDX-License-Identifier: Apache-2.0
// A word as a shell takes it, for commands that a message tells the user to type.
#pragma once
#include <string>
#include <string_view>

namespace ringside::trace {

/// In quotes only where it must be: 'my run.ringside'.
[[nodiscard]] inline std::string shellWord(std::string_view word)
{
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                        "_-+=./,:@%^";
    // A path that begins with a hyphen would be taken for an option.
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
