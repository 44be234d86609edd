// SPDX-License-Identifier: Apache-2.0
// Words for commands that a person copies into a shell.
#pragma once
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>

namespace ringside::cli {

/// As it is where no shell takes any of it for something else, else in single quotes.
[[nodiscard]] inline std::string quotedForShell(std::string_view word)
{
    const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("/._-+:,@=%").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain) {
        return std::string(word);
    }
    std::string quoted = "'";
    for (const char c : word) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

[[nodiscard]] inline std::string quotedForShell(const std::filesystem::path& path)
{
    return quotedForShell(std::string_view(path.native()));
}

} // namespace ringside::cli
