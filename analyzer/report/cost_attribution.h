// SPDX-License-Identifier: Apache-2.0
// Several findings may describe the same loss. This unit decides which finding's cost includes another's,
// which finding only restates another, and the order of findings. It knows no rule by name: rules state in
// Finding::partOf which costs may include theirs, and in Finding::cause whether they are a cause or a
// symptom.
#pragma once
#include "rules/rule.h"

#include <string_view>
#include <vector>

namespace ringside::report {

/// For each finding, the rule whose cost includes its cost, or none.
using HolderNames = std::vector<std::vector<std::string_view>>;

/// For each finding, returns the first rule of its partOf that fired and costs at least as much.
[[nodiscard]] HolderNames holdersOf(const std::vector<rules::Finding>& findings);
/// Limits a finding on the same ranks as the finding that includes it: it costs no more and is no more
/// severe.
void clipToHolders(std::vector<rules::Finding>& findings);
/// Sets Finding::restates of each symptom that restates another finding.
void findRestatements(std::vector<rules::Finding>& findings, const HolderNames& holders);
/// Sorts findings: broken runs first, then by cost. The cost of a symptom is the part that no cause explains,
/// so that causes come before their effects. At equal cost, the finding that includes the others comes first.
/// Only the including rule stays in Finding::partOf.
void sortFindings(std::vector<rules::Finding>& findings, const HolderNames& holders);
/// Follows Finding::restates to its end. Returns the finding itself if it restates none.
/// Whoever counts findings counts those that are their own loss.
[[nodiscard]] const rules::Finding& lossOf(const std::vector<rules::Finding>& findings,
                                           const rules::Finding& finding);

} // namespace ringside::report
