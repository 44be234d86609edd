// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include "rules/support.h"

#include <algorithm>
#include <cctype>

namespace ringside::report {
namespace {

constexpr std::string_view kNotMeasured = "-";

bool looksNumeric(const std::string& cell)
{
    return cell == kNotMeasured ||
           (!cell.empty() && cell.find_first_not_of("0123456789.%+-e ") == std::string::npos);
}

/// Names in a trace may hold anything: what could move a terminal's cursor becomes a space.
std::string printable(std::string_view text)
{
    std::string result(text);
    std::replace_if(
        result.begin(), result.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
    return result;
}

/// Where the first word ends; a number and its unit are one.
std::size_t wordEnd(std::string_view text)
{
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view rest = text.substr(std::min(text.size(), end + 1));
    const bool number = end > 0 && text[end - 1] >= '0' && text[end - 1] <= '9';
    for (const std::string_view unit : {"%", "ms", "us", "s", "B", "KiB", "MiB", "points"}) {
        const std::size_t after = unit.size();
        if (number && rest.substr(0, after) == unit &&
            (rest.size() == after || std::isalnum(static_cast<unsigned char>(rest[after])) == 0)) {
            return end + 1 + std::min(rest.find(' '), rest.size());
        }
    }
    return end;
}

/// Header lines from the top, all columns of equal height.
std::vector<std::vector<std::string>> headerLines(const Table& table)
{
    std::size_t height = 1;
    for (const std::string& cell : table.header) {
        height = std::max(height, 1 + static_cast<std::size_t>(std::count(cell.begin(), cell.end(), '\n')));
    }
    std::vector<std::vector<std::string>> lines(height, std::vector<std::string>(table.header.size()));
    for (std::size_t column = 0; column < table.header.size(); ++column) {
        std::string_view rest = table.header[column];
        const auto own = 1 + static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\n'));
        for (std::size_t line = height - own; line < height; ++line) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            lines[line][column] = rest.substr(0, end);
            rest.remove_prefix(std::min(rest.size(), end + 1));
        }
    }
    return lines;
}

std::vector<std::size_t> widths(const std::vector<std::vector<std::string>>& lines)
{
    std::vector<std::size_t> result(lines.front().size(), 0);
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            result[i] = std::max(result[i], line[i].size());
        }
    }
    return result;
}

std::vector<bool> rightAligned(const Table& table)
{
    std::vector<bool> result(table.header.size(), true);
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            result[i] = result[i] && looksNumeric(row[i]);
        }
    }
    return result;
}

std::string number(std::optional<double> value, std::string_view format)
{
    return value ? fmt::format(fmt::runtime(format), *value) : std::string(kNotMeasured);
}

std::string overlapText(const metrics::Breakdown& part)
{
    return part.communicationNs > 0 ? fmt::format("{:.0f} %", 100.0 * static_cast<double>(part.overlapNs) /
                                                                  static_cast<double>(part.communicationNs))
                                    : std::string(kNotMeasured);
}

std::string spreadText(const metrics::Spread& spread)
{
    return fmt::format(
        "mean {}, by rank {} to {} (spread {}, coefficient of variation {}), standard deviation over time {}",
        rules::percent(spread.mean), rules::percent(spread.min), rules::percent(spread.max),
        rules::points(spread.spread), rules::percent(spread.cv), rules::points(spread.timeStddev));
}

/// A value of a unit, for people.
std::string valueText(rules::Unit unit, double value)
{
    switch (unit) {
    case rules::Unit::Share:
        return rules::percent(value);
    case rules::Unit::Ns:
        return fmt::format("{:.2f} ms", value / 1e6);
    case rules::Unit::Bytes:
        return rules::byteText(value);
    case rules::Unit::Probability:
        return value < 1e-4 ? "below 0.0001" : fmt::format("{:.2g}", value);
    case rules::Unit::Ratio:
        return fmt::format("{:.2f}", value);
    case rules::Unit::Count:
        break;
    }
    return fmt::format("{:.4g}", value);
}

