// SPDX-License-Identifier: Apache-2.0
// A rank's device work by stream, laid out for timeline viewers, in which slices of a track must nest: work
// that overlaps within a stream goes to further lanes.
#pragma once
#include "model/model.h"

#include <functional>

namespace ringside::exporting {

struct ShownWork {
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    std::size_t lane = 0; ///< above 0 for work that overlaps other work of its stream
    bool copy = false;    ///< index into process.copies, else into process.kernels
    std::size_t row = 0;
    /// As recorded. Only a begin up to 1 us before the end of the preceding work is moved to that end:
    /// between two fits of the device's clock, back-to-back kernels may overlap by nanoseconds.
    model::Interval time;
};

/// Calls `show` for each kernel and copy of the rank, by stream and start.
void forEachDeviceWork(const model::Model& model, const model::Rank& rank,
                       const std::function<void(const ShownWork&)>& show);

} // namespace ringside::exporting
