// SPDX-License-Identifier: Apache-2.0
// The values of a GPU that NVML gives by number (nvmlDeviceGetFieldValues), all in one call. A new one is a
// row of the table in nvml_fields.cpp.
#pragma once
#include "sampled/nvml_questions.h"

namespace ringside::collector::sampled {

struct NvmlField {
    unsigned field = 0;
    unsigned scope = 0;
    trace::SeriesName name = {};
    Often often = Often::EveryTick;
    bool isBer = false; ///< a bit error rate, encoded
};

extern const std::array<NvmlField, 29> kNvmlFields;

/// Returns null for a type that this version does not know.
[[nodiscard]] std::optional<std::int64_t> integerIn(const nvml::FieldValue& value);
/// Returns an encoded bit error rate as errors in 1e18 bits. One is far below any rate that matters, and 63
/// bits hold 9e18. Returns the largest number for more.
[[nodiscard]] std::int64_t berPer1e18(std::int64_t encoded);

} // namespace ringside::collector::sampled
