// SPDX-License-Identifier: Apache-2.0
#include "values/text.h"

#include "whatif/whatif.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace ringside::whatif {
namespace {

using values::milliseconds;

std::string percent(double share)
{
    return fmt::format("{:+.1f} %", 100 * share);
}

void addList(std::string& text, std::string_view title, const std::vector<std::string>& lines)
{
    if (lines.empty()) {
        return;
    }
    text += fmt::format("\n{}\n", title);
    for (const std::string& line : lines) {
        text += fmt::format("  - {}\n", line);
    }
}

std::string replayLine(const Prediction& prediction)
{
    const std::string halves = prediction.halfError
                                   ? fmt::format("; one half of the steps predicts the other within {}",
                                                 percent(*prediction.halfError))
                                   : "";
    return fmt::format("  Replayed unchanged: {} ({} against measured{}).\n",
                       milliseconds(prediction.replayedNs), percent(prediction.replayError()), halves);
}

/// A difference below the replay's own error is neither a gain nor a loss.
std::string predictedLine(const Prediction& prediction)
{
    const double saving = *prediction.savingNs();
    const std::string difference = milliseconds(std::abs(saving));
    if (!prediction.isBeyondError()) {
        return fmt::format("  Predicted: no significant difference: {} is less than the replay's own "
                           "error of {}.\n",
                           difference, milliseconds(prediction.errorNs()));
    }
    return fmt::format("  Predicted: {} (between {} and {}), {} {} per step ({}).\n",
                       milliseconds(*prediction.predictedNs), milliseconds(prediction.bounds.leastNs),
                       milliseconds(prediction.bounds.mostNs), saving >= 0 ? "saves" : "costs", difference,
                       percent(-saving / prediction.measuredNs));
}

} // namespace

std::string renderText(const Prediction& prediction)
{
    std::string text;
    if (prediction.unfit()) {
        text +=
            "WARNING: the unchanged replay differs from the measurement by more than 5 %. Use the prediction "
            "as a direction, not as a figure.\n\n";
    }
    if (!prediction.beyond.empty()) {
        text +=
            "WARNING: the run does not hold all data for this change (see confidence). Use the prediction "
            "for a "
            "guess.\n\n";
    }
    text += fmt::format("What if: {}{}\n\n",
                        prediction.changes.empty() ? "nothing changed"
                                                   : fmt::format("{}", fmt::join(prediction.changes, ", ")),
                        prediction.emulated ? " [emulated]" : "");
    // The mean step of a report lasts from the first operation of a step to that of the next.
    text += fmt::format(
        "  Step now, measured from end to end of the work: {} ({}).\n", milliseconds(prediction.measuredNs),
        prediction.steps == 1 ? "one step" : fmt::format("mean of {} steps", prediction.steps));
    text += replayLine(prediction);
    if (prediction.predictedNs) {
        text += predictedLine(prediction);
    }
    text += fmt::format("  Confidence: {}{}{}.\n", confidenceName(prediction.confidence),
                        prediction.reasons.empty() ? "" : ": ", fmt::join(prediction.reasons, "; "));
    addList(text, "Assumed", prediction.assumptions);
    addList(text, "Limits of the model", prediction.notKnown);
    return text;
}

} // namespace ringside::whatif
