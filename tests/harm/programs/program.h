// SPDX-License-Identifier: Apache-2.0
// One executable of many small programs: `harm NAME ARGUMENTS...` runs the one of that name.
#pragma once

#include <vector>

namespace ringside::harm {

using Arguments = std::vector<const char*>;

/// Registers a program; its function returns the exit code.
struct Program {
    Program(const char* programName, int (*run)(const Arguments&));
    const char* name;
    int (*run)(const Arguments&);
};

/// Some CUDA calls that move bytes to the device and back. Returns whether the same bytes came back.
bool callCuda();

/// Prints, and returns 1, when that is not true.
int expect(bool condition, const char* what);

/// Prints the line at once and returns 0, the exit code of a program that is content.
int say(const char* line);

void sleepMilliseconds(long milliseconds);

} // namespace ringside::harm
