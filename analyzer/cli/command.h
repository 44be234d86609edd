// SPDX-License-Identifier: Apache-2.0
// What a sub-command of `ringside` is: one file in commands/, found by its name. Results go to stdout, talk
// to stderr.
#pragma once
#include "cli/job_words.h"

#include <CLI/CLI.hpp>
#include <array>
#include <functional>
#include <span>
#include <string_view>

namespace ringside::cli {

/// Exit codes that scripts read. `record` returns the command's own, and these for its own failures.
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

/// Does the work after the command line was parsed; returns the exit code and may throw ringside::Error.
using Action = std::function<int()>;

/// What a command is for, in the order in which --help lists them.
enum class Group { Record, Understand, Check, Convert, Program, Hidden };
inline constexpr std::array kGroups{Group::Record, Group::Understand, Group::Check, Group::Convert,
                                    Group::Program};

struct Example {
    std::string_view line;
    std::string_view does;
};

/// The option that makes an exit code of what was found.
struct Gate {
    std::string_view option = {}; ///< empty: there is none
    bool canBeInconclusive = false;
};

struct Command {
    std::string_view name;
    std::string_view summary;
    Group group = Group::Understand;
    std::span<const Example> examples = {};
    Gate gate = {};
    /// Declares options on its sub-command and returns what to do. The action owns what the options write to.
    Action (*declare)(CLI::App& app) = nullptr;
    /// Instead of `declare`, of a command that runs a job: the job's words are in `job` when the action is
    /// called.
    Action (*declareWithJob)(CLI::App& app, const Words& job) = nullptr;
    /// Exit code of every failure of the command itself; 0: as the kind of failure says.
    int failureCode = 0;
};

[[nodiscard]] std::span<const Command* const> all();

} // namespace ringside::cli

/// Defines the command of this file; the name must be the file's.
#define RINGSIDE_COMMAND(command, ...)                                                                       \
    extern const ::ringside::cli::Command entry;                                                             \
    const ::ringside::cli::Command entry                                                                     \
    {                                                                                                        \
        .name = #command, __VA_ARGS__                                                                        \
    }
