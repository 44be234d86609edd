// SPDX-License-Identifier: Apache-2.0
// A run as a picture wants it: lines of spans by rank, all on the run's clock, and the collectives that join
// them. Built once from a model, which must outlive it, and then only read. Computes no figure: who waited
// and who came last is what model/ and metrics/ say.
#pragma once
#include "model/model.h"
#include "timeline/lane.h"
#include "timeline/sample_lines.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::timeline {

enum class TrackKind : std::uint8_t {
    Steps,      ///< on the device, else on the host
    Stream,     ///< device work of one stream
    EventTimed, ///< collectives as CUDA events timed them; rows are Model::operations
    Thread,     ///< calls and ranges of a host thread, nested
    Ranges,     ///< of a thread, that begin and end in any order
    Launches,   ///< the driver's view of a thread's launches
};

struct Track {
    TrackKind kind = TrackKind::Steps;
    std::size_t rank = 0; ///< of Model::ranks
    std::int64_t id = 0;  ///< thread: thread.id; launches: the kernel's thread id; stream: its number
    std::string name;
    std::vector<Lane> lanes;  ///< [0] is on top; further ones hold what nests or overlaps
    std::int64_t leftOut = 0; ///< spans that nest or overlap too deeply to be shown
    [[nodiscard]] std::size_t spans() const;
};

struct SpanId {
    std::size_t track = 0;
    std::size_t lane = 0;
    std::size_t index = 0;
    bool operator==(const SpanId&) const = default;
};

/// A rank's part of a collective, where it is drawn.
struct Part {
    std::size_t rank = 0;  ///< of Model::ranks
    std::size_t track = 0; ///< of Timeline::tracks
    std::size_t lane = 0;
    Interval time; ///< run time
};

/// A collective whose arrivals are known.
struct Meeting {
    std::size_t operation = 0; ///< of Model::operations
    std::size_t lastRank = 0;  ///< of Model::ranks
    std::int64_t firstArrivalNs = 0;
    std::int64_t lastArrivalNs = 0;
    std::int64_t endNs = 0;
    std::int64_t lostNs = 0;   ///< last arrival minus second last
    std::size_t firstPart = 0; ///< of Timeline::parts, by rank
    std::size_t parts = 0;
};

struct Timeline {
    Interval extent;
    std::vector<Track> tracks;     ///< by rank, then by kind
    std::vector<Meeting> meetings; ///< by last arrival
    std::vector<Part> parts;
    Forest losses;                   ///< of the meetings, by what was lost
    std::vector<SampleLine> samples; ///< by rank, then by host

    [[nodiscard]] const Lane& laneOf(const SpanId& id) const { return tracks[id.track].lanes[id.lane]; }
    [[nodiscard]] Span span(const SpanId& id) const { return laneOf(id).span(id.index); }
    [[nodiscard]] std::span<const Track> tracksOf(std::size_t rank) const; ///< of Model::ranks
    [[nodiscard]] std::size_t spans() const;
    [[nodiscard]] std::size_t memoryBytes() const;
    /// Of each stretch of `resolutionNs` within `range` the meeting that lost most; indices of `meetings`.
    [[nodiscard]] std::vector<std::size_t> meetingsIn(const Interval& range, std::int64_t resolutionNs) const;
    /// The meeting after or before a moment (of its last arrival).
    [[nodiscard]] std::optional<std::size_t> nextMeeting(std::int64_t timeNs) const;
    [[nodiscard]] std::optional<std::size_t> previousMeeting(std::int64_t timeNs) const;
};

/// On all cores. `cancelled` is asked often, by several threads; an empty timeline comes back then.
[[nodiscard]] Timeline buildTimeline(const model::Model& model, const std::function<bool()>& cancelled = {});

/// What a span is called: a kernel, a function, a range, "step 12", "copy".
[[nodiscard]] std::string nameOf(const model::Model& model, const Track& track, const Span& span);

struct Description {
    std::string title;
    std::vector<std::pair<std::string, std::string>> lines; ///< what, value with unit
};
[[nodiscard]] Description describe(const model::Model& model, const Timeline& timeline, const SpanId& id);

/// The call that launched device work; null: not device work, or not recorded.
[[nodiscard]] std::optional<SpanId> launchOf(const model::Model& model, const Timeline& timeline,
                                             const SpanId& id);
/// The device work that a launch began; null: not a launch, or its work was not recorded.
[[nodiscard]] std::optional<SpanId> workOf(const model::Model& model, const Timeline& timeline,
                                           const SpanId& id);
/// The meeting in which a communication span takes part.
[[nodiscard]] std::optional<std::size_t> meetingOf(const Timeline& timeline, const SpanId& id);

enum class Direction : std::uint8_t { Forward, Backward };
/// The nearest span that begins after (before) `fromNs` and whose name holds `text`, in any case of letters.
[[nodiscard]] std::optional<SpanId> findSpan(const model::Model& model, const Timeline& timeline,
                                             std::string_view text, std::int64_t fromNs, Direction direction);

} // namespace ringside::timeline
