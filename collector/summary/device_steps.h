// SPDX-License-Identifier: Apache-2.0
// What ran on one device in each step: interval unions between the first operation of the step and that of
// the next one. Operations are told apart by correlation ids, which CUPTI counts upwards with the launches.
#pragma once
#include "values/breakdown.h"

#include <unordered_set>
#include <vector>

namespace ringside::collector::summary {

using values::Interval;

struct DeviceFigures {
    Interval window;
    values::Breakdown parts; ///< without what needs the other ranks: wait, transfer, useful time
};

class DeviceSteps final {
public:
    /// At most so many operations wait for the end of their step. A step with more is not measured.
    static constexpr std::size_t kMostOperations = std::size_t{1} << 17;

    void add(Interval times, std::uint32_t correlation, values::Class work);
    /// The start of the earliest operation whose launch has this correlation id or a later one. Null: none
    /// has come.
    [[nodiscard]] std::optional<std::int64_t> firstStart(std::uint32_t fromCorrelation);
    /// Sums up the step whose launches have the ids from `first` on, `next` not included, and forgets what
    /// ended in it. Copies of `byNccl`, ids of what NCCL launched, are communication. Null: it was not
    /// measured as a whole.
    [[nodiscard]] std::optional<DeviceFigures> close(std::uint32_t first, std::uint32_t next,
                                                     const std::unordered_set<std::uint32_t>& byNccl);
    /// Forgets operations of launches before `correlation`: of steps that nobody asks for.
    void forgetBefore(std::uint32_t correlation);

private:
    struct Operation {
        Interval times;
        std::uint32_t correlation = 0;
        values::Class work = values::kCompute;
    };
    [[nodiscard]] auto begin() { return m_operations.begin() + static_cast<std::ptrdiff_t>(m_head); }
    void sort();
    template <class IsOver>
    void drop(std::int64_t ns, const IsOver& isOver);
    [[nodiscard]] values::Breakdown sumUp(Interval window,
                                          const std::unordered_set<std::uint32_t>& byNccl) const;

    std::vector<Operation> m_operations; ///< from m_head on by start, once sorted; before it, forgotten ones
    std::size_t m_head = 0;
    bool m_sorted = true;
    bool m_lost = false; ///< operations, since the last step was closed
};

/// Whether a correlation id is of an earlier launch. Ids are 32 bits wide and begin again: an id is later if
/// it is ahead by less than half of the circle.
[[nodiscard]] inline bool isBefore(std::uint32_t a, std::uint32_t b)
{
    return static_cast<std::int32_t>(a - b) < 0;
}

} // namespace ringside::collector::summary
