// SPDX-License-Identifier: Apache-2.0
// Goodput as people read it, and as JSON.
#include "compare/goodput.h"
#include "output/json_value.h"
#include "rules/shared/support.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::compare {
namespace {

using document::Cell;
using document::durationCell;
using document::Shade;
using document::Table;

struct SpentWord {
    std::string_view word;
    Shade shade; ///< times of one colour are one part of the chart
};
/// In the order of Spent.
constexpr SpentWord kWords[kSpent] = {{"productive steps", Shade::Compute},
                                      {"steps done twice", Shade::Idle},
                                      {"checkpoints", Shade::Copy},
                                      {"start, until the first step", Shade::Communication},
                                      {"stalls: beyond the median in steps of more than three", Shade::Wait},
                                      {"between steps", Shade::Communication},
                                      {"after the last step: end, hang or death", Shade::Wait},
                                      {"restart: no process ran", Shade::Communication}};

std::string durationText(double ns)
{
    return document::cellText(durationCell(std::llround(ns)));
}

Cell spentCell(const Goodput& goodput, Spent spent)
{
    return spent == Spent::DoneTwice && !goodput.repeatsKnown
               ? Cell::absent("step numbers may have begun anew")
           : spent == Spent::Checkpoints && goodput.checkpoints() == 0
               ? Cell::absent("no range that writes a checkpoint was recorded")
               : durationCell(goodput.totalNs(spent));
}

Table spentTable(const Goodput& goodput)
{
    Table table{{"spent on", "time", "share"}, {}};
    for (std::size_t i = 0; i < kSpent; ++i) {
        const auto spent = static_cast<Spent>(i);
        Cell time = spentCell(goodput, spent);
        table.rows.push_back(
            {kWords[i].word, time,
             time.isAbsent() ? Cell::absent(time.reason()) : document::shareCell(goodput.share(spent))});
    }
    return table;
}

document::BarChart chartOf(const Goodput& goodput)
{
    document::BarChart chart;
    chart.title = "Time of each run of the job";
    chart.row = "run";
    chart.parts = {{"productive", Shade::Compute},
                   {"done twice", Shade::Idle},
                   {"checkpoints", Shade::Copy},
                   {"start, restart, between steps", Shade::Communication},
                   {"stalls, after the last step", Shade::Wait}};
    for (std::size_t i = 0; i < goodput.lives.size(); ++i) {
        document::BarChart::Bar& bar = chart.bars.emplace_back();
        bar.rank = static_cast<std::int64_t>(i) + 1;
        bar.ns.resize(chart.parts.size());
        for (std::size_t spent = 0; spent < kSpent; ++spent) {
            const auto part =
                std::ranges::find(chart.parts, kWords[spent].shade, &document::BarChart::Part::shade);
            bar.ns[static_cast<std::size_t>(part - chart.parts.begin())] +=
                static_cast<double>(std::max<std::int64_t>(0, goodput.lives[i].spent[spent]));
        }
        bar.length = durationText(bar.sumNs());
    }
    return chart;
}

Table lifeTable(const Goodput& goodput)
{
    Table table{{"run", "steps", "first", "last", "restart", "start", "productive", "done\ntwice", "stalls",
                 "after the\nlast step", "name"},
                {}};
    for (std::size_t i = 0; i < goodput.lives.size(); ++i) {
        const Life& life = goodput.lives[i];
        const auto time = [&](Spent spent) {
            return durationCell(life.spent[static_cast<std::size_t>(spent)]);
        };
        const auto number = [](const std::optional<std::int64_t>& step) {
            return step ? Cell(*step) : Cell::absent("no step was found");
        };
        table.rows.push_back(
            {i + 1, life.steps, number(life.firstStep), number(life.lastStep), time(Spent::Restart),
             time(Spent::Start), time(Spent::Productive),
             goodput.repeatsKnown ? time(Spent::DoneTwice) : Cell::absent("step numbers may have begun anew"),
             time(Spent::Stalls), time(Spent::AfterSteps), life.name});
    }
    return table;
}

std::string checkpointText(const Goodput& goodput)
{
    const auto cost = goodput.checkpointNs();
    if (!cost) {
        return "No checkpoint was recorded: put an NVTX range called save_checkpoint around what writes one, "
               "in the thread that marks steps.";
    }
    const std::string now = fmt::format(
        "{} checkpoint{} held steps up for {} in the mean, one in {} of steps.", goodput.checkpoints(),
        goodput.checkpoints() == 1 ? "" : "s", durationText(*cost), durationText(*goodput.intervalNs()));
    const auto best = goodput.bestIntervalNs();
    return best ? fmt::format("{} The job ran {} for each of {} restart{}: one checkpoint in {} would lose "
                              "least (Daly, 2006).",
                              now, durationText(*goodput.interruptionNs()), goodput.lives.size() - 1,
                              goodput.lives.size() == 2 ? "" : "s", durationText(*best))
                : now + " Nothing interrupted the job, so the best interval is not known.";
}

} // namespace

