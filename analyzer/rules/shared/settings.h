// SPDX-License-Identifier: Apache-2.0
// Reads the table `setting` of a process. The values come from files that may be damaged, so values that
// cannot be parsed are ignored.
#pragma once
#include "rules/shared/support.h"
#include "values/parse_number.h"

#include <set>

namespace ringside::rules {

/// Returns null if the fact was not recorded. `of` is what it is of, if its name has a place for that.
[[nodiscard]] std::optional<std::string_view> settingOf(const trace::ProcessTrace& process,
                                                        const trace::Fact& fact, std::string_view of = {});

/// Returns a setting whose name others gave: an environment variable, a setting of the kernel, or a key of an
/// imported file.
[[nodiscard]] std::optional<std::string_view> foreignSettingOf(const trace::ProcessTrace& process,
                                                               const trace::SettingSource& source,
                                                               std::string_view name);

/// Parses the kernel's CPU list format, "0-3,8". Returns an empty set if it cannot be parsed.
[[nodiscard]] std::set<std::int64_t> cpusOf(std::string_view list);

} // namespace ringside::rules
