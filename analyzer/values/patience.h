// SPDX-License-Identifier: Apache-2.0
// How long a job may stand still before that is a hang, from the pauses after which it went on. The collector
// and those who watch a whole job ask this class, each with the pauses that it sees.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ringside::values {

class Patience final {
public:
    /// The job went on after no progress for so long.
    void survived(std::int64_t ns)
    {
        Pauses& pauses = m_pauses[std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)))];
        pauses.longestNs = std::max(pauses.longestNs, ns);
        pauses.sumNs += static_cast<double>(ns);
    }

    /// Returns the time after which standing still is a hang: at least `leastNs`, and twice a long pause.
    /// Pauses are weighed by the time that they take, so that a checkpoint of minutes counts though it is
    /// rare, and one long pause does not count for ever. All pauses of about one length count as the longest
    /// of them.
    [[nodiscard]] std::int64_t of(std::int64_t leastNs) const { return std::max(leastNs, kLong * longNs()); }

private:
    static constexpr std::int64_t kLong = 2;
    static constexpr double kRareShare = 0.01; ///< of the time; longer pauses than those are forgotten

    struct Pauses {
        std::int64_t longestNs = 0;
        double sumNs = 0;
    };

    /// The 99th percentile, by time.
    [[nodiscard]] std::int64_t longNs() const
    {
        double allNs = 0;
        for (const Pauses& each : m_pauses) {
            allNs += each.sumNs;
        }
        double aboveNs = 0;
        for (auto each = m_pauses.rbegin(); each != m_pauses.rend(); ++each) {
            aboveNs += each->sumNs;
            if (each->longestNs > 0 && aboveNs > kRareShare * allNs) {
                return each->longestNs;
            }
        }
        return 0;
    }

    std::array<Pauses, 65> m_pauses{}; ///< by the bits of their length
};

} // namespace ringside::values
