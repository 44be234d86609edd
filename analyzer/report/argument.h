// SPDX-License-Identifier: Apache-2.0
// The verdict as an argument: the parts of a step, which are disjoint and sum to it, and the findings that
// explain them. `ringside report --why` and the window show it as a section of the document.
#pragma once
#include "document/document.h"
#include "report/report.h"

#include <optional>
#include <vector>

namespace ringside::report {

/// A part of the mean step (or of each second), over all ranks.
struct LostPart {
    enum class Kind : std::uint8_t { Compute, Waiting, Transfer, Copies, Idle };
    Kind kind = Kind::Compute;
    std::int64_t ns = 0;
    double share = 0; ///< of the step
};

/// A cause that explains a part.
struct Explanation {
    const rules::Finding* finding = nullptr;
    LostPart::Kind of = LostPart::Kind::Compute;
    /// Its cost over that part, at most 1. The part is a mean over all ranks, so a cause that only some of
    /// them lose may cost more.
    double share = 0;
};

/// The finding pointers belong to the report.
struct Argument {
    std::vector<LostPart> parts; ///< none if no step was measured
    std::vector<Explanation> explanations;
    bool waitsKnown = false; ///< else waiting is part of the transfer
};

[[nodiscard]] Argument argumentOf(const Report& report);
[[nodiscard]] std::string_view partName(LostPart::Kind kind); ///< identifier in JSON, "waiting"

/// The argument as a picture. A part's moment is the step of the rank that has most of it. Null if no step
/// was measured.
[[nodiscard]] std::optional<document::WhyGraph> whyGraphOf(const Report& report);
/// The argument as tables, each after its title: where the step goes, what explains it, and the conditions of
/// the confidence.
[[nodiscard]] std::vector<document::Block> argumentBlocks(const Report& report);

} // namespace ringside::report
