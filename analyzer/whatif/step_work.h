// SPDX-License-Identifier: Apache-2.0
// A rank's device work by step, in the order of its launches, before it becomes a program.
#pragma once
#include "whatif/program.h"

#include <unordered_map>

namespace ringside::whatif {

/// FNV-1a over numbers: equal steps have equal hashes.
class Hash final {
public:
    Hash& add(std::uint64_t value)
    {
        m_value = (m_value ^ value) * 1'099'511'628'211U;
        return *this;
    }
    [[nodiscard]] std::uint64_t value() const { return m_value; }

private:
    std::uint64_t m_value = 14'695'981'039'346'656'037U;
};

/// Device work as it was recorded.
struct Work {
    Observed times;
    std::uint64_t signature = 0; ///< identifies the operation in every step
    std::uint32_t stream = 0;
    std::uint32_t tid = 0;
    bool communication = false;
    bool copy = false;
    bool blocksHost = false;
    std::optional<std::size_t> operation; ///< index into Model::operations
};
using StepWork = std::vector<Work>;

/// Reads a rank's device work of the chosen steps, by step and in the order of launches.
class RankReader final {
public:
    RankReader(const model::Model& model, std::size_t rank, const std::vector<std::int64_t>& numbers);
    [[nodiscard]] std::vector<StepWork> read();
    [[nodiscard]] std::size_t withoutLaunch() const { return m_withoutLaunch; }

private:
    template <typename Columns, typename Describe>
    void addRows(const Columns& columns, const Describe& describe);
    [[nodiscard]] std::optional<std::size_t> stepAt(std::int64_t time) const;

    const model::Model& m_model;
    const model::Rank& m_rank;
    std::size_t m_index;
    const trace::ProcessTrace& m_process;
    std::vector<std::pair<model::Interval, std::size_t>> m_windows; ///< host time of a step, its index
    std::unordered_map<std::uint32_t, std::size_t> m_operations;    ///< by row of the kernels
    std::vector<StepWork> m_steps;
    std::size_t m_withoutLaunch = 0;
};

} // namespace ringside::whatif
