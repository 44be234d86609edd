// SPDX-License-Identifier: Apache-2.0
// Writes the JSON report (ringside-report-1.schema.json). Within version 1, members are only added. Values
// that were not measured are null. Times are ns after run.started_at.
#include "output/json_value.h"
#include "report/alarms.h"
#include "report/argument.h"
#include "report/communicators.h"
#include "report/flops.h"
#include "report/format.h"
#include "report/json_figures.h"
#include "report/links.h"
#include "report/memory.h"
#include "report/message_groups.h"
#include "report/price_list.h"
#include "report/sentences.h"
#include "rules/shared/support.h"

#include <algorithm>
#include <set>

namespace ringside::report::format_json {
namespace {

/// Returns the number of ranks in each parallel dimension; null if not known.
Json parallelJson(const model::ParallelLayout& layout)
{
    if (!layout.isKnown()) {
        return nullptr;
    }
    const model::ParallelSizes& sizes = layout.sizes;
    return {{"source", layout.given ? "told" : "found"},
            {"tp", sizes.tensor},
            {"cp", sizes.context},
            {"ep", sizes.expert},
            {"dp", sizes.data},
            {"pp", sizes.pipeline}};
}

Json runJson(const Report& report)
{
    const model::Model& model = report.model;
    Json ranks = Json::array();
    for (const model::Rank& rank : model.ranks) {
        ranks.push_back(rank.rank);
    }
    Json hosts = Json::array();
    std::set<std::string> names;
    for (const model::Host& host : model.hosts) {
        if (!host.name.empty() && names.insert(host.name).second) {
            hosts.push_back(host.name);
        }
    }
    Json tiers = Json::object();
    for (const Tier& tier : report.tiers) {
        tiers[std::string(tier.name.text())] = tier.ranks;
    }
    return {{"path", model.trace.path.string()},
            {"world_size", model.worldSize},
            {"ranks_present", ranks},
            {"hosts", hosts},
            {"started_at", orNull(report.startedAt)},
            {"tiers", tiers},
            {"emulated", model.emulated},
            {"parallel", parallelJson(model.layout)},
            {"imported", model.imported},
            {"workload", model.workload == model::Workload::Unknown ? Json(nullptr)
                                                                    : Json(workloadName(model.workload))}};
}

/// Returns a host's clock minus the reference host's clock at run time 0, in ns. Times of a damaged file may
/// wrap around; the result is still a number.
std::int64_t offsetAtTheStart(const model::Model& model, std::size_t host)
{
    const auto clockOf = [&model](std::size_t index) {
        return std::ranges::find(model.ranks, index, &model::Rank::host)->clock;
    };
    const model::ClockMap clock = clockOf(host);
    const model::ClockMap reference = clockOf(0);
    const auto apart = static_cast<std::int64_t>(static_cast<std::uint64_t>(clock.localReference) -
                                                 static_cast<std::uint64_t>(reference.localReference));
    constexpr double kMost = 9e18;
    const double offset = static_cast<double>(apart) + static_cast<double>(reference.runReference) -
                          static_cast<double>(clock.runReference) / (1.0 - clock.drift);
    return std::llround(std::clamp(offset, -kMost, kMost));
}

/// Returns the alignment of each host's clock. Offsets hold at run.started_at.
Json clocksJson(const model::Model& model)
{
    constexpr double kPartsPerMillion = 1e6;
    Json clocks = Json::array();
    for (std::size_t host = 0; host < model.hosts.size(); ++host) {
        const model::Host& each = model.hosts[host];
        clocks.push_back({{"host", each.name},
                          {"offset_ns", offsetAtTheStart(model, host)},
                          {"drift_ppm", each.drift * kPartsPerMillion},
                          {"residual_ns", orNull(each.residualNs)},
                          {"bound_ns", orNull(each.boundNs)}});
    }
    return clocks;
}

/// Returns the source of the steps: "guessed", "told" (--steps-by), "marks" if a rank's steps come from
/// marks, else "ranges". Null if there are no steps.
Json stepSourceJson(const model::Model& model)
{
    if (model.stepCoverage.found == 0) {
        return nullptr;
    }
    const bool marked = std::ranges::any_of(
        model.ranks, [](const model::Rank& rank) { return rank.stepSource == model::StepSource::Mark; });
    return model.recordingIsStep() ? Json(nullptr)
           : model.stepsGuessed()  ? Json("guessed")
           : model.stepPeriod      ? Json("told")
                                   : Json(marked ? "marks" : "ranges");
}

/// Returns the period of steps that come from neither marks nor ranges; null otherwise.
Json stepPeriodJson(const model::Model& model)
{
    if (!model.stepPeriod) {
        return nullptr;
    }
    const model::PeriodFound& period = *model.stepPeriod;
    Json witnesses = Json::array();
    for (const auto& [seen, name] :
         {std::pair(period.witnesses.optimizer, "optimizer"), std::pair(period.witnesses.pause, "pause"),
          std::pair(period.witnesses.otherCalls, "other_calls")}) {
        if (seen) {
            witnesses.push_back(name);
        }
    }
    const bool guessed = model.stepsGuessed();
    return {{"calls", period.calls},
            {"confidence", guessed ? Json(stepConfidenceName(period.confidence)) : Json(nullptr)},
            {"witnesses", witnesses}};
}

/// Null: no summary was read.
Json summariesJson(const std::optional<AllSteps>& all)
{
    if (!all) {
        return nullptr;
    }
    Json parts = Json::array();
    for (const StepPart& part : all->parts) {
        parts.push_back({{"first_step", part.firstStep},
                         {"last_step", part.lastStep},
                         {"median_ns", part.medianNs},
                         {"analyzed", part.analyzed}});
    }
    return {{"processes", all->summaries},
            {"steps", all->steps},
            {"on_host", all->onHost},
            {"parts", parts},
            {"trace_folders", all->traceFolders}};
}

Json coverageJson(const Report& report)
{
    const std::size_t steady = report.model.analyzedWhole ? 0 : report.model.analyzedSteps.size();
    // A recording that is analyzed as a whole has no steps.
    const model::StepCoverage steps =
        report.model.recordingIsStep() ? model::StepCoverage{} : report.model.stepCoverage;
    const std::size_t analyzed = report.model.recordingIsStep() ? 0 : report.model.analyzedSteps.size();
    const auto number = [&](std::size_t index) {
        return index < analyzed ? Json(report.model.analyzedSteps[index]) : Json(nullptr);
    };
    return {{"steps",
             {{"total", steps.found},
              {"steady", steady},
              {"analyzed", analyzed},
              {"first_analyzed", number(0)},
              {"last_analyzed", number(analyzed - 1)},
              {"with_device", steps.found - steps.withoutDevice},
              {"without_device", steps.withoutDevice},
              {"not_on_every_rank", steps.notEverywhere},
              {"boundary", steps.boundary},
              {"warm_up", steps.warmUp},
              {"source", stepSourceJson(report.model)},
              {"period", stepPeriodJson(report.model)},
              {"whole_recording", report.model.recordingIsStep()}}},
            {"dropped_records", report.droppedRecords},
            {"recovered_records", report.recoveredRecords},
            {"graph_launches", report.model.graphLaunches},
            {"stretches", report.stretches},
            {"summaries", summariesJson(report.allSteps)},
            {"clock_residual_ns", orNull(report.model.clockResidualNs())},
            {"clock_bound_ns", orNull(report.model.clockBoundNs())},
            {"clocks", clocksJson(report.model)},
            {"arrivals_share", orNull(report.metrics.arrivalShare())}};
}

std::string hashText(std::uint64_t hash)
{
    return fmt::format("{:016x}", hash);
}

Json communicatorsJson(const Report& report)
{
    Json result = Json::array();
    for (const auto& [hash, communicator] : communicatorsOf(report.model)) {
        result.push_back({{"id", hashText(hash)},
                          {"name", communicator.name.empty() ? Json() : Json(communicator.name)},
                          {"size", communicator.size > 0 ? Json(communicator.size) : Json(nullptr)},
                          {"ranks", communicator.ranks}});
    }
    return result;
}

Json collectivesJson(const Report& report)
{
    Json result = Json::array();
    for (const metrics::CollectiveGroup& group : report.metrics.collectives) {
        result.push_back({{"communicator", hashText(group.communicator)},
                          {"collective", model::collectiveName(group.kind)},
                          {"bytes", orNull(group.bytes)},
                          {"ranks", group.ranks > 0 ? Json(group.ranks) : Json(nullptr)},
                          {"count", group.count},
                          {"medians_of", report.metrics.collectivesOfWholeRun ? "run" : "analyzed steps"},
                          {"transfer_ns", orNull(group.transferNs)},
                          {"kernel_ns", orNull(group.kernelNs)},
                          {"algbw_gb_per_s", orNull(group.transferAlgorithmGBs)},
                          {"busbw_gb_per_s", orNull(group.transferBusGBs)},
                          {"busbw_kernel_gb_per_s", orNull(group.kernelBusGBs)}});
    }
    return result;
}

Json messagesJson(const Report& report)
{
    Json result = Json::array();
    for (const MessageGroup& group : report.messages) {
        result.push_back({{"call", model::collectiveName(group.kind)},
                          {"bytes", orNull(group.bytes)},
                          {"ranks", group.ranks},
                          {"pairs", group.pairs},
                          {"calls", group.calls},
                          {"total_bytes", orNull(group.totalBytes)}});
    }
    return result;
}

Json findingJson(const Report& report, const rules::Finding& finding)
{
    Json figures = Json::object();
    for (const rules::Figure& figure : finding.figures) {
        figures[rules::keyOf(figure, report.voice().period)] = {{"value", figure.value},
                                                                {"threshold", orNull(figure.threshold)},
                                                                {"unit", values::unitName(figure.unit)}};
    }
    Json evidence = Json::array();
    for (const rules::Evidence& place : finding.evidence) {
        evidence.push_back({{"rank", place.rank},
                            {"start_ns", place.startNs},
                            {"end_ns", place.endNs},
                            {"what", report.sentence(place.what)}});
    }
    Json result = {{"rule", finding.rule},
                   {"severity", rules::severityName(finding.severity)},
                   {"title", report.sentence(finding.title)},
                   {"ranks", finding.ranks},
                   {"links", finding.links},
                   {"settings", finding.settings},
                   {"cost_ns_per_step", finding.perSecond ? Json(nullptr) : orNull(finding.costNsPerStep)},
                   {"part_of", finding.partOf.empty() ? Json(nullptr) : Json(finding.partOf.front())},
                   {"same_loss_as", finding.restates.empty() ? Json(nullptr) : Json(finding.restates)},
                   {"kind", finding.cause ? "cause" : "symptom"},
                   {"figures", figures},
                   {"evidence", evidence},
                   {"advice", report.sentence(finding.advice)}};
    if (finding.perSecond) {
        result["cost_ns_per_second"] = orNull(finding.costNsPerStep);
    }
    return result;
}

/// The verdict as an argument. The parts sum to the step, but for the rounding of each.
Json argumentJson(const Report& report)
{
    const Argument argument = argumentOf(report);
    Json parts = Json::array();
    for (const LostPart& part : argument.parts) {
        parts.push_back({{"part", partName(part.kind)}, {"ns", part.ns}, {"share", part.share}});
    }
    Json explanations = Json::array();
    for (const Explanation& each : argument.explanations) {
        explanations.push_back(
            {{"rule", each.finding->rule}, {"part", partName(each.of)}, {"share", each.share}});
    }
    Json conditions = Json::array();
    for (const Judged& each : report.verdict.conditions) {
        conditions.push_back({{"condition", each.condition->id},
                              {"at_most", confidenceName(each.condition->atMost)},
                              {"broken", each.broken ? Json(report.sentence(*each.broken)) : Json(nullptr)}});
    }
    return {{"parts", parts}, {"explanations", explanations}, {"conditions", conditions}};
}

Json alarmJson(const Report& report, const live::AlarmSpan& span)
{
    return {{"kind", span.kind},
            {"rank", orNull(span.rank)},
            {"subject", span.subject.empty() ? Json(nullptr) : Json(span.subject)},
            {"began_ns", orNull(sinceStartNs(report, span.beganMs))},
            {"ended_ns", span.endedMs ? orNull(sinceStartNs(report, *span.endedMs)) : Json(nullptr)},
            {"message", span.message}};
}

std::string render(const Report& report)
{
    Json findings = Json::array();
    for (const rules::Finding& finding : report.findings) {
        findings.push_back(findingJson(report, finding));
    }
    Json missing = Json::array();
    for (const MissingRule& rule : report.notApplicable) {
        missing.push_back({{"rule", rule.rule}, {"reason", report.sentence(rule.reason)}});
    }
    Json issues = Json::array();
    for (const trace::IssueRow& issue : report.issues) {
        issues.push_back({{"id", issue.id},
                          {"severity", trace::severityName(issue.severity)},
                          {"count", issue.count},
                          {"message", issue.message}});
    }
    Json alarms = Json::array();
    for (const live::AlarmSpan& span : report.alarms) {
        alarms.push_back(alarmJson(report, span));
    }
    const Json root = {
        {"schema", "ringside-report/1"},
        {"run", runJson(report)},
        {"coverage", coverageJson(report)},
        {"verdict",
         {{"summary", report.sentence(report.verdict.summary)},
          {"limited_by", rules::limitName(report.verdict.limitedBy)},
          {"finding", orNull(report.verdict.finding)},
          {"confidence", confidenceName(report.verdict.confidence)},
          {"confidence_reason",
           report.verdict.reason.empty() ? Json(nullptr) : Json(report.sentence(report.verdict.reason))},
          {"argument", argumentJson(report)}}},
        {"summary", summaryJson(report)},
        {"steps", stepsJson(report)},
        {"flops", flopsJson(report)},
        {"model", describedJson(report)},
        {"memory", memoryJson(report)},
        {"ranks", ranksJson(report)},
        {"communicators", communicatorsJson(report)},
        {"collectives", collectivesJson(report)},
        {"messages", messagesJson(report)},
        {"links", linksJson(report)},
        {"findings", findings},
        {"price", priceJson(report)},
        {"not_applicable", missing},
        {"issues", issues},
        {"alarms", alarms}};
    // A name in a trace may contain any bytes, so invalid UTF-8 is replaced.
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

RINGSIDE_REPORT(json, .title = "for scripts: ringside-report/1, described by ringside-report-1.schema.json",
                .facts = render);

} // namespace ringside::report::format_json
