// SPDX-License-Identifier: Apache-2.0
// ringside.toml: thresholds of rules that a project keeps in a file. A table a rule, a key an option of it:
//
//     [late_rank]
//     lost_share = 0.05
#pragma once
#include "rules/rule.h"

#include <filesystem>

namespace ringside::cli {

/// Throws ringside::Error (Usage) with the line of what is no TOML, no rule's option or no number.
[[nodiscard]] rules::OptionValues readConfig(const std::filesystem::path& path);

} // namespace ringside::cli
