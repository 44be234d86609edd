// SPDX-License-Identifier: Apache-2.0
// Tracks of one rank, built from its rows. Private to timeline/.
#pragma once
#include "metrics/timed_calls.h"
#include "timeline/track.h"

#include <functional>

namespace ringside::timeline {

/// A rank's part of an operation, found while its tracks are built; `track` counts within the rank.
struct RankPart {
    std::size_t operation = 0;
    Part part;
};

/// Throws if building was cancelled. It is called for every row, and checks only now and then.
class Pause final {
public:
    struct Cancelled {};
    explicit Pause(const std::function<bool()>& cancelled) : m_cancelled(cancelled) {}
    void operator()() const
    {
        constexpr unsigned kEvery = 1U << 16U;
        if (++m_calls % kEvery == 0 && m_cancelled && m_cancelled()) {
            throw Cancelled();
        }
    }

private:
    const std::function<bool()>& m_cancelled;
    mutable unsigned m_calls = 0; ///< of one thread
};

struct RankTracks {
    std::vector<Track> tracks;
    std::vector<RankPart> parts;
};

/// Returns steps, streams, and collectives that only CUDA events timed.
[[nodiscard]] RankTracks deviceTracks(const model::Model& model, std::size_t rank,
                                      const metrics::AllArrivals& arrivals, const Pause& pause);
/// Returns threads with their calls and ranges.
[[nodiscard]] std::vector<Track> hostTracks(const model::Model& model, std::size_t rank, const Pause& pause);

} // namespace ringside::timeline
