// SPDX-License-Identifier: Apache-2.0
#include "timeline/collective_details.h"

#include "metrics/bandwidth.h"
#include "report/communicators.h"
#include "trace/vocabulary/datatype.h"
#include "values/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace ringside::timeline {
namespace {

constexpr std::string_view kNotRecorded = "not recorded";
using Lines = std::vector<std::pair<std::string, std::string>>;

const model::Operation& operationOf(const model::Model& model, const MatchedCollective& collective)
{
    return model.operations[collective.operation];
}

std::span<const Part> partsOf(const Timeline& timeline, const MatchedCollective& collective)
{
    return {timeline.parts.data() + collective.firstPart, collective.parts};
}

const trace::CollectiveCallRow& callOf(const model::Model& model, const model::Participant& part)
{
    return model.processOf(model.ranks[part.rank]).collectiveCalls[part.call];
}

std::string datatypeText(const std::optional<std::int64_t>& number)
{
    const trace::DatatypeEntry* const entry = number ? trace::findDatatype(*number) : nullptr;
    return entry != nullptr ? std::string(entry->text)
           : number         ? fmt::format("number {} (unknown)", *number)
                            : std::string(kNotRecorded);
}

/// The five of ncclRedOp_t (nccl.h); larger numbers are operators of the program's own.
std::string reductionText(std::int64_t number)
{
    constexpr std::array<std::string_view, 5> kNames{"sum", "product", "maximum", "minimum", "mean"};
    return number >= 0 && number < static_cast<std::int64_t>(kNames.size())
               ? std::string(kNames[static_cast<std::size_t>(number)])
               : "an operator of the program";
}

/// What NCCL made of the call, of the first participant whose profiler plugin told.
void addNccl(const model::Model& model, const model::Operation& operation, Lines& lines)
{
    for (const model::Participant& part : operation.participants) {
        const trace::ProcessTrace& process = model.processOf(model.ranks[part.rank]);
        const std::int64_t id = callOf(model, part).id;
        const auto found =
            std::ranges::find(process.ncclOperations, std::optional(id), &trace::NcclOperationRow::call);
        if (found == process.ncclOperations.end()) {
            continue;
        }
        const auto text = [&](trace::StringId word) {
            const std::string_view known = process.text(word);
            return std::string(known.empty() ? kNotRecorded : known);
        };
        lines.emplace_back("algorithm", text(found->algorithm));
        lines.emplace_back("protocol", text(found->protocol));
        lines.emplace_back("channels",
                           found->channels ? fmt::to_string(*found->channels) : std::string(kNotRecorded));
        return;
    }
    lines.emplace_back("algorithm, protocol", "not recorded: NCCL's profiler plugin tells them");
}

const trace::CallConfigRow* configOf(const trace::ProcessTrace& process, std::int64_t call)
{
    const auto found = std::ranges::lower_bound(process.callConfigs, call, {}, &trace::CallConfigRow::call);
    return found != process.callConfigs.end() && found->call == call ? &*found : nullptr;
}

/// "RING_SIMPLE or none, at least 2 CTAs, at most 8 CTAs"
std::string askedText(const trace::ProcessTrace& process, const trace::CallConfigRow& config)
{
    std::vector<std::string> asked;
    if (config.algorithms != 0) {
        asked.push_back(
            fmt::format("{}{}", process.text(config.algorithms), config.isForced == 1 ? " or none" : ""));
    }
    for (const auto& [form, value] : {std::pair("at least {} CTAs", config.minCtas),
                                      {"at most {} CTAs", config.maxCtas},
                                      {"{} CTAs for NVLS", config.nvlsCtas},
                                      {"clusters of {}", config.clusterSize},
                                      {"CTA policy {}", config.ctaPolicy}}) {
        if (value) {
            asked.push_back(fmt::format(fmt::runtime(form), *value));
        }
    }
    return fmt::format("{}", fmt::join(asked, ", "));
}

/// What the program asked of NCCL for this call. All ranks must ask for the same, which NCCL does not check.
void addAsked(const model::Model& model, const model::Operation& operation, Lines& lines)
{
    std::set<std::string> asked;
    std::optional<std::int64_t> tag;
    for (const model::Participant& part : operation.participants) {
        const trace::ProcessTrace& process = model.processOf(model.ranks[part.rank]);
        const trace::CallConfigRow* const config = configOf(process, callOf(model, part).id);
        asked.insert(config != nullptr ? askedText(process, *config) : std::string());
        tag = config != nullptr && config->userTag ? config->userTag : tag;
    }
    if (asked.size() > 1) {
        lines.emplace_back(
            "asked of NCCL",
            fmt::format("not the same on all ranks, which NCCL does not check: {}", fmt::join(asked, "; ")));
    } else if (!asked.empty() && !asked.begin()->empty()) {
        lines.emplace_back("asked of NCCL", *asked.begin());
    }
    if (tag) {
        lines.emplace_back("the program's tag", fmt::to_string(*tag));
    }
}

const metrics::CollectiveGroup* groupOf(const report::Report& report, const model::Operation& operation)
{
    const auto found = std::ranges::find_if(report.metrics.collectives, [&](const auto& group) {
        return group.communicator == operation.communicator && group.kind == operation.kind &&
               group.bytes == operation.bytes;
    });
    return found == report.metrics.collectives.end() ? nullptr : &*found;
}

void addBandwidth(const report::Report& report, const model::Operation& operation,
                  const MatchedCollective& collective, Lines& lines)
{
    const auto transferNs = static_cast<double>(collective.endNs - collective.lastArrivalNs);
    if (!operation.bytes || transferNs <= 0 || operation.size < 2) {
        lines.emplace_back("bus bandwidth", "not measured: it needs size, time and number of ranks");
        return;
    }
    const double gbs = metrics::algorithmBytes(operation.kind, *operation.bytes, operation.size) *
                       metrics::busFactor(operation.kind, operation.size) / transferNs;
    std::string text = fmt::format("{:.2f} GB/s of the transfer", gbs);
    const metrics::CollectiveGroup* const group = groupOf(report, operation);
    if (group != nullptr && group->transferBusGBs && *group->transferBusGBs > 0 && group->count > 1) {
        text += fmt::format(", {:.0f} % of the median of {} like it ({:.2f} GB/s)",
                            100 * gbs / *group->transferBusGBs, group->count, *group->transferBusGBs);
    }
    lines.emplace_back("bus bandwidth", std::move(text));
}

std::string communicatorText(const model::Model& model, const model::Operation& operation)
{
    const auto all = report::communicatorsOf(model);
    const auto found = all.find(operation.communicator);
    const bool named = found != all.end() && !found->second.name.empty();
    return fmt::format(
        "{}{:016x}, {} ranks", named ? found->second.name + ", " : std::string(), operation.communicator,
        operation.size > 0 ? fmt::to_string(operation.size) : std::string("unknown number of"));
}

} // namespace

