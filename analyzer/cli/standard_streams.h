// SPDX-License-Identifier: Apache-2.0
// stdin, stdout and stderr as whoever called us left them: closed, full, a pipe that nobody reads.
#pragma once
#include <string_view>

namespace ringside::cli {

/// Call first in main. Occupies those of the three that are closed, so that no file gets their number and
/// then our talk: they refuse what is written to them, and are closed again in a program that we start. From
/// then on stderr is a stream whose writes never fail: talk that is lost changes neither what a command does
/// nor its exit code, for `record` has another program's.
void prepareStandardStreams();

/// Writes a result to stdout. Throws Error (Io).
void printResult(std::string_view text);
/// Throws Error (Io) where not all of the result reached stdout.
void flushResult();

} // namespace ringside::cli
