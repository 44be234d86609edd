// SPDX-License-Identifier: Apache-2.0
// The options of a command as words: what --help, manual pages and completion are made of.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ringside::cli {

struct OptionText {
    std::vector<std::string> names;   ///< "-o" and "--output"; of an argument its one name, "RUN"
    std::string value;                ///< "FILE", "text|json"; empty: it takes none
    std::vector<std::string> choices; ///< all values that it takes; empty: many
    std::string description;          ///< with the values' range, and with the default
    std::string group;                ///< heading that it stands under
    bool isArgument = false;
    bool isRequired = false;
    bool isRepeated = false; ///< takes several values
};

/// In the order in which they were declared, without those that are hidden.
[[nodiscard]] std::vector<OptionText> optionTexts(const CLI::App& app);

/// "-o, --output FILE", or "RUN...".
[[nodiscard]] std::string headingOf(const OptionText& option);

/// "[OPTIONS] RUN...": what follows the command's name.
[[nodiscard]] std::string synopsisOf(const CLI::App& app);

} // namespace ringside::cli
