// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0) for code scanning dashboards. A loss
// belongs to a run, not to a line of code: its location is the run's file, and its logical locations are
// ranks.
#include "document/renderer.h"
#include "output/json_value.h"

#include <fmt/format.h>

#include <map>

namespace ringside::document::renderer_sarif {
namespace {

std::string_view levelOf(trace::Severity severity)
{
    constexpr std::string_view kLevels[] = {"note", "warning", "error"};
    return kLevels[static_cast<std::size_t>(severity)];
}

/// Percent-encodes all but unreserved characters (RFC 3986).
std::string uriOf(std::string_view name)
{
    std::string uri;
    for (const char c : name) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                           std::string_view("-._~").find(c) != std::string_view::npos;
        uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri;
}

Json placeOf(const Document& document, const Finding& finding)
{
    Json place = {{"physicalLocation", {{"artifactLocation", {{"uri", uriOf(document.name)}}}}}};
    for (const std::int64_t rank : finding.rankNumbers) {
        place["logicalLocations"].push_back({{"name", fmt::format("rank {}", rank)}, {"kind", "process"}});
    }
    return place;
}

Json resultOf(const Document& document, const Finding& finding, std::size_t index)
{
    Json figures = Json::object();
    for (const Figure& figure : finding.figures) {
        figures[figure.name] = figure.value;
    }
    Json sameLoss = Json::array();
    for (const SameLoss& same : finding.sameLoss) {
        sameLoss.push_back(same.rule);
    }
    return {{"ruleId", finding.rule},
            {"ruleIndex", index},
            {"kind", "fail"},
            {"level", levelOf(finding.severity)},
            {"message", {{"text", fmt::format("{}. Try: {}", finding.title, finding.advice)}}},
            {"locations", Json::array({placeOf(document, finding)})},
            {"properties",
             {{finding.perSecond ? "cost_ns_per_second" : "cost_ns_per_step", orNull(finding.costNs)},
              {"figures", figures},
              {"same_loss", sameLoss}}}};
}

Json notJudged(const RuleEntry& rule, std::size_t index)
{
    return {{"ruleId", rule.id},
            {"ruleIndex", index},
            {"kind", rule.inconclusive ? "review" : "notApplicable"},
            {"level", "none"},
            {"message", {{"text", *rule.notJudged}}}};
}

std::string render(const Document& document, const TextStyle& /*style*/)
{
    std::map<std::string_view, std::size_t> indices;
    Json rules = Json::array();
    for (const RuleEntry& rule : document.rules) {
        indices.emplace(rule.id, rules.size());
        rules.push_back(
            {{"id", rule.id}, {"shortDescription", {{"text", rule.title}}}, {"help", {{"text", rule.help}}}});
    }
    Json results = Json::array();
    for (const Finding* const finding : document.findings()) {
        results.push_back(resultOf(document, *finding, indices.at(finding->rule)));
    }
    for (const RuleEntry& rule : document.rules) {
        if (rule.notJudged) {
            results.push_back(notJudged(rule, indices.at(rule.id)));
        }
    }
    const Json run = {{"tool", {{"driver", {{"name", "Ringside"}, {"rules", rules}}}}},
                      {"invocations", Json::array({{{"executionSuccessful", true}}})},
                      {"properties", {{"verdict", document.summary}, {"emulated", document.emulated}}},
                      {"results", results}};
    const Json sarif = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                        {"version", "2.1.0"},
                        {"runs", Json::array({run})}};
    return sarif.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

RINGSIDE_RENDERER(sarif, .title = "SARIF 2.1.0 for code scanning", .render = render);

} // namespace ringside::document::renderer_sarif
