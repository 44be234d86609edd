// SPDX-License-Identifier: Apache-2.0
// The processes of one host of a run, and the steps that they mark, without their rows.
#pragma once
#include "model/steps.h"
#include "trace/read/read_part.h"
#include "trace/read/run_outline.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ringside::reduce {

struct HostRun {
    std::string name;
    /// All processes of the files that hold a process of the host, those of other hosts too.
    std::vector<trace::ProcessOutline> processes;
    int definition = model::kMarkedSteps;
    std::vector<std::vector<model::Step>> steps; ///< of each process; empty without rank, or if it marks none

    [[nodiscard]] bool isOwn(std::size_t process) const
    {
        return processes[process].marks.process.host == name;
    }
};

/// Returns the hosts of a run by name, and each host's processes. Steps have the numbers by which the model
/// knows them in the whole run (model/run_steps.h). If `only` is not empty, the other hosts have no steps.
[[nodiscard]] std::vector<HostRun> hostsOf(const std::filesystem::path& run, std::string_view only = {});

/// Returns the rows of the host's own processes, in the order of `processes`, as far as `part` says. Null:
/// the process cannot be read any more.
[[nodiscard]] std::vector<std::optional<trace::ProcessTrace>> readHost(const HostRun& host,
                                                                       trace::ReadPart part);

} // namespace ringside::reduce
