// SPDX-License-Identifier: Apache-2.0
#include "report/document.h"

#include "hang/wait_chain.h"
#include "report/alarms.h"
#include "report/argument.h"
#include "report/communicators.h"
#include "report/flops.h"
#include "report/memory.h"
#include "report/price_list.h"
#include "report/report_tables.h"
#include "report/sentences.h"
#include "rules/shared/support.h"

#include <algorithm>
#include <iterator>

namespace ringside::report {
namespace {

using document::Block;
using document::Document;
using document::Extent;
using document::Items;
using document::Paragraph;
using document::Section;
using document::SectionId;
using document::Table;

constexpr std::string_view kHowToSeeAll = "`--all` shows everything";
// Limits of the short report (Extent::Screen):
constexpr std::size_t kMostFindings = 5;
constexpr std::size_t kMostRows = 16; ///< ranks of a large host: 8 cards with two GPUs each

std::string measured(const std::optional<double>& share)
{
    return share ? rules::percent(*share) : "not measured";
}

std::vector<document::KeyFigure> keyFigures(const metrics::RunMetrics& run)
{
    const auto mean = [](const std::optional<metrics::Spread>& spread) {
        return measured(spread ? std::optional(spread->mean) : std::nullopt);
    };
    return {{"median step", run.stepMedianNs ? rules::milliseconds(*run.stepMedianNs) : "not measured",
             "Median time of the analyzed steps"},
            {"comm / compute", run.ratio ? fmt::format("{:.2f}", *run.ratio) : "not measured",
             "Time with communication divided by time with compute (unions of intervals)"},
            {"GPU utilization", mean(run.utilization),
             "Share of a step in which the GPU computes, communicates or copies"},
            {"useful utilization", mean(run.usefulUtilization),
             "GPU utilization without the time spent waiting inside collectives"},
            {"spread over ranks",
             run.usefulUtilization ? rules::points(run.usefulUtilization->spread) : "not measured",
             "Largest minus smallest useful utilization of a rank"}};
}

std::vector<document::RuleEntry> ruleEntries(const Report& report)
{
    std::vector<document::RuleEntry> entries;
    for (const rules::Rule* const rule : rules::all()) {
        document::RuleEntry& entry = entries.emplace_back();
        entry.id = rule->id;
        entry.title = rule->title;
        entry.help = rule->help;
        const auto missing = std::ranges::find(report.notApplicable, rule->id, &MissingRule::rule);
        if (missing != report.notApplicable.end()) {
            entry.notJudged = report.sentence(missing->reason);
            entry.inconclusive = missing->inconclusive;
        }
    }
    return entries;
}

document::Tone toneOf(const Verdict& verdict)
{
    // Nothing was found, but what was not measured may limit the run: that is no good news.
    const bool certain =
        verdict.confidence != Confidence::Inconclusive && verdict.confidence != Confidence::Low;
    return verdict.limitedBy != rules::Limit::Nothing ? document::Tone::Limited
           : certain                                  ? document::Tone::Good
                                                      : document::Tone::Unknown;
}

/// Returns the number of findings up to the last one that is more than information without a cost.
std::size_t leading(const std::vector<document::Finding>& losses)
{
    constexpr std::int64_t kShownAsNothingNs = 5'000; // in milliseconds with two decimals
    const auto last = std::find_if(losses.rbegin(), losses.rend(), [](const document::Finding& finding) {
        return finding.severity != rules::Severity::Info || !finding.costNs ||
               *finding.costNs >= kShownAsNothingNs;
    });
    return static_cast<std::size_t>(losses.rend() - last);
}

/// Returns "Tiers: host, nvtx; device on ranks 0-3 only; not recorded: nccl, sampled."
std::string tiersText(const Report& report)
{
    std::vector<std::string> parts;
    std::vector<std::string> everywhere;
    std::vector<std::string> nowhere;
    for (const Tier& tier : report.tiers) {
        if (tier.ranks.empty()) {
            nowhere.emplace_back(tier.name.text());
        } else if (tier.ranks.size() == report.model.ranks.size()) {
            everywhere.emplace_back(tier.name.text());
        } else {
            parts.push_back(fmt::format("{} on {} {} only", tier.name.text(),
                                        tier.ranks.size() == 1 ? "rank" : "ranks", rankList(tier.ranks)));
        }
    }
    if (!everywhere.empty()) {
        parts.insert(parts.begin(), fmt::format("{}", fmt::join(everywhere, ", ")));
    }
    if (!nowhere.empty()) {
        parts.push_back(fmt::format("not recorded: {}", fmt::join(nowhere, ", ")));
    }
    return fmt::format("Tiers: {}.", fmt::join(parts, "; "));
}

class Builder final {
public:
    Builder(const Report& report, Extent extent)
        : m_report(report), m_extent(extent), m_all(extent == Extent::All)
    {}

