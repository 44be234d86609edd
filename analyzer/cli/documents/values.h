// SPDX-License-Identifier: Apache-2.0
// The values of an option, for completion.
#pragma once
#include "cli/option_text.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace ringside::cli {

[[nodiscard]] inline bool acceptsPath(const OptionText& option)
{
    constexpr std::array<std::string_view, 4> kPaths{"FILE", "FOLDER", "PATH", "RUN"};
    return std::ranges::find(kPaths, option.value) != kPaths.end();
}

/// Returns the first clause of a description: completion shows one line.
[[nodiscard]] inline std::string shortened(const std::string& description)
{
    constexpr std::size_t kLongest = 70;
    std::string text = description.substr(0, description.find_first_of(";:("));
    text = text.substr(0, text.find(", such as"));
    text.erase(text.find_last_not_of(' ') + 1);
    return text.size() <= kLongest ? text : text.substr(0, text.rfind(' ', kLongest)) + " ...";
}

} // namespace ringside::cli
