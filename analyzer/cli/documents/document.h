// SPDX-License-Identifier: Apache-2.0
// Manual pages and shell completion, generated from the same tables as --help. The build writes them.
#pragma once
#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

namespace ringside::cli {

/// A command and its options.
struct DocumentedCommand {
    const Command* command = nullptr;
    const CLI::App* app = nullptr;
};

struct DocumentedProgram {
    const CLI::App* app = nullptr;
    std::vector<DocumentedCommand> commands; ///< without hidden commands
};

/// Returns the manual page ringside(1) or ringside-COMMAND(1) in man macros. `date` has the form 2026-01-31.
[[nodiscard]] std::string programManual(const DocumentedProgram& program, const std::string& date);
[[nodiscard]] std::string commandManual(const DocumentedCommand& command, const std::string& date);

[[nodiscard]] std::string bashCompletion(const DocumentedProgram& program);
[[nodiscard]] std::string zshCompletion(const DocumentedProgram& program);
[[nodiscard]] std::string fishCompletion(const DocumentedProgram& program);

} // namespace ringside::cli
