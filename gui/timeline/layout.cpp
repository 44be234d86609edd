// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/layout.h"

#include "base/theme.h"

#include <algorithm>
#include <cctype>

namespace ringside::gui {
namespace {

using timeline::Track;
using timeline::TrackKind;

constexpr int kLineHeight = 20;    ///< of a title or a lane
constexpr int kSamplesHeight = 34; ///< room for two lines of text beside it
constexpr int kTrackGap = 2;
constexpr int kRankGap = 10;
constexpr int kStripHeight = 8;
constexpr int kThinStripHeight = 5; ///< for so many ranks that few fit on a screen
constexpr std::size_t kManyRanks = 128;

bool isHost(const Track& track)
{
    return track.kind == TrackKind::Projected || track.kind == TrackKind::Thread ||
           track.kind == TrackKind::Ranges || track.kind == TrackKind::Launches ||
           track.kind == TrackKind::Python;
}

bool contains(const std::string& text, const std::string& wanted)
{
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end();
}

template <class IsOf>
void addSamples(const timeline::Timeline& timeline, const IsOf& isOf, Layout& layout)
{
    for (std::size_t i = 0; i < timeline.samples.size(); ++i) {
        const timeline::SampleLine& line = timeline.samples[i];
        if (isOf(line)) {
            layout.rows.push_back({Row::Kind::Samples, line.rank.value_or(Row::kNoRank), std::nullopt, 0,
                                   layout.height, scaled(kSamplesHeight), i});
            layout.height += scaled(kSamplesHeight) + kTrackGap;
        }
    }
}

void addHost(const timeline::Timeline& timeline, std::size_t host, Layout& layout)
{
    const auto isOf = [host](const timeline::SampleLine& line) { return !line.rank && line.host == host; };
    if (std::ranges::any_of(timeline.samples, isOf)) {
        layout.rows.push_back(
            {Row::Kind::Host, Row::kNoRank, std::nullopt, 0, layout.height, scaled(kLineHeight), host});
        layout.height += scaled(kLineHeight) + kTrackGap;
        addSamples(timeline, isOf, layout);
        layout.height += kRankGap;
    }
}

/// The tracks of a rank: indices into Timeline::tracks.
struct RankTracks {
    std::size_t first = 0;
    std::size_t last = 0;
};

void addTracks(const timeline::Timeline& timeline, std::size_t rank, const RankTracks& tracks, bool host,
               const std::string& wanted, Layout& layout)
{
    Row head{Row::Kind::Rank, rank, std::nullopt, 0, layout.height, scaled(kLineHeight), 0};
    for (std::size_t t = tracks.first; t < tracks.last; ++t) {
        if (timeline.tracks[t].kind == TrackKind::Steps) {
            head.track = t;
        }
    }
    if (head.track) {
        layout.lanes.emplace(std::pair(*head.track, std::size_t{0}), layout.rows.size());
    }
    layout.rows.push_back(head);
    layout.height += scaled(kLineHeight) + kTrackGap;
    for (std::size_t t = tracks.first; t < tracks.last; ++t) {
        const Track& track = timeline.tracks[t];
        const bool hidden = wanted.empty() ? isHost(track) && !host : !contains(track.name, wanted);
        if (track.kind == TrackKind::Steps || hidden) {
            continue;
        }
        if (track.kind == TrackKind::Projected && !timeline.projections->ready(rank)) {
            layout.unprojected.insert(rank);
        }
        for (std::size_t lane = 0; lane < timeline.lanesOf(t).size(); ++lane) {
            layout.lanes.emplace(std::pair(t, lane), layout.rows.size());
            layout.rows.push_back({Row::Kind::Lane, rank, t, lane, layout.height, scaled(kLineHeight), 0});
            layout.height += scaled(kLineHeight);
        }
        layout.height += kTrackGap;
    }
}

/// One line for the rank. Places in its streams are places in the strip.
void addStrip(const timeline::Timeline& timeline, std::size_t rank, const RankTracks& tracks, int height,
              Layout& layout)
{
    for (std::size_t t = tracks.first; t < tracks.last; ++t) {
        for (std::size_t lane = 0; lane < timeline.tracks[t].lanes.size() && !isHost(timeline.tracks[t]);
             ++lane) {
            layout.lanes.emplace(std::pair(t, lane), layout.rows.size());
        }
    }
    layout.rows.push_back({Row::Kind::Strip, rank, std::nullopt, 0, layout.height, height, 0});
    layout.height += height + 1;
}

void addRank(const timeline::Timeline& timeline, std::size_t rank, const RankTracks& tracks,
             const Shown& shown, bool strip, Layout& layout)
{
    if (strip) {
        const std::size_t ranks = timeline.strips.size();
        addStrip(timeline, rank, tracks, ranks > kManyRanks ? kThinStripHeight : kStripHeight, layout);
        return;
    }
    // If a rank has only host tracks, they are shown.
    const bool onlyHost =
        std::all_of(timeline.tracks.begin() + static_cast<std::ptrdiff_t>(tracks.first),
                    timeline.tracks.begin() + static_cast<std::ptrdiff_t>(tracks.last),
                    [](const Track& track) { return track.kind == TrackKind::Steps || isHost(track); });
    const bool open = shown.open.contains(rank);
    addTracks(timeline, rank, tracks, onlyHost || shown.hostTracks || open, shown.tracks, layout);
    if (shown.samples || open) {
        addSamples(
            timeline, [rank](const timeline::SampleLine& line) { return line.rank == rank; }, layout);
    }
    layout.height += kRankGap;
}

std::vector<RankTracks> tracksByRank(const timeline::Timeline& timeline, std::size_t ranks)
{
    std::vector<RankTracks> result(ranks);
    std::size_t first = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        std::size_t last = first;
        while (last < timeline.tracks.size() && timeline.tracks[last].rank == rank) {
            ++last;
        }
        result[rank] = {first, last};
        first = last;
    }
    return result;
}

/// The ranks to show in their order: pinned ones first, without a group.
std::vector<timeline::OrderedRank> shownRanks(std::size_t count, const Shown& shown)
{
    std::vector<timeline::OrderedRank> order;
    for (const std::size_t rank : shown.pinned) {
        order.push_back({rank, {}});
    }
    std::vector<timeline::OrderedRank> rest = shown.order;
    for (std::size_t rank = 0; rank < count && shown.order.empty(); ++rank) {
        rest.push_back({rank, {}});
    }
    for (timeline::OrderedRank& each : rest) {
        const bool pinned = std::ranges::find(shown.pinned, each.rank) != shown.pinned.end();
        const bool wanted = shown.ranks.empty() || shown.ranks.contains(each.rank);
        if (!pinned && wanted && !shown.hidden.contains(each.rank)) {
            order.push_back(std::move(each));
        }
    }
    return order;
}

void addGroup(const std::string& title, Layout& layout)
{
    layout.height += layout.height > 0 ? kRankGap : 0;
    layout.rows.push_back({Row::Kind::Group, Row::kNoRank, std::nullopt, 0, layout.height,
                           scaled(kLineHeight), layout.groups.size()});
    layout.groups.push_back(title);
    layout.height += scaled(kLineHeight) + kTrackGap;
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
    const std::vector<RankTracks> tracks = tracksByRank(timeline, model.ranks.size());
    const bool strips = shown.asStrips(model.ranks.size());
    layout.height = strips ? kStripHeight : 0; // room for the label of the first strip
    std::string group;
    for (const timeline::OrderedRank& each : shownRanks(model.ranks.size(), shown)) {
        if (each.group != group) {
            group = each.group;
            addGroup(group, layout);
        }
        const bool strip = strips && !shown.expanded.contains(each.rank);
        addRank(timeline, each.rank, tracks[each.rank], shown, strip, layout);
    }
    layout.height += strips ? kRankGap : 0;
    for (std::size_t host = 0; host < model.hosts.size() && shown.samples; ++host) {
        addHost(timeline, host, layout);
    }
    return layout;
}

} // namespace ringside::gui
