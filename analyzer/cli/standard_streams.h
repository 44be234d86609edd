// SPDX-License-Identifier: Apache-2.0
// Handles stdin, stdout and stderr that are closed, full, or a pipe without a reader.
#pragma once
#include <string_view>

namespace ringside::cli {

/// Call it first in main. Occupies closed streams, so that no file gets their number and then this program's
/// messages. Writes to an occupied stream fail, and it is closed again in programs that are started. After
/// this call, writes to stderr never fail: a lost message must change neither the work nor the exit code,
/// because `record` runs another program.
void prepareStandardStreams();

/// Writes a result to stdout. Throws Error (Io).
void printResult(std::string_view text);
/// Throws Error (Io) if not all of the result reached stdout.
void flushResult();

} // namespace ringside::cli
