// SPDX-License-Identifier: Apache-2.0
// Error messages for unknown words on the command line: which word is wrong, and which one was probably
// meant.
#pragma once
#include <ringside/error.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace ringside::cli {

/// Returns the error for an option that `app` does not have, such as "--outptu".
[[nodiscard]] Error unknownOption(const CLI::App& app, std::string_view name, std::string_view hint = {});
[[nodiscard]] Error unknownCommand(const CLI::App& root, const std::string& word);
/// Turns the words that the parser left over, or another parser error, into one sentence.
[[nodiscard]] Error usageError(const CLI::App& root, const CLI::ParseError& error);

} // namespace ringside::cli
