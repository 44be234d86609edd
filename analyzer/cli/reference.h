// SPDX-License-Identifier: Apache-2.0
// Facts about the whole program, for --help and the manual: exit codes, and the variables and files that it
// reads.
#pragma once
#include "cli/command.h"

#include <array>
#include <string_view>

namespace ringside::cli {

struct ExitMeaning {
    ExitCode code;
    std::string_view meaning;
};
inline constexpr std::array<ExitMeaning, 8> kExitMeanings{{
    {kPass, "Success."},
    {kFindings, "There are findings at or above what --fail-on, --fail-on-outlier, --fail or --gate names."},
    {kUsage, "The command line or the configuration is wrong."},
    {kUnusable, "The input cannot be read, or the system refused."},
    {kInconclusive, "The result is inconclusive; or not every process answered --attach-control."},
    {kRecordFailed, "record itself failed. Otherwise its exit code is that of its command."},
    {kNotExecutable, "The command of record could not be started."},
    {kNotFound, "The command of record was not found."},
}};

/// A name and its purpose.
struct Named {
    std::string_view name;
    std::string_view meaning;
};
/// In addition to those that record sets (recording_options.h).
inline constexpr std::array<Named, 6> kVariables{{
    {"RINGSIDE_COLLECTOR", "The collector to preload, instead of the one beside this program."},
    {"RINGSIDE_DIR", "The run directory of a process that has the collector preloaded."},
    {"RINGSIDE_RING_BYTES", "Size of a thread's buffer in the collector, 65536 to 1073741824."},
    {"NO_COLOR", "If set and not empty: no colours, unless --color always is given."},
    {"COLUMNS", "Width of text; overrides the terminal's width."},
    {"TMPDIR", "Folder for temporary files."},
}};

inline constexpr std::array<Named, 5> kFiles{{
    {"NAME.ringside/", "A run: one SQLite file for each process, and recovered records."},
    {"ringside.toml",
     "Settings of a project for --config: thresholds, its own communication kernels, its parallel layout."},
    {"lib/ringside/libringside_collector.so", "The collector, which is preloaded into the job."},
    {"lib/ringside/ringside_sqlite.so",
     "SQLite extension that shows a run's tables in other SQLite programs."},
    {"/dev/shm/ringside-UID-.../", "Buffers of processes that are being recorded."},
}};

inline constexpr std::array<Example, 3> kProgramExamples{{
    {"ringside record -o run.ringside -- torchrun --nproc_per_node 8 train.py", "Records a job."},
    {"ringside report run.ringside", "Reports what limits it, with evidence."},
    {"ringside doctor", "Checks this host before a run."},
}};

} // namespace ringside::cli
