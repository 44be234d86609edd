// SPDX-License-Identifier: Apache-2.0
// JUnit XML for CI systems. Every rule is a test case. Warnings and problems fail it. Rules that could not
// judge the run are skipped, and so are those whose findings only restate another loss: a loss counts once.
// Times are 0, because a rule measures the run and not itself.
#include "document/renderer.h"
#include "trace/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <sstream>

namespace ringside::document::renderer_junit {
namespace {

using Findings = std::vector<const Finding*>;

/// Replaces control characters, which XML 1.0 does not allow even as references.
std::string xmlText(std::string_view text)
{
    return trace::shownText(text, ' ', "\n\t");
}

std::string details(const Findings& findings)
{
    std::string text;
    for (const Finding* const finding : findings) {
        text += fmt::format("{}: {}\ncost: {}; ranks: {}\ntry: {}\n", trace::severityName(finding->severity),
                            finding->title, finding->cost, finding->ranks, finding->advice);
    }
    return xmlText(text);
}

/// What the findings say of each rule.
struct Cases {
    std::map<std::string, Findings> failed;      ///< warnings and problems
    std::map<std::string, std::string> restated; ///< with the rule whose loss it is
};

Cases casesOf(const Document& document)
{
    Cases cases;
    for (const Finding* const finding : document.findings()) {
        if (finding->severity != trace::Severity::Info) {
            cases.failed[finding->rule].push_back(finding);
        }
        for (const SameLoss& same : finding->sameLoss) {
            cases.restated.emplace(same.rule, finding->rule);
        }
    }
    return cases;
}

std::optional<std::string> whySkipped(const RuleEntry& rule, const Cases& cases)
{
    const auto same = cases.restated.find(rule.id);
    return rule.notJudged                 ? rule.notJudged
           : same == cases.restated.end() ? std::nullopt
                                          : std::optional("the same loss as " + same->second);
}

enum class Result : std::uint8_t { Passed, Failed, Skipped };

Result addCase(pugi::xml_node suite, const RuleEntry& rule, const Cases& cases)
{
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("name") = rule.id.c_str();
    test.append_attribute("classname") = "ringside";
    test.append_attribute("time") = "0";
    if (const auto failed = cases.failed.find(rule.id); failed != cases.failed.end()) {
        const Finding& first = *failed->second.front();
        pugi::xml_node failure = test.append_child("failure");
        failure.append_attribute("message") = xmlText(first.title).c_str();
        failure.append_attribute("type") = std::string(trace::severityName(first.severity)).c_str();
        failure.text() = details(failed->second).c_str();
        return Result::Failed;
    }
    if (const auto why = whySkipped(rule, cases)) {
        test.append_child("skipped").append_attribute("message") = xmlText(*why).c_str();
        return Result::Skipped;
    }
    return Result::Passed;
}

std::string render(const Document& document, const TextStyle& /*style*/)
{
    const Cases cases = casesOf(document);
    pugi::xml_document xml;
    pugi::xml_node suite = xml.append_child("testsuites").append_child("testsuite");
    const auto set = [&suite](const char* name, const std::string& value) {
        suite.append_attribute(name) = xmlText(value).c_str();
    };
    set("name", "ringside " + document.name);
    set("package", "ringside");
    set("id", "0");
    if (!document.startedAt.empty()) {
        constexpr std::size_t kSeconds = 19; // the schema allows neither fractions nor time zones
        set("timestamp", document.startedAt.substr(0, kSeconds));
    }
    if (!document.host.empty()) {
        set("hostname", document.host);
    }
    pugi::xml_node emulated = suite.append_child("properties").append_child("property");
    emulated.append_attribute("name") = "emulated";
    emulated.append_attribute("value") = document.emulated;
    std::map<Result, std::size_t> counts;
    for (const RuleEntry& rule : document.rules) {
        ++counts[addCase(suite, rule, cases)];
    }
    set("tests", fmt::to_string(document.rules.size()));
    set("failures", fmt::to_string(counts[Result::Failed]));
    set("errors", "0");
    set("skipped", fmt::to_string(counts[Result::Skipped]));
    set("time", "0");
    suite.append_child("system-out").text() = xmlText(document.summary).c_str();
    suite.append_child("system-err");
    std::ostringstream text;
    xml.save(text, "  ");
    return text.str();
}

} // namespace

RINGSIDE_RENDERER(junit, .title = "JUnit XML, one test case per rule", .render = render);

} // namespace ringside::document::renderer_junit
