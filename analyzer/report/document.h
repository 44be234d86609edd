// SPDX-License-Identifier: Apache-2.0
// Builds the document of a report: the one place where findings become sentences, and where it is decided
// what a report shows, under which title and in which order.
#pragma once
#include "document/document.h"
#include "document/renderer.h"
#include "report/report.h"

namespace ringside::report {

[[nodiscard]] document::Document documentOf(const Report& report,
                                            document::Extent extent = document::Extent::All);

// Parts of it:
/// Returns the findings that restate no other, with those that restate them: first what is broken, then the
/// one that the verdict names, then by cost. On a screen, what restates a loss is only a figure of it.
[[nodiscard]] std::vector<document::Finding> lossesOf(const Report& report, document::Extent extent);
/// Returns a bar for each rank, divided into the parts of its step.
[[nodiscard]] document::BarChart breakdownChart(const Report& report);
/// Returns how late each rank was at the collectives of each step, or, if arrivals were not measured, how
/// long its steps took. Null with fewer than two steps, and if all values are the same.
[[nodiscard]] std::optional<document::HeatMap> heatMap(const Report& report);

} // namespace ringside::report
