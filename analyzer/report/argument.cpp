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
    std::int64_t (*of)(const metrics::Breakdown&); ///< how much of it a step has, where waiting is known
};
/// In the order of LostPart::Kind.
constexpr KindInfo kKinds[] = {
    {"compute", &argument_text::compute, [](const metrics::Breakdown& step) { return step.computeNs; }},
    {"waiting", &argument_text::waiting, [](const metrics::Breakdown& step) { return step.exposedWaitNs; }},
    {"transfer", &argument_text::transfer,
     [](const metrics::Breakdown& step) { return step.exposedCommunicationNs - step.exposedWaitNs; }},
    {"copies", &argument_text::copies, [](const metrics::Breakdown& step) { return step.exposedCopyNs; }},
    {"idle", &argument_text::idle, [](const metrics::Breakdown& step) { return step.idleNs; }}};

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

/// Without known waiting, the transfer is all exposed communication.
std::int64_t partOfStep(Part kind, const metrics::Breakdown& step, bool waitsKnown)
{
    return kind == Part::Transfer && !waitsKnown ? step.exposedCommunicationNs : infoOf(kind).of(step);
}

std::vector<LostPart> partsOf(const Report& report)
{
    const metrics::Breakdown total = report.metrics.total();
    if (report.metrics.ranks.empty() || total.stepNs <= 0) {
        return {};
    }
    const bool waits = report.metrics.waitsKnown();
    std::vector<LostPart> parts;
    for (const KindInfo& info : kKinds) {
        const auto kind = static_cast<Part>(&info - kKinds);
        if (kind != Part::Waiting || waits) {
            const double share = total.share(partOfStep(kind, total, waits));
            parts.push_back({kind,
                             static_cast<std::int64_t>(share * static_cast<double>(report.metrics.stepNs())),
                             share});
        }
    }
    return parts;
}

std::string partText(const Report& report, const Argument& argument, Part kind)
{
    const bool unsplit = kind == Part::Transfer && !argument.waitsKnown;
    return report.sentence(unsplit ? argument_text::communication : *infoOf(kind).text);
}

Table partTable(const Report& report, const Argument& argument)
{
    Table table{{"part", "ms", "share"}, {}};
    for (const LostPart& part : argument.parts) {
        table.rows.push_back({partText(report, argument, part.kind),
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
        table.rows.push_back({finding.rule, partText(report, argument, each.of),
                              millisecondsCell(static_cast<double>(*finding.costNsPerStep)),
                              shareCell(each.share), same.empty() ? Cell() : Cell(same)});
        table.places.push_back(placeOf(report, finding));
    }
    return table;
}

/// The step of the rank that has most of a part.
std::optional<document::Place> placeOf(const Report& report, Part kind, bool waitsKnown)
{
    const metrics::RankMetrics* most = nullptr;
    std::size_t at = 0;
    std::int64_t mostNs = 0;
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        for (std::size_t i = 0; i < rank.steps.size(); ++i) {
            const std::int64_t ns = partOfStep(kind, rank.steps[i], waitsKnown);
            if (ns > mostNs) {
                most = &rank;
                at = i;
                mostNs = ns;
            }
        }
    }
    if (most == nullptr) {
        return std::nullopt;
    }
    const model::Rank& rank = report.model.ranks[most->rank];
    rules::Evidence evidence;
    evidence.rank = rank.rank;
    evidence.startNs = rank.clock.toRun(most->windows[at].start);
    evidence.endNs = rank.clock.toRun(most->windows[at].end);
    evidence.what = words::say(argument_text::most_of_it, {{"ns", mostNs}});
    return placeOf(report, evidence);
}

document::WhyGraph::Cause causeOf(const Report& report, const Explanation& each, std::size_t part)
{
    const rules::Finding& finding = *each.finding;
    return {{fmt::format("{}, {}", finding.rule, whoText(finding)),
             {report.sentence(finding.title),
              report.sentence(words::say(argument_text::share_of_part,
                                         {{"cost", *finding.costNsPerStep}, {"share", each.share}}))},
             placeOf(report, finding)},
            part};
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

std::optional<document::WhyGraph> whyGraphOf(const Report& report)
{
    const Argument argument = argumentOf(report);
    if (argument.parts.empty()) {
        return std::nullopt;
    }
    document::WhyGraph graph;
    const auto& named = report.verdict.finding;
    const bool isKnown = report.verdict.confidence != Confidence::Inconclusive;
    graph.verdict.title =
        isKnown ? std::string(rules::limitText(report.verdict.limitedBy)) : verdictText(report);
    if (isKnown) {
        graph.verdict.texts = {confidenceText(report)};
    }
    graph.verdict.place = named ? placeOf(report, report.findings[*named]) : std::nullopt;
    for (const LostPart& part : argument.parts) {
        if (part.ns <= 0) {
            continue;
        }
        for (const Explanation& each : argument.explanations) {
            if (each.of == part.kind) {
                graph.causes.push_back(causeOf(report, each, graph.parts.size()));
            }
        }
        graph.parts.push_back({partText(report, argument, part.kind),
                               {report.sentence(words::say(argument_text::share_of_step,
                                                           {{"ns", part.ns}, {"share", part.share}}))},
                               placeOf(report, part.kind, argument.waitsKnown)});
    }
    return graph;
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
