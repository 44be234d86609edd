// SPDX-License-Identifier: Apache-2.0
// The finding of a rule in a report.
#pragma once
#include "report/report.h"

#include <algorithm>

namespace ringside::test {

/// Returns the first finding of a rule. Null if there is none.
inline const rules::Finding* find(const report::Report& report, std::string_view rule)
{
    const auto found = std::ranges::find(report.findings, rule, &rules::Finding::rule);
    return found == report.findings.end() ? nullptr : &*found;
}

} // namespace ringside::test
