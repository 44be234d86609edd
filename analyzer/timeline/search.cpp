// SPDX-License-Identifier: Apache-2.0
#include "timeline/search.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <unordered_map>

namespace ringside::timeline {
namespace {

bool holds(std::string_view text, std::string_view wanted)
{
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end();
}

/// Decides once for each name of a track.
class NameMatcher final {
public:
    NameMatcher(const model::Model& model, const Track& track, const SearchRequest& request)
        : m_model(model), m_track(track), m_request(request)
    {}

    bool matches(const Span& span)
    {
        if (m_request.group && !isOf(m_request.group->first, span.kind)) {
            return false;
        }
        const auto [entry, fresh] = m_known.try_emplace(nameKey(m_model, m_track, span), false);
        if (fresh) {
            entry->second = m_request.group
                                ? groupName(m_model, m_track, span, m_request.group->second) == m_request.text
                                : holds(nameOf(m_model, m_track, span), m_request.text);
        }
        return entry->second;
    }

private:
    const model::Model& m_model;
    const Track& m_track;
    const SearchRequest& m_request;
    std::unordered_map<std::uint64_t, bool> m_known;
};

} // namespace

std::span<const SpanId> Hits::of(std::size_t track, std::size_t lane) const
{
    const auto before = [](const SpanId& id, const std::pair<std::size_t, std::size_t>& place) {
        return std::pair(id.track, id.lane) < place;
    };
    const auto first = std::lower_bound(spans.begin(), spans.end(), std::pair(track, lane), before);
    const auto last = std::lower_bound(first, spans.end(), std::pair(track, lane + 1), before);
    return {first, last};
}

std::optional<std::size_t> Hits::nearest(const Timeline& timeline, std::int64_t timeNs,
                                         Direction direction) const
{
    if (byTime.empty()) {
        return std::nullopt;
    }
    const auto startOf = [&](std::size_t hit) { return timeline.span(spans[hit]).time.start; };
    if (direction == Direction::Forward) {
        const auto found = std::ranges::upper_bound(byTime, timeNs, {}, startOf);
        return found == byTime.end() ? 0 : static_cast<std::size_t>(found - byTime.begin());
    }
    const auto found = std::ranges::lower_bound(byTime, timeNs, {}, startOf);
    return (found == byTime.begin() ? byTime.size() : static_cast<std::size_t>(found - byTime.begin())) - 1;
}

Hits search(const model::Model& model, const Timeline& timeline, const SearchRequest& request,
            const std::function<bool()>& cancelled)
{
    Hits hits;
    hits.request = request;
    for (std::size_t t = 0; t < timeline.tracks.size() && !request.text.empty(); ++t) {
        const Track& track = timeline.tracks[t];
        // by its name, a range is found once: on the host
        const SpanTable table = request.group ? request.group->first : SpanTable::Ranges;
        if ((request.rank && *request.rank != track.rank) || !isOf(table, track.kind)) {
            continue;
        }
        if (track.kind == TrackKind::Projected) {
            timeline.projections->compute(model, timeline.tracks, track.rank, cancelled);
        }
        NameMatcher matcher(model, track, request);
        const std::vector<Lane>& lanes = timeline.lanesOf(t);
        for (std::size_t l = 0; l < lanes.size(); ++l) {
            if (cancelled && cancelled()) {
                return {};
            }
            const Lane& lane = lanes[l];
            for (std::size_t i = 0; i < lane.size(); ++i) {
                const Span span = lane.span(i);
                const bool restOfKernel = span.kind == SpanKind::Transfer && i > 0 &&
                                          lane.span(i - 1).kind == SpanKind::Wait &&
                                          lane.span(i - 1).row == span.row;
                if (restOfKernel || !matcher.matches(span)) {
                    continue;
                }
                if (++hits.count <= Hits::kMost) {
                    hits.spans.push_back({t, l, i});
                }
            }
        }
    }
    hits.byTime.resize(hits.spans.size());
    std::iota(hits.byTime.begin(), hits.byTime.end(), std::size_t{0});
    std::ranges::stable_sort(hits.byTime, {},
                             [&](std::size_t hit) { return timeline.span(hits.spans[hit]).time.start; });
    return hits;
}

} // namespace ringside::timeline
