// SPDX-License-Identifier: Apache-2.0
// What a probe measured, kept in a run: a trace file of its own without ranks, whose samples have the source
// "probe" and the time of the probe.
#pragma once
#include "probe/all_reduce.h"
#include "probe/matrix.h"

#include <filesystem>

namespace ringside::probe {

/// The run directory, for a later keepIn. Throws ringside::Error (Usage) where it is none with native traces,
/// before anything is measured for nothing.
void checkRun(const std::filesystem::path& run);
/// Adds a file to the run directory. Throws what the writer throws.
void keepIn(const std::filesystem::path& run, const Matrix& matrix);
/// Nothing where none was measured.
void keepIn(const std::filesystem::path& run, const AllReduceCurve& curve);

} // namespace ringside::probe
