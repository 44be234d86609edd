// SPDX-License-Identifier: Apache-2.0
#include "metrics/growth.h"

#include <algorithm>
#include <array>

namespace ringside::metrics {
namespace {

constexpr std::size_t kParts = 9;
constexpr std::size_t kThird = kParts / 3;
constexpr std::size_t kFewestInAPart = 2; // steps and samples; a single sample could be anywhere in its step

/// The minimum of a part, and the first step that reached it.
struct Least {
    std::size_t samples = 0;
    double value = 0;
    std::size_t step = 0; ///< index
};
using Parts = std::array<Least, kParts>;

Parts leastOfParts(const std::vector<SampleValue>& samples, const std::vector<model::Step>& steps)
{
    Parts parts;
    for (const SampleValue& sample : samples) {
        const auto index = values::indexAt(steps, sample.timeNs, &model::Step::host);
        if (!index) {
            continue; // before, between or after the steps
        }
        Least& least = parts[*index * kParts / steps.size()];
        const auto value = static_cast<double>(sample.value);
        if (least.samples++ == 0 || value < least.value) {
            least.value = value;
            least.step = *index;
        }
    }
    return parts;
}

bool growsSteadily(const Parts& parts)
{
    for (std::size_t i = kThird; i < kParts; ++i) {
        if (parts[i].value <= parts[i - 1].value) {
            return false;
        }
    }
    const double middle = parts[2 * kThird - 1].value - parts[kThird - 1].value;
    const double last = parts[kParts - 1].value - parts[2 * kThird - 1].value;
    return 2 * last >= middle;
}

} // namespace

std::optional<double> growthPerStep(const std::vector<SampleValue>& samples,
                                    const std::vector<model::Step>& steps)
{
    if (steps.size() < kParts * kFewestInAPart) {
        return std::nullopt;
    }
    const Parts parts = leastOfParts(samples, steps);
    // The parts before the third one are ignored, because sampling may have begun later than the steps.
    const bool known = std::all_of(parts.begin() + kThird - 1, parts.end(),
                                   [](const Least& part) { return part.samples >= kFewestInAPart; });
    if (!known || !growsSteadily(parts)) {
        return std::nullopt;
    }
    const Least& from = parts[kThird - 1];
    const Least& to = parts[kParts - 1];
    return (to.value - from.value) / static_cast<double>(to.step - from.step);
}

} // namespace ringside::metrics
