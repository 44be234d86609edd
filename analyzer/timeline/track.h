// SPDX-License-Identifier: Apache-2.0
// A track: the spans of one rank's stream, thread or other source.
#pragma once
#include "timeline/lane.h"

#include <span>
#include <string>
#include <vector>

namespace ringside::timeline {

enum class TrackKind : std::uint8_t {
    Steps,      ///< on the device, else on the host
    Stream,     ///< device work of one stream
    EventTimed, ///< collectives timed by CUDA events; rows are Model::operations
    Projected,  ///< ranges of a host thread, projected on the GPU. Its lanes are in Timeline::projections
    Thread,     ///< calls and ranges of a host thread, nested
    Ranges,     ///< ranges of a thread that begin and end in any order
    Launches,   ///< the driver's view of a thread's launches
    Python,     ///< Python functions of a thread, nested
};

struct Track {
    TrackKind kind = TrackKind::Steps;
    std::size_t rank = 0; ///< index into Model::ranks
    std::int64_t id = 0;  ///< thread, also projected or Python: thread.id; launches: the kernel's thread id;
                          ///< stream: its number
    std::string name;
    std::vector<Lane> lanes;  ///< [0] is on top; further lanes hold nested or overlapping spans
    std::int64_t leftOut = 0; ///< number of spans that nest or overlap too deeply to be shown
    [[nodiscard]] std::size_t spans() const;
};

/// A rank's part of a collective, and where it is drawn.
struct Part {
    Part(std::size_t ofRank, std::size_t ofTrack, std::size_t ofLane, const Interval& at)
        : rank(static_cast<std::uint32_t>(ofRank))
        , track(static_cast<std::uint32_t>(ofTrack))
        , lane(static_cast<std::uint32_t>(ofLane))
        , time(at)
    {}
    std::uint32_t rank;  ///< index into Model::ranks
    std::uint32_t track; ///< index into Timeline::tracks
    std::uint32_t lane;
    Interval time; ///< run time
};

/// Returns the tracks of one rank of `tracks`, which are ordered by rank.
[[nodiscard]] std::span<const Track> tracksOf(std::span<const Track> tracks, std::size_t rank);

} // namespace ringside::timeline
