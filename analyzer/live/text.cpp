// SPDX-License-Identifier: Apache-2.0
#include "values/text.h"

#include "live/filter.h"
#include "live/heat_strip.h"
#include "live/show.h"
#include "values/number_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside::live {
namespace {

constexpr std::size_t kStripWidth = 16;
constexpr std::size_t kLeastStrip = 4;
constexpr std::size_t kManyRanks = 32; ///< beyond, a strip shows all of them
constexpr std::string_view kHead = " rank state       step  step ms  late ms  comp ms  comm ms  idle ms";

std::string msOrDash(const std::optional<std::int64_t>& ns)
{
    constexpr double kNsAMs = 1e6;
    return ns ? fmt::format("{:.1f}", static_cast<double>(*ns) / kNsAMs) : "-";
}

/// Facts parted by commas, in lines that are no wider than `width`.
class Facts final {
public:
    explicit Facts(std::size_t width) : m_width(width) {}
    void add(const std::string& fact)
    {
        const bool begins = m_line.empty();
        if (!begins && m_width > 0 && m_line.size() + 2 + fact.size() > m_width) {
            m_text += m_line + "\n";
            m_line = fact;
            return;
        }
        m_line += (begins ? "" : ", ") + fact;
    }
    [[nodiscard]] std::string text() const { return m_line.empty() ? m_text : m_text + m_line + "\n"; }

private:
    std::size_t m_width;
    std::string m_text;
    std::string m_line;
};

std::string jobLines(const JobView& view, std::size_t width)
{
    Facts facts(width);
    if (view.step && view.stepsAreMarked) {
        facts.add(fmt::format("step {}", *view.step));
    }
    if (view.stepsPerSecond) {
        facts.add(fmt::format("{:.3g} steps/s", *view.stepsPerSecond));
    }
    if (view.trend) {
        facts.add(fmt::format("step time {:+.1f} %", 100 * *view.trend));
    }
    if (view.commComputeRatio) {
        facts.add(fmt::format("comm/compute {:.2f}", *view.commComputeRatio));
    }
    if (view.utilization) {
        facts.add(fmt::format("GPU busy {}", values::percent(*view.utilization)));
        facts.add("spread " + values::points(view.utilizationSpread.value_or(0)));
    }
    if (!view.ranks.empty() && !view.stepsAreMarked) {
        facts.add("steps are not marked: a second stands for a step");
    }
    return facts.text();
}

/// The host's name where all ranks are on one; empty: they are on several.
std::string onlyHost(const JobView& view)
{
    const bool one = !view.ranks.empty() && std::ranges::all_of(view.ranks, [&](const RankView& rank) {
        return rank.host == view.ranks.front().host;
    });
    return one ? view.ranks.front().host : std::string();
}

/// What stands behind a rank's figures.
struct Columns {
    std::size_t strip = kStripWidth; ///< characters; 0: none
    bool host = true;
};

Columns columnsOf(const JobView& view, const TextOptions& options)
{
    constexpr std::size_t kGap = 2;
    Columns columns{options.strips ? kStripWidth : 0, onlyHost(view).empty()};
    if (options.width == 0 || !options.strips) {
        return columns;
    }
    std::size_t longest = 0;
    for (const RankView& rank : view.ranks) {
        longest = columns.host ? std::max(longest, rank.host.size() + kGap) : 0;
    }
    const std::size_t used = kHead.size() + kGap + longest;
    const std::size_t left = options.width > used ? options.width - used : 0;
    columns.strip = left < kLeastStrip ? 0 : std::min(left, kStripWidth);
    return columns;
}

std::string rankLine(const RankView& rank, const Columns& columns)
{
    std::string line = fmt::format("{:>5} {:<8} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8}", rank.rank,
                                   stateName(rank.state), rank.step ? std::to_string(*rank.step) : "-",
                                   msOrDash(rank.stepNs), msOrDash(rank.lateNs), msOrDash(rank.computeNs),
                                   msOrDash(rank.communicationNs), msOrDash(rank.idleNs));
    if (columns.strip > 0) {
        line += "  " + sparkline(rank.recentStepNs, columns.strip);
    }
    return line + (columns.host ? "  " + rank.host : "") + "\n";
}

std::string rankTable(const JobView& view, const TextOptions& options)
{
    std::vector<const RankView*> shown;
    for (const RankView& rank : view.ranks) {
        if (matches(rank, options.filter)) {
            shown.push_back(&rank);
        }
    }
    const Columns columns = columnsOf(view, options);
    std::string text = "\n" + std::string(kHead);
    if (columns.strip > 0) {
        text += fmt::format("  {:<{}}", columns.strip >= 12 ? "latest steps" : "last", columns.strip);
    }
    text += columns.host ? "  host\n" : "\n";
    for (std::size_t i = 0; i < std::min(shown.size(), options.mostRanks); ++i) {
        text += rankLine(*shown[i], columns);
    }
    if (shown.size() > options.mostRanks) {
        text += fmt::format("  ... {} more ranks (--ranks)\n", shown.size() - options.mostRanks);
    }
    const std::size_t hidden = view.ranks.size() - shown.size();
    return hidden == 0 ? text
                       : text + fmt::format("  {} rank{} not shown: not \"{}\"\n", hidden,
                                            hidden == 1 ? "" : "s", options.filter);
}

std::string strip(const JobView& view, const TextOptions& options)
{
    constexpr std::size_t kUsualWidth = 80;
    constexpr std::size_t kMostLines = 6;
    std::int64_t most = 0;
    for (const RankView& rank : view.ranks) {
        most = std::max(most, rank.lateNs.value_or(0));
    }
    std::string text = fmt::format("\nLateness of all ranks, the highest bar {} ms:\n", msOrDash(most));
    for (const std::string& line :
         heatStrip(view.ranks, options.width == 0 ? kUsualWidth : options.width, kMostLines)) {
        text += line + "\n";
    }
    return text;
}

std::string waitLine(const Wait& wait, std::int64_t readMs)
{
    constexpr double kMsASecond = 1000.0;
    const std::string call = wait.api.empty() ? "call" : wait.api;
    std::string line = fmt::format("  {} wait{} in {} #{} of communicator {} for {} since {:.0f} s",
                                   values::rankList(wait.waiting), wait.waiting.size() == 1 ? "s" : "", call,
                                   wait.sequence, wait.communicator, values::rankList(wait.missing),
                                   static_cast<double>(readMs - wait.sinceMs) / kMsASecond);
    return line + (wait.notSeen > 0 ? fmt::format("; of {} members nothing is known", wait.notSeen) : "") +
           "\n";
}

} // namespace