Description collectiveDetails(const report::Report& report, const Timeline& timeline, std::size_t index)
{
    constexpr double kSecond = 1e9;
    const model::Model& model = report.model;
    const MatchedCollective& collective = timeline.collectives[index];
    const model::Operation& operation = operationOf(model, collective);
    Description result{fmt::format("{} number {}", model::collectiveName(operation.kind), operation.order),
                       {}};
    Lines& lines = result.lines;
    lines.emplace_back("communicator", communicatorText(model, operation));
    lines.emplace_back("size", operation.bytes ? values::byteText(static_cast<double>(*operation.bytes))
                                               : std::string(kNotRecorded));
    lines.emplace_back("data type", datatypeText(operation.datatype));
    if (!operation.participants.empty()) {
        const trace::CollectiveCallRow& call = callOf(model, operation.participants.front());
        if (call.reduction) {
            lines.emplace_back("operator", reductionText(*call.reduction));
        }
        if (call.peer) {
            lines.emplace_back("root", fmt::format("rank {} of the communicator", *call.peer));
        }
    }
    if (operation.calls > 1) {
        lines.emplace_back("calls", fmt::format("{} that a group fused", operation.calls));
    }
    addAsked(model, operation, lines);
    addNccl(model, operation, lines);
    addBandwidth(report, operation, collective, lines);
    lines.emplace_back("first arrival",
                       fmt::format("{:.6f} s", static_cast<double>(collective.firstArrivalNs) / kSecond));
    lines.emplace_back("last arrival",
                       fmt::format("rank {}, {} after the first, {} after the second last",
                                   model.ranks[collective.lastRank].rank,
                                   values::durationText(collective.lastArrivalNs - collective.firstArrivalNs),
                                   values::durationText(collective.lostNs)));
    lines.emplace_back("transfer", values::durationText(collective.endNs - collective.lastArrivalNs));
    if (operation.mismatched) {
        lines.emplace_back("mismatch", "ranks disagree on function, count or type");
    }
    return result;
}

document::Table arrivalTable(const model::Model& model, const Timeline& timeline, std::size_t index)
{
    const MatchedCollective& collective = timeline.collectives[index];
    const std::span<const Part> all = partsOf(timeline, collective);
    std::vector<Part> parts(all.begin(), all.end());
    std::ranges::stable_sort(parts, {}, [](const Part& part) { return part.time.start; });
    document::Table table{{"rank", "arrived after the first", "waited", "took"}, {}};
    for (const Part& part : parts) {
        const std::int64_t wait = std::max<std::int64_t>(0, collective.lastArrivalNs - part.time.start);
        table.rows.push_back({document::Cell(model.ranks[part.rank].rank),
                              document::durationCell(part.time.start - collective.firstArrivalNs),
                              document::durationCell(wait), document::durationCell(part.time.length())});
    }
    return table;
}

std::optional<std::size_t> neighbourInCommunicator(const model::Model& model, const Timeline& timeline,
                                                   std::size_t index, Direction direction)
{
    const std::uint64_t wanted = operationOf(model, timeline.collectives[index]).communicator;
    const bool forward = direction == Direction::Forward;
    for (std::size_t i = index; forward ? i + 1 < timeline.collectives.size() : i > 0;) {
        i += forward ? 1 : std::size_t(-1);
        if (operationOf(model, timeline.collectives[i]).communicator == wanted) {
            return i;
        }
    }
    return std::nullopt;
}

std::vector<std::size_t> collectivesOf(const model::Model& model, const Timeline& timeline,
                                       const metrics::CollectiveGroup& group)
{
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < timeline.collectives.size(); ++i) {
        const model::Operation& operation = operationOf(model, timeline.collectives[i]);
        if (operation.communicator == group.communicator && operation.kind == group.kind &&
            operation.bytes == group.bytes) {
            result.push_back(i);
        }
    }
    return result;
}

} // namespace ringside::timeline
