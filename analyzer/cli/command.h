// SPDX-License-Identifier: Apache-2.0
// A sub-command of `ringside`: one file in commands/, registered under its file name. Results go to stdout,
// messages to stderr.
#pragma once
#include "cli/words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>

namespace ringside::cli {

/// Exit codes for scripts. `record` returns the command's own code, or 125 to 127 for its own failures.
enum ExitCode : int {
    kPass = 0,
    kFindings = 1,
    kUsage = 2,
    kUnusable = 3,
    kInconclusive = 4,
    kRecordFailed = 125,
    kNotExecutable = 126,
    kNotFound = 127,
};

/// Runs the command after the command line was parsed. Returns the exit code; may throw ringside::Error.
using Action = std::function<int()>;

/// The purpose of a command, in the order of --help.
enum class Group { Record, Understand, Check, Convert, Program, Hidden };
inline constexpr std::array kGroups{Group::Record, Group::Understand, Group::Check, Group::Convert,
                                    Group::Program};

struct Example {
    std::string_view line;
    std::string_view does;
};

/// The option that turns findings into an exit code.
struct Gate {
    std::string_view option = {}; ///< empty: the command has none
    bool canBeInconclusive = false;
};

struct Command {
    std::string_view name;
    std::string_view summary;
    Group group = Group::Understand;
    std::span<const Example> examples = {};
    Gate gate = {};
    /// Declares the options on its sub-command and returns the action. The action owns the variables that the
    /// options write to.
    Action (*declare)(CLI::App& app) = nullptr;
    /// Replaces `declare` for a command that runs a job: `job` holds the job's words when the action is
    /// called.
    Action (*declareWithJob)(CLI::App& app, const Words& job) = nullptr;
    /// Exit code of every failure of the command itself; 0: depends on the kind of failure.
    int failureCode = 0;
};

[[nodiscard]] std::span<const Command* const> all();

/// Returns whether this program has a command of that name: `ringside-mpi` has few.
[[nodiscard]] inline bool hasCommand(std::string_view name)
{
    return std::ranges::find(all(), name, &Command::name) != all().end();
}

} // namespace ringside::cli

/// Defines the command of this file. `command` must be the name of the file.
#define RINGSIDE_COMMAND(command, ...)                                                                       \
    extern const ::ringside::cli::Command entry;                                                             \
    const ::ringside::cli::Command entry                                                                     \
    {                                                                                                        \
        .name = #command, __VA_ARGS__                                                                        \
    }
