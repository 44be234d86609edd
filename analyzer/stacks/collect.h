// SPDX-License-Identifier: Apache-2.0
// Stacks of all threads of another process on this host, as rows: native ones by libdw, Python ones by py-spy
// if it is in PATH. Rows of source "note" name what could not be collected.
#pragma once
#include <ringside/trace/rows.h>

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::stacks {

struct CollectedStacks {
    std::vector<trace::StackRow> rows;
    std::vector<pid_t> stillAttached; ///< see ProcessSnapshot
};

/// Takes half a minute at most.
[[nodiscard]] CollectedStacks collectStacks(pid_t pid, std::optional<std::int64_t> hang);

/// Threads of a Python program by their names and handles.
struct PythonThreads {
    pid_t main = 0;
    std::map<std::uint64_t, pid_t> byHandle; ///< pthread_t
};

/// Returns one row for each line of py-spy's output, unchanged. py-spy identifies threads by their kernel id
/// from Python 3.11 on; before that, if it does not stop the program, by pthread_t (its src/python_spy.rs).
/// `tid` is 0 if the thread is unknown.
[[nodiscard]] std::vector<trace::StackRow> parsePythonDump(std::string_view output,
                                                           const PythonThreads& threads);

} // namespace ringside::stacks
