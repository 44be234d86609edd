// SPDX-License-Identifier: Apache-2.0
// ringside.toml: what a project keeps in a file. A table a rule, a key an option of it; and how its jobs are
// parallel, as --parallel says it:
//
//     [late_rank]
//     lost_share = 0.05
//     [parallel]
//     tp = 8
//     pp = 4
#pragma once
#include "rules/rule.h"

#include <filesystem>

namespace ringside::cli {

struct Config {
    rules::OptionValues thresholds;
    model::ParallelSizes parallel;
};

/// Throws ringside::Error (Usage) with the line of what is no TOML, no rule's option or no number.
[[nodiscard]] Config readConfig(const std::filesystem::path& path);

} // namespace ringside::cli
