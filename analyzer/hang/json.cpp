// SPDX-License-Identifier: Apache-2.0
// Writes the report as JSON. ringside-hang-1.schema.json describes it. Within a major version, members are
// only added.
#include "hang/hang.h"
#include "output/json_value.h"
#include "words/render.h"

#include <fmt/format.h>

namespace ringside::hang {
namespace {

Json toJson(const Signature& call)
{
    return {{"function", call.function},           {"count", orNull(call.count)},
            {"bytes", orNull(call.bytes)},         {"datatype", orNull(call.datatype)},
            {"reduction", orNull(call.reduction)}, {"root", orNull(call.root)}};
}

Json toJson(const StuckCollective& stuck)
{
    Json arrived = Json::array();
    for (const Arrived& each : stuck.arrived) {
        Json entry = {{"rank", each.rank}, {"for_ns", each.forNs}, {"in_call", each.inCall}};
        entry["call"] = toJson(each.call);
        arrived.push_back(std::move(entry));
    }
    Json finished = Json::array();
    for (const auto& [rank, order] : stuck.finishedOnGpu) {
        finished.push_back({{"rank", rank}, {"order", orNull(order)}});
    }
    Json communicator = {{"hash", fmt::format("{:016x}", stuck.communicator)},
                         {"name", stuck.name.empty() ? Json(nullptr) : Json(stuck.name)},
                         {"size", stuck.size}};
    return {{"communicator", std::move(communicator)},
            {"order", stuck.order},
            {"order_is_place", stuck.ordersByPlace},
            {"point_to_point", stuck.pointToPoint},
            {"setup", stuck.setup},
            {"torch_number", orNull(stuck.torchNumber)},
            {"call", toJson(stuck.call())},
            {"arrived", std::move(arrived)},
            {"missing", stuck.missing},
            {"different", stuck.different},
            {"queued", stuck.queued},
            {"unknown", stuck.unknown},
            {"lost", stuck.lost},
            {"not_recorded", stuck.notRecorded},
            {"waited_ns", stuck.waitedNs},
            {"finished_on_gpu", std::move(finished)}};
}

Json toJson(const RankReport& rank)
{
    Json threads = Json::array();
    for (const ThreadReport& thread : rank.threads) {
        threads.push_back({{"tid", thread.tid},
                           {"name", thread.name},
                           {"in", thread.function.empty() ? Json(nullptr) : Json(thread.function)},
                           {"last_call", thread.lastCall.empty() ? Json(nullptr) : Json(thread.lastCall)},
                           {"for_ns", thread.forNs}});
    }
    Json lastCalls = Json::array();
    for (const ReturnedCall& call : rank.lastCalls) {
        lastCalls.push_back(
            {{"function", call.function}, {"sequence", orNull(call.sequence)}, {"before_ns", call.beforeNs}});
    }
    Json watchdog = nullptr;
    if (rank.hang) {
        watchdog = {{"reason", rank.hang->reason}, {"lasted_ns", rank.hang->noticedNs - rank.hang->sinceNs}};
    }
    Json storage = nullptr;
    if (rank.storage) {
        storage = {{"moves_data", rank.storage->use.moves},
                   {"bytes_per_s", rank.storage->use.bytesPerS},
                   {"for_ns", rank.storage->forNs}};
    }
    return {{"rank", rank.rank >= 0 ? Json(rank.rank) : Json(nullptr)},
            {"host", rank.host},
            {"pid", rank.pid},
            {"state", lifeName(rank.life)},
            {"calls_known", rank.callsKnown},
            {"last_step", orNull(rank.lastStep)},
            {"last_sign_ns", rank.lastSignNs},
            {"gone_ns", orNull(rank.goneNs)},
            {"wait_status", orNull(rank.waitStatus)},
            {"threads", std::move(threads)},
            {"last_calls", std::move(lastCalls)},
            {"cpu_share", orNull(rank.cpuShare)},
            {"storage", std::move(storage)},
            {"open_group_calls", rank.openGroupCalls},
            {"watchdog", std::move(watchdog)},
            {"stack", rank.stack},
            {"stack_notes", rank.stackNotes}};
}

Json toJson(const Witness& witness)
{
    const bool speaks = witness.notAvailable.empty();
    return {{"source", witness.source},
            {"not_available", speaks ? Json(nullptr) : Json(witness.notAvailable)},
            {"kind", speaks ? Json(kindName(witness.kind)) : Json(nullptr)},
            {"summary", speaks ? Json(words::render(witness.summary, {})) : Json(nullptr)},
            {"blamed", witness.blamed},
            {"ranks", witness.heard},
            {"ranks_without", witness.silent},
            {"details", witness.details},
            {"agreement", agreementName(witness.agreement)},
            {"comparison", speaks ? Json(witness.comparison) : Json(nullptr)}};
}

/// A step of a chain: who waits for whom, and in which of the report's collectives.
Json toJson(const Report& report, const Origin& origin)
{
    Json chain = Json::array();
    for (const std::size_t call : origin.chain) {
        const StuckCollective& stuck = report.collectives[call];
        Json waits = Json::array();
        for (const Arrived& arrived : stuck.arrived) {
            waits.push_back(arrived.rank);
        }
        chain.push_back({{"ranks", std::move(waits)},
                         {"waits_for", blockersOf(stuck).empty() ? origin.ranks : blockersOf(stuck)},
                         {"collective", call}});
    }
    return {{"ranks", origin.ranks},
            {"circle", origin.circle},
            {"waiting", origin.waiting},
            {"chain", std::move(chain)}};
}

Json verdictOf(const Report& report)
{
    Json origins = Json::array();
    for (const Origin& origin : report.origins) {
        origins.push_back(toJson(report, origin));
    }
    Json reasons = Json::array();
    for (const words::Text& reason : report.reasons) {
        reasons.push_back(words::render(reason, {}));
    }
    return {{"kind", kindName(report.kind)},
            {"summary", words::render(report.summary, {})},
            {"died_first", orNull(report.diedFirst)},
            {"origins", std::move(origins)},
            {"confidence",
             report.kind == Kind::Nothing ? Json(nullptr) : Json(confidenceName(report.confidence))},
            {"confidence_reasons", std::move(reasons)}};
}

} // namespace

std::string formatJson(const Report& report)
{
    Json json;
    json["schema"] = "ringside-hang/1";
    json["run"] = {
        {"path", report.path.string()}, {"world_size", report.worldSize}, {"emulated", report.emulated}};
    json["verdict"] = verdictOf(report);
    json["collectives"] = Json::array();
    for (const StuckCollective& stuck : report.collectives) {
        json["collectives"].push_back(toJson(stuck));
    }
    json["ranks"] = Json::array();
    for (const RankReport& rank : report.ranks) {
        json["ranks"].push_back(toJson(rank));
    }
    json["witnesses"] = Json::array();
    for (const Witness& witness : report.witnesses) {
        json["witnesses"].push_back(toJson(witness));
    }
    json["issues"] = Json::array();
    for (const trace::IssueRow& issue : report.issues) {
        json["issues"].push_back({{"id", issue.id},
                                  {"severity", trace::severityName(issue.severity)},
                                  {"count", issue.count},
                                  {"message", issue.message}});
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::hang
