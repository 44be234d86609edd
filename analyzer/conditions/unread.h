// SPDX-License-Identifier: Apache-2.0
// What the table asks and nothing answered, with what would answer it.
#pragma once
#include "conditions/condition.h"

namespace ringside::conditions {

/// Rules whose rows could not be read of a subject, all for one reason.
struct Unread {
    std::vector<std::string_view> rules;
    words::Text why;               ///< what is missing: a command, a package or a right
    std::string_view command = {}; ///< that reads it, for a person to run; empty: none
};

/// Returns what was not read of a subject. Rows whose fact is only there where something is wrong are not
/// among it, and neither are counters that this kind of device does not have while it has others.
[[nodiscard]] std::vector<Unread> unreadOf(const Subject& subject, Scope scope);

} // namespace ringside::conditions