/// "lost_ns_per_step" without its unit: "lost per step".
std::string figureName(const rules::Figure& figure)
{
    std::string name = figure.name;
    for (const std::string_view unit : {"_ns", "_bytes"}) {
        if (const std::size_t at = name.find(unit);
            at != std::string::npos && (at + unit.size() == name.size() || name[at + unit.size()] == '_')) {
            name.erase(at, unit.size());
        }
    }
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

std::string inMilliseconds(std::int64_t ns)
{
    return fmt::format("{:.2f}", static_cast<double>(ns) / 1e6);
}

/// How many steps the figures stand on, and what became of the others.
std::string stepsLine(const model::Model& model)
{
    const model::StepCoverage& steps = model.stepCoverage;
    std::string text = fmt::format("{} steps found, device work recorded in {}, {} analyzed", steps.found,
                                   steps.found - steps.withoutDevice, model.analyzedSteps.size());
    if (!model.analyzedSteps.empty()) {
        text += fmt::format(" ({} to {})", model.analyzedSteps.front(), model.analyzedSteps.back());
    }
    std::vector<std::string> left;
    if (steps.withoutDevice > 0) {
        left.push_back(fmt::format("{} outside of what the device tier recorded", steps.withoutDevice));
    }
    if (steps.boundary > 0) {
        left.push_back(fmt::format("{} at its edges, which it may have seen only in part", steps.boundary));
    }
    if (steps.notEverywhere > 0) {
        left.push_back(fmt::format("{} not recorded on every rank", steps.notEverywhere));
    }
    text += left.empty() ? "." : fmt::format("; left out: {}.", fmt::join(left, ", "));
    return text + (model.analyzedWhole && !model.analyzedSteps.empty()
                       ? " Too few to leave out the edges: low confidence."
                       : "");
}

} // namespace

