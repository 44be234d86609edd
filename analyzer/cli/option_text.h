// SPDX-License-Identifier: Apache-2.0
// The options of a command as text, for --help, manual pages and completion.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ringside::cli {

struct OptionText {
    std::vector<std::string> names;   ///< "-o" and "--output"; an argument has one name, such as "RUN"
    std::string value;                ///< "FILE", "text|json"; empty: the option takes no value
    std::vector<std::string> choices; ///< all accepted values; empty: there are too many to list
    std::string takes;                ///< "a whole number from 1 to 9"; empty: any text, or `choices`
    std::string description;          ///< with what it takes and the default
    std::string group;                ///< heading of its group
    bool isArgument = false;
    bool isRequired = false;
    bool isRepeated = false; ///< accepts several values
};

/// Returns the options in the order of their declaration, without hidden ones.
[[nodiscard]] std::vector<OptionText> optionTexts(const CLI::App& app);

/// Returns "-o, --output FILE", or "RUN...".
[[nodiscard]] std::string headingOf(const OptionText& option);

/// Returns "[OPTIONS] RUN...", the words after the command's name.
[[nodiscard]] std::string synopsisOf(const CLI::App& app);

} // namespace ringside::cli
