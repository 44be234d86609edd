// SPDX-License-Identifier: Apache-2.0
// Detects when a job that marks no steps has begun to train: each of several equal time spans holds
// about as many collectives (or recorded calls, in a process without a communicator). Loading, compiling
// and warming up are not that regular. It reads no clock, so that tests supply the time.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>

namespace ringside::collector {

class SteadyPeriod final {
public:
    /// The length of the window. A period that ends earlier is discarded, and the next one is awaited.
    static constexpr std::int64_t kMeasuredNs = 60'000'000'000;

    /// Call it at each pass of the drain thread. `done`: collectives or calls so far.
    void look(std::int64_t nowNs, std::uint64_t done);
    /// When the period was detected. Null: there is none (yet).
    [[nodiscard]] std::optional<std::int64_t> sinceNs() const { return m_sinceNs; }

private:
    struct Sample {
        std::int64_t ns;
        std::uint64_t done;
    };
    void keep(const Sample& sample);
    [[nodiscard]] bool isEven(std::int64_t spanNs) const;
    [[nodiscard]] std::uint64_t doneBy(std::int64_t ns) const;

    std::deque<Sample> m_samples; ///< by time
    std::optional<std::int64_t> m_sinceNs;
    std::int64_t m_spanNs = 0; ///< in which it was even
    std::int64_t m_progressNs = 0;
    bool m_over = false; ///< it was measured
};

} // namespace ringside::collector
