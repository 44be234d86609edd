// SPDX-License-Identifier: Apache-2.0
// ringside.toml: what a project keeps in a file. The names of its own kernels that communicate; how its jobs
// are parallel, as --parallel says it; and thresholds of rules, a table a rule, a key an option of it:
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

/// Throws ringside::Error (Usage) with the line of what is no TOML, no rule's option, no number or no name.
[[nodiscard]] Config readConfig(const std::filesystem::path& path);

} // namespace ringside::cli
