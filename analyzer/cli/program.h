// SPDX-License-Identifier: Apache-2.0
// The command line: finds the sub-command, and turns a failure into one message and an exit code.
#pragma once

namespace ringside::cli {

/// Runs the program `name` with the words of main(). Returns its exit code.
[[nodiscard]] int runProgram(const char* name, int count, char** arguments);

} // namespace ringside::cli
