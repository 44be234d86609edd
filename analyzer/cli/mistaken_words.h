// SPDX-License-Identifier: Apache-2.0
// What to say of words on the command line that mean nothing here: which word, and which one was meant.
#pragma once
#include <ringside/error.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace ringside::cli {

/// `app` has no option of this name, such as "--outptu".
[[nodiscard]] Error unknownOption(const CLI::App& app, std::string_view name, std::string_view hint = {});
[[nodiscard]] Error unknownCommand(const CLI::App& root, const std::string& word);
/// Words that the parser left over, or another of its errors, as one sentence of ours.
[[nodiscard]] Error usageError(const CLI::App& root, const CLI::ParseError& error);

} // namespace ringside::cli
