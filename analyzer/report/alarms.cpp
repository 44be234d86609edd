// SPDX-License-Identifier: Apache-2.0
#include "report/alarms.h"

namespace ringside::report {
namespace {

document::Cell secondsCell(std::optional<std::int64_t> ns)
{
    const document::NumberStyle seconds{.digits = 1, .divisor = 1e9};
    return {ns ? std::optional(static_cast<double>(*ns)) : std::nullopt, values::Unit::Ns, seconds};
}

} // namespace

std::optional<std::int64_t> sinceStartNs(const Report& report, std::int64_t epochMs)
{
    constexpr std::int64_t kNsAMs = 1'000'000;
    constexpr std::int64_t kMostMs = std::int64_t{1} << 43; // the year 2248; in ns, half of what fits
    const auto& started = report.model.startedRealtimeNs;
    return started && *started >= 0 && epochMs <= kMostMs ? std::optional(epochMs * kNsAMs - *started)
                                                          : std::nullopt;
}

document::Table alarmTable(const Report& report)
{
    document::Table table{{"alarm", "began s", "ended s", "what"}, {}};
    for (const live::AlarmSpan& span : report.alarms) {
        table.rows.push_back({span.kind, secondsCell(sinceStartNs(report, span.beganMs)),
                              span.endedMs
                                  ? secondsCell(sinceStartNs(report, *span.endedMs))
                                  : document::Cell::absent("still in force when the recording ended"),
                              span.message});
    }
    return table;
}

} // namespace ringside::report
