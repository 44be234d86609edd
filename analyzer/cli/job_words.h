// SPDX-License-Identifier: Apache-2.0
// Which words of `ringside record ...` are ours and which are the job's. The job's never pass through the
// argument parser, which knows lists in brackets and other syntax: they must arrive byte for byte.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ringside::cli {

using Words = std::vector<std::string>;

struct SplitWords {
    Words ours;
    Words job; ///< what follows `--`, or the first word that is no option
};

/// `words` are those after the sub-command's name. An option that takes a value takes the next word with it.
/// Throws Error (Usage) for an option that `app` does not have.
[[nodiscard]] SplitWords splitJobWords(const CLI::App& app, const Words& words);

} // namespace ringside::cli
