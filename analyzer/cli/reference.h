// SPDX-License-Identifier: Apache-2.0
// What holds for the whole program: its exit codes, the variables and files that it reads. For --help and the
// manual.
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
    {kPass, "It did what was asked."},
    {kFindings, "There are findings at or above what --fail-on, --fail-on-outlier, --fail or --gate names."},
    {kUsage, "The command line or the configuration is wrong."},
    {kUnusable, "The input cannot be read, or the system refused."},
    {kInconclusive, "The gate cannot be judged; or not every process answered --attach-control."},
    {kRecordFailed, "record failed itself. Otherwise it ends as its command did."},
    {kNotExecutable, "The command of record could not be started."},
    {kNotFound, "The command of record was not found."},
}};

/// A name, and what it is for.
struct Named {
    std::string_view name;
    std::string_view meaning;
};
/// Besides those that record sets (recording_options.h).
inline constexpr std::array<Named, 6> kVariables{{
    {"RINGSIDE_COLLECTOR", "The collector to preload, instead of the one beside this program."},
    {"RINGSIDE_DIR", "The run directory of a process that has the collector preloaded."},
    {"RINGSIDE_RING_BYTES", "Size of a thread's buffer in the collector, 65536 to 1073741824."},
    {"NO_COLOR", "Set and not empty: no colours, unless --color always."},
    {"COLUMNS", "Width of text, instead of the terminal's."},
    {"TMPDIR", "Folder for what lives only as long as a command."},
}};

inline constexpr std::array<Named, 5> kFiles{{
    {"NAME.ringside/", "A run: a SQLite file a process, and what was recovered."},
    {"ringside.toml", "Thresholds and names of a project's own kernels, for --config."},
    {"lib/ringside/libringside_collector.so", "The library that is preloaded into the job."},
    {"lib/ringside/ringside_sqlite.so", "A run's tables for other SQLite programs."},
    {"/dev/shm/ringside-UID-.../", "Buffers of processes that are being recorded."},
}};

inline constexpr std::array<Example, 3> kProgramExamples{{
    {"ringside record -o run.ringside -- torchrun --nproc_per_node 8 train.py", "Record a job."},
    {"ringside report run.ringside", "What limits it, with evidence."},
    {"ringside doctor", "What is wrong with this host, before a run."},
}};

} // namespace ringside::cli
