// SPDX-License-Identifier: Apache-2.0
// Converts the readings of a port's counter to a 64-bit counter with correct differences. Some counters stick
// at their largest value, some wrap after 32 bits, and all restart when a driver is loaded or when they are
// cleared.
#pragma once
#include <cstdint>
#include <optional>

namespace ringside::host {

class CounterTrack final {
public:
    /// `saturatesBits` is 0 if the counter does not stick. `unit` is the value of one count, such as 4 bytes.
    CounterTrack(unsigned saturatesBits, std::uint64_t unit) : m_unit(unit)
    {
        constexpr unsigned kMost = 64;
        if (saturatesBits > 0 && saturatesBits < kMost) {
            m_limit = (std::uint64_t{1} << saturatesBits) - 1;
        }
    }

    /// What it has come to, modulo 2^64; nothing while it sticks at its largest value, for what came since is
    /// not known. A narrow counter that arrives there between two readings still tells what it gained at
    /// least. The first value is what the port counted before anybody looked.
    std::optional<std::uint64_t> take(std::uint64_t raw)
    {
        m_saturated = raw == kAllOnes; // no count: what a device that is gone or lacks the counter answers
        m_arrived = false;
        if (m_saturated) {
            return std::nullopt;
        }
        m_wide = m_wide || raw > m_limit.value_or(raw);
        m_saturated = m_limit && raw == *m_limit && !m_wide;
        m_arrived = m_saturated && m_last && *m_last < raw && *m_limit <= kLargestNarrow;
        if (m_last && raw < *m_last) {
            m_total += fell(raw);
        } else {
            m_total += raw - m_last.value_or(0);
        }
        m_last = raw;
        return m_saturated && !m_arrived ? std::nullopt : std::optional(m_total * m_unit);
    }
    [[nodiscard]] bool saturated() const { return m_saturated; }
    /// It reached its largest value since the reading before: its value is what it gained at least.
    [[nodiscard]] bool arrived() const { return m_arrived; }
    /// How often it began anew.
    [[nodiscard]] std::uint64_t resets() const { return m_resets; }

private:
    static constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
    // Of 16 bits: errors. What traffic gained at least would pass for its rate.
    static constexpr std::uint64_t kLargestNarrow = 0xFFFF;

    // From the upper half of 32 bits into their lower half is a wrap; else it began at 0 again.
    std::uint64_t fell(std::uint64_t raw)
    {
        constexpr std::uint64_t kRange = std::uint64_t{1} << 32U;
        if (!m_limit && *m_last < kRange && *m_last >= kRange / 2 && raw < kRange / 2) {
            return kRange - *m_last + raw;
        }
        ++m_resets;
        return raw;
    }

    std::uint64_t m_unit;
    std::optional<std::uint64_t> m_limit;
    bool m_wide = false; ///< a value beyond the limit was read, so this driver's counter does not stick there
    bool m_saturated = false;
    bool m_arrived = false;
    std::optional<std::uint64_t> m_last;
    std::uint64_t m_total = 0;
    std::uint64_t m_resets = 0;
};

} // namespace ringside::host
