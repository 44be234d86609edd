// SPDX-License-Identifier: Apache-2.0
#include "report/argument.h"

#include "report/sentences.h"
#include "words/argument.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::report {
namespace {

namespace argument_text = words::argument;
using document::Cell;
using document::millisecondsCell;
using document::shareCell;
using document::Table;
using Part = LostPart::Kind;

struct KindInfo {
    std::string_view name;
    const words::Template* text;
};
/// In the order of LostPart::Kind.
constexpr KindInfo kKinds[] = {{"compute", &argument_text::compute},
                               {"waiting", &argument_text::waiting},
                               {"transfer", &argument_text::transfer},
                               {"copies", &argument_text::copies},
                               {"idle", &argument_text::idle}};

const KindInfo& infoOf(Part kind)
{
    return kKinds[static_cast<std::size_t>(kind)];
}

/// Which part of a step a cause lengthens. Null if it costs no time, as a setting or a death.
std::optional<Part> partOf(rules::Limit limit)
{
    switch (limit) {
    case rules::Limit::Compute:
    case rules::Limit::Memory:
        return Part::Compute;
    case rules::Limit::LateRank:
        return Part::Waiting;
    case rules::Limit::Communication:
    case rules::Limit::Link:
        return Part::Transfer;
    case rules::Limit::Copy:
        return Part::Copies;
    case rules::Limit::Host:
        return Part::Idle;
    case rules::Limit::Data: // a stall is idle time of its own rank, batches of different size are waiting of
                             // the others
    default:
        return std::nullopt;
    }
}

/// Finds the part of a loss that several limits have: the one that the finding which includes it lengthens.
std::optional<Part> partOf(const rules::Finding& finding, const Argument& argument)
{
    if (const auto kind = partOf(finding.limit)) {
        return *kind == Part::Waiting && !argument.waitsKnown ? Part::Transfer : *kind;
    }
    if (finding.limit != rules::Limit::Data) {
        return std::nullopt;
    }
    const auto in = [&](std::string_view rule) {
        return std::ranges::find(finding.partOf, rule) != finding.partOf.end();
    };
    return !in("exposed_communication") && !in("late_rank") ? Part::Idle
           : argument.waitsKnown                            ? Part::Waiting
                                                            : Part::Transfer;
}

std::vector<LostPart> partsOf(const Report& report)
{
    const metrics::Breakdown total = report.metrics.total();
    if (report.metrics.ranks.empty() || total.stepNs <= 0) {
        return {};
    }
    const bool waits = report.metrics.waitsKnown();
    const std::int64_t waiting = waits ? total.exposedWaitNs : 0;
    const std::pair<Part, std::int64_t> all[] = {{Part::Compute, total.computeNs},
                                                 {Part::Waiting, waiting},
                                                 {Part::Transfer, total.exposedCommunicationNs - waiting},
                                                 {Part::Copies, total.exposedCopyNs},
                                                 {Part::Idle, total.idleNs}};
    std::vector<LostPart> parts;
    for (const auto& [kind, ns] : all) {
        if (kind != Part::Waiting || waits) {
            const double share = total.share(ns);
            parts.push_back({kind,
                             static_cast<std::int64_t>(share * static_cast<double>(report.metrics.stepNs())),
                             share});
        }
    }
    return parts;
}

Table partTable(const Report& report, const Argument& argument)
{
    Table table{{"part", "ms", "share"}, {}};
    for (const LostPart& part : argument.parts) {
        const bool unsplit = part.kind == Part::Transfer && !argument.waitsKnown;
        table.rows.push_back(
            {report.sentence(unsplit ? argument_text::communication : *infoOf(part.kind).text),
             millisecondsCell(static_cast<double>(part.ns)), shareCell(part.share)});
    }
    return table;
}

Table explanationTable(const Report& report, const Argument& argument)
{
    Table table{{"cause", "explains", "cost ms", "of that part", "same loss as"}, {}};
    for (const Explanation& each : argument.explanations) {
        const rules::Finding& finding = *each.finding;
        const std::string same = !finding.restates.empty() ? finding.restates
                                 : finding.partOf.empty()  ? std::string()
                                                           : std::string(finding.partOf.front());
        table.rows.push_back({finding.rule, report.sentence(*infoOf(each.of).text),
                              millisecondsCell(static_cast<double>(*finding.costNsPerStep)),
                              shareCell(each.share), same.empty() ? Cell() : Cell(same)});
        table.places.push_back(placeOf(report, finding));
    }
    return table;
}

Table conditionTable(const Report& report)
{
    Table table{{"condition", "else at most", "holds"}, {}};
    for (const Judged& each : report.verdict.conditions) {
        table.rows.push_back({report.sentence(*each.condition->must), confidenceName(each.condition->atMost),
                              each.broken ? "no: " + report.sentence(*each.broken) : std::string("yes")});
    }
    return table;
}

} // namespace

std::string_view partName(LostPart::Kind kind)
{
    return infoOf(kind).name;
}

Argument argumentOf(const Report& report)
{
    Argument argument;
    argument.waitsKnown = report.metrics.waitsKnown();
    argument.parts = partsOf(report);
    for (const rules::Finding& finding : report.findings) {
        const auto kind = partOf(finding, argument);
        const auto part =
            std::ranges::find_if(argument.parts, [&](const LostPart& each) { return kind == each.kind; });
        // A symptom names the loss again; it explains nothing.
        if (finding.cause && finding.costNsPerStep && *finding.costNsPerStep > 0 &&
            part != argument.parts.end() && part->ns > 0) {
            argument.explanations.push_back(
                {&finding, *kind,
                 std::min(1.0, static_cast<double>(*finding.costNsPerStep) / static_cast<double>(part->ns))});
        }
    }
    return argument;
}

std::vector<document::Block> argumentBlocks(const Report& report)
{
    const Argument argument = argumentOf(report);
    std::vector<document::Block> blocks;
    const auto add = [&](const words::Template& title, Table table) {
        if (!table.rows.empty()) {
            blocks.emplace_back(document::Paragraph{report.sentence(title)});
            blocks.emplace_back(std::move(table));
        }
    };
    add(argument_text::parts, partTable(report, argument));
    add(argument_text::explanations, explanationTable(report, argument));
    add(argument_text::conditions, conditionTable(report));
    return blocks;
}

} // namespace ringside::report
