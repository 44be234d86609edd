// SPDX-License-Identifier: Apache-2.0
// The recording options of `record` and `env`, and the variables that pass them to the collector.
#pragma once
#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace ringside::cli {

/// The values as the user wrote them; empty: not given.
struct RecordingOptions {
    std::string profile = "auto";
    std::string startStep;
    std::string steps;
    std::string window;
    std::string maxSize;
    std::string whenFull;
    std::string keepLast;
    std::string hangTimeout;
    std::string sampleMs;
    std::string cudaEvents; ///< "1"
    std::string log;        ///< "1"
};

struct RecordingVariable {
    const char* name;
    const char* option; ///< the option of `record` that sets it
    std::string RecordingOptions::*value;
};
inline constexpr std::array<RecordingVariable, 11> kRecordingVariables{{
    {"RINGSIDE_PROFILE", "--profile", &RecordingOptions::profile},
    {"RINGSIDE_START_STEP", "--start-step", &RecordingOptions::startStep},
    {"RINGSIDE_STEPS", "--steps", &RecordingOptions::steps},
    {"RINGSIDE_WINDOW", "--window", &RecordingOptions::window},
    {"RINGSIDE_MAX_SIZE", "--max-size", &RecordingOptions::maxSize},
    {"RINGSIDE_WHEN_FULL", "--when-full", &RecordingOptions::whenFull},
    {"RINGSIDE_KEEP_LAST", "--keep-last", &RecordingOptions::keepLast},
    {"RINGSIDE_HANG_TIMEOUT", "--hang-timeout", &RecordingOptions::hangTimeout},
    {"RINGSIDE_SAMPLE_MS", "--sample-ms", &RecordingOptions::sampleMs},
    {"RINGSIDE_CUDA_EVENTS", "--cuda-events", &RecordingOptions::cudaEvents},
    {"RINGSIDE_LOG", "--verbose", &RecordingOptions::log},
}};

/// Declares the options; `options` must outlive the parsing.
void addRecordingOptions(CLI::App& app, RecordingOptions& options);

/// Throws ringside::Error (Usage) if options contradict each other.
void checkRecordingOptions(const RecordingOptions& options);

/// Returns name and value of the variables for the given options.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
recordingVariables(const RecordingOptions& options);

} // namespace ringside::cli
