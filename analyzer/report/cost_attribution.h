// SPDX-License-Identifier: Apache-2.0
// Several findings may be one loss seen from several sides. Here it is decided whose cost holds whose, which
// finding only says another one again, and in which order they are read. Knows no rule by name: rules say in
// Finding::partOf whose cost may hold theirs, and in Finding::cause whether they are a cause or a symptom.
#pragma once
#include "rules/rule.h"

#include <string_view>
#include <vector>

namespace ringside::report {

/// Of each finding, the rule that holds its cost, or none.
using HolderNames = std::vector<std::vector<std::string_view>>;

/// Of the rules that a finding may be part of, the first that fired and costs as much.
[[nodiscard]] HolderNames holdersOf(const std::vector<rules::Finding>& findings);
/// What is the same loss seen twice, on the same ranks, costs no more than the finding that holds it and is
/// no worse.
void clipToHolders(std::vector<rules::Finding>& findings);
/// Fills in Finding::restates of each symptom that says again what another finding says.
void findRestatements(std::vector<rules::Finding>& findings, const HolderNames& holders);
/// What is broken first, then by cost. A symptom counts with what no cause explains, so that nobody reads the
/// effect before its reason; of equal cost the one that holds the others comes first. In Finding::partOf only
/// the holder stays.
void sortFindings(std::vector<rules::Finding>& findings, const HolderNames& holders);
/// The finding at the end of what this one restates, which may be this one.
[[nodiscard]] const rules::Finding& lossOf(const std::vector<rules::Finding>& findings,
                                           const rules::Finding& finding);

} // namespace ringside::report