    Document document()
    {
        const model::Model& model = m_report.model;
        m_document = {model.trace.path.filename().string(),
                      model.hosts.empty() ? std::string() : model.hosts.front().name,
                      m_report.startedAt.value_or(std::string()),
                      model.emulated,
                      verdictText(m_report),
                      toneOf(m_report.verdict),
                      m_report.sentence(m_report.verdict.summary),
                      m_report.metrics.ranks.empty() ? m_report.sentence(whyNotMeasured(m_report)) : "",
                      keyFigures(m_report.metrics),
                      ruleEntries(m_report),
                      {}};
        if (m_extent == Extent::Why) {
            addArgument();
            return std::move(m_document);
        }
        add(SectionId::NotRead, "", {Items{notRead()}});
        addWaits();
        add(SectionId::KeyFigures, "Key figures", {Items{keyLines(m_report)}});
        addCharts();
        add(SectionId::Findings, "Findings: what the verdict names, then by cost", findings());
        addPrices();
        addArgument();
        addNotApplicable();
        addBreakdown();
        addTables();
        add(SectionId::Coverage, "What this rests on", {Items{coverage()}});
        return std::move(m_document);
    }

private:
    void add(SectionId id, std::string title, std::vector<Block> blocks, bool folded = false)
    {
        std::erase_if(blocks, [](const Block& block) {
            const auto* const items = std::get_if<Items>(&block);
            const auto* const table = std::get_if<Table>(&block);
            return (items != nullptr && items->texts.empty()) || (table != nullptr && table->rows.empty());
        });
        if (!blocks.empty()) {
            m_document.sections.push_back({id, std::move(title), std::move(blocks), folded});
        }
    }

    /// Returns the table; on a screen its first rows, with the number of rows left out.
    [[nodiscard]] std::vector<Block> cut(Table table) const
    {
        const std::size_t rows = table.rows.size();
        if (m_all || rows <= kMostRows) {
            return {std::move(table)};
        }
        table.rows.resize(kMostRows);
        return {std::move(table), Paragraph{fmt::format("{} more rows: {}", rows - kMostRows, kHowToSeeAll)}};
    }

    /// Lists files that could not be read, or only in part, because the report may look complete without
    /// them.
    [[nodiscard]] std::vector<std::string> notRead() const
    {
        constexpr std::size_t kMost = 3;
        std::vector<std::string> files;
        for (const trace::IssueRow& issue : m_report.issues) {
            if (issue.id == "unreadable_file") {
                files.push_back("Not read: " + issue.message);
            } else if (issue.id == "truncated_file") {
                files.push_back(issue.count == 1
                                    ? "Read in part: " + issue.message
                                    : fmt::format("Read in part: {} files. {}", issue.count, issue.message));
            }
        }
        if (!m_all && files.size() > kMost) {
            const std::size_t more = files.size() - kMost;
            files.resize(kMost);
            files.push_back(fmt::format("Not read, or in part: {} more", more));
        }
        return files;
    }

