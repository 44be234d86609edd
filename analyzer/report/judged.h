// SPDX-License-Identifier: Apache-2.0
// What a verdict's confidence is made of: conditions, and whether each held (confidence.h judges them).
#pragma once
#include "rules/rule.h"
#include "words/text.h"

#include <cstdint>
#include <optional>
#include <string_view>

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

/// A condition and whether it held for a verdict.
struct Judged {
    const Condition* condition = nullptr;
    std::optional<words::Text> broken; ///< why it does not hold
};

} // namespace ringside::report