std::string plainTable(const Table& table, std::string_view indent)
{
    auto lines = headerLines(table);
    lines.insert(lines.end(), table.rows.begin(), table.rows.end());
    const auto width = widths(lines);
    const auto right = rightAligned(table);
    std::string result;
    for (const auto& cells : lines) {
        std::string line(indent);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string cell = printable(cells[i]);
            line +=
                right[i] ? fmt::format("{:>{}}  ", cell, width[i]) : fmt::format("{:<{}}  ", cell, width[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        result += line + "\n";
    }
    return result;
}

std::string markdownTable(const Table& table)
{
    const auto line = [](const std::vector<std::string>& cells) {
        std::string text = "|";
        for (const std::string& cell : cells) {
            text += fmt::format(" {} |", markdownText(cell));
        }
        return text + "\n";
    };
    std::string result = line(table.header) + "|";
    for (const bool isRight : rightAligned(table)) {
        result += isRight ? "---:|" : "---|";
    }
    result += "\n";
    for (const auto& row : table.rows) {
        result += line(row);
    }
    return result;
}

std::string markdownText(std::string_view text)
{
    std::string result;
    for (const char c : printable(text)) {
        result += c == '|' || c == '<' ? fmt::format("\\{}", c) : std::string(1, c);
    }
    return result;
}

std::string wrap(std::string_view anyText, std::size_t width, std::string_view indent)
{
    const std::string clean = printable(anyText);
    std::string_view text = clean;
    std::string result;
    std::string line(indent);
    while (!text.empty()) {
        const std::size_t end = wordEnd(text);
        const std::string_view word = text.substr(0, end);
        if (line.size() > indent.size() && line.size() + 1 + word.size() > width) {
            result += line + "\n";
            line = indent;
        }
        line += line.size() > indent.size() ? " " : "";
        line += word;
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return result + line + "\n";
}

Table breakdownTable(const Report& report)
{
    Table table;
    table.header = {
        "rank",           "step\nms", "compute\nms", "exposed\ncomm ms", "exposed\ncopy ms", "idle\nms",
        "comm/\ncompute", "overlap",  "busy",        "useful",           "wait\nms",         "came\nlast"};
    const bool arrived = report.metrics.arrivalsMeasured();
    const bool useful = report.metrics.usefulMeasured();
    const std::string none(kNotMeasured);
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        const auto steps = static_cast<std::int64_t>(rank.steps.size());
        const metrics::Breakdown& total = rank.total;
        const auto ms = [&](std::int64_t ns) { return inMilliseconds(ns / steps); };
        table.rows.push_back({std::to_string(report.model.ranks[rank.rank].rank), ms(total.stepNs),
                              ms(total.computeNs), ms(total.exposedCommunicationNs), ms(total.exposedCopyNs),
                              ms(total.idleNs), number(total.ratio(), "{:.2f}"), overlapText(total),
                              fmt::format("{:.1f} %", 100.0 * total.utilization()),
                              useful ? fmt::format("{:.1f} %", 100.0 * total.usefulUtilization()) : none,
                              arrived ? ms(total.waitNs) : none,
                              arrived ? std::to_string(rank.lastArrivals) : none});
    }
    return table;
}

Table idleTable(const Report& report)
{
    Table table;
    table.header = {"rank",
                    "waiting\nfor data",
                    "after a\nsync. call",
                    "host busy\nelsewhere",
                    "launch\nlatency",
                    "queued,\nwaiting",
                    "unknown"};
    static_assert(metrics::kIdleClasses == 6);
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        std::vector<std::string> row = {std::to_string(report.model.ranks[rank.rank].rank)};
        for (const std::int64_t ns : rank.idle.ns) {
            row.push_back(inMilliseconds(ns / static_cast<std::int64_t>(rank.steps.size())));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table collectiveTable(const Report& report)
{
    Table table;
    table.header = {"collective",   "ranks",       "size",       "calls\nin run",
                    "transfer\nus", "busbw\nGB/s", "kernel\nus", "busbw GB/s\non kernel"};
    for (const metrics::CollectiveGroup& group : report.metrics.collectives) {
        const auto us = [](std::optional<std::int64_t> ns) {
            return ns ? std::optional(static_cast<double>(*ns) / 1e3) : std::nullopt;
        };
        table.rows.push_back({std::string(model::collectiveName(group.kind)), std::to_string(group.ranks),
                              rules::byteText(static_cast<double>(group.bytes)), std::to_string(group.count),
                              number(us(group.transferNs), "{:.0f}"), number(group.transferBusGBs, "{:.2f}"),
                              number(us(group.kernelNs), "{:.0f}"), number(group.kernelBusGBs, "{:.2f}")});
    }
    return table;
}

std::string tierText(const Tier& tier)
{
    const bool none = tier.ranks.empty();
    const std::string reasons = fmt::format("{}", fmt::join(tier.reasons, "; "));
    if (none) {
        return reasons.empty() ? "not recorded" : fmt::format("not recorded: {}", reasons);
    }
    return fmt::format("ranks {}{}{}", rankList(tier.ranks), reasons.empty() ? "" : ": ", reasons);
}

std::string verdictText(const Verdict& verdict)
{
    if (verdict.confidence == Confidence::Inconclusive) {
        return "what limits it was not measured";
    }
    return fmt::format("limited by {} ({} confidence{})", rules::limitText(verdict.limitedBy),
                       confidenceName(verdict.confidence),
                       verdict.reason.empty() ? "" : fmt::format(": {}", verdict.reason));
}

std::vector<std::string> keyLines(const Report& report)
{
    const metrics::RunMetrics& run = report.metrics;
    std::vector<std::string> lines;
    if (run.stepMedianNs && run.stepP99Ns) {
        lines.push_back(fmt::format(
            "Step: median {}, 99th percentile {}{}.", rules::milliseconds(*run.stepMedianNs),
            rules::milliseconds(*run.stepP99Ns),
            run.ranks.empty()
                ? " (between the host's step marks)"
                : fmt::format(", {:.2f} steps a second",
                              1e9 / static_cast<double>(std::max<std::int64_t>(1, *run.stepMedianNs)))));
    }
    if (run.communicationShare) {
        lines.push_back(fmt::format("Communication: {}{} of the step, {} of it overlaps with compute.",
                                    run.ratio ? fmt::format("{:.2f} x compute, ", *run.ratio) : "",
                                    rules::percent(*run.communicationShare), overlapText(run.total())));
    }
    if (run.utilization) {
        lines.push_back(fmt::format("GPU utilization: {}.", spreadText(*run.utilization)));
        lines.push_back(fmt::format("Useful, without waiting in collectives: {}.",
                                    run.usefulUtilization
                                        ? spreadText(*run.usefulUtilization)
                                        : std::string("not measured, because nobody's arrival is known")));
    }
    return lines;
}

std::vector<std::string> notJudgedLines(const Report& report)
{
    std::vector<std::pair<std::string, std::vector<std::string>>> byReason;
    for (const MissingRule& rule : report.notApplicable) {
        auto entry = std::find_if(byReason.begin(), byReason.end(),
                                  [&](const auto& each) { return each.first == rule.reason; });
        entry = entry != byReason.end() ? entry : byReason.insert(entry, {rule.reason, {}});
        entry->second.push_back(rule.rule);
    }
    std::vector<std::string> lines;
    for (const auto& [reason, rules] : byReason) {
        lines.push_back(fmt::format("{}: {}.", fmt::join(rules, ", "), reason));
    }
    return lines;
}

std::string figureText(const rules::Figure& figure)
{
    const std::string text = fmt::format("{} {}", figureName(figure), valueText(figure.unit, figure.value));
    return figure.threshold
               ? fmt::format("{} (threshold {})", text, valueText(figure.unit, *figure.threshold))
               : text;
}

std::string evidenceText(const rules::Evidence& place)
{
    return fmt::format("rank {} at {:.6f} s for {}: {}", place.rank, static_cast<double>(place.startNs) / 1e9,
                       rules::milliseconds(place.endNs - place.startNs), place.what);
}

std::vector<std::string> coverageLines(const Report& report)
{
    constexpr double kNearlyAll = 0.995;
    const model::Model& model = report.model;
    std::vector<std::string> lines;
    lines.push_back(fmt::format("{} of {} ranks on {} host{}.", model.ranks.size(), model.worldSize,
                                model.hosts.size(), model.hosts.size() == 1 ? "" : "s"));
    lines.push_back(stepsLine(model));
    lines.push_back(fmt::format("{} records dropped, {} recovered from rings of ended processes.",
                                report.droppedRecords, report.recoveredRecords));
    const auto residual = model.clockResidualNs();
    const auto bound = model.clockBoundNs();
    lines.push_back(residual
                        ? fmt::format("Clocks: matched ends lie within {:.1f} us of each other (95 %); {}.",
                                      static_cast<double>(*residual) / 1e3,
                                      model.hosts.size() <= 1 ? "one host, one clock"
                                      : bound ? fmt::format("alignment error at most {:.1f} us",
                                                            static_cast<double>(*bound) / 1e3)
                                              : std::string("some hosts could not be aligned"))
                        : std::string("Clocks: no matched collective to measure them by."));
    if (const auto share = report.metrics.arrivalShare();
        report.metrics.arrivalsMeasured() && share && *share < kNearlyAll) {
        lines.push_back(
            fmt::format("Who came when is known for {} of the time in communication; waiting inside "
                        "the rest counts as transfer.",
                        rules::percent(*share)));
    }
    if (model.emulated) {
        lines.emplace_back(
            "EMULATED: this run used the CPU platform; times follow its device model, not a GPU.");
    }
    return lines;
}

std::string rankList(const std::vector<std::int64_t>& ranks)
{
    if (ranks.empty()) {
        return "all";
    }
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) {
            ++last;
        }
        text += text.empty() ? "" : ", ";
        text += last == i ? std::to_string(ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[last]);
        i = last + 1;
    }
    return text;
}

std::string costText(const rules::Finding& finding)
{
    if (!finding.costNsPerStep) {
        return "not estimated";
    }
    return rules::milliseconds(*finding.costNsPerStep) + " a step" +
           (finding.partOf.empty() ? "" : fmt::format(", part of {}", finding.partOf.front()));
}

} // namespace ringside::report
