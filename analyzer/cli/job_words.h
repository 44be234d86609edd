// SPDX-License-Identifier: Apache-2.0
// Splits the words of `ringside record ...` into options and the job's command. The job's words never pass
// through the argument parser, which interprets brackets and other syntax: they must stay byte for byte the
// same.
#pragma once
#include "cli/words.h"

#include <CLI/CLI.hpp>

namespace ringside::cli {

struct SplitWords {
    Words ours;
    Words job; ///< the words after `--`, or from the first word on that is no option
};

/// `words` are those after the sub-command's name. An option that takes a value also takes the next word.
/// Throws Error (Usage) for an option that `app` does not have.
[[nodiscard]] SplitWords splitJobWords(const CLI::App& app, const Words& words);

} // namespace ringside::cli