document::Document documentOf(const Goodput& goodput, const std::string& name)
{
    using document::SectionId;
    document::Document page;
    page.name = name;
    page.emulated = std::ranges::any_of(goodput.lives, &Life::emulated);
    page.verdict = fmt::format("goodput {}{}", goodput.repeatsKnown ? "" : "at most ",
                               rules::percent(goodput.share(Spent::Productive)));
    page.summary = fmt::format(
        "Of {} from the first start to the last end, {} went into steps whose work was kept{}.",
        durationText(static_cast<double>(goodput.wallNs())),
        durationText(static_cast<double>(goodput.totalNs(Spent::Productive))),
        goodput.repeatsKnown ? ""
                             : ", or less: a restart began at a step that is no later than the job's "
                               "first one, so it is not known which work was done twice");
    if (std::ranges::any_of(goodput.lives, &Life::imported)) {
        page.summary += " Profilers record a part of a run: what ran before and after it is not in these "
                        "figures.";
    }
    page.sections = {{SectionId::Goodput, "Where the time went", {spentTable(goodput), chartOf(goodput)}},
                     {SectionId::Goodput, "Runs", {lifeTable(goodput)}},
                     {SectionId::Goodput, "Checkpoints", {document::Paragraph{checkpointText(goodput)}}}};
    return page;
}

std::string jsonOf(const Goodput& goodput)
{
    const auto spentJson = [&](const auto& nsOf) {
        Json json = Json::object();
        for (std::size_t i = 0; i < kSpent; ++i) {
            const auto spent = static_cast<Spent>(i);
            json[fmt::format("{}_ns", spentName(spent))] =
                spentCell(goodput, spent).isAbsent() ? Json(nullptr) : Json(nsOf(spent));
        }
        return json;
    };
    Json runs = Json::array();
    for (const Life& life : goodput.lives) {
        runs.push_back(
            {{"name", life.name},
             {"started_epoch_s", static_cast<double>(life.span.start) / 1e9},
             {"wall_ns", life.span.length()},
             {"emulated", life.emulated},
             {"imported", life.imported},
             {"steps", life.steps},
             {"first_step", orNull(life.firstStep)},
             {"last_step", orNull(life.lastStep)},
             {"median_step_ns", life.steps > 0 ? Json(life.medianNs) : Json(nullptr)},
             {"checkpoints", life.checkpointNs.size()},
             {"spent", spentJson([&](Spent spent) { return life.spent[static_cast<std::size_t>(spent)]; })}});
    }
    const Json json = {{"schema", "ringside-goodput/1"},
                       {"wall_ns", goodput.wallNs()},
                       {"goodput", goodput.share(Spent::Productive)},
                       {"repeats_known", goodput.repeatsKnown},
                       {"spent", spentJson([&](Spent spent) { return goodput.totalNs(spent); })},
                       {"checkpoints",
                        {{"count", goodput.checkpoints()},
                         {"mean_ns", orNull(goodput.checkpointNs())},
                         {"interval_ns", orNull(goodput.intervalNs())},
                         {"interruption_ns", orNull(goodput.interruptionNs())},
                         {"best_interval_ns", orNull(goodput.bestIntervalNs())}}},
                       {"runs", runs}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::compare
