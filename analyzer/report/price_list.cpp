// SPDX-License-Identifier: Apache-2.0
#include "report/price_list.h"

#include "report/cost_attribution.h"
#include "report/replayed_costs.h"
#include "report/sentences.h"
#include "rules/shared/support.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::report {
namespace {

constexpr double kHoursADay = 24;

PricedLoss priced(const Report& report, const rules::Finding& finding)
{
    PricedLoss loss;
    loss.finding = &finding;
    loss.share = static_cast<double>(*finding.costNsPerStep) / static_cast<double>(report.metrics.stepNs());
    loss.gpuHoursADay = loss.share * kHoursADay * static_cast<double>(report.model.worldSize);
    if (report.pricePerGpuHour) {
        loss.moneyADay = loss.gpuHoursADay * *report.pricePerGpuHour;
    }
    if (rules::hasFigure(finding, kReplayError)) {
        loss.errorNs = rules::figureOf(finding, kReplayError);
    }
    return loss;
}

} // namespace

std::vector<PricedLoss> priceListOf(const Report& report)
{
    std::vector<PricedLoss> losses;
    for (const rules::Finding& finding : report.findings) {
        if (report.metrics.stepNs() > 0 && finding.costNsPerStep.value_or(0) > 0 &&
            &lossOf(report.findings, finding) == &finding) {
            losses.push_back(priced(report, finding));
        }
    }
    std::ranges::stable_sort(losses, std::ranges::greater(), &PricedLoss::share);
    return losses;
}

document::Table priceTable(const Report& report)
{
    using document::Cell;
    using Kind = document::NumberStyle::Kind;
    document::Table table{{"loss", "ranks", "GPU-hours\na day"}, {}};
    if (report.pricePerGpuHour) {
        table.header.emplace_back("money\na day");
    }
    table.header.insert(
        table.header.end(),
        {"of the\nGPUs' time", fmt::format("ms less\na {}", report.periodWord()), "+-", "part of"});
    for (const PricedLoss& loss : priceListOf(report)) {
        const rules::Finding& finding = *loss.finding;
        std::vector<Cell>& row = table.rows.emplace_back();
        row = {finding.rule, rankList(finding.ranks),
               Cell(loss.gpuHoursADay, values::Unit::Hours, {Kind::Fixed, 1})};
        if (loss.moneyADay) {
            row.emplace_back(loss.moneyADay, values::Unit::Count, document::NumberStyle{Kind::Fixed, 2});
        }
        row.insert(row.end(), {document::shareCell(loss.share),
                               document::millisecondsCell(static_cast<double>(*finding.costNsPerStep)),
                               loss.errorNs ? document::millisecondsCell(loss.errorNs)
                                            : Cell::absent("the rule's estimate: no replay predicts it"),
                               finding.partOf.empty() ? Cell() : Cell(finding.partOf.front())});
        table.places.push_back(placeOf(report, finding));
    }
    return table;
}

Json priceJson(const Report& report)
{
    Json losses = Json::array();
    for (const PricedLoss& loss : priceListOf(report)) {
        losses.push_back({{"finding", loss.finding - report.findings.data()},
                          {"rule", loss.finding->rule},
                          {"share", loss.share},
                          {"gpu_hours_a_day", loss.gpuHoursADay},
                          {"money_a_day", orNull(loss.moneyADay)},
                          {"replay_error_ns", orNull(loss.errorNs)}});
    }
    return {{"gpus", report.model.worldSize},
            {"money_per_gpu_hour", orNull(report.pricePerGpuHour)},
            {"losses", std::move(losses)}};
}

} // namespace ringside::report
