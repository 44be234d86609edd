// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include "rules/support.h"

#include <algorithm>

namespace ringside::report {
namespace {

constexpr std::string_view kNotMeasured = "-";

bool looksNumeric(const std::string& cell)
{
    return cell == kNotMeasured ||
           (!cell.empty() && cell.find_first_not_of("0123456789.%+-e ") == std::string::npos);
}

std::vector<std::size_t> widths(const Table& table)
{
    std::vector<std::size_t> result;
    for (const std::string& cell : table.header) {
        result.push_back(cell.size());
    }
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            result[i] = std::max(result[i], row[i].size());
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

std::string sizeText(std::uint64_t bytes)
{
    constexpr std::uint64_t kKibibyte = 1024;
    if (bytes < kKibibyte) {
        return fmt::format("{} B", bytes);
    }
    return bytes < kKibibyte * kKibibyte ? fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024.0)
                                         : rules::mebibytes(static_cast<double>(bytes));
}

std::string inMilliseconds(std::int64_t ns)
{
    return fmt::format("{:.2f}", static_cast<double>(ns) / 1e6);
}

} // namespace

std::string plainTable(const Table& table, std::string_view indent)
{
    const auto width = widths(table);
    const auto right = rightAligned(table);
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text(indent);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            text += right[i] ? fmt::format("{:>{}}", cells[i], width[i])
                             : fmt::format("{:<{}}", cells[i], width[i]);
            text += "  ";
        }
        text.erase(text.find_last_not_of(' ') + 1);
        return text + "\n";
    };
    std::string result = line(table.header);
    for (const auto& row : table.rows) {
        result += line(row);
    }
    return result;
}

std::string markdownTable(const Table& table)
{
    const auto right = rightAligned(table);
    std::string result = fmt::format("| {} |\n|", fmt::join(table.header, " | "));
    for (const bool isRight : right) {
        result += isRight ? "---:|" : "---|";
    }
    result += "\n";
    for (const auto& row : table.rows) {
        result += fmt::format("| {} |\n", fmt::join(row, " | "));
    }
    return result;
}

std::string wrap(std::string_view text, std::size_t width, std::string_view indent)
{
    std::string result;
    std::string line(indent);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
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
        "rank",         "step ms", "compute ms", "exposed comm ms", "exposed copy ms", "idle ms",
        "comm/compute", "overlap", "busy",       "useful",          "wait ms",         "came last",
        "biggest idle"};
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        const auto steps = static_cast<std::int64_t>(rank.steps.size());
        const metrics::Breakdown& total = rank.total;
        const bool communicates = total.communicationNs > 0;
        const auto overlap = communicates ? std::optional(100.0 * static_cast<double>(total.overlapNs) /
                                                          static_cast<double>(total.communicationNs))
                                          : std::nullopt;
        const bool arrived = report.metrics.arrivalsMeasured();
        table.rows.push_back({std::to_string(report.model.ranks[rank.rank].rank),
                              inMilliseconds(total.stepNs / steps), inMilliseconds(total.computeNs / steps),
                              inMilliseconds(total.exposedCommunicationNs / steps),
                              inMilliseconds(total.exposedCopyNs / steps),
                              inMilliseconds(total.idleNs / steps), number(total.ratio(), "{:.2f}"),
                              number(overlap, "{:.0f} %"), number(100.0 * total.utilization(), "{:.1f} %"),
                              number(100.0 * total.usefulUtilization(), "{:.1f} %"),
                              arrived ? inMilliseconds(total.waitNs / steps) : std::string(kNotMeasured),
                              arrived ? std::to_string(rank.lastArrivals) : std::string(kNotMeasured),
                              total.idleNs > 0 ? std::string(metrics::idleClassName(rank.idle.biggest()))
                                               : std::string(kNotMeasured)});
    }
    return table;
}

Table collectiveTable(const Report& report)
{
    Table table;
    table.header = {"collective",  "ranks",      "size",      "count",
                    "transfer us", "busbw GB/s", "kernel us", "busbw GB/s (kernel)"};
    for (const metrics::CollectiveGroup& group : report.metrics.collectives) {
        const auto us = [](std::optional<std::int64_t> ns) {
            return ns ? std::optional(static_cast<double>(*ns) / 1e3) : std::nullopt;
        };
        table.rows.push_back({std::string(model::collectiveName(group.kind)), std::to_string(group.ranks),
                              sizeText(group.bytes), std::to_string(group.count),
                              number(us(group.transferNs), "{:.0f}"), number(group.transferBusGBs, "{:.2f}"),
                              number(us(group.kernelNs), "{:.0f}"), number(group.kernelBusGBs, "{:.2f}")});
    }
    return table;
}

Table tierTable(const Report& report)
{
    Table table;
    table.header = {"tier", "active on ranks", "why not, or what limits it"};
    for (const Tier& tier : report.tiers) {
        const bool none = tier.ranks.empty();
        table.rows.push_back({tier.name, none ? "none" : rankList(tier.ranks),
                              tier.reasons.empty() && none
                                  ? "not recorded"
                                  : fmt::format("{}", fmt::join(tier.reasons, "; "))});
    }
    return table;
}

std::vector<std::string> coverageLines(const Report& report)
{
    const model::Model& model = report.model;
    std::vector<std::string> lines;
    lines.push_back(fmt::format("{} of {} ranks on {} host{}.", model.ranks.size(), model.worldSize,
                                model.hosts.size(), model.hosts.size() == 1 ? "" : "s"));
    lines.push_back(
        fmt::format("{} steps found, {} analyzed{}.", model.totalSteps, model.analyzedSteps.size(),
                    model.analyzedWhole ? ", all of them because there are fewer than 4: low confidence"
                                        : " (steady state: without the first and the last)"));
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
    return finding.costNsPerStep ? rules::milliseconds(*finding.costNsPerStep) + " a step" : "not estimated";
}

} // namespace ringside::report
