// SPDX-License-Identifier: Apache-2.0
// Arranges a rank's device work in lanes for the sweep, by class and stream, without copying the columns.
#pragma once
#include "metrics/arrivals.h"
#include "metrics/sweep.h"
#include "model/model.h"

#include <memory>

namespace ringside::metrics {

/// The lanes of one rank. Refers to the model's columns, which must outlive this object.
class DeviceWork final {
public:
    /// From its last arrival on, a communication kernel is transfer. A kernel that is not in `lastArrivals`
    /// is transfer from its start.
    DeviceWork(const model::Model& model, const model::Rank& rank, const LastArrivals& lastArrivals = {});
    DeviceWork(const DeviceWork&) = delete;
    DeviceWork& operator=(const DeviceWork&) = delete;

    [[nodiscard]] const Lanes& lanes() const { return m_lanes; }
    /// Of communication, also copies by which NCCL does collectives have lanes.
    [[nodiscard]] bool isOfKernels(const Lane& lane) const { return lane.starts == m_kernelStarts; }

private:
    using Rows = std::vector<std::uint32_t>;
    template <typename Columns, typename Classify>
    void addColumns(const Columns& columns, const model::Rank& rank, const Classify& classify);
    void addTransfers(const Lane& communication, const LastArrivals& lastArrivals);

    std::vector<std::unique_ptr<Rows>> m_rows;
    std::vector<std::unique_ptr<trace::Column<std::int64_t>>> m_times;
    Lanes m_lanes;
    const trace::Column<std::int64_t>* m_kernelStarts = nullptr;
};

} // namespace ringside::metrics
