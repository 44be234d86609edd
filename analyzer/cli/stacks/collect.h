// SPDX-License-Identifier: Apache-2.0
// The stacks of all threads of another process of this host, as rows: native ones by libdw, Python ones by
// py-spy where that is in PATH. What could not be had is said in rows of source "note".
#pragma once
#include <ringside/trace/rows.h>

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::cli {

struct CollectedStacks {
    std::vector<trace::StackRow> rows;
    std::vector<pid_t> stillHeld; ///< as ProcessSnapshot's
};

/// Takes half a minute at most.
[[nodiscard]] CollectedStacks collectStacks(pid_t pid, std::optional<std::int64_t> hang);

/// How the threads of a Python program are known.
struct PythonThreads {
    pid_t main = 0;
    std::map<std::uint64_t, pid_t> byHandle; ///< pthread_t
};

/// A row a line of py-spy's output, which is kept as it is. py-spy names threads by their kernel id from
/// Python 3.11 on; before, where it does not stop the program, by pthread_t (its src/python_spy.rs). `tid` is
/// 0 of those that cannot be told.
[[nodiscard]] std::vector<trace::StackRow> parsePythonDump(std::string_view output,
                                                           const PythonThreads& threads);

} // namespace ringside::cli
