// SPDX-License-Identifier: Apache-2.0
#include "timeline/python_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ringside::timeline {
namespace {

struct Moment {
    std::int64_t thread = 0; ///< thread.id
    std::int64_t timeNs = 0; ///< run time
};

std::optional<std::int64_t> threadOf(const trace::ProcessTrace& process, std::int64_t tid)
{
    const auto found = std::ranges::find(process.threads, tid, &trace::ThreadRow::tid);
    return found != process.threads.end() ? std::optional(found->id) : std::nullopt;
}

/// Returns when and by which thread a call was made, or device work was launched.
std::optional<Moment> originOf(const model::Model& model, const Timeline& timeline, const SpanId& id)
{
    const auto launch = launchOf(model, timeline, id);
    const SpanId call = launch.value_or(id);
    const Track& track = timeline.tracks[call.track];
    const std::int64_t timeNs = timeline.span(call).time.start;
    if (track.kind == TrackKind::Launches) {
        const auto thread = threadOf(model.processOf(model.ranks[track.rank]), track.id);
        return thread ? std::optional(Moment{*thread, timeNs}) : std::nullopt;
    }
    const bool ofThread = track.kind == TrackKind::Thread || track.kind == TrackKind::Ranges;
    return ofThread ? std::optional(Moment{track.id, timeNs}) : std::nullopt;
}

} // namespace

std::vector<std::string> pythonFramesAt(const model::Model& model, const Timeline& timeline, std::size_t rank,
                                        std::int64_t thread, std::int64_t timeNs)
{
    std::vector<std::string> frames;
    for (const Track& track : timeline.tracksOf(rank)) {
        if (track.kind != TrackKind::Python || track.id != thread) {
            continue;
        }
        for (const Lane& lane : track.lanes) {
            const std::size_t i = lane.firstEndingAfter(timeNs);
            if (i < lane.size() && lane.span(i).time.start <= timeNs) {
                frames.push_back(nameOf(model, track, lane.span(i)));
            }
        }
    }
    std::ranges::reverse(frames); // lanes begin with the outermost function
    return frames;
}

void addPythonFrames(const model::Model& model, const Timeline& timeline, const SpanId& id,
                     Description& description)
{
    constexpr std::size_t kShown = 6;
    const auto origin = originOf(model, timeline, id);
    if (!origin) {
        return;
    }
    const std::vector<std::string> frames =
        pythonFramesAt(model, timeline, timeline.tracks[id.track].rank, origin->thread, origin->timeNs);
    for (std::size_t i = 0; i < std::min(frames.size(), kShown); ++i) {
        description.lines.emplace_back(i == 0 ? "Python, innermost first" : "", frames[i]);
    }
    if (frames.size() > kShown) {
        description.lines.emplace_back("", fmt::format("and {} more that called it", frames.size() - kShown));
    }
}

} // namespace ringside::timeline
