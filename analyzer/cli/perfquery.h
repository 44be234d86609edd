// SPDX-License-Identifier: Apache-2.0
// Makes a run of the output of `perfquery` (infiniband-diags), so that the same rules judge ports that no
// host's sysfs shows, such as those of switches.
#pragma once
#include <ringside/trace/reader.h>

#include <string>
#include <vector>

namespace ringside::cli {

/// Each file is one reading, at the time of its last modification. "# Port counters" and "# Port extended
/// counters" are read; all other lines are skipped. Throws ringside::Error (Unusable) if a file cannot be
/// read, holds no such counters, holds a port twice, or is not newer than the file before it.
[[nodiscard]] trace::RunTrace runOfPerfquery(const std::vector<std::string>& files);

} // namespace ringside::cli
