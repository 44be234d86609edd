// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that have taken parts of their memory out of service, wait for a reset to do so, or have no
// spare rows left. Repairs of earlier runs count too: they show that a GPU should be replaced.
#include "words/row_remap.h"

#include "rules/shared/device_samples.h"
#include "words/span.h"

namespace ringside::rules::rule_row_remap {
namespace {

namespace text = words::row_remap;

constexpr Option kOptions[] = {
    {"pages", 15, "warn above this number of pages retired for uncorrected errors (DCGM's limit)"},
    {"pages_much", 63, "a problem from this number: a GPU can retire 64 pages"},
    {"rows", 512, "a problem from this number of rows remapped for uncorrected errors (DCGM's limit)"},
};

struct Repairs {
    std::optional<std::int64_t> failed;
    std::optional<std::int64_t> pending;
    std::optional<std::int64_t> pages;
    std::optional<std::int64_t> rows;
};

std::optional<std::int64_t> lastOf(const Context& context, const model::Rank& rank,
                                   const trace::SeriesMetric& metric)
{
    const auto samples = gpuSamples(context, rank, metric);
    return samples.empty() ? std::nullopt : std::optional(samples.back().value);
}

Repairs repairsOf(const Context& context, const model::Rank& rank)
{
    const auto rowsPending = lastOf(context, rank, "row_remap_pending");
    const auto pagesPending = lastOf(context, rank, "retired_pages_pending");
    Repairs repairs;
    repairs.failed = lastOf(context, rank, "row_remap_failed");
    if (rowsPending || pagesPending) { // newer GPUs report rows, older ones pages
        repairs.pending = rowsPending.value_or(0) > 0 || pagesPending.value_or(0) > 0 ? 1 : 0;
    }
    repairs.pages = lastOf(context, rank, "retired_pages_uncorrected");
    repairs.rows = lastOf(context, rank, "remapped_rows_uncorrected");
    return repairs;
}

struct Verdict {
    Severity severity = Severity::Info;
    words::Text what; ///< empty if nothing is wrong
};

Verdict verdictOf(const Context& context, const Repairs& repairs)
{
    const auto pages = static_cast<double>(repairs.pages.value_or(0));
    const auto rows = static_cast<double>(repairs.rows.value_or(0));
    if (repairs.failed.value_or(0) > 0) {
        return {Severity::Problem, text::failed};
    }
    if (rows >= context.option("rows")) {
        return {Severity::Problem, say(text::rows, {{"rows", rows}})};
    }
    if (pages > context.option("pages")) {
        return {pages >= context.option("pages_much") ? Severity::Problem : Severity::Warning,
                say(text::pages, {{"pages", pages}})};
    }
    if (repairs.pending.value_or(0) > 0) {
        return {Severity::Warning, text::pending};
    }
    return {};
}

Finding describe(const Context& context, const model::Rank& rank, const Repairs& repairs,
                 const Verdict& verdict)
{
    Finding finding;
    finding.severity = verdict.severity;
    finding.limit = Limit::Memory;
    finding.ranks = {rank.rank};
    finding.title = say(text::title, {{"rank", rank.rank}, {"what", verdict.what}});
    if (repairs.pages) {
        finding.figures.push_back(
            {"retired_pages", Unit::Count, static_cast<double>(*repairs.pages), context.option("pages")});
    }
    if (repairs.rows) {
        finding.figures.push_back(
            {"remapped_rows", Unit::Count, static_cast<double>(*repairs.rows), context.option("rows")});
    }
    for (const trace::SeriesMetric& metric : std::array<trace::SeriesMetric, 3>{
             "row_remap_failed", "row_remap_pending", "retired_pages_pending"}) {
        if (const auto samples = gpuSamples(context, rank, metric);
            finding.evidence.empty() && !samples.empty()) {
            finding.evidence.push_back(evidence(rank, samples, words::span::sampled));
        }
    }
    finding.advice = text::remedy;
    return finding;
}

Outcome run(const Context& context)
{
    std::vector<Finding> findings;
    bool known = false;
    for (const model::Rank& rank : context.run.ranks) {
        const Repairs repairs = repairsOf(context, rank);
        known = known || repairs.failed || repairs.pending || repairs.pages || repairs.rows;
        if (const Verdict verdict = verdictOf(context, repairs); !verdict.what.empty()) {
            findings.push_back(describe(context, rank, repairs, verdict));
        }
    }
    if (!known) {
        return NotApplicable{text::not_measured};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(row_remap, .title = text::heading, .needs = "sampled (nvml)", .options = kOptions, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_row_remap