    /// Of a run that hangs or died. It is another pass over all calls, and few runs need it.
    void addWaits()
    {
        if (std::ranges::none_of(m_report.findings, &rules::Finding::broken)) {
            return;
        }
        if (auto chain = hang::waitChainOf(hang::analyzeRecorded(m_report.model))) {
            add(SectionId::WaitChain, "Who waits for whom", {std::move(*chain)});
        }
    }

    void addCharts()
    {
        if (!m_all || m_report.metrics.ranks.empty()) {
            return;
        }
        add(SectionId::BreakdownChart, "Where the device time of each rank goes", {breakdownChart(m_report)});
        if (std::optional<document::HeatMap> map = heatMap(m_report)) {
            add(SectionId::HeatMap,
                m_report.metrics.waitsKnown() ? "How late each rank came to the collectives of each step"
                                              : "How long the steps of each rank took",
                {std::move(*map)});
        }
    }

    [[nodiscard]] std::vector<Block> findings() const
    {
        std::vector<document::Finding> losses = lossesOf(m_report, m_all ? Extent::All : Extent::Screen);
        const std::size_t shown = m_all ? losses.size() : std::min(kMostFindings, leading(losses));
        std::vector<Block> blocks(
            std::make_move_iterator(losses.begin()),
            std::make_move_iterator(losses.begin() + static_cast<std::ptrdiff_t>(shown)));
        if (losses.empty()) {
            blocks.emplace_back(Paragraph{"None."});
        }
        std::vector<std::string> rest;
        std::ranges::transform(losses.begin() + static_cast<std::ptrdiff_t>(shown), losses.end(),
                               std::back_inserter(rest), &document::Finding::rule);
        if (!rest.empty()) {
            blocks.emplace_back(Paragraph{
                fmt::format("{} that cost less: {} ({})", rest.size(), fmt::join(rest, ", "), kHowToSeeAll)});
        }
        const std::size_t unjudged = rulesNotJudged(m_report).size();
        if (!m_all && unjudged > 0) {
            blocks.emplace_back(
                Paragraph{fmt::format("Not applicable: {} rule{}, for which this run lacks the data ({}).",
                                      unjudged, unjudged == 1 ? "" : "s", kHowToSeeAll)});
        }
        return blocks;
    }

    void addPrices()
    {
        Table table = priceTable(m_report);
        if ((m_all || m_report.pricePerGpuHour) && !table.rows.empty()) {
            add(SectionId::Prices, fmt::format("What the losses cost on {} GPUs", m_report.model.worldSize),
                {std::move(table),
                 Paragraph{fmt::format("Of a day in which all GPUs run such {}s. Costs overlap where one is "
                                       "part of another. +-: error of the replay that leaves the cause out; "
                                       "without it, the rule's estimate.",
                                       m_report.periodWord())}});
        }
    }

    void addArgument()
    {
        if (m_extent == Extent::Screen) {
            return;
        }
        if (auto graph = whyGraphOf(m_report)) {
            add(SectionId::WhyGraph, fmt::format("What explains the {}", m_report.periodWord()),
                {std::move(*graph)});
        }
        add(SectionId::Argument, "Why this verdict", argumentBlocks(m_report), m_all);
    }

    void addNotApplicable()
    {
        if (m_all) {
            add(SectionId::NotApplicable, "Not applicable", {Items{notApplicableLines(m_report)}}, true);
        }
    }

