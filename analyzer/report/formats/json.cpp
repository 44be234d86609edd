// SPDX-License-Identifier: Apache-2.0
// Writes the JSON report (ringside-report-1.schema.json). Within version 1, members are only added. Values
// that were not measured are null. Times are ns after run.started_at.
#include "output/json_value.h"
#include "report/alarms.h"
#include "report/argument.h"
#include "report/communicators.h"
#include "report/format.h"
#include "report/links.h"
#include "report/message_groups.h"
#include "report/sentences.h"
#include "rules/shared/support.h"

#include <algorithm>
#include <cmath>
#include <functional>
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

/// Returns a rank's positions in the dimensions, counted from 1.
Json placeJson(const model::ParallelLayout& layout, std::size_t rank)
{
    if (!layout.isKnown()) {
        return nullptr;
    }
    const model::ParallelPlace& place = layout.places[rank];
    return {{"stage", orNull(place.stage)},
            {"replica", orNull(place.replica)},
            {"tensor", orNull(place.tensor)},
            {"context", orNull(place.context)},
            {"expert", orNull(place.expert)}};
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

Json spreadJson(const std::optional<metrics::Spread>& spread)
{
    Json result = {{"mean", nullptr},   {"min", nullptr}, {"max", nullptr},
                   {"spread", nullptr}, {"cv", nullptr},  {"time_stddev", nullptr}};
    if (spread) {
        result = {{"mean", spread->mean}, {"min", spread->min},
                  {"max", spread->max},   {"spread", spread->spread},
                  {"cv", spread->cv},     {"time_stddev", orNull(spread->timeStddev)}};
    }
    return result;
}

/// Returns the share of communication that compute hides; null if there is none.
Json overlapJson(const metrics::Breakdown& part)
{
    return part.communicationNs > 0
               ? Json(static_cast<double>(part.overlapNs) / static_cast<double>(part.communicationNs))
               : Json(nullptr);
}

/// Null if no device step was measured. Of a recording without steps, a second.
std::optional<std::int64_t> meanStepNs(const Report& report)
{
    const metrics::RunMetrics& run = report.metrics;
    return run.ranks.empty() || run.stepNs() <= 0 ? std::nullopt : std::optional(run.stepNs());
}

Json summaryJson(const Report& report)
{
    const metrics::RunMetrics& run = report.metrics;
    const std::optional<std::int64_t> mean = meanStepNs(report);
    return {{"comm_compute_ratio", orNull(run.ratio)},
            {"communication_share", orNull(run.communicationShare)},
            {"overlap_share", run.ranks.empty() ? Json(nullptr) : overlapJson(run.total())},
            {"gpu_utilization", spreadJson(run.utilization)},
            {"useful_utilization", spreadJson(run.usefulUtilization)},
            {"link_health", healthName(linkHealth(report))},
            {"steps_per_s", mean ? Json(1e9 / static_cast<double>(*mean)) : Json(nullptr)},
            {"samples_per_s", nullptr}};
}

/// Figures of a rank: totals, or medians of a step.
struct Part {
    metrics::Breakdown figures;
    std::optional<double> ratio;
    double utilization = 0;
    double usefulUtilization = 0;
    std::int64_t lastArrivals = 0;
};

Part totalOf(const metrics::RankMetrics& rank)
{
    return {rank.total, rank.total.ratio(), rank.total.utilization(), rank.total.usefulUtilization(),
            rank.lastArrivals};
}

Part medianOf(const metrics::RankMetrics& rank)
{
    return {rank.median, rank.medianRatio(), rank.medianOf(&metrics::Breakdown::utilization),
            rank.medianOf(&metrics::Breakdown::usefulUtilization), rank.medianLastArrivals};
}

/// Returns figures per second, for a recording without steps.
Part perSecondOf(const metrics::RankMetrics& rank)
{
    const auto last = std::llround(static_cast<double>(rank.lastArrivals) / std::max(1e-9, rank.periods));
    return {rank.mean(), rank.total.ratio(), rank.total.utilization(), rank.total.usefulUtilization(), last};
}

/// `run` determines which values were measured.
Json partJson(const Part& rank, const metrics::RunMetrics& run)
{
    const metrics::Breakdown& part = rank.figures;
    const bool arrivals = run.waitsKnown();
    return {{"step_ns", part.stepNs},
            {"compute_ns", part.computeNs},
            {"communication_ns", part.communicationNs},
            {"copy_ns", part.copyNs},
            {"overlap_ns", part.overlapNs},
            {"exposed_communication_ns", part.exposedCommunicationNs},
            {"exposed_copy_ns", part.exposedCopyNs},
            {"idle_ns", part.idleNs},
            {"comm_compute_ratio", orNull(rank.ratio)},
            {"gpu_utilization", rank.utilization},
            {"useful_utilization", run.usefulMeasured() ? Json(rank.usefulUtilization) : Json(nullptr)},
            {"wait_ns", arrivals ? Json(part.waitNs) : Json(nullptr)},
            {"transfer_ns", arrivals ? Json(part.transferNs) : Json(nullptr)},
            {"last_arrivals", arrivals ? Json(rank.lastArrivals) : Json(nullptr)}};
}

Json idleJson(const metrics::RankMetrics& rank, const std::function<std::int64_t(std::int64_t)>& figure)
{
    Json idle = Json::object();
    for (std::size_t i = 0; i < metrics::kIdleClasses; ++i) {
        idle[std::string(metrics::idleClassName(static_cast<metrics::IdleClass>(i)))] =
            figure(rank.idle.ns[i]);
    }
    return idle;
}

/// Returns the totals divided by the number of steps, or by the seconds of a recording without steps.
Json meanJson(const metrics::RankMetrics& rank, bool arrivals)
{
    const metrics::Breakdown mean = rank.mean();
    return {{"step_ns", mean.stepNs},
            {"compute_ns", mean.computeNs},
            {"communication_ns", mean.communicationNs},
            {"exposed_communication_ns", mean.exposedCommunicationNs},
            {"exposed_copy_ns", mean.exposedCopyNs},
            {"idle_ns", mean.idleNs},
            {"wait_ns", arrivals ? Json(mean.waitNs) : Json(nullptr)},
            {"transfer_ns", arrivals ? Json(mean.transferNs) : Json(nullptr)},
            {"idle_classes_ns", idleJson(rank, [&rank](std::int64_t ns) { return rank.ofAStep(ns); })}};
}

Json measuredRank(const Report& report, const metrics::RankMetrics& rank)
{
    const bool arrivals = report.metrics.waitsKnown();
    Json result = {{"rank", report.model.ranks[rank.rank].rank}};
    result.update(partJson(totalOf(rank), report.metrics));
    result["lost_ns"] = arrivals ? Json(rank.lostNs) : Json(nullptr);
    result["overlap_share"] = overlapJson(rank.total);
    result["idle_classes_ns"] = idleJson(rank, std::identity());
    result["mean"] = meanJson(rank, arrivals);
    const bool recording = report.model.recordingIsStep();
    result["per_step"] = recording ? Json(nullptr) : partJson(medianOf(rank), report.metrics);
    if (recording) {
        result["per_second"] = partJson(perSecondOf(rank), report.metrics);
    }
    return result;
}

/// Returns the row of a rank without device data, in which all values are null.
Json unmeasuredRank(const model::Rank& rank)
{
    Json result = {{"rank", rank.rank}};
    const Json names = partJson({}, {});
    for (const auto& [key, value] : names.items()) {
        result[key] = nullptr;
    }
    for (const char* key : {"lost_ns", "overlap_share", "idle_classes_ns", "mean", "per_step"}) {
        result[key] = nullptr;
    }
    return result;
}

/// Adds what CUDA events measured on a rank; other values were not measured.
void addTimedCalls(Json& rank, const metrics::RunMetrics& run, std::size_t index)
{
    const auto timed = std::ranges::find(run.timed.ranks, index, &metrics::TimedRank::rank);
    if (timed == run.timed.ranks.end() || run.timed.arrived.empty()) {
        return;
    }
    rank["communication_ns"] = timed->communicationNs;
    rank["wait_ns"] = timed->waitNs;
    rank["transfer_ns"] = timed->transferNs;
    rank["last_arrivals"] = timed->lastArrivals;
    rank["lost_ns"] = timed->lostNs;
    const auto steps = std::max<std::int64_t>(1, std::ssize(run.timed.steps));
    rank["mean"] = {{"communication_ns", timed->communicationNs / steps},
                    {"wait_ns", timed->waitNs / steps},
                    {"transfer_ns", timed->transferNs / steps}};
}

Json ranksJson(const Report& report)
{
    Json result = Json::array();
    for (std::size_t i = 0; i < report.model.ranks.size(); ++i) {
        const auto& ranks = report.metrics.ranks;
        const auto measured =
            std::find_if(ranks.begin(), ranks.end(), [&](const auto& rank) { return rank.rank == i; });
        result.push_back(measured == ranks.end() ? unmeasuredRank(report.model.ranks[i])
                                                 : measuredRank(report, *measured));
        result.back()["place"] = placeJson(report.model.layout, i);
        addTimedCalls(result.back(), report.metrics, i);
    }
    return result;
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
          {"confidence", confidenceName(report.verdict.confidence)},
          {"confidence_reason",
           report.verdict.reason.empty() ? Json(nullptr) : Json(report.sentence(report.verdict.reason))},
          {"argument", argumentJson(report)}}},
        {"summary", summaryJson(report)},
        {"steps",
         {{"median_ns", orNull(report.metrics.stepMedianNs)},
          {"p99_ns", orNull(report.metrics.stepP99Ns)},
          {"mean_ns", orNull(meanStepNs(report))}}},
        {"ranks", ranksJson(report)},
        {"communicators", communicatorsJson(report)},
        {"collectives", collectivesJson(report)},
        {"messages", messagesJson(report)},
        {"links", linksJson(report)},
        {"findings", findings},
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
