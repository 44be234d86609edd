// SPDX-License-Identifier: Apache-2.0
#include "values/text.h"

#include "live/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::live {
namespace {

constexpr std::size_t kStripWidth = 16;

std::string msOrDash(const std::optional<std::int64_t>& ns)
{
    constexpr double kNsAMs = 1e6;
    return ns ? fmt::format("{:.1f}", static_cast<double>(*ns) / kNsAMs) : "-";
}

void addFact(std::string& line, const std::string& fact)
{
    line += (line.empty() ? "" : ", ") + fact;
}

std::string jobLine(const JobView& view)
{
    std::string line;
    if (view.step && view.stepsAreMarked) {
        addFact(line, fmt::format("step {}", *view.step));
    }
    if (view.stepsPerSecond) {
        addFact(line, fmt::format("{:.3g} steps/s", *view.stepsPerSecond));
    }
    if (view.trend) {
        addFact(line, fmt::format("step time {:+.1f} %", 100 * *view.trend));
    }
    if (view.commComputeRatio) {
        addFact(line, fmt::format("comm/compute {:.2f}", *view.commComputeRatio));
    }
    if (view.utilization) {
        addFact(line, fmt::format("GPU busy {}, spread {}", values::percent(*view.utilization),
                                  values::points(view.utilizationSpread.value_or(0))));
    }
    if (!view.ranks.empty() && !view.stepsAreMarked) {
        addFact(line, "steps are not marked: a second stands for a step");
    }
    return line;
}

std::string rankLine(const RankView& rank, const TextOptions& options)
{
    std::string line = fmt::format("{:>5} {:<10} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8}", rank.rank,
                                   stateName(rank.state), rank.step ? std::to_string(*rank.step) : "-",
                                   msOrDash(rank.stepNs), msOrDash(rank.lateNs), msOrDash(rank.computeNs),
                                   msOrDash(rank.communicationNs), msOrDash(rank.idleNs));
    if (options.strips) {
        line += "  " + sparkline(rank.recentStepNs, kStripWidth);
    }
    return line + "  " + rank.host + "\n";
}

std::string listOf(const std::vector<std::int64_t>& ranks)
{
    constexpr std::size_t kMost = 16;
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), kMost); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    }
    return ranks.size() > kMost ? text + fmt::format(", {} more", ranks.size() - kMost) : text;
}

std::string waitLine(const Wait& wait, std::int64_t readMs)
{
    constexpr double kMsASecond = 1000.0;
    std::string line = fmt::format(
        "  ranks {} wait{} for ranks {} since {:.0f} s (communicator {}, call {})", listOf(wait.waiting),
        wait.api.empty() ? "" : " in " + wait.api, listOf(wait.missing),
        static_cast<double>(readMs - wait.sinceMs) / kMsASecond, wait.communicator, wait.sequence);
    return line + (wait.notSeen > 0 ? fmt::format("; of {} members nothing is known", wait.notSeen) : "") +
           "\n";
}

} // namespace

std::string sparkline(const std::vector<std::int64_t>& values, std::size_t width)
{
    constexpr std::array<const char*, 8> kBars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const std::size_t count = std::min(values.size(), width);
    const auto first = values.end() - static_cast<std::ptrdiff_t>(count);
    std::string strip(width - count, ' ');
    if (count == 0) {
        return strip;
    }
    const auto [least, most] = std::minmax_element(first, values.end());
    for (auto value = first; value != values.end(); ++value) {
        const double share =
            *most > *least ? static_cast<double>(*value - *least) / static_cast<double>(*most - *least) : 0.0;
        strip += kBars[static_cast<std::size_t>(share * (kBars.size() - 1) + 0.5)];
    }
    return strip;
}

std::string formatText(const JobView& view, const TextOptions& options)
{
    std::string text = fmt::format("{}: {} rank{}{}\n", view.run, view.ranks.size(),
                                   view.ranks.size() == 1 ? "" : "s", view.emulated ? " [emulated]" : "");
    if (const std::string line = jobLine(view); !line.empty()) {
        text += line + "\n";
    }
    text += view.verdict + "\n";
    for (const Alarm& alarm : view.alarms) {
        text += fmt::format("alarm: {}\n", alarm.message);
    }
    if (!view.waits.empty()) {
        text += "\nWaiting:\n";
        for (const Wait& wait : view.waits) {
            text += waitLine(wait, view.readMs);
        }
    }
    if (!view.complaints.empty()) {
        text += "\nNot well:\n";
        for (const Complaint& each : view.complaints) {
            text += fmt::format("  {} {}: {}\n", each.host, each.entity, each.what);
        }
    }
    if (!view.ranks.empty()) {
        text +=
            fmt::format("\n rank state         step  step ms  late ms  comp ms  comm ms  idle ms{}  host\n",
                        options.strips ? "  latest steps    " : "");
        for (std::size_t i = 0; i < std::min(view.ranks.size(), options.mostRanks); ++i) {
            text += rankLine(view.ranks[i], options);
        }
        if (view.ranks.size() > options.mostRanks) {
            text += fmt::format("  ... {} more ranks (--ranks)\n", view.ranks.size() - options.mostRanks);
        }
    }
    for (const std::string& note : view.notes) {
        text += fmt::format("note: {}\n", note);
    }
    return text;
}

} // namespace ringside::live
