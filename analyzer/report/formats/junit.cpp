// SPDX-License-Identifier: Apache-2.0
// Writes JUnit XML for CI systems. Every rule is a test case. Warnings and problems fail it; rules that were
// not applicable are skipped. Times are 0, because a rule measures the run and not itself.
#include "report/format.h"
#include "report/sentences.h"
#include "trace/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <sstream>

namespace ringside::report::format_junit {
namespace {

using Findings = std::vector<const rules::Finding*>;

/// Replaces control characters, which XML 1.0 does not allow even as references.
std::string xmlText(std::string_view text)
{
    return trace::shownText(text, ' ', "\n\t");
}

std::string details(const Report& report, const Findings& findings)
{
    std::string text;
    for (const rules::Finding* const finding : findings) {
        text += fmt::format("{}: {}\ncost: {}; ranks: {}\ntry: {}\n", rules::severityName(finding->severity),
                            report.sentence(finding->title), costText(*finding), rankList(finding->ranks),
                            report.sentence(finding->advice));
    }
    return xmlText(text);
}

bool fails(const Findings& findings)
{
    return std::any_of(findings.begin(), findings.end(), [](const rules::Finding* finding) {
        return finding->severity != rules::Severity::Info;
    });
}

void addCase(const Report& report, pugi::xml_node suite, std::string_view rule, const Findings& findings,
             const MissingRule* missing)
{
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("name") = std::string(rule).c_str();
    test.append_attribute("classname") = "ringside";
    test.append_attribute("time") = "0";
    if (missing != nullptr) {
        test.append_child("skipped").append_attribute("message") =
            xmlText(report.sentence(missing->reason)).c_str();
    } else if (fails(findings)) {
        pugi::xml_node failure = test.append_child("failure");
        failure.append_attribute("message") = xmlText(report.sentence(findings.front()->title)).c_str();
        failure.append_attribute("type") =
            std::string(rules::severityName(findings.front()->severity)).c_str();
        failure.text() = details(report, findings).c_str();
    }
}

std::string render(const Report& report, const TextStyle& /*style*/)
{
    std::map<std::string_view, Findings> findings;
    std::map<std::string_view, const MissingRule*> missing;
    for (const rules::Finding& finding : report.findings) {
        findings[finding.rule].push_back(&finding);
    }
    for (const MissingRule& rule : report.notApplicable) {
        missing[rule.rule] = &rule;
    }
    const auto failures = std::count_if(findings.begin(), findings.end(),
                                        [](const auto& entry) { return fails(entry.second); });

    pugi::xml_document document;
    pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
    const auto set = [&suite](const char* name, const std::string& value) {
        suite.append_attribute(name) = xmlText(value).c_str();
    };
    set("name", "ringside " + report.model.trace.path.filename().string());
    set("package", "ringside");
    set("id", "0");
    if (report.startedAt) {
        constexpr std::size_t kSeconds = 19; // the schema allows neither fractions nor time zones
        set("timestamp", report.startedAt->substr(0, kSeconds));
    }
    if (!report.model.hosts.empty()) {
        set("hostname", report.model.hosts.front().name);
    }
    set("tests", fmt::to_string(rules::all().size()));
    set("failures", fmt::to_string(failures));
    set("errors", "0");
    set("skipped", fmt::to_string(missing.size()));
    set("time", "0");
    pugi::xml_node emulated = suite.append_child("properties").append_child("property");
    emulated.append_attribute("name") = "emulated";
    emulated.append_attribute("value") = report.model.emulated;
    for (const rules::Rule* const rule : rules::all()) {
        const auto absent = missing.find(rule->id);
        addCase(report, suite, rule->id, findings[rule->id],
                absent != missing.end() ? absent->second : nullptr);
    }
    suite.append_child("system-out").text() = xmlText(report.sentence(report.verdict.summary)).c_str();
    suite.append_child("system-err");
    std::ostringstream text;
    document.save(text, "  ");
    return text.str();
}

} // namespace

RINGSIDE_REPORT(junit, .title = "JUnit XML, one test case per rule", .render = render);

} // namespace ringside::report::format_junit
