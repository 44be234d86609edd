// SPDX-License-Identifier: Apache-2.0
#include "timeline/span_groups.h"

#include "model/unrecorded_device.h"
#include "timeline/kernel_family.h"
#include "trace/read/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ringside::timeline {
namespace {

/// A group while it is added up. Durations are floats: seven digits are enough for a quantile.
struct Sum {
    SpanGroup group;
    std::vector<float> durations;
};
using Sums = std::unordered_map<std::string, Sum>;

/// Adds up the spans of one rank.
class RankSums final {
public:
    RankSums(const model::Model& model, const GroupRequest& request) : m_model(model), m_request(request) {}

    void add(const Track& track, const Lane& lane)
    {
        const Interval& range = m_request.range;
        m_slots.clear(); // rows and texts are of one track
        for (std::size_t i = lane.firstEndingAfter(range.start); i < lane.size(); ++i) {
            Span span = lane.span(i);
            if (span.time.start >= range.end) {
                break;
            }
            if (!isOf(m_request.table, span.kind)) {
                continue;
            }
            Interval wait{};
            if (span.kind == SpanKind::Wait) {
                wait = span.time;
                if (i + 1 < lane.size() && lane.span(i + 1).kind == SpanKind::Transfer &&
                    lane.span(i + 1).row == span.row) { // one kernel
                    span.time.end = lane.span(++i).time.end;
                }
            }
            put(slotOf(track, span), span.time, wait);
        }
    }
    [[nodiscard]] Sums& sums() { return m_sums; }

private:
    void put(Sum& sum, const Interval& time, const Interval& wait)
    {
        ++sum.group.count;
        sum.group.totalNs += model::overlapLength(time, m_request.range);
        sum.group.waitNs += model::overlapLength(wait, m_request.range);
        sum.group.mostNs = std::max(sum.group.mostNs, time.length());
        sum.durations.push_back(static_cast<float>(time.length()));
    }

    /// Names are made once for each kernel, function or range: texts are slow.
    Sum& slotOf(const Track& track, const Span& span)
    {
        const std::uint64_t key = nameKey(m_model, track, span);
        Sum*& slot = m_slots[key];
        if (slot == nullptr) {
            std::string name = groupName(m_model, track, span, m_request.by);
            slot = &m_sums[name];
            slot->group.name = std::move(name);
        }
        return *slot;
    }

    const model::Model& m_model;
    const GroupRequest& m_request;
    Sums m_sums;
    std::unordered_map<std::uint64_t, Sum*> m_slots; ///< unordered_map keeps addresses of its values
};

void merge(Sum& into, const Sum& rank)
{
    SpanGroup& group = into.group;
    group.name = rank.group.name;
    group.count += rank.group.count;
    group.totalNs += rank.group.totalNs;
    group.waitNs += rank.group.waitNs;
    group.mostNs = std::max(group.mostNs, rank.group.mostNs);
    group.leastOfRankNs =
        group.ranks == 0 ? rank.group.totalNs : std::min(group.leastOfRankNs, rank.group.totalNs);
    group.mostOfRankNs = std::max(group.mostOfRankNs, rank.group.totalNs);
    ++group.ranks;
    into.durations.insert(into.durations.end(), rank.durations.begin(), rank.durations.end());
}

SpanGroup finished(Sum& sum, double recordedNs)
{
    SpanGroup group = std::move(sum.group);
    double all = 0;
    for (const float each : sum.durations) {
        all += static_cast<double>(each);
    }
    group.meanNs = all / static_cast<double>(group.count);
    const auto at = [&](double share) {
        const auto last = static_cast<double>(sum.durations.size() - 1);
        const auto place = sum.durations.begin() + static_cast<std::ptrdiff_t>(share * last);
        std::ranges::nth_element(sum.durations, place);
        return static_cast<double>(*place);
    };
    group.medianNs = at(0.5);
    group.p99Ns = at(0.99);
    group.share = recordedNs > 0 ? static_cast<double>(group.totalNs) / recordedNs : 0;
    return group;
}

/// Returns the time of the range, summed over the ranks: for device work the part in which it was recorded.
double recordedTimeNs(const model::Model& model, const GroupRequest& request)
{
    const bool isHost = request.table == SpanTable::Ranges || request.table == SpanTable::Calls ||
                        request.table == SpanTable::PythonCalls;
    double sum = 0;
    for (std::size_t rank = 0; rank < model.ranks.size(); ++rank) {
        if (request.rank && *request.rank != rank) {
            continue;
        }
        const auto parts = isHost ? std::vector{request.range}
                                  : model::recordedDevice(model, model.ranks[rank], request.range);
        for (const Interval& part : parts) {
            sum += static_cast<double>(part.length());
        }
    }
    return sum;
}

} // namespace

