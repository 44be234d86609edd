// SPDX-License-Identifier: Apache-2.0
#include "timeline/hit_table.h"

#include "timeline/kernel_family.h"

#include <algorithm>

namespace ringside::timeline {

Interval timeOf(const Timeline& timeline, const SpanId& hit)
{
    const Lane& lane = timeline.laneOf(hit);
    const Span span = lane.span(hit.index);
    if (span.kind != SpanKind::Wait || hit.index + 1 >= lane.size()) {
        return span.time;
    }
    const Span next = lane.span(hit.index + 1);
    const bool same = next.kind == SpanKind::Transfer && next.row == span.row;
    return {span.time.start, same ? next.time.end : span.time.end};
}

document::Table hitTable(const model::Model& model, const Timeline& timeline, const Hits& hits,
                         std::size_t most)
{
    document::Table table{{"name", "rank", "stream or thread", "start", "duration"}, {}};
    const std::size_t rows = std::min(most, hits.byTime.size());
    table.rows.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const SpanId& hit = hits.spans[hits.byTime[row]];
        const Track& track = timeline.tracks[hit.track];
        const Interval time = timeOf(timeline, hit);
        table.rows.push_back({nameOf(model, track, timeline.span(hit)), model.ranks[track.rank].rank,
                              track.name,
                              document::Cell(static_cast<double>(time.start), values::Unit::Ns,
                                             {.digits = 6, .divisor = 1e9, .suffix = " s"}),
                              document::durationCell(time.length())});
    }
    return table;
}

std::vector<std::string> shownNames(const model::Model& model, const Timeline& timeline, const Hits& hits,
                                    std::size_t rows)
{
    std::vector<std::string> names;
    std::vector<std::size_t> kernels; // indices into `names`
    std::vector<std::string> kernelNames;
    for (std::size_t row = 0; row < std::min(rows, hits.byTime.size()); ++row) {
        const SpanId& hit = hits.spans[hits.byTime[row]];
        const Span span = timeline.span(hit);
        names.push_back(nameOf(model, timeline.tracks[hit.track], span));
        if (isOf(SpanTable::Kernels, span.kind) || isOf(SpanTable::Communication, span.kind)) {
            kernels.push_back(row);
            kernelNames.push_back(names.back());
        }
    }
    const std::vector<std::string> shorter = shortNames(kernelNames);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        names[kernels[i]] = shorter[i];
    }
    return names;
}

} // namespace ringside::timeline
