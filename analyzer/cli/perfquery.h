// SPDX-License-Identifier: Apache-2.0
// Ports of a fabric as `perfquery` (infiniband-diags) printed them, made into a run: so those of switches,
// which no host's sysfs shows, are judged by the same rules as recorded ones.
#pragma once
#include <ringside/trace/reader.h>

#include <string>
#include <vector>

namespace ringside::cli {

/// Each file is one reading, at the time when it was last written; "# Port counters" and "# Port extended
/// counters" are read, all else is passed over. Throws ringside::Error (Unusable): a file cannot be read,
/// holds no such counters, tells a port twice, or is not younger than the one before it.
[[nodiscard]] trace::RunTrace runOfPerfquery(const std::vector<std::string>& files);

} // namespace ringside::cli