bool isOf(SpanTable table, TrackKind kind)
{
    return (table == SpanTable::ProjectedRanges) == (kind == TrackKind::Projected);
}

bool isOf(SpanTable table, SpanKind kind)
{
    switch (kind) {
    case SpanKind::Compute:
        return table == SpanTable::Kernels;
    case SpanKind::Communication:
    case SpanKind::Wait:
    case SpanKind::Transfer:
        return table == SpanTable::Communication;
    case SpanKind::Copy:
        return table == SpanTable::Copies;
    case SpanKind::Range:
        return table == SpanTable::Ranges || table == SpanTable::ProjectedRanges;
    case SpanKind::ApiCall:
    case SpanKind::NcclCall:
    case SpanKind::Launch:
        return table == SpanTable::Calls;
    case SpanKind::PythonCall:
        return table == SpanTable::PythonCalls;
    case SpanKind::Step:
    case SpanKind::NcclGroup:
        break;
    }
    return false;
}

std::string groupName(const model::Model& model, const Track& track, const Span& span, Grouping by)
{
    switch (by) {
    case Grouping::Rank:
        return fmt::format("rank {}", model.ranks[track.rank].rank);
    case Grouping::Stream:
        return track.name;
    case Grouping::Family:
        return span.kind == SpanKind::Compute ? std::string(familyName(familyOf(nameOf(model, track, span))))
                                              : shortName(nameOf(model, track, span));
    case Grouping::Name:
        break;
    }
    return nameOf(model, track, span);
}

std::vector<SpanGroup> groupsOf(const model::Model& model, const Timeline& timeline,
                                const GroupRequest& request, const std::function<bool()>& cancelled)
{
    std::vector<RankSums> ranks(model.ranks.size(), RankSums(model, request));
    trace::parallelFor(ranks.size(), trace::coreCount(), [&](std::size_t rank) {
        if (request.rank && *request.rank != rank) {
            return;
        }
        if (request.table == SpanTable::ProjectedRanges) {
            timeline.projections->compute(model, timeline.tracks, rank, cancelled);
        }
        for (const Track& track : timeline.tracksOf(rank)) {
            if (!isOf(request.table, track.kind)) {
                continue;
            }
            for (const Lane& lane :
                 timeline.lanesOf(static_cast<std::size_t>(&track - timeline.tracks.data()))) {
                if (cancelled && cancelled()) {
                    return;
                }
                ranks[rank].add(track, lane);
            }
        }
    });
    if (cancelled && cancelled()) {
        return {};
    }
    std::map<std::string, Sum> all;
    for (RankSums& rank : ranks) {
        for (const auto& [name, sum] : rank.sums()) {
            merge(all[name], sum);
        }
        rank.sums().clear();
    }
    const double recordedNs = recordedTimeNs(model, request);
    std::vector<SpanGroup> groups;
    for (auto& [name, sum] : all) {
        groups.push_back(finished(sum, recordedNs));
    }
    std::ranges::stable_sort(groups, std::greater{}, &SpanGroup::totalNs);
    return groups;
}

document::Table tableOf(const std::vector<SpanGroup>& groups, const GroupRequest& request)
{
    const bool waits = request.table == SpanTable::Communication;
    document::Table table{{"name", "total", "share", "count", "mean", "median", "p99", "longest"}, {}};
    if (waits) {
        table.header.emplace_back("of it waiting");
    }
    table.header.insert(table.header.end(), {"ranks", "least of a rank", "most of a rank"});
    const auto time = [](double ns) { return document::durationCell(std::llround(ns)); };
    for (const SpanGroup& group : groups) {
        std::vector<document::Cell> row{document::Cell(group.name),
                                        document::durationCell(group.totalNs),
                                        document::shareCell(group.share),
                                        group.count,
                                        time(group.meanNs),
                                        time(group.medianNs),
                                        time(group.p99Ns),
                                        document::durationCell(group.mostNs)};
        if (waits) {
            row.push_back(document::durationCell(group.waitNs));
        }
        row.insert(row.end(), {document::Cell(group.ranks), document::durationCell(group.leastOfRankNs),
                               document::durationCell(group.mostOfRankNs)});
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::vector<std::string> shownNames(const std::vector<SpanGroup>& groups, const GroupRequest& request)
{
    std::vector<std::string> names;
    std::ranges::transform(groups, std::back_inserter(names), &SpanGroup::name);
    const bool kernels = request.by == Grouping::Name &&
                         (request.table == SpanTable::Kernels || request.table == SpanTable::Communication);
    return kernels ? shortNames(names) : names;
}

} // namespace ringside::timeline
