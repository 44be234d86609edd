// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/layout.h"

#include <algorithm>

namespace ringside::gui {
namespace {

using timeline::Track;
using timeline::TrackKind;

constexpr int kRankHeight = 20;
constexpr int kLaneHeight = 20;
constexpr int kSamplesHeight = 34; ///< room for two lines of text beside it
constexpr int kTrackGap = 2;
constexpr int kRankGap = 10;

bool isHost(const Track& track)
{
    return track.kind == TrackKind::Thread || track.kind == TrackKind::Ranges ||
           track.kind == TrackKind::Launches;
}

template <class IsOf>
void addSamples(const timeline::Timeline& timeline, const IsOf& isOf, Layout& layout)
{
    for (std::size_t i = 0; i < timeline.samples.size(); ++i) {
        const timeline::SampleLine& line = timeline.samples[i];
        if (isOf(line)) {
            layout.rows.push_back({Row::Kind::Samples, line.rank.value_or(Row::kNoRank), std::nullopt, 0,
                                   layout.height, kSamplesHeight, i});
            layout.height += kSamplesHeight + kTrackGap;
        }
    }
}

void addHost(const timeline::Timeline& timeline, std::size_t host, Layout& layout)
{
    const auto isOf = [host](const timeline::SampleLine& line) { return !line.rank && line.host == host; };
    if (std::ranges::any_of(timeline.samples, isOf)) {
        layout.rows.push_back(
            {Row::Kind::Host, Row::kNoRank, std::nullopt, 0, layout.height, kRankHeight, host});
        layout.height += kRankHeight + kTrackGap;
        addSamples(timeline, isOf, layout);
        layout.height += kRankGap;
    }
}

void addRank(const timeline::Timeline& timeline, std::size_t rank, std::size_t first, std::size_t last,
             bool host, Layout& layout)
{
    Row head{Row::Kind::Rank, rank, std::nullopt, 0, layout.height, kRankHeight, 0};
    for (std::size_t t = first; t < last; ++t) {
        if (timeline.tracks[t].kind == TrackKind::Steps) {
            head.track = t;
        }
    }
    if (head.track) {
        layout.lanes.emplace(std::pair(*head.track, std::size_t{0}), layout.rows.size());
    }
    layout.rows.push_back(head);
    layout.height += kRankHeight + kTrackGap;
    for (std::size_t t = first; t < last; ++t) {
        const Track& track = timeline.tracks[t];
        if (track.kind == TrackKind::Steps || (isHost(track) && !host)) {
            continue;
        }
        for (std::size_t lane = 0; lane < track.lanes.size(); ++lane) {
            layout.lanes.emplace(std::pair(t, lane), layout.rows.size());
            layout.rows.push_back({Row::Kind::Lane, rank, t, lane, layout.height, kLaneHeight, 0});
            layout.height += kLaneHeight;
        }
        layout.height += kTrackGap;
    }
}

} // namespace

const Row* Layout::rowAt(int y) const
{
    const auto after = std::ranges::upper_bound(rows, y, {}, &Row::y);
    if (after == rows.begin()) {
        return nullptr;
    }
    const Row& row = *(after - 1);
    return y < row.y + row.height ? &row : nullptr;
}

std::optional<std::pair<int, int>> Layout::extentOf(std::size_t rank) const
{
    std::optional<std::pair<int, int>> result;
    for (const Row& row : rows) {
        if (row.rank == rank) {
            result = {result ? result->first : row.y, row.y + row.height};
        }
    }
    return result;
}

const Row* Layout::rowOf(std::size_t track, std::size_t lane) const
{
    const auto found = lanes.find({track, lane});
    return found == lanes.end() ? nullptr : &rows[found->second];
}

Layout layOut(const model::Model& model, const timeline::Timeline& timeline, const Shown& shown)
{
    Layout layout;
    std::size_t first = 0;
    for (std::size_t rank = 0; rank < model.ranks.size(); ++rank) {
        std::size_t last = first;
        while (last < timeline.tracks.size() && timeline.tracks[last].rank == rank) {
            ++last;
        }
        if (shown.ranks.empty() || shown.ranks.contains(rank)) {
            // If a rank has only host tracks, they are shown.
            const bool onlyHost = std::all_of(
                timeline.tracks.begin() + static_cast<std::ptrdiff_t>(first),
                timeline.tracks.begin() + static_cast<std::ptrdiff_t>(last),
                [](const Track& track) { return track.kind == TrackKind::Steps || isHost(track); });
            const bool open = shown.open.contains(rank);
            addRank(timeline, rank, first, last, onlyHost || shown.hostTracks || open, layout);
            if (shown.samples || open) {
                const auto isOf = [rank](const timeline::SampleLine& line) { return line.rank == rank; };
                addSamples(timeline, isOf, layout);
            }
            layout.height += kRankGap;
        }
        first = last;
    }
    for (std::size_t host = 0; host < model.hosts.size() && shown.samples; ++host) {
        addHost(timeline, host, layout);
    }
    return layout;
}

} // namespace ringside::gui
