// SPDX-License-Identifier: Apache-2.0
#include "whatif/changes.h"

#include "metrics/bandwidth.h"
#include "trace/vocabulary/datatype.h"
#include "values/parse_number.h"
#include "values/text.h"
#include "whatif/bounds.h"
#include "whatif/what_is_missing.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

namespace ringside::whatif {
namespace {

[[noreturn]] void refuse(const std::string& why, const std::string& hint = {})
{
    throw Error(ErrorCode::Unusable, why, hint);
}

/// Sets the cost of a slot after a change of latency, bandwidth or size. The part that the line does not
/// explain stays.
void recost(PlannedSlot& slot, const CostLine& line, double bytes)
{
    const double rest = slot.ns - slot.line->at(static_cast<double>(*slot.slot.bytes));
    slot.ns = std::max(0.0, line.at(bytes) + rest);
    slot.bounds = boundsOf(line, bytes);
    slot.line = line;
    slot.slot.bytes = static_cast<std::uint64_t>(std::llround(bytes));
}

bool isAt(const LinkChange& change, const Slot& slot)
{
    if (change.where.empty()) {
        return true;
    }
    if (change.where == "intra-host" || change.where == "inter-host") {
        return slot.withinHost == (change.where == "intra-host");
    }
    return fmt::format("{:016x}", slot.communicator).starts_with(change.where);
}

/// Returns for example "intra-host, communicators 000000000000002a, 00000000000000ff".
std::string linksOf(const Plan& plan)
{
    constexpr std::size_t kMost = 8;
    std::set<std::string> hosts;
    std::set<std::string> communicators;
    for (const PlannedSlot& slot : plan.slotTable) {
        hosts.insert(slot.slot.withinHost ? "intra-host" : "inter-host");
        if (communicators.size() < kMost) {
            communicators.insert(fmt::format("{:016x}", slot.slot.communicator));
        }
    }
    return fmt::format("{}, communicator {}", fmt::join(hosts, ", "),
                       fmt::join(communicators, ", communicator "));
}

void changeLinks(Plan& plan, const LinkChange& change, bool bandwidth)
{
    requireCollectives(plan);
    bool any = false;
    for (PlannedSlot& slot : plan.slotTable) {
        if (!isAt(change, slot.slot)) {
            continue;
        }
        any = true;
        requireLine(slot);
        if (!bandwidth && slot.line->latencyNs <= 0) {
            refuse("the messages of this run take no longer than their bytes explain: their latency was not "
                   "seen",
                   "Record a run with smaller messages.");
        }
        CostLine line = *slot.line;
        (bandwidth ? line.nsPerByte : line.latencyNs) *= bandwidth ? 1 / change.factor : change.factor;
        recost(slot, line, static_cast<double>(*slot.slot.bytes));
    }
    if (!any) {
        throw Error(ErrorCode::Usage, fmt::format("no collective of the step runs over '{}'", change.where),
                    fmt::format("Use one of: {}.", linksOf(plan)));
    }
}

void changeGradients(Plan& plan, const std::string& type, Assumptions& assumptions)
{
    requireGradients(plan);
    for (PlannedSlot& slot : plan.slotTable) {
        if (!slot.slot.gradient) {
            continue;
        }
        if (!slot.slot.datatype) {
            refuse("the data type of the gradient messages was not recorded, so that half their size is "
                   "unknown",
                   "Record with the host tier (LD_PRELOAD), which sees the types.");
        }
        if (*slot.slot.datatype != trace::numberOf(trace::Datatype::Float32)) {
            refuse(
                fmt::format("the gradient messages are not float32 (NCCL type {}): {} would not halve them",
                            *slot.slot.datatype, type));
        }
        requireLine(slot);
        recost(slot, *slot.line, static_cast<double>(*slot.slot.bytes) / 2);
        slot.slot.datatype = trace::numberOf(trace::Datatype::Float16);
    }
    assumptions.lines.emplace_back("converting gradients to half precision and back costs nothing");
}

void removeDataStalls(Plan& plan)
{
    for (PlannedRank& rank : plan.ranks) {
        for (PlannedOp& op : rank.ops) {
            if (op.gate && !op.gate->withoutDataNs.empty()) {
                op.gate->anchor.reset();
                op.gate->extraNs = op.gate->withoutDataNs;
            }
        }
    }
    if (!plan.dataRanges) {
        refuse("no NVTX range around data loading was recorded, so that waits for data are unknown",
               "Mark data loading with an NVTX range named \"data\" or \"dataloader\".");
    }
}

/// Gives communication a stream of its own. Work that needs its result uses the result of the step before.
void overlapFully(Plan& plan, Assumptions& assumptions)
{
    requireCollectives(plan);
    for (PlannedRank& rank : plan.ranks) {
        const std::uint32_t own = rank.lanes++;
        for (PlannedOp& op : rank.ops) {
            const auto shift = [&](std::vector<Wait>& waits) {
                for (Wait& wait : waits) {
                    wait.stepsBack += rank.ops[wait.op].op.slot && !op.op.slot ? 1U : 0U;
                }
            };
            shift(op.op.after);
            shift(op.op.hostAfter);
            op.op.blocksHost = op.op.blocksHost && !op.op.slot;
            op.op.lane = op.op.slot ? own : op.op.lane;
        }
    }
    assumptions.lines.emplace_back(
        "a bound, not a setting: every result of a collective is used one step later");
}

void changeWorld(Plan& plan, std::int64_t ranks, Assumptions& assumptions)
{
    constexpr std::size_t kMostOperations = 50'000'000;
    const auto before = static_cast<std::int64_t>(plan.ranks.size());
    requireRanks(plan, "what a collective costs among more of them");
    requireCollectives(plan);
    if (static_cast<std::size_t>(ranks) * plan.ranks.front().ops.size() > kMostOperations) {
        refuse(fmt::format("{} ranks would need more than {} operations per step", ranks, kMostOperations));
    }
    for (PlannedSlot& slot : plan.slotTable) {
        if (slot.slot.size != before) {
            refuse(
                "some collectives run among a part of the ranks; it is unknown how those groups would grow");
        }
        requireLine(slot);
        CostLine line = *slot.line;
        const double beforeNs = slot.ns;
        line.latencyNs *= static_cast<double>(ranks - 1) / static_cast<double>(before - 1);
        line.nsPerByte *=
            metrics::busFactor(slot.slot.kind, ranks) / metrics::busFactor(slot.slot.kind, before);
        recost(slot, line, static_cast<double>(*slot.slot.bytes));
        slot.bounds = boundsBetween(beforeNs, slot.ns, line);
        slot.slot.size = ranks;
    }
    plan.ranks.reserve(static_cast<std::size_t>(ranks));
    while (static_cast<std::int64_t>(plan.ranks.size()) < ranks) {
        PlannedRank copy = plan.ranks[plan.ranks.size() % static_cast<std::size_t>(before)];
        // so that ranks are not late at the same time
        std::rotate(copy.pace.begin(), copy.pace.begin() + 1, copy.pace.end());
        plan.ranks.push_back(std::move(copy));
    }
    plan.ranks.resize(static_cast<std::size_t>(ranks));
    if (ranks > before) {
        assumptions.beyond.push_back(
            fmt::format("only {} ranks were recorded; it is unknown which links and algorithms {} would use",
                        before, ranks));
    }
    assumptions.lines.emplace_back(
        "every rank keeps its batch; rings: latency grows with the ranks, the bytes on a link by "
        "the bus factor; new ranks are as the recorded ones, over the same links");
}

std::string linkText(std::string_view what, const LinkChange& change)
{
    return fmt::format("{} x{:g}{}{}", what, change.factor, change.where.empty() ? "" : " of ", change.where);
}

} // namespace

bool Changes::any() const
{
    return !describe().empty();
}

std::vector<std::string> Changes::describe() const
{
    std::vector<std::string> words;
    if (noLateRanks) {
        words.emplace_back("no late ranks");
    }
    for (const std::int64_t rank : medianRanks) {
        words.push_back(fmt::format("rank {} as fast as the median", rank));
    }
    if (fullOverlap) {
        words.emplace_back("communication fully overlapped (a bound)");
    }
    for (const LinkChange& change : bandwidth) {
        words.push_back(linkText("bandwidth", change));
    }
    for (const LinkChange& change : latency) {
        words.push_back(linkText("latency", change));
    }
    if (bucketBytes) {
        words.push_back(fmt::format("buckets of {}", values::byteText(static_cast<double>(*bucketBytes))));
    }
    if (!gradients.empty()) {
        words.push_back(fmt::format("gradients in {}", gradients));
    }
    if (accumulate > 1) {
        words.push_back(fmt::format("gradients accumulated over {} batches", accumulate));
    }
    if (noDataStalls) {
        words.emplace_back("data always ready");
    }
    if (noBlockingCalls) {
        words.emplace_back("no blocking calls");
    }
    if (noUsedMaps) {
        words.emplace_back("no maps of used parameters");
    }
    if (lastReductionOf > 1) {
        words.push_back(fmt::format("gradients reduced once per step instead of {} times", lastReductionOf));
    }
    if (equalBatches) {
        words.emplace_back("batches of equal length");
    }
    if (ranks) {
        words.push_back(fmt::format("{} ranks", *ranks));
    }
    return words;
}

LinkChange parseLinkChange(std::string_view text)
{
    LinkChange change;
    const std::size_t equals = text.rfind('=');
    const std::string_view factor = equals == std::string_view::npos ? text : text.substr(equals + 1);
    change.where = equals == std::string_view::npos ? "" : std::string(text.substr(0, equals));
    const std::string_view number = factor.starts_with('x') ? factor.substr(1) : factor;
    change.factor = values::parseNumber<double>(number).value_or(0);
    if (change.factor < 1e-6 || change.factor > 1e6 ||
        (equals != std::string_view::npos && change.where.empty())) {
        throw Error(ErrorCode::Usage, fmt::format("'{}' is not a change of a link", text),
                    "Write x2, inter-host=x2, or HASH=x0.5 with the first digits of a communicator's hash.");
    }
    return change;
}

void apply(Plan& plan, const Changes& changes, Assumptions& assumptions)
{
    if (changes.noUsedMaps) {
        removeUsedMaps(plan);
    }
    if (changes.lastReductionOf > 1) {
        keepLastReduction(plan, changes.lastReductionOf);
    }
    if (changes.bucketBytes) { // counted in float32, also if gradients are sent in half precision
        changeBuckets(plan, changes, assumptions);
    }
    if (!changes.gradients.empty()) {
        changeGradients(plan, changes.gradients, assumptions);
    }
    if (changes.ranks) {
        changeWorld(plan, *changes.ranks, assumptions);
    }
    for (const LinkChange& change : changes.bandwidth) {
        changeLinks(plan, change, true);
    }
    for (const LinkChange& change : changes.latency) {
        changeLinks(plan, change, false);
    }
    if (changes.noLateRanks || !changes.medianRanks.empty()) {
        levelRanks(plan, changes);
    }
    if (changes.equalBatches) {
        equalizeBatches(plan);
    }
    if (changes.noDataStalls) {
        removeDataStalls(plan);
    }
    if (changes.noBlockingCalls) {
        removeBlockingCalls(plan);
    }
    if (changes.fullOverlap) {
        overlapFully(plan, assumptions);
    }
    if (changes.accumulate > 1) {
        requireGradients(plan);
        plan.accumulate = changes.accumulate;
        assumptions.lines.emplace_back("times are those of one batch; accumulating gradients costs nothing");
    }
}

} // namespace ringside::whatif
