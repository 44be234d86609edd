// SPDX-License-Identifier: Apache-2.0
// A run at this moment: the contents of its databases, and the records that are still in the rings of its
// processes, whether these are alive or not. Changes neither, so that a hanging job can be examined while it
// hangs.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace ringside::trace {

enum class Owner {
    NotKnown, ///< no rings of it on this host
    Running,
    Stopped,  ///< by a signal or a debugger
    Gone,     ///< has ended and left rings behind
    Replaced, ///< the process runs another program now, and did not close its trace before
};

struct LiveRun {
    RunTrace run;
    std::vector<Owner> owners;    ///< owner of the rings, for each process of the run
    std::vector<bool> callsKnown; ///< for each process, whether its in-flight slots were read
    /// For each process on this host, the id by which this program can reach it. Inside a container the
    /// process itself sees another id.
    std::vector<std::optional<std::uint32_t>> pids;
};

/// Reads a run as openRun does. Rows of table in_flight without a hang show the calls that threads are in
/// now.
[[nodiscard]] LiveRun openLiveRun(const std::filesystem::path& path);

} // namespace ringside::trace
