// SPDX-License-Identifier: Apache-2.0
// What ran on one device in each step: interval unions between the first operation of the step and that of
// the next one. Operations are told apart by correlation ids, which CUPTI counts upwards with the launches.
#pragma once
#include "summary/interval_union.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::collector::summary {

enum class Work : std::uint8_t { Compute, Communication, Copy };

struct DeviceFigures {
    Interval window;
    std::int64_t computeNs = 0;
    std::int64_t communicationNs = 0;
    std::int64_t exposedCommunicationNs = 0;
    std::int64_t exposedCopyNs = 0;
    std::int64_t idleNs = 0;
};

class DeviceSteps final {
public:
    /// At most so many operations wait for the end of their step. A step with more is not measured.
    static constexpr std::size_t kMostOperations = std::size_t{1} << 17;

    void add(Interval times, std::uint32_t correlation, Work work);
    /// The start of the earliest operation whose launch has this correlation id or a later one. Null: none
    /// has come.
    [[nodiscard]] std::optional<std::int64_t> firstStart(std::uint32_t fromCorrelation);
    /// Sums up the step whose launches have the ids from `first` on, `next` not included, and forgets what
    /// ended in it. Null: it was not measured as a whole.
    [[nodiscard]] std::optional<DeviceFigures> close(std::uint32_t first, std::uint32_t next);
    /// Forgets operations of launches before `correlation`: of steps that nobody asks for.
    void forgetBefore(std::uint32_t correlation);

private:
    struct Operation {
        Interval times;
        std::uint32_t correlation = 0;
        Work work = Work::Compute;
    };
    [[nodiscard]] auto begin() { return m_operations.begin() + static_cast<std::ptrdiff_t>(m_head); }
    void sort();
    template <class IsOver>
    void drop(std::int64_t ns, const IsOver& isOver);
    [[nodiscard]] DeviceFigures sumUp(Interval window) const;

    std::vector<Operation> m_operations; ///< from m_head on by start, once sorted; before it, forgotten ones
    std::size_t m_head = 0;
    bool m_sorted = true;
    bool m_lost = false; ///< operations, since the last step was closed
};

} // namespace ringside::collector::summary