std::string_view bar(double share)
{
    constexpr std::array<std::string_view, 8> kBars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const double bounded = share > 0 ? std::min(share, 1.0) : 0; // also for what is no number
    return kBars.at(static_cast<std::size_t>(std::lround(bounded * (kBars.size() - 1))));
}

std::string sparkline(const std::vector<std::int64_t>& values, std::size_t width)
{
    const std::size_t count = std::min(values.size(), width);
    const auto first = values.end() - static_cast<std::ptrdiff_t>(count);
    std::string strip(width - count, ' ');
    if (count == 0) {
        return strip;
    }
    const auto [least, most] = std::minmax_element(first, values.end());
    for (auto value = first; value != values.end(); ++value) {
        strip +=
            bar(*most > *least ? static_cast<double>(*value - *least) / static_cast<double>(*most - *least)
                               : 0.0);
    }
    return strip;
}

std::string formatText(const JobView& view, const TextOptions& options)
{
    const std::string host = onlyHost(view);
    std::string text =
        fmt::format("{}: {} rank{}{}{}\n", view.run, view.ranks.size(), view.ranks.size() == 1 ? "" : "s",
                    host.empty() ? "" : " on " + host, view.emulated ? " [emulated]" : "");
    text += jobLines(view, options.width) + view.verdict + "\n";
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
    if (view.ranks.size() > kManyRanks && options.strips) {
        text += strip(view, options);
    }
    if (!view.ranks.empty()) {
        text += rankTable(view, options);
    }
    for (const std::string& note : view.notes) {
        text += fmt::format("note: {}\n", note);
    }
    return text;
}

} // namespace ringside::live
