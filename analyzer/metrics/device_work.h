// SPDX-License-Identifier: Apache-2.0
// A rank's device work as lanes for the sweep: rows by class and stream, without copying the columns.
#pragma once
#include "metrics/sweep.h"
#include "model/model.h"

#include <memory>
#include <unordered_map>

namespace ringside::metrics {

/// By row of the kernel columns.
using LastArrivals = std::unordered_map<std::uint32_t, std::int64_t>;

/// Refers to the model's columns, which must outlive it.
class DeviceWork final {
public:
    /// `lastArrivals` gives, by the kernel's row and on the rank's own clock, when the last rank came: from
    /// then on communication is transfer. A kernel that is not listed is transfer from its start.
    DeviceWork(const model::Model& model, const model::Rank& rank, const LastArrivals& lastArrivals = {});
    DeviceWork(const DeviceWork&) = delete;
    DeviceWork& operator=(const DeviceWork&) = delete;

    [[nodiscard]] const Lanes& lanes() const { return m_lanes; }

private:
    using Rows = std::vector<std::uint32_t>;
    template <typename Columns, typename Classify>
    void addColumns(const Columns& columns, const model::Rank& rank, const Classify& classify);
    void addTransfers(const Lane& communication, const LastArrivals& lastArrivals);

    std::vector<std::unique_ptr<Rows>> m_rows;
    std::vector<std::unique_ptr<trace::Column<std::int64_t>>> m_times;
    Lanes m_lanes;
};

} // namespace ringside::metrics
