// SPDX-License-Identifier: Apache-2.0
// When a job that marks no steps has come to its training: the same number of collectives (or, in a process
// without a communicator, of recorded calls) in each of several equal spans of time. Loading, compiling and
// warming up are not like that. No clock of its own, so that tests bring their own time.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>

namespace ringside::collector {

class SteadyPeriod final {
public:
    /// For so long it is measured; one that breaks off before was none, and another is waited for.
    static constexpr std::int64_t kMeasuredNs = 60'000'000'000;

    /// At a pass of the drain thread. `done`: collectives or calls so far.
    void look(std::int64_t nowNs, std::uint64_t done);
    /// When it was noticed; null: there is none (yet).
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
