// SPDX-License-Identifier: Apache-2.0
#include "report/flops.h"

#include "output/json_value.h"
#include "rules/shared/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ringside::report {
namespace {

using metrics::AchievedFlops;
using metrics::FamilyFlops;

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr const char* kNoGpu = "the GPUs differ, or their name was not recorded";

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

/// Of compute, what operators take whose FLOPs are known.
double knownShare(const AchievedFlops& flops)
{
    return static_cast<double>(flops.knownNs) /
           static_cast<double>(std::max<std::int64_t>(1, flops.computeNs));
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
        return kNoGpu;
    }
    return flops.peaks == nullptr ? fmt::format("the peak of {} is not known", flops.gpu)
           : flops.hfu()          ? std::string()
                                  : fmt::format("{} has no units for a type that was computed", flops.gpu);
}

/// What the description of the model makes of the measured step.
struct Described {
    std::string gpu;            ///< name of all GPUs; empty if they differ or it is not known
    std::optional<double> peak; ///< FLOP/s of a GPU
    std::optional<double> mfu;
    std::string why; ///< why it is not known; empty if it is
};

/// The name that the GPUs of all recorded ranks have; empty if they differ.
std::string gpuOfAll(const model::Model& model)
{
    std::set<std::string_view> names;
    for (const model::Rank& rank : model.ranks) {
        names.insert(metrics::gpuOf(model.processOf(rank), rank));
    }
    return names.size() == 1 ? std::string(*names.begin()) : std::string();
}

/// Returns null if no step was found.
std::optional<double> describedStepNs(const Report& report)
{
    const std::int64_t device = report.metrics.stepNs();
    const std::int64_t ns = device > 0 ? device : report.metrics.stepMedianNs.value_or(0);
    return ns > 0 && !report.model.recordingIsStep() ? std::optional(static_cast<double>(ns)) : std::nullopt;
}

Described describedOf(const Report& report)
{
    const ModelDescription& description = *report.description;
    Described result;
    result.gpu = gpuOfAll(report.model);
    const flops::GpuPeaks* const peaks = flops::peaksOf(result.gpu);
    result.peak = peaks == nullptr ? std::nullopt : peaks->flopsPerSecond(description.precision);
    const auto stepNs = describedStepNs(report);
    if (!stepNs || !result.peak) {
        result.why = !stepNs              ? "no step was found"
                     : result.gpu.empty() ? kNoGpu
                     : peaks == nullptr   ? fmt::format("the peak of {} is not known", result.gpu)
                                          : fmt::format("{} has no units for {}", result.gpu,
                                                        flops::nameOf(description.precision));
        return result;
    }
    constexpr double kNsPerS = 1e9;
    const double gpus = static_cast<double>(std::max<std::int64_t>(1, report.model.worldSize));
    const double share = description.flopsOfAStep() * kNsPerS / (*stepNs * gpus * *result.peak);
    if (share > 1) {
        result.why = fmt::format("the description is wrong: {} GPUs would have computed {} of what {} can",
                                 report.model.worldSize, shareText(share), result.gpu);
    } else {
        result.mfu = share;
    }
    return result;
}

} // namespace

std::optional<std::string> describedLine(const Report& report)
{
    if (!report.description) {
        return std::nullopt;
    }
    const Described described = describedOf(report);
    const std::string work = fmt::format("by --model, a step computes {:.4g} TFLOP on {} GPUs",
                                         report.description->flopsOfAStep() / kTera, report.model.worldSize);
    return described.mfu ? fmt::format("Model: MFU {} of what {} can compute in {} (dense); {}.",
                                       shareText(*described.mfu), described.gpu,
                                       flops::nameOf(report.description->precision), work)
                         : fmt::format("Model: MFU is not known, because {}; {}.", described.why, work);
}

Json describedJson(const Report& report)
{
    if (!report.description) {
        return nullptr;
    }
    const ModelDescription& description = *report.description;
    const Described described = describedOf(report);
    const auto orNone = [](double number) { return number > 0 ? Json(number) : Json(nullptr); };
    return {{"parameters", description.parameters},
            {"tokens", description.tokens},
            {"layers", orNone(description.layers)},
            {"hidden", orNone(description.hidden)},
            {"sequence", orNone(description.sequence)},
            {"precision", flops::nameOf(description.precision)},
            {"flops_per_step", description.flopsOfAStep()},
            {"gpus", report.model.worldSize},
            {"gpu", described.gpu.empty() ? Json(nullptr) : Json(described.gpu)},
            {"peak_flops_per_s", orNull(described.peak)},
            {"mfu", orNull(described.mfu)},
            {"not_known", described.why.empty() ? Json(nullptr) : Json(described.why)}};
}

std::optional<std::string> flopsLine(const Report& report)
{
    if (!report.flops) {
        return std::nullopt;
    }
    const AchievedFlops& flops = *report.flops;
    const std::size_t ranks = report.metrics.ranks.size();
    const std::string rest = fmt::format(
        "{}operators with known FLOPs take {} of compute, others count nothing",
        flops.ranks < ranks ? fmt::format("shapes were recorded on {} of {} ranks; ", flops.ranks, ranks)
                            : "",
        rules::percent(knownShare(flops)));
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
                            {"roof_flops_per_s", orNull(flops.roofOf(family))},
                            {"share_of_peak", orNull(shareOf(family, family.peak))},
                            {"share_of_roof", orNull(shareOf(family, flops.roofOf(family)))},
                            {"flops_per_byte", family.flopsPerByte()}});
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
            {"known_share", knownShare(flops)},
            {"families", std::move(families)}};
}

} // namespace ringside::report
