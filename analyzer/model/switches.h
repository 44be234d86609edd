// SPDX-License-Identifier: Apache-2.0
// Which hosts are behind which switch of the cluster's network. No trace contains it: the user gives it, in
// the format of Slurm's topology.conf or of `scontrol show topology`.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ringside::model {

struct Switch {
    std::string name;
    std::vector<std::string> hosts; ///< short names, sorted: its own and those of all switches below it
};

/// Returns the switches (or blocks) of a topology. Lines read "SwitchName=NAME Nodes=LIST", with
/// "Switches=LIST" for switches above others, or "BlockName=NAME Nodes=LIST"; other keys are ignored, as are
/// comments from '#' on. Throws ringside::Error (Usage) with the line if it is none of these, if a list is
/// damaged or too long, or if a switch is below itself or not described.
[[nodiscard]] std::vector<Switch> parseSwitches(std::string_view text);

/// Returns the names of a list of Slurm's: "node[001-003,7],login1" are node001, node002, node003, node7 and
/// login1. Throws ringside::Error (Usage) if it is damaged or has more than 1,000,000 names.
[[nodiscard]] std::vector<std::string> expandHosts(std::string_view list);

/// Returns the name up to its first dot, as Slurm names hosts.
[[nodiscard]] std::string_view shortHostName(std::string_view name);

} // namespace ringside::model
