// SPDX-License-Identifier: Apache-2.0
#include "live/show.h"
#include "trace/vocabulary/alarm_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ringside::live {
namespace {

std::string lateText(LatenessBy by)
{
    if (by == LatenessBy::Nothing) {
        return "Who is late is not measured: it takes several steps that all ranks have in common.";
    }
    std::string text =
        "Late: how much longer the middle one of the other ranks waited in a step than this rank did. "
        "Who comes last to a collective waits least in it, so the rank with the highest figure holds "
        "the others up.";
    if (by == LatenessBy::Host) {
        text += " At this level of recording it is the time in which hosts wait for their GPUs: a host that "
                "is late "
                "shows, a GPU that is slow does not.";
    }
    return text;
}

} // namespace

std::vector<std::string> explanationOf(const JobView& view)
{
    std::vector<std::string> paragraphs{view.verdict, lateText(view.latenessBy)};
    std::set<std::string> explained;
    for (const Alarm& alarm : view.alarms) {
        paragraphs.push_back("Alarm: " + alarm.message + ".");
        const auto* const kind =
            std::ranges::find(trace::kAlarmKinds, alarm.kind, &trace::AlarmKindEntry::text);
        if (kind != trace::kAlarmKinds.end() && explained.insert(alarm.kind).second) {
            paragraphs.push_back(fmt::format("It begins when {}. {}", kind->description, kind->advice));
        }
    }
    if (!view.waits.empty()) {
        paragraphs.emplace_back(
            "Waiting: some ranks are in a collective for which others have not come yet. The ones "
            "that are missing hold the job up; `ringside hang RUN` shows where they are.");
    }
    if (!view.complaints.empty()) {
        paragraphs.emplace_back(
            "Not well: counters of errors that rose since the recording began, and clocks that heat "
            "or the power supply holds down. `ringside links RUN` shows all counters.");
    }
    return paragraphs;
}

} // namespace ringside::live
