// SPDX-License-Identifier: Apache-2.0
// The stacks of all threads of another process of this host, as rows: native ones by libdw, Python ones by
// py-spy where that is in PATH. What could not be had is said in rows of source "note".
#pragma once
#include <ringside/trace/rows.h>

#include <sys/types.h>

#include <vector>

namespace ringside::cli {

struct CollectedStacks {
    std::vector<trace::StackRow> rows;
    std::vector<pid_t> stillHeld; ///< as ProcessSnapshot's
};

/// Takes half a minute at most.
[[nodiscard]] CollectedStacks collectStacks(pid_t pid, std::optional<std::int64_t> hang);

/// The same rows with one a line of py-spy's output, which is kept as it is; threads it names become tids.
[[nodiscard]] std::vector<trace::StackRow> parsePythonDump(std::string_view output);

} // namespace ringside::cli
