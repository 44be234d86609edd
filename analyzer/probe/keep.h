// SPDX-License-Identifier: Apache-2.0
// Stores the results of a probe in a run: a separate trace file without ranks, whose samples have the source
// "probe" and the time of the probe.
#pragma once
#include "probe/all_reduce.h"
#include "probe/matrix.h"

#include <filesystem>

namespace ringside::probe {

/// Checks the run directory before the measurement. Throws ringside::Error (Usage) if it holds no native
/// traces.
void checkRun(const std::filesystem::path& run);
/// Adds a file to the run directory. Throws the writer's errors.
void storeIn(const std::filesystem::path& run, const Matrix& matrix);
/// Stores nothing if no curve was measured.
void storeIn(const std::filesystem::path& run, const AllReduceCurve& curve);

} // namespace ringside::probe
