// SPDX-License-Identifier: Apache-2.0
// `ringside top` while it stays: on the whole terminal, or as lines. Both read the run's snapshots again
// every second and end when the user says so or the run is over.
#pragma once
#include <filesystem>
#include <string>

namespace ringside::cli {

/// Draws on the terminal; keys are listed on its last line. Returns the exit code.
/// `filter`: which ranks to list (live/filter.h); keys change it.
int watchOnScreen(const std::filesystem::path& run, const std::string& filter);

/// Prints a line when the verdict, an alarm, a wait or a complaint changes, and the verdict every half
/// minute. Returns the exit code.
int watchAsLines(const std::filesystem::path& run);

} // namespace ringside::cli
