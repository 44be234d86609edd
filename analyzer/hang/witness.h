// SPDX-License-Identifier: Apache-2.0
// What others say about the same job, beside the recording: PyTorch's flight recorder, NCCL's RAS. Each saw
// it from another place, so that agreement is evidence, and a contradiction is said rather than resolved.
#pragma once
#include "hang/hang.h"

namespace ringside::hang {

/// The ranks that a report blames: those that are missing, that call something else, or that died first.
[[nodiscard]] std::vector<std::int64_t> blamedRanks(const Report& report);

/// Turns what the analysis of other traces of the same job found into a witness. `source` and `title` say
/// whose traces they are.
[[nodiscard]] Witness witnessOf(const Report& theirs, std::string source, std::string title);

/// Compares what the witness says with the report, fills in the comparison, and adds it to the report.
void hear(Report& report, Witness witness);

/// Returns the witnesses of a report as text.
[[nodiscard]] std::string witnessText(const Report& report);

} // namespace ringside::hang
