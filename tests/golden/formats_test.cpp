// SPDX-License-Identifier: Apache-2.0
// One figure for one thing: whatever two formats show of a run is the same, on runs of different kinds.
#include "compare/comparison.h"
#include "export/exporter.h"
#include "golden_json.h"
#include "known_figures.h"
#include "report/document.h"
#include "report/format.h"
#include "report_kinds.h"
#include "support/temporary_directory.h"
#include "unit/analyzer/json_schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <pugixml.hpp>
#include <regex>
#include <set>

namespace ringside::test {
namespace {

class Formats : public testing::TestWithParam<std::size_t> {
protected:
    [[nodiscard]] const report::Report& report() const { return reportKinds()[GetParam()].report; }
    [[nodiscard]] std::string in(std::string_view format) const
    {
        return report::formatNamed(format).render(report(), {.extent = report::Extent::All});
    }
    [[nodiscard]] const Json& json() const
    {
        if (m_json.is_null()) {
            m_json = Json::parse(in("json"));
        }
        return m_json;
    }

private:
    mutable Json m_json;
};

/// Severity and rule of each loss, in the order of reading.
using Losses = std::vector<std::pair<std::string, std::string>>;

Losses found(const std::string& text, const char* pattern, bool severityFirst = true)
{
    Losses losses;
    const std::regex expression(pattern);
    for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
        losses.emplace_back((*at)[severityFirst ? 1 : 2], (*at)[severityFirst ? 2 : 1]);
    }
    return losses;
}

Losses lossesOf(const document::Document& document)
{
    Losses losses;
    for (const document::Finding* const finding : document.findings()) {
        losses.emplace_back(trace::severityName(finding->severity), finding->rule);
    }
    return losses;
}

Losses sorted(Losses losses)
{
    std::ranges::sort(losses);
    return losses;
}

TEST_P(Formats, AgreeWhichLossesThereAreAndHowSevere)
{
    const document::Document document = report::documentOf(report());
    const Losses losses = lossesOf(document);
    Losses inJson;
    for (const Json& finding : json()["findings"]) {
        if (finding["same_loss_as"].is_null()) {
            inJson.emplace_back(finding["severity"], finding["rule"]);
        }
    }
    EXPECT_EQ(sorted(inJson), sorted(losses));

    const std::string text = std::regex_replace(in("text"), std::regex("\n {11}"), " ");
    EXPECT_EQ(found(text, R"(\n  (info|warning|problem) +.*? \[(\w+)\] cost: )"), losses);
    EXPECT_EQ(found(in("markdown"), "### (\\w+): [^\n]*\n\n- rule `(\\w+)`"), losses);
    EXPECT_EQ(found(in("html"), "<div class=\"finding (\\w+)\">[^]*?; rule <code>(\\w+)</code></p>"), losses);

    Losses github = found(in("github"), R"(::(\w+) title=Ringside (\w+)::)");
    const std::map<std::string, std::string> severities{
        {"notice", "info"}, {"warning", "warning"}, {"error", "problem"}, {"note", "info"}};
    for (auto& [severity, rule] : github) {
        severity = severities.at(severity);
    }
    EXPECT_EQ(github, losses);

    Losses sarif;
    const Json results = Json::parse(in("sarif"))["runs"][0]["results"];
    for (const Json& result : results) {
        if (result["kind"] == "fail") {
            sarif.emplace_back(severities.at(result["level"]), result["ruleId"]);
        }
    }
    EXPECT_EQ(sarif, losses);
}

TEST_P(Formats, CountProblemsAlike)
{
    std::size_t problems = 0;
    std::set<std::string> failing;
    for (const auto& [severity, rule] : lossesOf(report::documentOf(report()))) {
        problems += severity == "problem" ? 1 : 0;
        if (severity != "info") {
            failing.insert(rule);
        }
    }
    const Json figures = Json::parse(in("benchmark-json"));
    EXPECT_EQ(figures.back()["name"], "problems");
    EXPECT_EQ(figures.back()["value"], problems);

    pugi::xml_document xml;
    ASSERT_TRUE(xml.load_string(in("junit").c_str()));
    std::set<std::string> failed;
    for (const pugi::xml_node& test : xml.child("testsuites").child("testsuite").children("testcase")) {
        if (test.child("failure")) {
            failed.insert(test.attribute("name").value());
        }
    }
    EXPECT_EQ(failed, failing);
    EXPECT_EQ(xml.child("testsuites").child("testsuite").attribute("failures").as_ullong(), failing.size());
}

TEST_P(Formats, HideNothingThatIsMoreSevere)
{
    std::map<std::string, int> ofRule;
    const std::map<std::string, int> order{{"info", 0}, {"warning", 1}, {"problem", 2}};
    for (const Json& finding : json()["findings"]) {
        ofRule[finding["rule"]] = std::max(ofRule[finding["rule"]], order.at(finding["severity"]));
    }
    for (const Json& finding : json()["findings"]) {
        if (!finding["same_loss_as"].is_null()) {
            EXPECT_LE(order.at(finding["severity"]), ofRule.at(finding["same_loss_as"])) << finding["rule"];
        }
    }
}

std::string prometheusOf(const report::Report& report)
{
    const TemporaryDirectory directory;
    const auto exporters = exporting::all();
    const auto exporter =
        std::ranges::find(exporters, "prometheus", [](const exporting::Exporter* each) { return each->id; });
    (*exporter)->write(report, directory / "run.prom");
    std::ifstream file(directory / "run.prom");
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The value of a series, null if it has none.
std::optional<double> seriesOf(const std::string& prometheus, const std::string& pattern)
{
    std::smatch match;
    return std::regex_search(prometheus, match, std::regex(pattern + "[^\n]*\\} ([^\n]+)"))
               ? std::optional(std::stod(match[1]))
               : std::nullopt;
}

std::optional<double> numberIn(const Json& value, double scale)
{
    return value.is_null() ? std::nullopt : std::optional(value.get<double>() * scale);
}

void expectSame(std::optional<double> a, std::optional<double> b, const char* what)
{
    ASSERT_EQ(a.has_value(), b.has_value()) << what;
    if (a) {
        EXPECT_NEAR(*a, *b, 1e-6 * std::abs(*a)) << what;
    }
}

TEST_P(Formats, HaveOneMedianStep)
{
    const std::optional<double> medianNs = numberIn(json()["steps"]["median_ns"], 1);
    const std::string shown = medianNs ? fmt::format("{:.2f} ms", *medianNs / 1e6) : "not measured";
    const document::Document document = report::documentOf(report());
    EXPECT_EQ(document.figures.front().name, "median step");
    EXPECT_EQ(document.figures.front().value, shown);
    for (const char* const format : {"text", "markdown", "html"}) {
        EXPECT_EQ(std::regex_search(in(format), std::regex(": median " + shown + ",")), medianNs.has_value())
            << format;
    }
    const std::string prometheus = prometheusOf(report());
    expectSame(seriesOf(prometheus, R"(ringside_step_seconds\{[^}]*stat="median")"),
               numberIn(json()["steps"]["median_ns"], 1e-9), "prometheus");
    std::optional<double> benchmark;
    const Json figures = Json::parse(in("benchmark-json"));
    for (const Json& figure : figures) {
        if (figure["name"] == "step time, median") {
            benchmark = figure["value"];
        }
    }
    expectSame(benchmark, numberIn(json()["steps"]["median_ns"], 1e-6), "benchmark-json");
    if (!report().allSteps) { // a comparison has only the steps whose rows summaries hold
        const compare::Metric step = compare::compareRuns(report(), report(), 0.02).metrics.front();
        expectSame(step.base.count > 0 ? std::optional(step.base.median) : std::nullopt, medianNs, "diff");
    }
    expectSame(seriesOf(prometheus, "ringside_communication_share"),
               numberIn(json()["summary"]["communication_share"], 1), "communication share");
    expectSame(seriesOf(prometheus, "ringside_comm_compute_ratio"),
               numberIn(json()["summary"]["comm_compute_ratio"], 1), "ratio");
}

TEST_P(Formats, HaveNoMemberInJsonThatIsNotDescribed)
{
    const char* const schema = "report/ringside-report-1.schema.json";
    EXPECT_TRUE(keepsSchema(json().dump(), schema, true));
    Json undescribed = json();
    undescribed["findings"].push_back({{"invented", 1}});
    EXPECT_FALSE(keepsSchema(undescribed.dump(), schema, true));
    undescribed = json();
    undescribed["ranks"][0]["mean"]["invented_ns"] = 1;
    EXPECT_TRUE(keepsSchema(undescribed.dump(), schema)) << "older readers meet newer reports";
    EXPECT_FALSE(keepsSchema(undescribed.dump(), schema, true));
}

TEST_P(Formats, ShowNoNumberThatTheJsonReportLacks)
{
    expectKnown(report::documentOf(report()), factsOf(json()));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Formats, testing::Range(std::size_t{0}, reportKinds().size()),
                         [](const auto& each) { return reportKinds()[each.param].name; });

TEST(ReportKinds, AreOfManyKinds)
{
    EXPECT_GE(reportKinds().size(), 10U);
    const auto any = [](const auto& holds) {
        return std::ranges::any_of(reportKinds(), [&](const ReportKind& each) { return holds(each.report); });
    };
    EXPECT_TRUE(any([](const report::Report& each) { return each.model.recordingIsStep(); }));
    EXPECT_TRUE(any([](const report::Report& each) { return each.model.imported; }));
    EXPECT_TRUE(any([](const report::Report& each) { return each.allSteps.has_value(); }));
    EXPECT_TRUE(any([](const report::Report& each) { return !each.metrics.timed.arrived.empty(); }));
    EXPECT_TRUE(any([](const report::Report& each) { return each.verdict.limitedBy == rules::Limit::Hang; }));
    EXPECT_TRUE(
        any([](const report::Report& each) { return each.verdict.limitedBy == rules::Limit::Death; }));
    EXPECT_TRUE(
        any([](const report::Report& each) { return each.model.workload == model::Workload::Inference; }));
}

} // namespace
} // namespace ringside::test
