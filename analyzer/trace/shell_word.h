// SPDX-License-Identifier: Apache-2.0
// Quotes words for a shell, for commands that a message recommends.
#pragma once
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

/// Of more than 16 paths, the first 16 and "...": more do not fit into a line that is copied.
[[nodiscard]] inline std::string shellWords(const std::vector<std::filesystem::path>& paths)
{
    constexpr std::size_t kMost = 16;
    std::string words;
    for (std::size_t i = 0; i < std::min(paths.size(), kMost); ++i) {
        words += (words.empty() ? "" : " ") + shellWord(paths[i].string());
    }
    return words + (paths.size() > kMost ? " ..." : "");
}

} // namespace ringside::trace
