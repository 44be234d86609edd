// SPDX-License-Identifier: Apache-2.0
// What the losses of a run cost: GPU-hours, and money where the user gave the price of a GPU-hour.
#pragma once
#include "document/table.h"
#include "output/json_value.h"
#include "report/report.h"

#include <optional>
#include <vector>

namespace ringside::report {

struct PricedLoss {
    const rules::Finding* finding = nullptr; ///< belongs to the report
    double share = 0;                        ///< of the mean step
    double gpuHoursADay = 0;                 ///< of a day in which all GPUs of the job run such steps
    std::optional<double> moneyADay;         ///< null: no price was given
    std::optional<double> errorNs;           ///< of the replay that says the cost; null: the rule's estimate
};

/// The findings that are a loss of their own and cost time, costliest first. Their costs overlap where a
/// finding is part of another one. Empty if no step was measured.
[[nodiscard]] std::vector<PricedLoss> priceListOf(const Report& report);
[[nodiscard]] document::Table priceTable(const Report& report); ///< no rows if nothing costs time
[[nodiscard]] Json priceJson(const Report& report);

} // namespace ringside::report
