// SPDX-License-Identifier: Apache-2.0
// How sure a verdict is. Each condition is one row: what must hold, and how sure the verdict is at most where
// it does not. docs/analysis.md shows the same rows; a test holds them together.
#pragma once
#include "rules/rule.h"
#include "words/text.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ringside::report {

struct Report;

enum class Confidence : std::uint8_t { High, Medium, Low, Inconclusive };
[[nodiscard]] std::string_view confidenceName(Confidence confidence);

struct Condition {
    std::string_view id;         ///< in JSON
    Confidence atMost;           ///< where it does not hold
    const words::Template* must; ///< what must hold
    /// Returns why it does not hold; null if it does. `first` is the finding that the verdict names, if any.
    std::optional<words::Text> (*broken)(const Report&, const rules::Finding* first);
};

[[nodiscard]] std::span<const Condition> confidenceConditions();

/// A condition and whether it held for a verdict.
struct Judged {
    const Condition* condition = nullptr;
    std::optional<words::Text> broken; ///< why it does not hold
};

/// Judges all conditions, in the order of the table.
[[nodiscard]] std::vector<Judged> judgeConfidence(const Report& report, const rules::Finding* first);
/// Returns the broken condition that limits the confidence most, the first of equals; null if all hold.
[[nodiscard]] const Judged* weakest(std::span<const Judged> judged);

} // namespace ringside::report
