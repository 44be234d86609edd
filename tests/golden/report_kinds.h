// SPDX-License-Identifier: Apache-2.0
// Reports of runs of different kinds: what is shown of any run must hold for all of them.
#pragma once
#include "report/report.h"

#include <string>
#include <vector>

namespace ringside::test {

struct ReportKind {
    std::string name;
    report::Report report;
};

/// Built once: a dozen runs from a healthy job to one in which a rank was killed.
[[nodiscard]] const std::vector<ReportKind>& reportKinds();

} // namespace ringside::test
