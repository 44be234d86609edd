// SPDX-License-Identifier: Apache-2.0
// Reads what a process said of itself and its machine in table setting. Values come from traces of strangers:
// what cannot be read is nothing.
#pragma once
#include "rules/shared/support.h"
#include "values/parse_number.h"

#include <set>

namespace ringside::rules {

[[nodiscard]] std::optional<std::string_view> settingOf(const trace::ProcessTrace& process,
                                                        std::string_view source, std::string_view name);

/// The kernel's lists of CPUs, "0-3,8"; empty: cannot be read.
[[nodiscard]] std::set<std::int64_t> cpusOf(std::string_view list);

} // namespace ringside::rules
