// SPDX-License-Identifier: Apache-2.0
// A rank's device work stream by stream, laid out for timeline viewers, which want slices of a track to nest:
// work that really overlaps within a stream goes to further lanes.
#pragma once
#include "model/model.h"

#include <functional>

namespace ringside::exporting {

struct ShownWork {
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    std::size_t lane = 0; ///< 0 but for work that overlaps other work of its stream
    bool copy = false;    ///< of process.copies, else of process.kernels
    std::size_t row = 0;
    /// As recorded, but for a begin up to 1 us before the end of the work in front of it, which is moved
    /// there: where two fits of the device's clock meet, times of back-to-back kernels may cross by
    /// nanoseconds.
    model::Interval time;
};

/// Calls `show` for each kernel and copy of the rank, stream by stream, by start.
void forEachDeviceWork(const model::Model& model, const model::Rank& rank,
                       const std::function<void(const ShownWork&)>& show);

} // namespace ringside::exporting
