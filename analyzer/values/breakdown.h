// SPDX-License-Identifier: Apache-2.0
// What a device did within a window of time, by class of work: the parts of a step, as docs/metrics.md
// defines them. Reports sweep whole runs (metrics/sweep.h) and the collector sums up one step at a time
// (AscendingSweep); both fill in a Coverage, and only breakDown turns it into figures.
#pragma once
#include "values/interval.h"
#include "values/quantile.h"

#include <array>
#include <utility>

namespace ringside::values {

/// Classes of device work. Transfer is the part of communication after the last rank arrived.
enum Class : std::uint8_t { kCompute = 0, kCommunication = 1, kCopy = 2, kTransfer = 3, kClasses = 4 };

[[nodiscard]] constexpr unsigned bit(Class c)
{
    return 1U << c;
}

/// How long each combination of classes was active, in ns. In an index, bit c is set if class c was active.
struct Coverage {
    std::array<std::int64_t, 1U << kClasses> ns{};
    /// Returns the time in which at least one class of the bit mask `any` and no class of `none` was active.
    [[nodiscard]] std::int64_t time(unsigned any, unsigned none = 0) const
    {
        std::int64_t sum = 0;
        for (unsigned mask = 0; mask < ns.size(); ++mask) {
            sum += (mask & any) != 0 && (mask & none) == 0 ? ns[mask] : 0;
        }
        return sum;
    }
    Coverage& operator+=(const Coverage& other)
    {
        for (std::size_t mask = 0; mask < ns.size(); ++mask) {
            ns[mask] += other.ns[mask];
        }
        return *this;
    }
};

/// Device time of a rank in one step, or summed over several steps. The step is exactly the sum of compute,
/// exposed communication, exposed copy and idle time.
struct Breakdown {
    std::int64_t stepNs = 0;
    std::int64_t computeNs = 0;
    std::int64_t communicationNs = 0;
    std::int64_t copyNs = 0;
    std::int64_t overlapNs = 0; ///< of communication with compute
    std::int64_t exposedCommunicationNs = 0;
    std::int64_t exposedCopyNs = 0;
    std::int64_t idleNs = 0;
    std::int64_t waitNs = 0;        ///< in communication without transfer: waiting for a late rank
    std::int64_t exposedWaitNs = 0; ///< the part of waitNs that compute did not hide
    std::int64_t waitDelayNs = 0;   ///< upper bound of what the step would save without waiting
    std::int64_t transferNs = 0;
    std::int64_t usefulNs = 0; ///< busy and not only waiting

    /// Returns `part` as a share of the step; 0 if the step has no length.
    [[nodiscard]] double share(std::int64_t part) const
    {
        return stepNs > 0 ? static_cast<double>(part) / static_cast<double>(stepNs) : 0.0;
    }
    [[nodiscard]] double utilization() const { return share(stepNs - idleNs); }
    [[nodiscard]] double usefulUtilization() const { return share(usefulNs); }
    /// Returns communication over compute. Null without compute.
    [[nodiscard]] std::optional<double> ratio() const
    {
        return computeNs > 0
                   ? std::optional(static_cast<double>(communicationNs) / static_cast<double>(computeNs))
                   : std::nullopt;
    }
    Breakdown& operator+=(const Breakdown& other);
    /// Returns the median of each figure by itself.
    [[nodiscard]] static Breakdown medianOf(const std::vector<Breakdown>& steps);
};

inline constexpr std::array kBreakdownFigures{
    &Breakdown::stepNs,        &Breakdown::computeNs,   &Breakdown::communicationNs,
    &Breakdown::copyNs,        &Breakdown::overlapNs,   &Breakdown::exposedCommunicationNs,
    &Breakdown::exposedCopyNs, &Breakdown::idleNs,      &Breakdown::waitNs,
    &Breakdown::exposedWaitNs, &Breakdown::waitDelayNs, &Breakdown::transferNs,
    &Breakdown::usefulNs};

inline Breakdown& Breakdown::operator+=(const Breakdown& other)
{
    for (const auto figure : kBreakdownFigures) {
        this->*figure = addCapped(this->*figure, other.*figure);
    }
    return *this;
}

inline Breakdown Breakdown::medianOf(const std::vector<Breakdown>& steps)
{
    Breakdown result;
    for (const auto figure : kBreakdownFigures) {
        std::vector<std::int64_t> values;
        for (const Breakdown& step : steps) {
            values.push_back(step.*figure);
        }
        result.*figure = median(std::move(values));
    }
    return result;
}

/// Computes the breakdown of a window from its coverage. Leaves Breakdown::waitDelayNs at 0, because that
/// depends on the neighbouring windows, too.
[[nodiscard]] inline Breakdown breakDown(std::int64_t windowNs, const Coverage& coverage)
{
    const unsigned compute = bit(kCompute);
    const unsigned communication = bit(kCommunication);
    const unsigned copy = bit(kCopy);
    const unsigned transfer = bit(kTransfer);
    Breakdown result;
    result.stepNs = windowNs;
    result.computeNs = coverage.time(compute);
    result.communicationNs = coverage.time(communication);
    result.copyNs = coverage.time(copy);
    result.exposedCommunicationNs = coverage.time(communication, compute);
    result.overlapNs = result.communicationNs - result.exposedCommunicationNs;
    result.exposedCopyNs = coverage.time(copy, compute | communication);
    result.idleNs = coverage.ns[0];
    result.waitNs = coverage.time(communication, transfer);
    result.exposedWaitNs = coverage.time(communication, transfer | compute);
    result.transferNs = coverage.time(transfer);
    result.usefulNs = coverage.time(compute | copy | transfer);
    return result;
}

/// Computes the coverage of one window from work that comes in the order of its starts.
class AscendingSweep final {
public:
    explicit AscendingSweep(const Interval& window) : m_now(window.start), m_end(window.end)
    {
        m_ends.fill(window.start);
    }
    void add(Class of, const Interval& work)
    {
        advance(std::min(work.start, m_end));
        m_ends[of] = std::max(m_ends[of], work.end);
    }
    [[nodiscard]] Coverage finish()
    {
        advance(m_end);
        return m_coverage;
    }

private:
    void advance(std::int64_t to)
    {
        while (m_now < to) {
            unsigned active = 0;
            std::int64_t until = to;
            for (unsigned c = 0; c < kClasses; ++c) {
                if (m_ends[c] > m_now) {
                    active |= 1U << c;
                    until = std::min(until, m_ends[c]);
                }
            }
            m_coverage.ns[active] += until - m_now;
            m_now = until;
        }
    }

    std::int64_t m_now;
    std::int64_t m_end;
    std::array<std::int64_t, kClasses> m_ends{}; ///< when the work of a class that has begun is over
    Coverage m_coverage;
};

} // namespace ringside::values
