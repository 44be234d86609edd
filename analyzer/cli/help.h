// SPDX-License-Identifier: Apache-2.0
// Text of --help: for the program, its commands by purpose; for a command, its options and examples.
#pragma once
#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <string_view>

namespace ringside::cli {

/// Returns the heading of a group; empty: its commands are not listed.
[[nodiscard]] std::string_view headingOf(Group group);

class ProgramHelp final : public CLI::FormatterBase {
public:
    [[nodiscard]] std::string make_help(const CLI::App* app, std::string name,
                                        CLI::AppFormatMode mode) const override;
};

class CommandHelp final : public CLI::FormatterBase {
public:
    explicit CommandHelp(const Command& command) : m_command(command) {}
    [[nodiscard]] std::string make_help(const CLI::App* app, std::string name,
                                        CLI::AppFormatMode mode) const override;

private:
    const Command& m_command;
};

} // namespace ringside::cli
