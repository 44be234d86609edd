// SPDX-License-Identifier: Apache-2.0
// The figures of a running job that go to other systems. Prometheus and OpenTelemetry get the same ones.
#pragma once
#include "live/view.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::live {

struct Figure {
    std::string_view name; ///< parts by dots, without the unit: "rank.step_part"
    /// By UCUM, as OpenTelemetry has it: "s", "1" of a share; "{step}" counts steps.
    std::string_view unit;
    std::string_view description;
    double value = 0;
    std::vector<std::pair<std::string_view, std::string>> labels;
};

/// All figures of a name stand together. What was not measured is not there.
[[nodiscard]] std::vector<Figure> figuresOf(const JobView& view);

} // namespace ringside::live
