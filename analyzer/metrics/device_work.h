// SPDX-License-Identifier: Apache-2.0
// A rank's device work as lanes for the sweep: rows by class and stream, without copying the columns.
#pragma once
#include "metrics/sweep.h"
#include "model/model.h"

#include <memory>
#include <unordered_map>

namespace ringside::metrics {

/// Refers to the model's columns, which must outlive it.
class DeviceWork final {
public:
    DeviceWork(const model::Model& model, const model::Rank& rank);
    DeviceWork(const DeviceWork&) = delete;
    DeviceWork& operator=(const DeviceWork&) = delete;

    /// Fills the transfer class: communication from the last arrival on, which is given by the kernel's
    /// correlation id on the rank's own clock. A kernel that is not listed counts as transfer from its start.
    void setLastArrivals(const std::unordered_map<std::uint32_t, std::int64_t>& lastArrival);
    [[nodiscard]] const Lanes& lanes() const { return m_lanes; }

private:
    using Rows = std::vector<std::uint32_t>;
    template <typename Columns, typename Classify>
    void addColumns(const Columns& columns, const model::Rank& rank, const Classify& classify);

    std::vector<std::unique_ptr<Rows>> m_rows;
    std::vector<std::unique_ptr<std::vector<std::int64_t>>> m_times;
    Lanes m_lanes;
};

} // namespace ringside::metrics
