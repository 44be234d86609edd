// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include "report/communicator_names.h"
#include "report/message_groups.h"
#include "report/per_second.h"
#include "report/sentences.h"
#include "rules/support.h"
#include "trace/utf8.h"

#include <algorithm>
#include <array>
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
    return trace::shownText(text, ' ');
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

std::string inMilliseconds(std::int64_t ns)
{
    return fmt::format("{:.2f}", static_cast<double>(ns) / 1e6);
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

namespace {

struct PlaceColumn {
    std::string_view name;
    std::optional<std::int64_t> model::ParallelPlace::*number;
    std::int64_t model::ParallelSizes::*size;
};

/// Behind the rank, its number in each way in which the job is parallel: "3/4".
void addPlaces(const Report& report, Table& table)
{
    constexpr std::array kColumns = {
        PlaceColumn{"stage", &model::ParallelPlace::stage, &model::ParallelSizes::pipeline},
        PlaceColumn{"replica", &model::ParallelPlace::replica, &model::ParallelSizes::data},
        PlaceColumn{"tensor", &model::ParallelPlace::tensor, &model::ParallelSizes::tensor},
        PlaceColumn{"context", &model::ParallelPlace::context, &model::ParallelSizes::context},
        PlaceColumn{"expert", &model::ParallelPlace::expert, &model::ParallelSizes::expert}};
    const model::ParallelLayout& layout = report.model.layout;
    std::ptrdiff_t at = 1;
    for (const PlaceColumn& column : kColumns) {
        if (!layout.isKnown() || layout.sizes.*column.size < 2) {
            continue;
        }
        table.header.insert(table.header.begin() + at, std::string(column.name));
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            const auto number = layout.places[report.metrics.ranks[row].rank].*column.number;
            table.rows[row].insert(table.rows[row].begin() + at,
                                   fmt::format("{}/{}", number.value_or(1), layout.sizes.*column.size));
        }
        ++at;
    }
}

} // namespace

Table breakdownTable(const Report& report)
{
    Table table;
    table.header = {"rank",
                    fmt::format("{}\nms", periodWord(report.model)),
                    "compute\nms",
                    "exposed\ncomm ms",
                    "exposed\ncopy ms",
                    "idle\nms",
                    "comm/\ncompute",
                    "overlap",
                    "busy",
                    "useful",
                    "wait\nms",
                    "came\nlast"};
    const bool arrived = report.metrics.arrivalsMeasured();
    const bool useful = report.metrics.usefulMeasured();
    const std::string none(kNotMeasured);
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        const metrics::Breakdown& total = rank.total;
        const auto ms = [&](std::int64_t ns) { return inMilliseconds(rank.ofAStep(ns)); };
        table.rows.push_back({std::to_string(report.model.ranks[rank.rank].rank), ms(total.stepNs),
                              ms(total.computeNs), ms(total.exposedCommunicationNs), ms(total.exposedCopyNs),
                              ms(total.idleNs), number(total.ratio(), "{:.2f}"), overlapText(total),
                              fmt::format("{:.1f} %", 100.0 * total.utilization()),
                              useful ? fmt::format("{:.1f} %", 100.0 * total.usefulUtilization()) : none,
                              arrived ? ms(total.waitNs) : none,
                              arrived ? std::to_string(rank.lastArrivals) : none});
    }
    addPlaces(report, table);
    return table;
}

Table timedTable(const Report& report)
{
    Table table;
    table.header = {"rank", "communication\nms", "wait\nms", "transfer\nms", "came\nlast"};
    const auto steps =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(report.metrics.timed.steps.size()));
    for (const metrics::TimedRank& rank : report.metrics.timed.ranks) {
        table.rows.push_back({std::to_string(report.model.ranks[rank.rank].rank),
                              inMilliseconds(rank.communicationNs / steps),
                              inMilliseconds(rank.waitNs / steps), inMilliseconds(rank.transferNs / steps),
                              std::to_string(rank.lastArrivals)});
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
            row.push_back(inMilliseconds(rank.ofAStep(ns)));
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
    const auto communicators = communicatorLabels(report);
    if (!communicators.empty()) {
        table.header.emplace_back("communicator");
    }
    for (const metrics::CollectiveGroup& group : report.metrics.collectives) {
        const auto us = [](std::optional<std::int64_t> ns) {
            return ns ? std::optional(static_cast<double>(*ns) / 1e3) : std::nullopt;
        };
        table.rows.push_back({std::string(model::collectiveName(group.kind)),
                              group.ranks > 0 ? std::to_string(group.ranks) : std::string(kNotMeasured),
                              group.bytes ? rules::byteText(static_cast<double>(*group.bytes)) : "-",
                              std::to_string(group.count), number(us(group.transferNs), "{:.0f}"),
                              number(group.transferBusGBs, "{:.2f}"), number(us(group.kernelNs), "{:.0f}"),
                              number(group.kernelBusGBs, "{:.2f}")});
        if (!communicators.empty()) {
            table.rows.back().push_back(communicators.at(group.communicator));
        }
    }
    return table;
}

Table messageTable(const Report& report)
{
    Table table;
    table.header = {"call", "ranks", "pairs", "size", "calls", "volume"};
    for (const MessageGroup& group : messageGroups(report.model)) {
        table.rows.push_back({std::string(model::collectiveName(group.kind)), std::to_string(group.ranks),
                              std::to_string(group.pairs), rules::byteText(static_cast<double>(group.bytes)),
                              std::to_string(group.calls),
                              rules::byteText(static_cast<double>(group.totalBytes))});
    }
    return table;
}

std::string breakdownTitle(const Report& report)
{
    return report.model.recordingIsStep() ? "Where each second of the recording goes"
                                          : "Where a step goes, mean over the analyzed steps";
}

std::string idleTitle(const Report& report)
{
    return fmt::format("Idle time of a {} by its cause, ms", periodWord(report.model));
}

const char* collectivesTitle(const Report& report)
{
    return report.metrics.collectivesOfWholeRun
               ? "Collectives, medians of the whole run, as no step was found"
               : "Collectives, medians of the analyzed steps";
}

} // namespace ringside::report
