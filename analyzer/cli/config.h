// SPDX-License-Identifier: Apache-2.0
// ringside.toml holds the settings of a project: names of its own communication kernels, the parallel layout
// of its jobs (as --parallel), and thresholds of rules, with a table for each rule:
//
//     communication_kernels = ["halo_exchange", "my_collectives::"]
//     [late_rank]
//     lost_share = 0.05
//     [parallel]
//     tp = 8
//     pp = 4
#pragma once
#include "rules/rule.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ringside::cli {

struct Config {
    rules::OptionValues thresholds;
    model::ParallelSizes parallel;
    std::vector<std::string> communicationKernels;
};

/// Throws ringside::Error (Usage) with the line of invalid TOML, an unknown option, a value that is not a
/// number, or an invalid name.
[[nodiscard]] Config readConfig(const std::filesystem::path& path);

} // namespace ringside::cli
