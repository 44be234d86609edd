// SPDX-License-Identifier: Apache-2.0
// Manual pages and completion, made of the tables that --help is made of: the build writes them.
#pragma once
#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

namespace ringside::cli {

/// A command with what its options are.
struct DocumentedCommand {
    const Command* command = nullptr;
    const CLI::App* app = nullptr;
};

struct DocumentedProgram {
    const CLI::App* app = nullptr;
    std::vector<DocumentedCommand> commands; ///< without hidden ones
};

/// Manual page ringside(1), and ringside-COMMAND(1), in the man macros. `date` is as 2026-01-31.
[[nodiscard]] std::string programManual(const DocumentedProgram& program, const std::string& date);
[[nodiscard]] std::string commandManual(const DocumentedCommand& command, const std::string& date);

[[nodiscard]] std::string bashCompletion(const DocumentedProgram& program);
[[nodiscard]] std::string zshCompletion(const DocumentedProgram& program);
[[nodiscard]] std::string fishCompletion(const DocumentedProgram& program);

} // namespace ringside::cli
