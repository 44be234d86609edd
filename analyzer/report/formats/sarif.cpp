// SPDX-License-Identifier: Apache-2.0
// Writes SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0) for code scanning dashboards. A finding
// belongs to a run, not to a line of code: its location is the run's file, and its logical locations are
// ranks.
#include "output/json_value.h"
#include "report/format.h"
#include "report/sentences.h"

#include <fmt/format.h>

#include <map>

namespace ringside::report::format_sarif {
namespace {

std::string_view levelOf(rules::Severity severity)
{
    constexpr std::string_view kLevels[] = {"note", "warning", "error"};
    return kLevels[static_cast<std::size_t>(severity)];
}

/// Percent-encodes all but unreserved characters (RFC 3986) of the file name.
std::string uriOf(const std::filesystem::path& path)
{
    std::string uri;
    for (const char c : path.filename().string()) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                           std::string_view("-._~").find(c) != std::string_view::npos;
        uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri;
}

Json rulesJson(std::map<std::string_view, std::size_t>& indices)
{
    Json list = Json::array();
    for (const rules::Rule* const rule : rules::all()) {
        indices.emplace(rule->id, list.size());
        list.push_back({{"id", rule->id},
                        {"shortDescription", {{"text", rule->title}}},
                        {"help", {{"text", rule->help}}}});
    }
    return list;
}

Json placeOf(const Report& report, const rules::Finding& finding)
{
    Json place = {{"physicalLocation", {{"artifactLocation", {{"uri", uriOf(report.model.trace.path)}}}}}};
    for (const std::int64_t rank : finding.ranks) {
        place["logicalLocations"].push_back({{"name", fmt::format("rank {}", rank)}, {"kind", "process"}});
    }
    return place;
}

Json resultOf(const Report& report, const rules::Finding& finding, std::size_t index)
{
    Json figures = Json::object();
    for (const rules::Figure& figure : finding.figures) {
        figures[rules::keyOf(figure, report.voice().period)] = figure.value;
    }
    const Json cost = finding.costNsPerStep ? Json(*finding.costNsPerStep) : Json(nullptr);
    return {{"ruleId", finding.rule},
            {"ruleIndex", index},
            {"kind", "fail"},
            {"level", levelOf(finding.severity)},
            {"message",
             {{"text",
               fmt::format("{}. Try: {}", report.sentence(finding.title), report.sentence(finding.advice))}}},
            {"locations", Json::array({placeOf(report, finding)})},
            {"properties",
             {{finding.perSecond ? "cost_ns_per_second" : "cost_ns_per_step", cost}, {"figures", figures}}}};
}

Json notApplicable(const Report& report, const MissingRule& missing, std::size_t index)
{
    return {{"ruleId", missing.rule},
            {"ruleIndex", index},
            {"kind", missing.inconclusive ? "review" : "notApplicable"},
            {"level", "none"},
            {"message", {{"text", report.sentence(missing.reason)}}}};
}

std::string render(const Report& report, const TextStyle& /*style*/)
{
    std::map<std::string_view, std::size_t> indices;
    const Json rules = rulesJson(indices);
    Json results = Json::array();
    for (const rules::Finding& finding : report.findings) {
        results.push_back(resultOf(report, finding, indices.at(finding.rule)));
    }
    for (const MissingRule& missing : report.notApplicable) {
        results.push_back(notApplicable(report, missing, indices.at(missing.rule)));
    }
    const Json run = {
        {"tool", {{"driver", {{"name", "Ringside"}, {"rules", rules}}}}},
        {"invocations", Json::array({{{"executionSuccessful", true}}})},
        {"properties",
         {{"verdict", report.sentence(report.verdict.summary)}, {"emulated", report.model.emulated}}},
        {"results", results}};
    const Json document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                           {"version", "2.1.0"},
                           {"runs", Json::array({run})}};
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

RINGSIDE_REPORT(sarif, .title = "SARIF 2.1.0 for code scanning", .render = render);

} // namespace ringside::report::format_sarif
