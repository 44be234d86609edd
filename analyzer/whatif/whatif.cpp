// SPDX-License-Identifier: Apache-2.0
#include "whatif/whatif.h"

#include "metrics/contention.h"
#include "values/text.h"
#include "whatif/bounds.h"
#include "whatif/replay.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace ringside::whatif {
namespace {

constexpr double kMostError = 0.05;
constexpr std::size_t kFewestForHalves = 8;
constexpr std::size_t kEnoughSteps = 20;

/// Returns the larger of the errors with which each half of the steps is predicted from the other.
std::optional<double> crossCheck(const Program& program, const model::Model& model)
{
    const std::size_t count = program.steps.size();
    if (count < kFewestForHalves) {
        return std::nullopt;
    }
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::span<const std::size_t> first(all.data(), count / 2);
    const std::span<const std::size_t> second(all.data() + count / 2, count - count / 2);
    double worst = 0;
    for (const auto& [fitted, other] : {std::pair(first, second), std::pair(second, first)}) {
        const double measured = measuredStepNs(program, other);
        if (measured <= 0) {
            return std::nullopt;
        }
        const double error = replayStepNs(fitPlan(program, model, fitted)) / measured - 1;
        worst = std::abs(error) > std::abs(worst) ? error : worst;
    }
    return worst;
}

/// A single step has no period: the length of its device window is used.
double windowNs(const Program& program, const model::Model& model)
{
    double sum = 0;
    std::size_t count = 0;
    for (const RankProgram& rank : program.ranks) {
        for (const model::Step& step : model.ranks[rank.rank].steps) {
            if (step.device && std::binary_search(program.steps.begin(), program.steps.end(), step.number)) {
                sum += static_cast<double>(step.device->length());
                ++count;
            }
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// Throws ringside::Error (Unusable) if the steps take no time.
double meanStepNs(const Program& program, const model::Model& model)
{
    std::vector<std::size_t> all(program.steps.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    double ns = measuredStepNs(program, all);
    ns = ns > 0 ? ns : windowNs(program, model);
    if (ns <= 0) {
        throw Error(ErrorCode::Unusable, "the recorded steps take no time on the device: nothing to replay");
    }
    return ns;
}

} // namespace

double measuredStepNs(const model::Model& model)
{
    return meanStepNs(readProgram(model), model);
}

std::string_view confidenceName(Confidence confidence)
{
    constexpr std::string_view kNames[] = {"high", "medium", "low"};
    return kNames[static_cast<std::size_t>(confidence)];
}

bool Prediction::unfit() const
{
    return std::abs(replayError()) > kMostError || (halfError && std::abs(*halfError) > kMostError);
}

std::optional<double> Prediction::savingNs() const
{
    return predictedNs ? std::optional(measuredNs - *predictedNs) : std::nullopt;
}

double Prediction::errorNs() const
{
    return std::max(std::abs(replayError()), std::abs(halfError.value_or(0))) * measuredNs;
}

bool Prediction::isBeyondError() const
{
    return predictedNs && std::abs(*savingNs()) > errorNs();
}

WhatIf::WhatIf(const model::Model& model) : m_model(model), m_program(readProgram(model))
{
    std::vector<std::size_t> all(m_program.steps.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    m_measuredNs = meanStepNs(m_program, model);
    m_plan = fitPlan(m_program, model, all);
    m_replayedNs = replayStepNs(m_plan);
    m_halfError = crossCheck(m_program, model);
}

void WhatIf::judge(const Changes& changes, Prediction& prediction) const
{
    const auto lower = [&](Confidence confidence, std::string reason) {
        prediction.confidence = std::max(prediction.confidence, confidence);
        prediction.reasons.push_back(std::move(reason));
    };
    if (prediction.steps < kFewestForHalves) {
        lower(Confidence::Low, fmt::format("{} step{}: too few to fit on one half and predict the other half",
                                           prediction.steps, prediction.steps == 1 ? "" : "s"));
    } else if (prediction.steps < kEnoughSteps) {
        lower(Confidence::Medium, fmt::format("only {} steps", prediction.steps));
    }
    if (prediction.unfit()) {
        lower(Confidence::Low,
              fmt::format("the unchanged replay is off by more than {:.0f} %", 100 * kMostError));
    }
    for (const std::string& reason : prediction.beyond) {
        lower(Confidence::Low, reason);
    }
    const bool unmatched = std::any_of(m_program.ranks.begin(), m_program.ranks.end(), [](const auto& rank) {
        return std::any_of(rank.ops.begin(), rank.ops.end(),
                           [](const Op& op) { return op.communication && !op.slot; });
    });
    if (unmatched) {
        lower(Confidence::Low,
              "communication that was not matched on all ranks is replayed as if it waited for no rank");
    }
    if (m_program.irregularSteps > 0) { // a longer batch may launch more, so they may be those that differ
        lower(changes.equalBatches ? Confidence::Low : Confidence::Medium,
              fmt::format("{} steps that launch other work were left out", m_program.irregularSteps));
    }
}

Plan WhatIf::changedPlan(const Changes& changes, Assumptions& assumptions) const
{
    Plan plan = m_plan;
    apply(plan, changes, assumptions);
    return plan;
}

/// Returns the difference of two replays: errors that both have in common cancel out.
double WhatIf::stepNs(const Plan& plan) const
{
    return m_measuredNs + replayStepNs(plan) - m_replayedNs;
}

double WhatIf::changedNs(const Changes& changes, Assumptions& assumptions) const
{
    return stepNs(changedPlan(changes, assumptions));
}

/// Returns how long per step a rank's host withheld a processor from it, the most of all ranks: with other
/// ranks beside it that is not known.
double WhatIf::withheldNs() const
{
    double most = 0;
    for (const model::Rank& rank : m_model.ranks) {
        std::optional<model::Interval> span;
        std::int64_t count = 0;
        for (const model::Step& step : rank.steps) {
            if (step.device && std::ranges::binary_search(m_program.steps, step.number)) {
                span = {span ? span->start : step.device->start, step.device->end};
                ++count;
            }
        }
        if (span) {
            most =
                std::max(most, static_cast<double>(metrics::contentionOf(m_model, rank, *span).waitedNs()) /
                                   static_cast<double>(count));
        }
    }
    return most;
}

/// A change beyond what was measured is never of high confidence, and its bounds are those of its costs.
void WhatIf::bound(Prediction& prediction, const Plan& plan) const
{
    const double error = prediction.errorNs();
    const double least = stepNs(atBounds(plan, &CostBounds::leastNs));
    const double most = stepNs(atBounds(plan, &CostBounds::mostNs));
    prediction.bounds = {std::max(0.0, std::min({*prediction.predictedNs, least, most}) - error),
                         std::max({*prediction.predictedNs, least, most}) + error};
    const auto before = m_plan.ranks.size();
    const auto after = plan.ranks.size();
    const auto outside = std::ranges::find_if(plan.slotTable, [](const PlannedSlot& slot) {
        return slot.bounds && boundsOf(*slot.line, static_cast<double>(*slot.slot.bytes));
    });
    if (outside != plan.slotTable.end()) {
        prediction.reasons.push_back(fmt::format("messages of {} were not measured, only of {} to {}",
                                                 values::byteText(static_cast<double>(*outside->slot.bytes)),
                                                 values::byteText(outside->line->leastBytes),
                                                 values::byteText(outside->line->mostBytes)));
    }
    if (after != before) {
        prediction.reasons.push_back(fmt::format("{} ranks were measured, not {}", before, after));
        (after < before ? prediction.bounds.leastNs : prediction.bounds.mostNs) +=
            (after < before ? -1 : 1) * withheldNs();
        prediction.bounds.leastNs = std::max(0.0, prediction.bounds.leastNs);
    }
    if (!prediction.reasons.empty()) {
        prediction.confidence = Confidence::Medium;
    }
}

/// Work is shared by its length, wherever in the step it lies: a rank that others wait for may get more work.
void WhatIf::refuseWorseBatches(const Changes& changes, const Prediction& prediction) const
{
    Assumptions same;
    Changes without = changes;
    without.equalBatches = false;
    const double longer = *prediction.predictedNs - changedNs(without, same);
    if (longer <= prediction.errorNs()) {
        return;
    }
    Plan plan = m_plan;
    apply(plan, without, same);
    const SharedWork most = mostSharedWork(plan);
    throw Error(
        ErrorCode::Unusable,
        fmt::format("equal batches would make a step {:.2f} ms longer: rank {} would get {:.2f} ms more "
                    "work, and others already wait for it. The ranks differ by more than their batches",
                    longer / 1e6, most.rank, most.ns / 1e6),
        "See the findings late_rank and compute_imbalance of `ringside report`.");
}

Prediction WhatIf::predict(const Changes& changes) const
{
    Prediction prediction;
    prediction.changes = changes.describe();
    prediction.steps = m_program.steps.size();
    prediction.measuredNs = m_measuredNs;
    prediction.replayedNs = m_replayedNs;
    prediction.halfError = m_halfError;
    prediction.emulated = m_model.emulated;
    if (changes.any()) {
        Assumptions assumptions;
        const Plan plan = changedPlan(changes, assumptions);
        prediction.predictedNs = stepNs(plan);
        bound(prediction, plan);
        if (changes.equalBatches) {
            refuseWorseBatches(changes, prediction);
        }
        prediction.assumptions = std::move(assumptions.lines);
        prediction.beyond = std::move(assumptions.beyond);
        if (assumptions.split) {
            Assumptions same;
            Changes whole = changes;
            whole.wholeMessages = true;
            prediction.beyond.push_back(fmt::format(
                "such buckets are parts of recorded messages, but tensors cannot be split and their sizes "
                "were not recorded: if no message can be split, a step takes {:.2f} ms",
                changedNs(whole, same) / 1e6));
        }
    }
    judge(changes, prediction);
    prediction.notKnown = m_program.notKnown;
    prediction.notKnown.emplace_back(
        "kernels and transfers do not slow each other down more, or less, than they did");
    prediction.notKnown.emplace_back(
        "event handles are not recorded: a wait is assigned to the last event recorded before it");
    return prediction;
}

} // namespace ringside::whatif
