// SPDX-License-Identifier: Apache-2.0
// Makes a run of what other tools printed, so that the same rules judge ports that no recorded process saw:
// those of switches, of other hosts, of yesterday. Files of several tools that mean the same port, by GUID,
// LID or name, become one port.
#pragma once
#include "tool_output/reader.h"

#include <ringside/trace/reader.h>

#include <vector>

namespace ringside::tool_output {

/// Returns the readers that recognize the text; several if it is a log of several programs. Throws
/// ringside::Error (Unusable), with what can be read, if none does.
[[nodiscard]] std::vector<const Reader*> readersOf(const File& file);

/// Adds the files' ports and messages to the run, on its clocks where its hosts have them; what the run
/// measured itself stays as it is, and messages from before or after the run are left out. An empty run gets
/// a clock of its own. Throws ringside::Error (Unusable) if a file is no known tool's, contradicts itself, is
/// not newer than a file before it that has the same counter, or does not tell which of the run's hosts it is
/// of.
void addFiles(trace::RunTrace& run, const std::vector<File>& files);

} // namespace ringside::tool_output
