// SPDX-License-Identifier: Apache-2.0
// Finds sizes for which NCCL chose an algorithm or protocol although this run shows a faster one. Only
// combinations that the run itself used are compared.
#include "words/algorithm_mismatch.h"

#include "rules/shared/support.h"
#include "words/step.h"

#include <cctype>
#include <map>
#include <unordered_map>

namespace ringside::rules::rule_algorithm_mismatch {
namespace {

namespace text = words::algorithm_mismatch;

constexpr Option kOptions[] = {
    {"factor", 1.2, "warn when the usual choice takes this many times as long as the best one"},
    {"min_count", 5, "fewest operations of each choice"},
};

using Key = std::tuple<std::int64_t, model::CollectiveKind, std::uint64_t>; ///< ranks, kind, bytes
using Choice = std::pair<std::string, std::string>;                         ///< algorithm, protocol
using Times = std::map<Choice, std::vector<std::int64_t>>;

/// Returns the algorithm and protocol that NCCL chose for each call of a process, keyed by call id.
std::unordered_map<std::int64_t, Choice> choicesOf(const trace::ProcessTrace& process)
{
    std::unordered_map<std::int64_t, Choice> choices;
    for (const trace::NcclOperationRow& row : process.ncclOperations) {
        if (row.call && row.algorithm != 0) {
            choices.emplace(*row.call, Choice(process.text(row.algorithm), process.text(row.protocol)));
        }
    }
    return choices;
}

std::map<Key, Times> timesOf(const Context& context)
{
    std::unordered_map<std::size_t, std::unordered_map<std::int64_t, Choice>> known; // by process
    std::map<Key, Times> times;
    for (const metrics::ArrivedOperation& each : context.figures.arrived) {
        const model::Operation& operation = context.run.operations[each.operation];
        const model::Participant& part = operation.participants.front();
        const std::size_t index = context.run.ranks[part.rank].process;
        const trace::ProcessTrace& process = context.run.trace.processes[index];
        auto entry = known.find(index);
        entry = entry != known.end() ? entry : known.emplace(index, choicesOf(process)).first;
        const auto choice = entry->second.find(process.collectiveCalls[part.call].id);
        if (choice != entry->second.end() && operation.calls == 1 && operation.bytes) {
            times[{operation.size, operation.kind, *operation.bytes}][choice->second].push_back(
                each.times.transferNs());
        }
    }
    return times;
}

struct Compared {
    Choice usual;
    Choice best;
    std::int64_t usualNs = 0;
    std::int64_t bestNs = 0;
    std::size_t count = 0; ///< number of operations of the usual choice
};

/// Returns null if fewer than two choices were seen often enough.
std::optional<Compared> compare(const Times& times, double least)
{
    std::optional<Compared> result;
    std::size_t seen = 0;
    for (const auto& [choice, ns] : times) {
        if (static_cast<double>(ns.size()) < least) {
            continue;
        }
        ++seen;
        const std::int64_t median = model::median(ns);
        result = result ? result : Compared{choice, choice, median, median, 0};
        if (ns.size() > result->count) {
            result->usual = choice;
            result->usualNs = median;
            result->count = ns.size();
        }
        if (median < result->bestNs) {
            result->best = choice;
            result->bestNs = median;
        }
    }
    return seen >= 2 ? result : std::nullopt;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

words::Text advice(const Key& key, const Compared& compared)
{
    if (compared.best.first != compared.usual.first) {
        return say(text::algorithm_remedy,
                   {{"function", lower(std::string(model::collectiveName(std::get<1>(key))))},
                    {"algorithm", lower(compared.best.first)}});
    }
    return say(text::protocol_remedy, {{"best", compared.best.second}, {"usual", compared.usual.second}});
}

Finding describe(const Context& context, const Key& key, const Compared& compared)
{
    const double steps = context.figures.periods();
    const double saved =
        static_cast<double>(compared.usualNs - compared.bestNs) * static_cast<double>(compared.count) / steps;
    // Transfer that compute hides costs nothing.
    const auto exposed =
        static_cast<double>(context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs));
    Finding finding;
    finding.costNsPerStep = std::llround(std::min(saved, exposed));
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Settings;
    finding.title = say(text::title, {{"function", model::collectiveName(std::get<1>(key))},
                                      {"bytes", static_cast<double>(std::get<2>(key))},
                                      {"usual", compared.usual.first},
                                      {"usual_protocol", compared.usual.second},
                                      {"usual_time", compared.usualNs},
                                      {"best", compared.best.first},
                                      {"best_protocol", compared.best.second},
                                      {"best_time", compared.bestNs}});
    finding.settings = {"NCCL_ALGO"};
    finding.figures = {
        {"times_as_long", Unit::Ratio,
         static_cast<double>(compared.usualNs) / static_cast<double>(compared.bestNs),
         context.option("factor")},
        {"operations", Unit::Count, static_cast<double>(compared.count), context.option("min_count")}};
    finding.evidence = worstStep(context, &metrics::Breakdown::transferNs, words::step::transfer);
    finding.advice = advice(key, compared);
    return finding;
}

Outcome run(const Context& context)
{
    if (!context.figures.arrivalsMeasured()) {
        return context.figures.ranks.empty() ? kNeedsDevice : kNeedsArrivals;
    }
    const std::map<Key, Times> times = timesOf(context);
    if (times.empty()) {
        return NotApplicable{text::needs_nccl};
    }
    std::vector<Finding> findings;
    bool compared = false;
    for (const auto& [key, choices] : times) {
        const std::optional<Compared> result = compare(choices, context.option("min_count"));
        compared = compared || result;
        if (result &&
            static_cast<double>(result->usualNs) >
                context.option("factor") * static_cast<double>(std::max<std::int64_t>(1, result->bestNs))) {
            findings.push_back(describe(context, key, *result));
        }
    }
    if (!compared) {
        return NotApplicable{text::one_choice};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(algorithm_mismatch, .title = text::heading, .needs = {{"nccl", "device"}, ", on all ranks"},
              .options = kOptions, .run = run, .help = text::help, .partOf = {"exposed_communication"});

} // namespace ringside::rules::rule_algorithm_mismatch
