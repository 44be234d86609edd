// SPDX-License-Identifier: Apache-2.0
// Files of a few lines by which processes of a run speak to each other. Whoever can write into the run
// directory can put anything there: a reader never waits for a file and follows no link.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace ringside::trace {

enum class From { Anybody, OurselvesOrRoot };

inline constexpr std::size_t kSmallFileBytes = 8192;

/// The first `mostBytes`. Empty where there is nothing to read, or somebody else's file where that is not
/// wanted.
[[nodiscard]] std::string readSmallFile(const std::filesystem::path& path, From whom,
                                        std::size_t mostBytes = kSmallFileBytes);

/// Replaces the file as a whole: nobody sees half of it, and its owner alone may read it. False, with errno,
/// where it cannot be written; then it is what it was.
[[nodiscard]] bool replaceFile(const std::filesystem::path& path, const std::string& text);

} // namespace ringside::trace
