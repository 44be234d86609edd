// SPDX-License-Identifier: Apache-2.0
// The times in which the device work of a rank was not recorded although its process was: a light level, a
// pause, or another client of CUPTI. An empty stream says nothing there.
#pragma once
#include "model/model.h"

#include <vector>

namespace ringside::model {

/// Returns whether device work is not recorded in such a window.
[[nodiscard]] bool isWithoutDevice(const trace::WindowRow& window);
/// Returns the parts of `range` (run time) without device work of this rank; by start, without overlap. Empty
/// if the trace does not tell, as those of other tools.
[[nodiscard]] std::vector<Interval> unrecordedDevice(const Model& model, const Rank& rank,
                                                     const Interval& range);
/// Returns the rest of `range`; by start.
[[nodiscard]] std::vector<Interval> recordedDevice(const Model& model, const Rank& rank,
                                                   const Interval& range);

} // namespace ringside::model
