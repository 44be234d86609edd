// SPDX-License-Identifier: Apache-2.0
// Finds allocations that failed, by snapshots of PyTorch's allocator: whether free memory was in too small
// pieces, or else who held most.
#include "words/out_of_memory.h"

#include "rules/shared/support.h"

#include <algorithm>

namespace ringside::rules::rule_out_of_memory {
namespace {

namespace text = words::out_of_memory;

struct Failure {
    const model::Rank* rank = nullptr;
    const trace::ProcessTrace* process = nullptr;
    const trace::MemoryStateRow* row = nullptr;

    [[nodiscard]] double wanted() const { return static_cast<double>(row->wantedBytes.value_or(0)); }
    /// Null: not known.
    [[nodiscard]] std::optional<double> reserved() const
    {
        const auto bytes = row->reserved();
        return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
    }
    [[nodiscard]] double held() const { return static_cast<double>(row->requestedBytes); }
    /// Reserved memory that nobody used; null: not known.
    [[nodiscard]] std::optional<double> unused() const
    {
        const auto all = reserved();
        return all && row->activeBytes ? std::optional(*all - static_cast<double>(*row->activeBytes))
                                       : std::nullopt;
    }
    [[nodiscard]] bool isFragmented() const { return unused() && *unused() >= wanted(); }
};

/// The place that held most. Null: it is not known.
const trace::MemoryHolderRow* largestHolder(const Failure& failure)
{
    const auto& holders = failure.process->memoryHolders;
    const auto found = std::ranges::find(holders, failure.row->id, &trace::MemoryHolderRow::state);
    return found == holders.end() || found->place == 0 ? nullptr : &*found;
}

words::Text titleOf(const Failure& failure)
{
    const auto reserved = failure.reserved();
    words::Text title =
        say(text::title,
            {{"wanted", failure.wanted()},
             {"held", failure.held()},
             {"of_reserved", reserved ? say(text::of_reserved, {{"reserved", *reserved}}) : words::Text()},
             {"left", static_cast<double>(failure.row->deviceFreeBytes.value_or(0))}});
    if (failure.isFragmented()) {
        title += say(text::in_pieces,
                     {{"unused", *failure.unused()},
                      {"largest", static_cast<double>(failure.row->largestFreeBytes.value_or(0))}});
    }
    return title;
}

words::Text adviceOf(const Failure& failure)
{
    if (failure.isFragmented()) {
        return text::remedy_pieces;
    }
    const trace::MemoryHolderRow* const holder = largestHolder(failure);
    if (holder == nullptr) {
        return text::remedy_held;
    }
    return say(text::most, {{"share", static_cast<double>(holder->bytes) / std::max(1.0, failure.held())},
                            {"place", std::string(failure.process->text(holder->place))}}) +
           text::remedy_held;
}

Finding describe(const std::vector<Failure>& failures)
{
    const Failure& worst = *std::ranges::max_element(failures, {}, &Failure::wanted);
    Finding finding;
    finding.severity = Severity::Problem;
    finding.limit = Limit::Memory;
    finding.title = titleOf(worst);
    finding.advice = adviceOf(worst);
    if (worst.isFragmented()) {
        finding.settings = {"PYTORCH_CUDA_ALLOC_CONF"};
    }
    finding.figures = {{"failed", Unit::Bytes, worst.wanted(), {}}, {"held", Unit::Bytes, worst.held(), {}}};
    if (const auto reserved = worst.reserved()) {
        finding.figures.push_back({"reserved", Unit::Bytes, *reserved, {}});
    }
    for (const Failure& failure : failures) {
        finding.ranks.push_back(failure.rank->rank);
        if (const auto ns = failure.row->timeNs) {
            finding.evidence.push_back(
                evidence(*failure.rank, {*ns, *ns}, say(text::failed, {{"wanted", failure.wanted()}})));
        }
    }
    return finding;
}

Outcome run(const Context& context)
{
    bool known = false;
    std::vector<Failure> failures;
    for (const model::Rank& rank : context.run.ranks) {
        const trace::ProcessTrace& process = context.run.processOf(rank);
        for (const trace::MemoryStateRow& row : process.memoryStates) {
            known = true;
            if (row.moment == "out_of_memory" && rank.owns(static_cast<std::uint32_t>(row.device))) {
                failures.push_back({&rank, &process, &row});
            }
        }
    }
    if (!known) {
        return NotApplicable{text::needs_snapshot};
    }
    return failures.empty() ? std::vector<Finding>{} : std::vector<Finding>{describe(failures)};
}

} // namespace

RINGSIDE_RULE(out_of_memory, .title = text::heading, .needs = {{}, "a snapshot of PyTorch's allocator"},
              .options = {}, .run = run, .help = text::help);

} // namespace ringside::rules::rule_out_of_memory
