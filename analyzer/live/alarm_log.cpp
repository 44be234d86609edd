// SPDX-License-Identifier: Apache-2.0
#include "live/alarm_log.h"

#include "live/members.h"
#include "trace/write/small_file.h"

#include <algorithm>

namespace ringside::live {
namespace {

/// The alarm that an end belongs to: the latest of its kind, rank and subject that has not ended.
AlarmSpan* openSpan(std::vector<AlarmSpan>& spans, const AlarmSpan& like)
{
    const auto open = std::find_if(spans.rbegin(), spans.rend(), [&](const AlarmSpan& span) {
        return !span.endedMs && span.kind == like.kind && span.rank == like.rank &&
               span.subject == like.subject;
    });
    return open == spans.rend() ? nullptr : &*open;
}

void addLine(std::vector<AlarmSpan>& spans, const Json& line)
{
    const std::string state = textOf(line, "state");
    AlarmSpan span{textOf(line, "kind"),    textOf(line, "message"), lengthOf(line, "rank"),
                   textOf(line, "subject"), amountOf(line, "at_ms"), std::nullopt};
    if (state == "began" && spans.size() < kMostEntries) {
        spans.push_back(std::move(span));
    } else if (AlarmSpan* const open = state == "ended" ? openSpan(spans, span) : nullptr) {
        open->endedMs = std::max(span.beganMs, open->beganMs); // a clock may have been set back
    }
}

} // namespace

std::vector<AlarmSpan> parseAlarmLog(std::string_view text)
{
    std::vector<AlarmSpan> spans;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (const Json line = parseStrange(text.substr(0, end));
            line.is_object() && textOf(line, "schema") == kAlarmSchema) {
            addLine(spans, line);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    std::ranges::stable_sort(spans, {}, &AlarmSpan::beganMs);
    return spans;
}

std::vector<AlarmSpan> readAlarmLog(const std::filesystem::path& runDirectory)
{
    return parseAlarmLog(
        trace::readSmallFile(runDirectory / kAlarmLog, trace::From::Anybody, kMostAlarmLogBytes));
}

} // namespace ringside::live
