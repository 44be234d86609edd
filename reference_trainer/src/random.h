// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine, in any order of requests.
#pragma once
#include <cstdint>

namespace ringside::trainer {

/// The splitmix64 generator: small, fast, with a different sequence for every seed.
class Random final {
public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}
    Random(std::uint64_t seed, std::uint64_t stream)
        : m_state(Random(seed).next() ^ stream * 0xd1342543de82ef95U)
    {}

    std::uint64_t next()
    {
        m_state += 0x9e3779b97f4a7c15U;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    /// In [0, bound); `bound` > 0.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    /// In [0, 1).
    float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24F; }
    /// In [low, high).
    float uniform(float low, float high) { return low + (high - low) * uniform(); }

private:
    std::uint64_t m_state;
};

} // namespace ringside::trainer
