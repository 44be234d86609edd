// SPDX-License-Identifier: Apache-2.0
// The report as a page.
#include "document/renderer.h"
#include "hang/text_parts.h"
#include "hang/wait_chain.h"
#include "words/render.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::hang {
namespace {

using document::Block;
using document::Cell;
using document::Items;
using document::Section;
using document::SectionId;
using document::Table;

Cell timeCell(std::int64_t ns)
{
    return document::durationCell(ns);
}

/// What a rank's most relevant thread does, as words and since when.
std::vector<Cell> rankCells(const RankReport& rank)
{
    const ThreadReport thread = rank.threads.empty() ? ThreadReport() : rank.threads.front();
    return {rank.rank >= 0 ? Cell(rank.rank) : Cell::absent("no variable of a launcher tells it"),
            rank.host,
            rank.pid,
            std::string(lifeName(rank.life)) + (rank.waitStatus ? " " + howEnded(*rank.waitStatus) : ""),
            rank.lastStep ? Cell(*rank.lastStep) : Cell::absent("no step was marked"),
            !thread.function.empty() ? Cell(thread.function)
                                     : Cell::absent("in no recorded call, or not known"),
            thread.lastCall.empty() ? Cell::absent("none was recorded") : Cell(thread.lastCall),
            rank.threads.empty() ? Cell::absent("no thread made a recorded call") : timeCell(thread.forNs)};
}

Table rankTable(const Report& report)
{
    Table table;
    table.header = {"rank", "host", "process", "state", "last step", "is in", "last call", "since"};
    for (const RankReport& rank : report.ranks) {
        table.rows.push_back(rankCells(rank));
    }
    return table;
}

Section stackSection(const RankReport& rank)
{
    return {
        SectionId::Hang,
        fmt::format("Stack of {}, {}, innermost first",
                    rank.rank >= 0 ? fmt::format("rank {}", rank.rank) : fmt::format("process {}", rank.pid),
                    rank.stackThread),
        {Items{rank.stack}},
        true};
}

Section witnessSection(const Witness& witness)
{
    Items items;
    if (!witness.notAvailable.empty()) {
        items.texts.push_back(witness.notAvailable);
    } else {
        items.texts = {words::render(witness.summary, {}), witness.comparison};
        items.texts.insert(items.texts.end(), witness.details.begin(), witness.details.end());
    }
    return {SectionId::Hang, witness.title, {std::move(items)}};
}

} // namespace

document::Document documentOf(const Report& report)
{
    document::Document page;
    page.name = report.path.filename().string();
    page.emulated = report.emulated;
    page.summary = words::render(report.summary, {});
    page.verdict = report.kind == Kind::Nothing
                       ? std::string(kindName(report.kind))
                       : fmt::format("{}, {}", kindName(report.kind), confidenceText(report));
    if (auto chain = waitChainOf(report)) {
        page.sections.push_back({SectionId::WaitChain, "Who waits for whom", {std::move(*chain)}});
    }
    constexpr std::size_t kMostCalls = 24;
    for (std::size_t i = 0; i < std::min(kMostCalls, report.collectives.size()); ++i) {
        page.sections.push_back(
            {SectionId::Hang, headingOf(report.collectives[i]), {Items{linesOf(report.collectives[i])}}});
    }
    if (report.collectives.size() > kMostCalls) {
        page.sections.push_back({SectionId::Hang,
                                 "",
                                 {document::Paragraph{fmt::format("{} more calls: `--format json` lists all",
                                                                  report.collectives.size() - kMostCalls)}}});
    }
    for (const Witness& witness : report.witnesses) {
        page.sections.push_back(witnessSection(witness));
    }
    if (std::vector<std::string> notes = unreadNotes(report); !notes.empty()) {
        page.sections.push_back({SectionId::Hang, "Not read or not compared", {Items{std::move(notes)}}});
    }
    page.sections.push_back({SectionId::Hang, "Ranks", {rankTable(report)}, report.ranks.size() > 64});
    for (const RankReport& rank : report.ranks) {
        if (!rank.stack.empty()) {
            page.sections.push_back(stackSection(rank));
        }
    }
    return page;
}

std::string formatHtml(const Report& report)
{
    const auto renderers = document::renderers();
    const auto html = std::ranges::find(renderers, "html", &document::Renderer::id);
    return (*html)->render(documentOf(report), {});
}

} // namespace ringside::hang
