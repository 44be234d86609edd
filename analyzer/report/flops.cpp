// SPDX-License-Identifier: Apache-2.0
#include "report/flops.h"

#include "output/json_value.h"
#include "rules/shared/support.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::report {
namespace {

using metrics::AchievedFlops;
using metrics::FamilyFlops;

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

/// A model may use a small part of what a GPU can: one digit behind the point is not enough for 0.02 %.
std::string shareText(double share)
{
    constexpr double kHundred = 100;
    return fmt::format("{:.3g} %", share * kHundred);
}

double ofAStep(const AchievedFlops& flops, double total)
{
    return total / static_cast<double>(std::max<std::int64_t>(1, flops.rankSteps));
}

std::optional<double> shareOf(const FamilyFlops& family, const std::optional<double>& most)
{
    return most && !family.isImpossible() ? std::optional(family.flopsPerSecond() / *most) : std::nullopt;
}

const FamilyFlops* impossibleOne(const AchievedFlops& flops)
{
    const auto found = std::ranges::find_if(flops.families, &FamilyFlops::isImpossible);
    return found == flops.families.end() ? nullptr : &*found;
}

/// Why MFU is not known; empty if it is.
std::string whyUnknown(const AchievedFlops& flops)
{
    if (const FamilyFlops* const family = impossibleOne(flops)) {
        return fmt::format("the shapes or types contradict the times of the kernels: {} in {} would have run "
                           "at {:.1f} TFLOP/s, and {} "
                           "reaches {:.1f}",
                           flops::nameOf(family->family), flops::nameOf(family->precision),
                           family->flopsPerSecond() / kTera, flops.gpu, *family->peak / kTera);
    }
    if (flops.gpu.empty()) {
        return "the GPUs differ, or their name was not recorded";
    }
    return flops.peaks == nullptr ? fmt::format("the peak of {} is not known", flops.gpu)
           : flops.hfu()          ? std::string()
                                  : fmt::format("{} has no units for a type that was computed", flops.gpu);
}

} // namespace

std::optional<std::string> flopsLine(const Report& report)
{
    if (!report.flops) {
        return std::nullopt;
    }
    const AchievedFlops& flops = *report.flops;
    const double known =
        static_cast<double>(flops.knownNs) / static_cast<double>(std::max<std::int64_t>(1, flops.computeNs));
    const std::size_t ranks = report.metrics.ranks.size();
    const std::string rest = fmt::format(
        "{}operators with known FLOPs take {} of compute, others count nothing",
        flops.ranks < ranks ? fmt::format("shapes were recorded on {} of {} ranks; ", flops.ranks, ranks)
                            : "",
        rules::percent(known));
    if (const auto mfu = flops.mfu()) {
        return fmt::format("FLOPs: MFU at least {}, HFU at least {} of what {} can compute (dense); {}.",
                           shareText(*mfu), shareText(*flops.hfu()), flops.gpu, rest);
    }
    return fmt::format("FLOPs: at least {:.4g} TFLOP a {} and rank; MFU is not known, because {}; {}.",
                       ofAStep(flops, flops.total(&FamilyFlops::flops)) / kTera, report.periodWord(),
                       whyUnknown(flops), rest);
}

document::Table flopsTable(const Report& report)
{
    document::Table table{
        {"operators", "type", "calls", "GFLOP", "ms", "TFLOP/s", "of\npeak", "FLOP/\nbyte", "of\nroof"}, {}};
    if (!report.flops) {
        return table;
    }
    const AchievedFlops& flops = *report.flops;
    using document::Cell;
    using document::NumberStyle;
    using Kind = NumberStyle::Kind;
    const NumberStyle giga{Kind::Significant, 4, kGiga};
    for (const FamilyFlops& family : flops.families) {
        const auto share = [&](const std::optional<double>& most) {
            const auto value = shareOf(family, most);
            return value ? document::shareCell(*value) : Cell::absent(whyUnknown(flops));
        };
        table.rows.push_back(
            {flops::nameOf(family.family), flops::nameOf(family.precision),
             Cell(ofAStep(flops, static_cast<double>(family.operators)), values::Unit::Count,
                  {Kind::Significant, 4}),
             Cell(ofAStep(flops, family.flops), values::Unit::Count, giga),
             document::millisecondsCell(ofAStep(flops, static_cast<double>(family.deviceNs))),
             Cell(family.flopsPerSecond(), values::Unit::Count, {Kind::Fixed, 1, kTera}), share(family.peak),
             Cell(family.flopsPerByte(), values::Unit::Ratio, {Kind::Fixed, 1}),
             share(flops.roofOf(family))});
    }
    return table;
}

Json flopsJson(const Report& report)
{
    if (!report.flops) {
        return nullptr;
    }
    const AchievedFlops& flops = *report.flops;
    Json families = Json::array();
    for (const FamilyFlops& family : flops.families) {
        families.push_back({{"operators", flops::nameOf(family.family)},
                            {"precision", flops::nameOf(family.precision)},
                            {"calls_per_step", ofAStep(flops, static_cast<double>(family.operators))},
                            {"flops_per_step", ofAStep(flops, family.flops)},
                            {"bytes_per_step", ofAStep(flops, family.bytes)},
                            {"device_ns_per_step", ofAStep(flops, static_cast<double>(family.deviceNs))},
                            {"flops_per_s", family.flopsPerSecond()},
                            {"peak_flops_per_s", orNull(family.peak)},
                            {"roof_flops_per_s", orNull(flops.roofOf(family))}});
    }
    const std::string why = whyUnknown(flops);
    return {{"mfu", orNull(flops.mfu())},
            {"hfu", orNull(flops.hfu())},
            {"not_known", why.empty() ? Json(nullptr) : Json(why)},
            {"gpu", flops.gpu.empty() ? Json(nullptr) : Json(flops.gpu)},
            {"flops_per_step", ofAStep(flops, flops.total(&FamilyFlops::flops))},
            {"recomputed_flops_per_step", ofAStep(flops, flops.total(&FamilyFlops::recomputedFlops))},
            {"ranks", flops.ranks},
            {"known_ns", flops.knownNs},
            {"compute_ns", flops.computeNs},
            {"families", std::move(families)}};
}

} // namespace ringside::report