    /// By rank, or by group with the ranks that differ where there are many.
    [[nodiscard]] std::vector<Block> breakdown() const
    {
        constexpr std::size_t kMostOutliers = 8;
        const std::size_t ranks = m_report.metrics.ranks.size();
        if (m_all || ranks <= kMostRows) {
            return {breakdownTable(m_report)};
        }
        std::vector<Block> blocks = cut(groupBreakdownTable(m_report, kMostRows));
        Table outliers = outlierTable(m_report, kMostOutliers);
        blocks.emplace_back(
            Paragraph{outliers.rows.empty()
                          ? "No rank's compute, copies or idle time differ much from those of its peers."
                          : "Ranks whose compute, copies or idle time differ most from their peers':"});
        blocks.emplace_back(std::move(outliers));
        blocks.emplace_back(Paragraph{fmt::format("All {} ranks: {}", ranks, kHowToSeeAll)});
        return blocks;
    }

    void addBreakdown()
    {
        if (m_report.metrics.ranks.empty()) {
            return;
        }
        std::vector<Block> blocks = breakdown();
        blocks.emplace_back(Paragraph{fmt::format(
            "compute + exposed communication + exposed copy + idle = {}. useful: busy without waiting in "
            "collectives. wait: time waiting for later ranks, including time that compute hides.",
            m_report.periodWord())});
        add(SectionId::BreakdownTable, breakdownTitle(m_report), std::move(blocks));
        if (m_all) {
            add(SectionId::Idle, idleTitle(m_report), {idleTable(m_report)});
        }
    }

    void addTables()
    {
        add(SectionId::Flops,
            fmt::format("What a rank computes in a {}, where the shapes are known", m_report.periodWord()),
            {flopsTable(m_report)});
        addMemory();
        if (!m_report.metrics.timed.arrived.empty()) {
            add(SectionId::Timed, "Communication of a step by CUDA events, mean", cut(timedTable(m_report)));
        }
        const bool folded = !m_all && m_report.metrics.collectives.size() > kMostRows &&
                            !communicatorLabels(m_report).empty();
        add(SectionId::Collectives, collectivesTitle(m_report),
            cut(folded ? collectiveKindTable(m_report) : collectiveTable(m_report)));
        add(SectionId::Messages, "Sends, receives and one-sided calls of the whole run",
            cut(messageTable(m_report)));
        add(SectionId::Alarms, "Alarms while it ran", cut(alarmTable(m_report)));
    }

    void addMemory()
    {
        std::vector<Block> blocks = cut(memoryTable(m_report));
        for (HeldMemory& held : heldMemory(m_report, m_all)) {
            blocks.emplace_back(Paragraph{std::move(held.title)});
            blocks.emplace_back(std::move(held.places));
        }
        add(SectionId::Memory, "GPU memory of PyTorch's allocator", std::move(blocks));
    }

    [[nodiscard]] std::vector<std::string> coverage() const
    {
        std::vector<std::string> lines = coverageLines(m_report);
        // Why the tool behind an imported trace does not record a tier is nothing that its user can change.
        const bool toTell =
            !m_report.model.imported &&
            std::ranges::any_of(m_report.tiers, [](const Tier& tier) { return !tier.reasons.empty(); });
        if (!m_all && !toTell) {
            lines.push_back(tiersText(m_report));
        } else {
            for (const Tier& tier : m_report.tiers) {
                lines.push_back(fmt::format("Tier {}: {}.", tier.name.text(), tierText(tier)));
            }
        }
        std::vector<std::string_view> notes;
        for (const trace::IssueRow& issue : m_report.issues) {
            if (!m_all && issue.severity == trace::Severity::Info) {
                notes.push_back(issue.id);
                continue;
            }
            lines.push_back(fmt::format("{} {} ({}x): {}", trace::severityName(issue.severity), issue.id,
                                        issue.count, issue.message));
        }
        if (!notes.empty()) {
            lines.push_back(fmt::format("Notes: {} ({}).", fmt::join(notes, ", "), kHowToSeeAll));
        }
        return lines;
    }

    const Report& m_report;
    Extent m_extent;
    bool m_all;
    Document m_document;
};

} // namespace

Document documentOf(const Report& report, Extent extent)
{
    return Builder(report, extent).document();
}

} // namespace ringside::report
