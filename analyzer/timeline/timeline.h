// SPDX-License-Identifier: Apache-2.0
// The timeline of a run: tracks of spans by rank, all on the clock of the run, and the collectives that
// connect them. It is built once from a model, which must outlive it, and is only read afterwards, except
// that projections are added. It computes no figures: waiting and last arrivals come from model/ and
// metrics/.
#pragma once
#include "model/model.h"
#include "timeline/projection.h"
#include "timeline/sample_lines.h"
#include "timeline/strip.h"
#include "timeline/track.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::timeline {

struct SpanId {
    std::size_t track = 0;
    std::size_t lane = 0;
    std::size_t index = 0;
    bool operator==(const SpanId&) const = default;
};

/// A collective with known arrivals.
struct MatchedCollective {
    std::size_t operation = 0; ///< index into Model::operations
    std::size_t lastRank = 0;  ///< index into Model::ranks
    std::size_t lateRank = 0;  ///< to whom lostNs is charged (metrics/arrivals.h)
    std::int64_t firstArrivalNs = 0;
    std::int64_t lastArrivalNs = 0;
    std::int64_t endNs = 0;
    std::int64_t lostNs = 0;   ///< 0: nobody came late
    std::size_t firstPart = 0; ///< index into Timeline::parts, which are sorted by rank
    std::size_t parts = 0;
};

struct Timeline {
    Interval extent;
    std::vector<Track> tracks;                  ///< by rank, then by kind
    std::vector<MatchedCollective> collectives; ///< by last arrival
    std::vector<Part> parts;
    Forest losses;                   ///< of the collectives, by lostNs
    std::vector<SampleLine> samples; ///< by rank, then by host
    std::vector<Strip> strips;       ///< one for each of Model::ranks; empty for a rank without streams
    std::shared_ptr<Projections> projections; ///< null in an empty timeline

    /// Returns the lanes of a track. A projected track has none until its projection is computed.
    [[nodiscard]] const std::vector<Lane>& lanesOf(std::size_t track) const;
    /// Returns how many spans of a track nest or overlap too deeply to be shown.
    [[nodiscard]] std::int64_t leftOutOf(std::size_t track) const;
    [[nodiscard]] const Lane& laneOf(const SpanId& id) const { return lanesOf(id.track)[id.lane]; }
    [[nodiscard]] Span span(const SpanId& id) const { return laneOf(id).span(id.index); }
    [[nodiscard]] std::span<const Track> tracksOf(std::size_t rank) const ///< of Model::ranks
    {
        return timeline::tracksOf(tracks, rank);
    }
    /// Returns the parts of a collective that one rank has.
    [[nodiscard]] std::span<const Part> partsOf(const MatchedCollective& collective, std::size_t rank) const;
    [[nodiscard]] std::size_t spans() const;
    [[nodiscard]] std::size_t memoryBytes() const;
    /// Returns, for each part of `range` that is `resolutionNs` long, the collective with the largest loss,
    /// as index into `collectives`.
    [[nodiscard]] std::vector<std::size_t> collectivesIn(const Interval& range,
                                                         std::int64_t resolutionNs) const;
    /// Returns the collective after or before a time (of its last arrival).
    [[nodiscard]] std::optional<std::size_t> nextCollective(std::int64_t timeNs) const;
    [[nodiscard]] std::optional<std::size_t> previousCollective(std::int64_t timeNs) const;
};

/// Returns what a rank did in each of `columns` equal parts of `range`: the shares of its strip, or, if its
/// device work was not recorded, of the first line of its steps, timed calls or threads.
[[nodiscard]] std::vector<ByKind<float>> rankCoverage(const Timeline& timeline, std::size_t rank,
                                                      const Interval& range, std::size_t columns);

/// Builds the timeline on all cores. `cancelled` is called often, by several threads; if it returns true, an
/// empty timeline is returned.
[[nodiscard]] Timeline buildTimeline(const model::Model& model, const std::function<bool()>& cancelled = {});

/// Returns the name of a span: of a kernel, function or range, "step 12", "copy".
[[nodiscard]] std::string nameOf(const model::Model& model, const Track& track, const Span& span);

/// Returns what spans of this kind are: "compute kernel".
[[nodiscard]] std::string_view kindText(SpanKind kind);
/// Returns a number that spans of one track share exactly if they have the same name. It saves making and
/// comparing texts.
[[nodiscard]] std::uint64_t nameKey(const model::Model& model, const Track& track, const Span& span);

struct Description {
    std::string title;
    std::vector<std::pair<std::string, std::string>> lines; ///< name, value with unit
};
[[nodiscard]] Description describe(const model::Model& model, const Timeline& timeline, const SpanId& id);

/// Returns the call that launched device work; null: not device work, or not recorded.
[[nodiscard]] std::optional<SpanId> launchOf(const model::Model& model, const Timeline& timeline,
                                             const SpanId& id);
/// Returns the device work of a launch; null: not a launch, or its work was not recorded.
[[nodiscard]] std::optional<SpanId> workOf(const model::Model& model, const Timeline& timeline,
                                           const SpanId& id);
/// Returns the collective of a communication span.
[[nodiscard]] std::optional<std::size_t> collectiveOf(const Timeline& timeline, const SpanId& id);

enum class Direction : std::uint8_t { Forward, Backward };

} // namespace ringside::timeline
