// SPDX-License-Identifier: Apache-2.0
// A run as it is at this moment: what its databases hold, and what still lies in the rings of its processes,
// alive or dead. Changes neither: a job that hangs is looked at while it hangs.
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
    Stopped, ///< by a signal or a debugger
    Gone,    ///< it left its rings behind
};

struct LiveRun {
    RunTrace run;
    std::vector<Owner> owners;    ///< of the rings of each process of the run
    std::vector<bool> callsKnown; ///< of each: its in-flight slots were read
    /// Of each that lives on this host: the id by which this program reaches it (in a container it calls
    /// itself by another).
    std::vector<std::optional<std::uint32_t>> pids;
};

/// As openRun; a process's rows of table in_flight without a hang are what its threads are in now.
[[nodiscard]] LiveRun openLiveRun(const std::filesystem::path& path);

} // namespace ringside::trace
