// SPDX-License-Identifier: Apache-2.0
// The content of recorded_closer's files. Every part of a file identifies the file.
#pragma once
#include <cstddef>
#include <string>

namespace ringside::test {

inline std::string closerText(const std::string& name, int round)
{
    constexpr std::size_t kLines = 1500;
    const std::string line = name + " " + std::to_string(round) + "\n";
    std::string text;
    text.reserve(line.size() * kLines);
    for (std::size_t index = 0; index < kLines; ++index) {
        text += line;
    }
    return text;
}

} // namespace ringside::test
